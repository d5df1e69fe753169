package recompute

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// replaced returns JSON in which the first occurrence of a text is another one.
func replaced(t *testing.T, text json.RawMessage, from, to string) json.RawMessage {
	t.Helper()
	if !bytes.Contains(text, []byte(from)) {
		t.Fatalf("no %s in %s", from, text)
	}
	return bytes.Replace(text, []byte(from), []byte(to), 1)
}

// TestVerify alters what is stored, each time in one way. Every alteration of a figure is reported, once, and what is no
// fault is not.
func TestVerify(t *testing.T) {
	t.Parallel()
	whole := Tally{Records: 4, Results: 1, Revisions: 1}
	for _, c := range []struct {
		name  string
		alter func(p *place)
		want  []string // of each report a part
		tally Tally
	}{
		{"nothing", func(*place) {}, nil, whole},
		{"no records, no result", func(p *place) {
			p.records, p.result, p.nodes, p.headline, p.counts = nil, nil, nil, record.Headline{}, record.Counts{}
		}, nil, Tally{}},

		{"the figure shown", func(p *place) { p.records[0].Preview = replaced(p.t, p.records[0].Preview, `"kgCO2e":`, `"kgCO2e":1`) }, []string{"record r1: the figure shown is 1"}, whole},
		{"its lower bound", func(p *place) { p.records[0].Preview = replaced(p.t, p.records[0].Preview, `"low":`, `"low":1`) }, []string{"the figure shown"}, whole},
		{"its upper bound", func(p *place) { p.records[1].Preview = replaced(p.t, p.records[1].Preview, `"high":`, `"high":1`) }, []string{"record r2: the figure shown"}, whole},
		{"its factor set", func(p *place) { p.records[1].Preview = replaced(p.t, p.records[1].Preview, `desnz-2026`, `desnz-2025`) }, []string{"the figure shown"}, whole},
		{"the figure shown does not parse", func(p *place) { p.records[1].Preview = json.RawMessage(`{`) }, []string{"cannot be read"}, whole},
		{"a contribution", func(p *place) { p.records[2].Contribution = p.records[1].Contribution }, []string{"record r3: its contribution is not what"}, whole},
		{"a contribution does not parse", func(p *place) { p.records[2].Contribution = json.RawMessage(`{`) }, []string{"its contribution cannot be read"}, whole},
		{"a contribution of another engine", func(p *place) {
			p.records[2].Contribution = replaced(p.t, p.records[2].Contribution, footprint.NewestEngine, footprint.Engine1)
		}, []string{"it was calculated by engine " + footprint.Engine1}, whole},
		{"no contribution", func(p *place) { p.records[3].Contribution = nil }, []string{"record r4: it has no contribution"}, whole},
		{"no contribution, of inputs without figure", func(p *place) {
			p.records[3].Contribution, p.records[3].Fields = nil, json.RawMessage(`{"treatment":"none"}`)
		}, nil, whole},
		{"inputs without figure", func(p *place) { p.records[3].Fields = json.RawMessage(`{"treatment":"none"}`) }, []string{"record r4: its inputs cannot be calculated"}, whole},
		{"a deleted record", func(p *place) { p.records[3].Deleted, p.records[3].Preview = true, nil }, nil, Tally{Records: 3, Results: 1, Revisions: 1}},
		{"a record that cannot be read", func(p *place) { p.damage["record r4"] = true }, nil, Tally{Records: 3, Results: 1, Revisions: 1}},
		{"of a state before the first", func(p *place) { p.records[3].ContextRev = 0 }, []string{"are of state 0 of its event, which has had states 1 to 2"}, whole},
		{"of a state after the last", func(p *place) { p.records[3].ContextRev = 3 }, []string{"are of state 3"}, whole},
		{"of a state before the history", func(p *place) { p.event.Last.Rev = 0 }, nil, Tally{Records: 3, Earlier: 1, Results: 1, Revisions: 1}},
		{"of a state whose history cannot be read", func(p *place) { p.damage["entries"] = true }, nil, Tally{Records: 3, Earlier: 1, Results: 1, Revisions: 1}},
		{"approved in an earlier state", func(p *place) { p.records[0].ContextRev = 1 }, []string{"record r1: it is approved, its figures are of an earlier state"}, whole},
		{"approved in an earlier state, and due", func(p *place) { p.records[0].ContextRev, p.marked = 1, true }, nil, Tally{Records: 3, Waiting: 2, Revisions: 1}},
		{"an event that cannot be read", func(p *place) { p.damage["event"], p.damage["stored event"] = true, true }, nil, Tally{}},
		{"an event that is gone", func(p *place) { p.away = "gone" }, nil, Tally{}},
		{"an event that was deleted", func(p *place) { p.event.Deleted, p.records[0].ContextRev, p.result.Revision = true, 1, 7 }, nil, Tally{Records: 4}},

		{"no result", func(p *place) { p.result = nil }, []string{"event e: the result of revision 2, which lists show, is not there"}, Tally{Records: 4}},
		{"no result anywhere", func(p *place) { p.result, p.headline = nil, record.Headline{} }, []string{"event e: 3 records are approved, there is no result"}, Tally{Records: 4}},
		{"no result yet", func(p *place) { p.result, p.headline, p.marked = nil, record.Headline{}, true }, nil, Tally{Records: 4, Waiting: 1}},
		{"no result, and nothing approved", func(p *place) {
			p.result, p.headline, p.counts, p.marked = nil, record.Headline{}, record.Counts{}, true
		}, nil, Tally{Records: 4}},
		{"a result that cannot be read", func(p *place) { p.damage["result"] = true }, []string{"event e: its result cannot be read"}, Tally{Records: 4, Results: 1}},
		{"a summary that cannot be read", func(p *place) { p.damage["summary"] = true }, []string{"event e: its result cannot be read"}, Tally{Records: 4, Results: 1}},
		{"a result of another event", func(p *place) { p.result.Event = "other" }, []string{"it is another event's"}, whole},
		{"a result of another organization", func(p *place) { p.result.Org = "other" }, []string{"it is another event's"}, whole},
		{"the first result", func(p *place) { p.settle(1) }, nil, Tally{Records: 4, Results: 1}},
		{"a result without number", func(p *place) { p.result.Revision = 0 }, []string{"it is another event's"}, Tally{Records: 4, Results: 1, Revisions: -1}},
		{"a result of a state to come", func(p *place) { p.result.ContextRev = 3 }, []string{"it is of state 3 of its event, which has had states 1 to 2"}, whole},
		{"a result of an earlier state", func(p *place) { p.result.ContextRev = 1 }, []string{"it is of an earlier state of its event"}, whole},
		{"a result of an earlier state, and due", func(p *place) { p.result.ContextRev, p.result.Context, p.marked = 1, p.revisions[1].Context, true }, nil, Tally{Records: 4, Waiting: 1, Revisions: 1}},
		{"a result in another context", func(p *place) { p.result.Context.Country = "FR" }, []string{"its context is not that of state 2"}, whole},
		{"a result of another engine", func(p *place) { p.result.EngineVersion = "9.9.9" }, []string{"it was calculated by engine 9.9.9"}, whole},
		{"lists show another revision", func(p *place) { p.headline.Revision++ }, []string{"lists show revision 3"}, whole},
		{"lists show another version", func(p *place) { p.headline.Version++ }, []string{"lists show revision 2"}, whole},
		{"lists show another total", func(p *place) { p.headline.Total = json.RawMessage(`{}`) }, []string{"lists show revision 2 with {}"}, whole},
		{"lists show nothing yet", func(p *place) { p.headline = record.Headline{} }, nil, whole},
		{"the sum of a result", func(p *place) {
			p.result.Contribution = p.records[0].Contribution
			p.headline, _ = resulttree.HeadlineOf(*p.result)
		}, []string{"its figures are not what the approved records come to"}, whole},
		{"the sum of a segment", func(p *place) { p.nodes[0].Contribution = p.records[1].Contribution }, []string{"the sum of waste that is kept for it (level 0, 0) is not what"}, whole},
		{"the sum above it", func(p *place) { p.nodes[4].Contribution = p.records[0].Contribution }, []string{"the sum of waste that is kept for it (level 1, 1) is not what"}, whole},
		{"the sum of a segment in an earlier state", func(p *place) { p.nodes[1].Contribution, p.nodes[1].ContextRev = p.records[0].Contribution, 1 }, nil, whole},
		{"no sum above it", func(p *place) { p.nodes = p.nodes[:4] }, []string{"(level 1, 1) is not there"}, whole},
		{"a sum that cannot be read", func(p *place) { p.damage["nodes 1"] = true }, []string{"what it was summed from cannot be read"}, whole},
		{"records that cannot be read", func(p *place) { p.damage["approved"] = true }, []string{"what it was summed from cannot be read"}, whole},
		{"a record that is not counted", func(p *place) { p.records[3].Status, p.records[3].ContextRev = record.Approved, 2 }, []string{"are not those whose hash it states"}, whole},

		{"a record without figure", func(p *place) {
			p.records[0].Fields, p.records[0].Contribution = json.RawMessage(`{"treatment":"none"}`), nil
			p.result.InputsHash = eventreader.Tree().Root(p.event.Context(), eventreader.BundleInputs(p.counted()))
		}, []string{"record r1, which it counts, cannot be calculated"}, whole},
		{"a record without figure, which is named", func(p *place) {
			failing := p.records[3]
			failing.ID, failing.Seq, failing.Status, failing.ContextRev, failing.Fields, failing.Contribution = "r5", failing.Seq+1, record.Approved, 2, json.RawMessage(`{"treatment":"none"}`), nil
			p.records = append(p.records, failing)
			p.nodes[2].Failed, p.result.Failed = []record.ID{"r5"}, []record.ID{"r5"}
			p.headline, _ = resulttree.HeadlineOf(*p.result)
		}, nil, Tally{Records: 5, Results: 1, Revisions: 1}},
		{"an engine that there is not", func(p *place) { p.event.Method.Engine = "9.9.9" }, nil, Tally{OtherEngine: 5, Revisions: 1}},

		{"an earlier revision", func(p *place) {
			r := p.revisions[1]
			r.CalculatedAt = r.CalculatedAt.Add(1)
			p.revisions[1] = r
		}, []string{"revision 1 before it: it is not the one that the next revision followed"}, whole},
		{"an earlier revision that the next one does not name", func(p *place) {
			r := p.revisions[1]
			r.InputsHash, p.result.Previous = "another", ""
			p.revisions[1] = r
		}, nil, whole},
		{"an earlier revision of a later state", func(p *place) {
			r := p.revisions[1]
			r.ContextRev = 3
			p.revisions[1] = r
		}, []string{"revision 1 before it: it is of state 3 of its event"}, whole},
		{"an earlier revision of a state before the first", func(p *place) {
			r := p.revisions[1]
			r.ContextRev = 0
			p.revisions[1] = r
		}, []string{"revision 1 before it: it is of state 0 of its event"}, whole},
		{"an earlier revision of a later state than the next", func(p *place) {
			r := p.revisions[1]
			p.result.ContextRev, p.result.Context, p.marked = 1, r.Context, true
			r.ContextRev, r.Context = 2, p.event.Context()
			p.revisions[1] = r
		}, []string{"revision 1 before it: it is of state 2 of its event"}, Tally{Records: 4, Waiting: 1, Revisions: 1}},
		{"an earlier revision that cannot be read", func(p *place) {
			r := p.revisions[1]
			r.Contribution = json.RawMessage(`{`)
			p.revisions[1] = r
		}, []string{"revision 1 before it: its figures cannot be read"}, whole},
		{"no earlier revision", func(p *place) { delete(p.revisions, 1) }, []string{"revision 1 before it is missing"}, whole},
		{"no earlier revision, as retention has it", func(p *place) { p.revisions, p.retention = nil, resulttree.Retention{Floor: 2} }, nil, whole},
		{"no earlier revision, which retention has dropped since", func(p *place) { p.revisions, p.retained = nil, &resulttree.Retention{Floor: 2} }, nil, whole},
		{"earlier revisions that cannot be read", func(p *place) { p.damage["revisions"] = true }, []string{"of the revisions 1 to 1 before it one cannot be read"}, whole},
		{"a retention that cannot be read", func(p *place) { p.damage["retention"] = true }, []string{"what is kept of its revisions cannot be read"}, whole},
	} {
		// In a bubble nobody waits for records that never fit.
		synctest.Test(t, func(t *testing.T) {
			p := newPlace(t)
			c.alter(p)
			reports, tally := p.verify()
			if !slices.EqualFunc(reports, c.want, strings.Contains) {
				t.Errorf("%s: reported is %q, want %q", c.name, reports, c.want)
			}
			if tally != c.tally {
				t.Errorf("%s: the tally is %+v, want %+v", c.name, tally, c.tally)
			}
		})
	}
}

// What differs because it has changed since it was read is no fault, and what changes all the time is compared a number
// of times only.
func TestVerifyBesideWriters(t *testing.T) {
	t.Parallel()
	whole := Tally{Records: 4, Results: 1, Revisions: 1}
	for _, c := range []struct {
		name    string
		between func(p *place, reading int)
		alter   func(p *place)
		reports int
		tally   Tally
	}{
		{"a record that has been calculated since", func(p *place, reading int) {
			if reading == 1 {
				p.records[0].Rev++
				p.calculate(&p.records[0])
			}
		}, func(p *place) { p.records[0].Preview = json.RawMessage(`{}`) }, 0, whole},
		{"a record that is recalculated at the second reading", func(p *place, reading int) {
			if p.records[0].Rev++; reading == 2 {
				p.calculate(&p.records[0])
			}
		}, func(p *place) { p.records[0].Preview = json.RawMessage(`{}`) }, 0, whole},
		{"a record that is recalculated with its event at the second reading", func(p *place, reading int) {
			if p.event.Rev++; reading == 2 {
				p.calculate(&p.records[0])
			}
		}, func(p *place) { p.records[0].Preview = json.RawMessage(`{}`) }, 0, whole},
		{"an approved record whose figures follow at the second reading", func(p *place, reading int) { p.records[0].ContextRev = min(2, int64(reading)) },
			func(p *place) { p.records[0].ContextRev = 0 }, 0, whole},
		{"a record that is wrong and stays so", func(p *place, reading int) {
			if reading > 2 {
				p.t.Errorf("it is read %d times", reading)
			}
		}, func(p *place) { p.records[0].Preview = json.RawMessage(`{}`) }, 1, whole},
		{"a record that was deleted since", func(p *place, reading int) {
			if reading == 1 {
				p.records[3].Deleted = true
			}
		}, func(p *place) { p.records[3].Preview = json.RawMessage(`{}`) }, 0, Tally{Records: 3, Results: 1, Revisions: 1}},
		{"a record that cannot be read since", func(p *place, reading int) { p.damage["record again"] = true },
			func(p *place) { p.records[3].Preview = json.RawMessage(`{}`) }, 0, Tally{Records: 3, Results: 1, Revisions: 1}},
		{"a record that always changes", func(p *place, reading int) { p.records[3].Rev++ },
			func(p *place) { p.records[3].Preview = json.RawMessage(`{}`) }, 1, whole},
		{"a result that follows its event", func(p *place, reading int) {
			if reading == 2 {
				p.settle(2)
				p.result.Version++
				p.headline.Version++
			}
		}, func(p *place) { p.result.Contribution = p.records[0].Contribution }, 0, whole},
		{"a result that always changes", func(p *place, reading int) {
			p.result.Version++
		}, func(p *place) {}, 0, Tally{Records: 4, Waiting: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPlace(t)
			c.alter(p)
			p.between = func(reading int) { c.between(p, reading) }
			if reports, tally := p.verify(); len(reports) != c.reports || tally != c.tally {
				t.Errorf("%s: %q, %+v, want %d reports and %+v", c.name, reports, tally, c.reports, c.tally)
			}
		})
	}
}

// What cannot be verified because the store is away is no fault, but an error: nothing was verified.
func TestVerifyWithoutItsStore(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"records", "records by id", "events", "event", "entries", "marks 1", "marks 2", "summary", "approved", "result", "nodes 0", "nodes 1", "retention", "revisions", "report", "report of a result"} {
		p := newPlace(t)
		if what == "records by id" || what == "marks 2" || what == "report" {
			p.records[0].Preview = json.RawMessage(`{`)
		}
		if what == "report of a result" {
			p.headline.Revision, what = 7, "report"
		}
		p.away = what
		v := Verifier{Records: p, Results: p, Inputs: eventreader.Reader{Records: p, Results: p}, Report: func(string) error { return p.fault("report") }}
		if tally, err := v.Verify(t.Context(), org); !errors.Is(err, errAway) {
			t.Errorf("without %s: %+v, %v", what, tally, err)
		}
	}
}

// Of many revisions each is compared with the next one, also where a page of them ends.
func TestVerifyManyRevisions(t *testing.T) {
	t.Parallel()
	const newest = 2*revisionsAtOnce + 5
	for _, n := range []int64{1, 4, 5, newest - 1 - revisionsAtOnce, newest - revisionsAtOnce, newest - 1} {
		p := newPlace(t)
		p.settle(newest)
		other := p.revisions[n]
		other.InputsHash = "another"
		p.revisions[n] = other
		if reports, _ := p.verify(); len(reports) != 1 || !strings.Contains(reports[0], fmt.Sprintf("revision %d before it: it is not", n)) {
			t.Fatalf("another revision %d: %q", n, reports)
		}
		delete(p.revisions, n)
		if reports, tally := p.verify(); len(reports) != 1 || !strings.Contains(reports[0], fmt.Sprintf("revision %d before it is missing", n)) || tally.Revisions != newest-1 {
			t.Fatalf("without revision %d: %q, %+v", n, reports, tally)
		}
	}
}
