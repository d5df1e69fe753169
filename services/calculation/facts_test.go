package calculation_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// together returns the cross-record findings of the event, as served.
func (s *service) together() string {
	s.t.Helper()
	a := s.of("").want(http.StatusOK)
	return fmt.Sprint(a.at("data", "findings"), a.at("data", "measureNext"))
}

// damage makes the stored facts of the event unreadable, like those of another format.
func (s *service) damage() {
	s.t.Helper()
	nodes, err := s.results.Nodes(s.t.Context(), org, s.event.ID, "", 0, 0, math.MaxInt64)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, n := range nodes {
		if err := s.results.KeepFacts(s.t.Context(), org, s.event.ID, resulttree.NodeFacts{NodeID: n.NodeID, Facts: []byte("\x00\x63")}, n.Version); err != nil {
			s.t.Fatal(err)
		}
	}
}

// TestFirstReadingReadsNoRecords: the worker stores the facts needed by a result's first read; after an upgrade the
// first read does.
func TestFirstReadingReadsNoRecords(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.fill(3000)
	read := func() (string, int64) {
		t.Helper()
		s.restart()
		before := s.records.approved.Load()
		return s.together(), s.records.approved.Load() - before
	}
	want, n := read()
	if n != 0 {
		t.Errorf("the first reading read %d records", n)
	}
	s.damage()
	if got, n := read(); got != want || n != 3000 {
		t.Errorf("without facts %d records were read, and the answer is\n%s\nwant\n%s", n, got, want)
	}
	if got, n := read(); got != want || n != 0 {
		t.Errorf("after the first reading %d records were read, and the answer is\n%s\nwant\n%s", n, got, want)
	}
	// One more approval: one segment is read, of which all but one record are known.
	s.add("waste", `{"treatment":"landfill","weightKg":77777777}`, record.Approved)
	s.settle()
	if got, n := read(); got == want || n > resulttree.Fanout {
		t.Errorf("after an approval %d records were read", n)
	}
}

// TestStoredFactsSayWhatTheRecordsSay: after any approvals and withdrawals, a long-running service, one that reads
// stored facts and one that derives them from the records agree.
func TestStoredFactsSayWhatTheRecordsSay(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // which records are moved
	s := start(t)
	bodies := []struct{ typ, body string }{
		{"flights", `{"description":"Team %[1]d","from":"LHR","to":"JFK","passengers":%[1]d,"class":"economy","date":"2026-06-09","group":"attendees"}`},
		{"waste", `{"description":"Bins","treatment":"landfill","material":"glass","weightKg":%d}`},
		{"materials", `{"material":"glass","weightKg":%d,"endOfLife":"recycling"}`},
		{"venue", `{"site":"Hall","electricityKWh":%d,"country":"GB"}`},
	}
	var approved []record.Record
	rounds, changed, last := 25, 0, ""
	if testkit.Long(t) {
		rounds = 300
	}
	for round := range rounds {
		for range 1 + random.IntN(20) {
			if len(approved) > 1 && random.IntN(3) == 0 { // without any there is no result
				i := random.IntN(len(approved))
				s.move(approved[i], record.Reopen)
				approved = append(approved[:i], approved[i+1:]...)
				continue
			}
			b := bodies[random.IntN(len(bodies))]
			approved = append(approved, s.add(b.typ, fmt.Sprintf(b.body, 1+random.IntN(4)), record.Approved))
		}
		s.settle()
		kept := s.together()
		s.restart()
		stored := s.together()
		s.damage()
		s.restart()
		anew := s.together()
		if kept != anew || stored != anew {
			t.Fatalf("round %d: what is kept says\n%s\nwhat is stored\n%s\nand the records\n%s", round, kept, stored, anew)
		}
		if anew != last {
			changed++
		}
		last = anew
	}
	if changed < rounds/2 {
		t.Errorf("what the records say changed in %d of %d rounds", changed, rounds)
	}
}
