package calculation_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestEveryFigureHasItsCauses makes random moves of two people and compares with them: the differences from revision
// to revision add up to the figure, each revision names its actors and records, and a signed bundle of it verifies.
func TestEveryFigureHasItsCauses(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 3))
	s := start(t)
	counted := map[record.ID]record.Record{} // the independent model: counted records
	var out []record.Record                  // reopened records
	revisions := 0
	for range 25 {
		done := map[string]string{} // record or "event" to the action that must be named
		for range 1 + random.IntN(3) {
			switch pick := random.IntN(6); {
			case pick <= 2 || len(counted) == 0:
				r := s.add("waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":%d}`, 1+random.IntN(900)), record.Approved)
				counted[r.ID], done[string(r.ID)] = r, "approve"
			case pick == 3:
				for id, r := range counted {
					if done[string(id)] == "" {
						r = s.move(r, record.Reopen)
						out = append(out, r)
						delete(counted, id)
						done[string(id)] = "reopen"
						break
					}
				}
			case pick == 4 && len(out) > 0:
				r := out[0]
				if done[string(r.ID)] != "" {
					continue
				}
				out = out[1:]
				r = s.move(s.move(r, record.Submit), record.Approve)
				counted[r.ID], done[string(r.ID)] = r, "approve"
			default:
				attendees := int64(1 + random.IntN(500))
				if s.eventNow().Attendees != nil && *s.eventNow().Attendees == attendees {
					continue
				}
				s.change(func(ev *record.Event) { ev.Attendees = &attendees })
				done["event"] = "update-event"
			}
		}
		s.settle()
		if len(done) == 0 {
			continue
		}
		revisions++
		a := s.of(fmt.Sprintf("/%d", revisions)).want(200)
		for what, action := range done {
			if what == "event" && revisions == 1 {
				continue // the first revision has no predecessor
			}
			if !names(a, what, action) {
				t.Fatalf("revision %d: no cause %s of %s in %s", revisions, action, what, a.data("cause"))
			}
		}
	}
	if revisions < 5 {
		t.Fatalf("only %d revisions", revisions)
	}
	sum := massIn(t, s.of("/1").data("total", "kgCO2e"))
	for n := 1; n < revisions; n++ {
		a, _ := s.difference(n, n+1)
		sum = sum.Add(massIn(t, a.data("differenceKgCO2e")))
	}
	if got := s.of(fmt.Sprintf("/%d", revisions)).data("total", "kgCO2e"); got != sum.Kilograms() {
		t.Errorf("the differences add up to %s, the figure is %s", sum.Kilograms(), got)
	}
	var want footprint.Mass
	for _, r := range counted {
		e, err := footprint.Evaluate(r.Type, r.Fields, s.eventNow().Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range e.Lines {
			want = want.Add(l.Mass)
		}
	}
	if want.Kilograms() != sum.Kilograms() {
		t.Errorf("the records come to %s, the figure is %s", want.Kilograms(), sum.Kilograms())
	}
}

func (s *service) eventNow() record.Event {
	s.t.Helper()
	ev, err := s.records.Event(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return ev
}

// names reports whether a revision has a cause with the action, of the record, by the right actor.
func names(a reply, what, action string) bool {
	for i := range a.count("cause") {
		if a.data("cause", i, "action") != action {
			continue
		}
		if what == "event" {
			return true
		}
		if a.data("cause", i, "by", "_id") != someManager.ID {
			continue
		}
		for n := range a.count("cause", i, "recordIds") {
			if a.data("cause", i, "recordIds", n) == what {
				return true
			}
		}
	}
	return false
}
