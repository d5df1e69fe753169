package sqlitestore_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestOnlyWhatWasCountedIsTaken: the current contribution of a withdrawn record is subtracted from a sum only if it
// is the one that was added. Records are edited, or their contributions replaced, between two recalculations and
// within one; each time every segment written equals the state of its records at one time.
func TestOnlyWhatWasCountedIsTaken(t *testing.T) {
	t.Parallel()
	_, records, recalculator := openFilled(t, 40)
	results := recalculator.Results
	event, err := records.EventContext(t.Context(), "org", "event")
	if err != nil {
		t.Fatal(err)
	}
	evaluate := func(fields string) (preview, contribution json.RawMessage) {
		preview, contribution, err := record.Evaluate("waste", json.RawMessage(fields), nil, event.Context())
		if err != nil {
			t.Fatal(err)
		}
		return preview, contribution
	}
	const before = `{"treatment":"landfill","material":"mixed","weightKg":12.5,"country":"GB"}`
	const heavier = `{"treatment":"landfill","material":"mixed","weightKg":15,"country":"GB"}`
	edit := func(fields string) func(*record.Record) {
		return func(r *record.Record) {
			r.Fields = json.RawMessage(fields)
			r.Preview, r.Contribution = evaluate(fields)
		}
	}
	another := func(r *record.Record) {
		r.Contribution = json.RawMessage(strings.ReplaceAll(string(r.Contribution), "landfill", "another"))
	}
	put(t, records, 9, func(r *record.Record) { edit(heavier)(r); another(r) })
	for name, during := range map[string]struct {
		first  func() // before a recalculation
		within func() // between its readings of inputs and of what they count
	}{
		"edited after it was withdrawn": {first: func() {
			move(t, records, record.ChangesRequested, 7)
			// Another input with the same total, of another row.
			put(t, records, 7, func(r *record.Record) {
				edit(before)(r)
				r.Fields = json.RawMessage(`{"treatment":"landfill","material":"mixed","weightKg":12.5,"country":"GB","description":"x"}`)
				another(r)
			})
		}},
		"it counts something else, and its input is the same": {first: func() {
			move(t, records, record.ChangesRequested, 7)
			r, err := records.Record(t.Context(), "org", record.Key{Event: "event", Type: "waste", ID: "r7"})
			if err != nil {
				t.Fatal(err)
			}
			_, contribution := evaluate(heavier)
			if err := records.StoreContributions(t.Context(), "org", []record.Recalculated{{ID: r.ID, Rev: r.Rev, ContextRev: r.ContextRev, Contribution: contribution}}); err != nil {
				t.Fatal(err)
			}
		}},
		"approved, and meanwhile withdrawn, edited and approved": {
			first: func() { move(t, records, record.Approved, 7) },
			within: func() {
				move(t, records, record.ChangesRequested, 7)
				put(t, records, 7, edit(heavier))
				move(t, records, record.Approved, 7)
			}},
	} {
		put(t, records, 7, func(r *record.Record) { edit(before)(r); r.Status = record.ChangesRequested })
		if during.within == nil {
			move(t, records, record.Approved, 7)
		}
		recalculator.Records, recalculator.Results = records, results
		if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
			t.Fatal(err)
		}
		seen := &states{Results: results, t: t, name: name, of: map[string]string{}, records: records, add: recalculator.Arithmetic}
		during.first()
		seen.look()
		recalculator.Records = &moving{Records: records, within: func() {
			if during.within != nil {
				during.within()
			}
			seen.look()
		}}
		recalculator.Results = seen
		if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
			t.Fatal(name, err)
		}
	}
}

// moving is records that change once, after their inputs were read.
type moving struct {
	resulttree.Records
	within func()
}

func (m *moving) Inputs(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Input, error) {
	inputs, err := m.Records.Inputs(ctx, org, sub, from, to)
	if change := m.within; change != nil {
		m.within = nil
		change()
	}
	return inputs, err
}

// states are results whose segments must equal the state of the records at some read.
type states struct {
	resulttree.Results
	t       *testing.T
	name    string
	of      map[string]string // sums, by the hash of inputs
	records resulttree.Records
	add     resulttree.Arithmetic
}

func (s *states) look() {
	s.t.Helper()
	counted, err := s.records.Approved(s.t.Context(), "org", record.Sub{Event: "event", Type: "waste"}, 1, resulttree.Fanout)
	if err != nil {
		s.t.Fatal(s.name, err)
	}
	inputs := sha256.New()
	var parts []json.RawMessage
	for _, c := range counted {
		resulttree.HashRecord(inputs, c)
		parts = append(parts, c.Contribution)
	}
	sum, err := s.add.Sum(parts)
	if err != nil {
		s.t.Fatal(s.name, err)
	}
	s.of[hex.EncodeToString(inputs.Sum(nil))] = string(sum)
}

func (s *states) PutNode(ctx context.Context, n resulttree.Node, prevVersion int64) error {
	if want := s.of[n.Hash]; n.Level == 0 && string(n.Contribution) != want {
		s.t.Errorf("%s: a segment is\n%s\nwhere the records of its hash are\n%s", s.name, n.Contribution, want)
	}
	return s.Results.PutNode(ctx, n, prevVersion)
}
