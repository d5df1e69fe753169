package calculation_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

func TestExplainListsWhatCounts(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.of("/explain").want(http.StatusOK)
	if a := s.of("/explain"); a.data("pagination", "total") != "0" || a.count("items") != 0 {
		t.Fatalf("nothing approved: %s", a.body)
	}
	waste := s.add("waste", `{"treatment":"landfill","weightKg":50}`, record.Approved)
	flight := s.add("flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy"}`, record.Approved)
	s.add("flights", `{"from":"LHR","to":"CDG","passengers":1}`, record.Submitted)
	newer := s.add("flights", `{"from":"LHR","to":"CDG","passengers":2}`, record.Approved)
	gone := s.add("flights", `{"from":"LHR","to":"AMS","passengers":2}`, record.Approved)
	s.settle()
	s.move(gone, record.Reopen)
	s.settle()
	a := s.of("/explain").want(http.StatusOK)
	var ids []string
	for i := range a.count("items") {
		ids = append(ids, a.data("items", i, "_id"))
	}
	// By type in its fixed order, newest first within a type.
	if want := []string{string(newer.ID), string(flight.ID), string(waste.ID)}; !slices.Equal(ids, want) || a.data("pagination", "total") != "3" {
		t.Fatalf("got %v, want %v: %s", ids, want, a.body)
	}
	line := func(path ...any) string { return a.data(append([]any{"items", 1, "lines", 0}, path...)...) }
	if line("formula") != "5,539.833 km × 1 passenger × 0.11704 kg per passenger-km = 648.382054 kg" || line("kgCO2e") != "648.382054" ||
		line("factorId") != "desnz-2026-flight-long_haul-economy-rf" || line("unit") != "passenger.km" || line("kgCO2ePerUnit") != "0.11704" ||
		line("stage") != "direct" || line("scope") != "3" || line("factor", "source") == "" || line("factor", "sourceLocation") == "" || line("factor", "licence") == "" ||
		line("factor", "bestBefore") != "2026-12-31" {
		t.Errorf("line: %s", a.body)
	}
	if a.data("items", 1, "kgCO2e") != "784.717344" || a.data("items", 1, "fields", "from") != "LHR" || a.data("items", 0, "defaulted", 0) != "class" {
		t.Errorf("record: %s", a.body)
	}
	// The records explained are the total.
	sum := footprint.Mass{}
	for i := range ids {
		var m footprint.Mass
		if err := m.UnmarshalJSON([]byte(a.data("items", i, "kgCO2e"))); err != nil {
			t.Fatal(err)
		}
		sum = sum.Add(m)
	}
	if total := s.of("").data("total", "kgCO2e"); total != sum.Kilograms() {
		t.Errorf("total %s, records %s", total, sum.Kilograms())
	}
	s.of("/explain?page=0").wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	s.get("/events/e9/results/explain").wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	s.call(http.MethodGet, "/api/v2/events/e1/results/explain", "org2.admin", nil).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
}

// TestExplainPagesReadOnlyTheirPart pages through an event of three segments, and counts reads.
func TestExplainPagesReadOnlyTheirPart(t *testing.T) {
	t.Parallel()
	s := start(t)
	var want []string
	for i := range 2*resulttree.Fanout + 40 {
		until := record.Approved
		if i%3 == 1 {
			until = record.Submitted
		}
		typ, body := "waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, i+1)
		if i%400 == 0 {
			typ, body, until = "venue", `{"electricityKWh":1}`, record.Approved
		}
		r := s.add(typ, body, until)
		if until == record.Approved {
			want = append(want, typ+" "+string(r.ID))
		}
	}
	s.settle()
	slices.Reverse(want)
	venues := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return s[0] != 'v' })
	want = append(venues, slices.DeleteFunc(want, func(s string) bool { return s[0] == 'v' })...)
	var got []string
	for page := 1; ; page++ {
		before := s.records.approved.Load()
		a := s.of(fmt.Sprintf("/explain?limit=70&page=%d", page)).want(http.StatusOK)
		if a.data("pagination", "total") != fmt.Sprint(len(want)) {
			t.Fatalf("pagination: %s", a.data("pagination"))
		}
		if a.count("items") == 0 {
			break
		}
		if read := s.records.approved.Load() - before; read > 2*resulttree.Fanout {
			t.Fatalf("page %d read %d records", page, read)
		}
		for i := range a.count("items") {
			got = append(got, a.data("items", i, "type")+" "+a.data("items", i, "_id"))
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%d records listed, %d counted", len(got), len(want))
	}
	if a := s.of("/explain?page=9223372036854775807").want(http.StatusOK); a.count("items") != 0 {
		t.Fatal("a page beyond the end is not empty")
	}
}
