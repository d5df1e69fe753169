package calculation_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// ofOldEngine returns a contribution as stored by an older engine: without its name, and with a notice of another
// code.
func ofOldEngine(t *testing.T, contribution []byte) []byte {
	t.Helper()
	old := bytes.Replace(contribution, []byte(`{"engine":"`+footprint.EngineVersion+`",`), []byte("{"), 1)
	changed := bytes.Replace(old, []byte("TREATMENT_IS_TRANSPORT_ONLY|"), []byte("AN_OLDER_CODE|"), 1)
	if bytes.Equal(old, contribution) || bytes.Equal(changed, old) {
		t.Fatalf("nothing of an older engine in %s", contribution)
	}
	return changed
}

// TestResultIsTheWorkOfOneEngine: a result of an older engine is unchanged and readable. The first change after an
// upgrade recalculates everything, so that a new result has no parts of the old engine.
func TestResultIsTheWorkOfOneEngine(t *testing.T) {
	t.Parallel()
	s := start(t)
	ctx := t.Context()
	first := s.add("waste", `{"treatment":"recycling","material":"glass","weightKg":7}`, record.Approved)
	s.settle()
	sub := record.Sub{Event: "e1", Type: "waste"}
	counted, err := s.records.Approved(ctx, org, sub, 1, 512)
	if err != nil || len(counted) != 1 {
		t.Fatal(len(counted), err)
	}
	stored, err := s.results.Result(ctx, org, "e1")
	if err != nil {
		t.Fatal(err)
	}

	// Everything becomes that of an older engine.
	if err := s.records.StoreContributions(ctx, org, []record.Recalculated{{ID: first.ID, Rev: counted[0].Rev, ContextRev: counted[0].ContextRev,
		Preview: first.Preview, Contribution: ofOldEngine(t, counted[0].Contribution)}}); err != nil {
		t.Fatal(err)
	}
	if counted, err := s.records.Approved(ctx, org, sub, 1, 512); err != nil || total.OfThisEngine(counted[0].Contribution) {
		t.Fatalf("the record is not of an older engine: %v %+v", err, counted)
	}
	for _, level := range []int{0, 1} {
		id := resulttree.NodeID{Type: "waste", Level: level}
		n, err := s.results.Node(ctx, org, "e1", id)
		if err != nil {
			t.Fatal(err)
		}
		n.Contribution = ofOldEngine(t, n.Contribution)
		n.Version++
		if err := s.results.PutNode(ctx, n, n.Version-1); err != nil {
			t.Fatal(err)
		}
	}
	old := stored
	old.Contribution, old.EngineVersion = ofOldEngine(t, stored.Contribution), "1.1.0"
	old.Version++
	if err := s.results.PutResult(ctx, old, stored.Version); err != nil {
		t.Fatal(err)
	}

	a := s.of("").want(http.StatusOK)
	if a.data("engineVersion") != "1.1.0" || a.data("revision") != "1" || a.data("total", "kgCO2e") == "0.000000" {
		t.Fatalf("the old result: %s", a.body)
	}
	if e := s.of("/report").wantError(http.StatusNotFound, "RESULT_NOT_FOUND"); e.text("error", "details", 0, "code") != "OTHER_ENGINE" {
		t.Errorf("the old report: %s", e.body)
	}

	s.add("flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy"}`, record.Approved)
	s.settle()
	if a := s.of("").want(http.StatusOK); a.data("engineVersion") != footprint.EngineVersion || a.data("revision") != "2" {
		t.Fatalf("after a change of another type: %s", a.body)
	}
	if r, err := s.results.Result(ctx, org, "e1"); err != nil || strings.Contains(string(r.Contribution), "AN_OLDER_CODE") || !total.OfThisEngine(r.Contribution) {
		t.Errorf("old figures in the new result: %v %s", err, r.Contribution)
	}
	if counted, err := s.records.Approved(ctx, org, sub, 1, 512); err != nil || !total.OfThisEngine(counted[0].Contribution) {
		t.Errorf("the record keeps the old figure: %v %+v", err, counted)
	}
	if v, err := bundle.Verify(s.of("/report").want(http.StatusOK).body); err != nil || len(v.Differences) > 0 {
		t.Errorf("the new report: %v %+v", err, v)
	}
	if a := s.of("/1").want(http.StatusOK); a.data("engineVersion") != "1.1.0" || a.data("status") != "superseded" {
		t.Errorf("the old revision: %s", a.body)
	}
}

// TestOldResultOfEqualFigures: a result of an older engine with equal figures can be reported.
func TestOldResultOfEqualFigures(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.add("waste", `{"treatment":"landfill","weightKg":7}`, record.Approved)
	s.settle()
	stored, err := s.results.Result(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	old := stored
	old.Version++
	old.EngineVersion = "1.1.0"
	old.Contribution = bytes.Replace(stored.Contribution, []byte(`{"engine":"`+footprint.EngineVersion+`",`), []byte("{"), 1)
	if err := s.results.PutResult(t.Context(), old, stored.Version); err != nil {
		t.Fatal(err)
	}
	s.of("/report").want(http.StatusOK)
}
