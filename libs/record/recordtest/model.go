package recordtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// modelTests compare the engine with the simplest implementation: the records in a
// slice.
func modelTests() []test {
	return []test{{"random writes leave what a simple model says they leave", compareWithModel}}
}

// model has every record ever inserted, including tombstones.
type model struct{ records []*record.Record }

func (m *model) in(org record.OrgID, sub record.Sub) []*record.Record {
	var all []*record.Record
	for _, r := range m.records {
		if r.Org == org && r.Event == sub.Event && r.Type == sub.Type {
			all = append(all, r)
		}
	}
	return all
}

// taken reports whether another live record of r's sub-collection has its reference.
func (m *model) taken(r record.Record) bool {
	return !r.Deleted && r.Reference != "" && slices.ContainsFunc(m.in(r.Org, record.Sub{Event: r.Event, Type: r.Type}), func(o *record.Record) bool {
		return o.ID != r.ID && !o.Deleted && o.Reference == r.Reference
	})
}

func (m *model) insert(r record.Record) (int64, error) {
	if m.taken(r) {
		return 0, record.ErrDuplicateReference
	}
	r.Seq = int64(len(m.in(r.Org, record.Sub{Event: r.Event, Type: r.Type}))) + 1
	m.records = append(m.records, &r)
	return r.Seq, nil
}

func (m *model) replace(r record.Record, prevRev int64) error {
	for _, stored := range m.records {
		if stored.ID != r.ID {
			continue
		}
		switch {
		case stored.Deleted || stored.Rev != prevRev:
			return record.ErrConflict
		case m.taken(r):
			return record.ErrDuplicateReference
		}
		if r.Mark == "" {
			r.Mark = stored.Mark
		}
		*stored = r
		return nil
	}
	return record.ErrConflict
}

// compareWithModel makes random writes in few places, so that they conflict, and
// compares every outcome and, at the end, everything that can be read.
func compareWithModel(b *bench) {
	rng := testkit.Rand(b)
	orgs := []record.OrgID{acme, other}
	subs := []record.Sub{flights, {Event: gala, Type: "waste"}, {Event: fair, Type: "flights"}}
	m := &model{}
	for step := range 150 {
		switch choice := rng.IntN(10); {
		case choice < 3 || len(m.records) == 0:
			r := draft(subs[rng.IntN(len(subs))], record.ID(fmt.Sprint("r", step)))
			r.Org, r.Reference = orgs[rng.IntN(2)], reference(rng)
			stored, err := b.InsertRecord(b.Context(), r.Org, r)
			seq, want := m.insert(r)
			b.sameOutcome(step, err, want)
			equal(b, fmt.Sprint("seq at step ", step), stored.Seq, seq)
		case choice < 9:
			r := *m.records[rng.IntN(len(m.records))]
			prev := r.Rev - int64(rng.IntN(8)/7) // sometimes a stale one
			r = next(r)
			r.Reference, r.Status, r.Mark = reference(rng), record.Statuses()[rng.IntN(6)], ""
			r.Deleted = rng.IntN(8) == 0
			if rng.IntN(3) == 0 {
				r.Mark = fmt.Sprintf("m%03d", step)
			}
			b.sameOutcome(step, b.ReplaceRecord(b.Context(), r.Org, r, prev), m.replace(r, prev))
		default:
			r := m.records[rng.IntN(len(m.records))]
			mark := r.Mark
			if rng.IntN(3) == 0 {
				mark = "stale"
			}
			b.must(b.ClearRecordMarks(b.Context(), r.Org, r.Event, []record.MarkedRecord{{Type: r.Type, ID: r.ID, Seq: r.Seq, Mark: mark}}))
			if r.Mark == mark {
				r.Mark = ""
			}
		}
	}
	for _, org := range orgs {
		for _, sub := range subs {
			b.compareSub(m, org, sub)
		}
		for _, event := range []record.EventID{gala, fair} {
			b.compareEvent(m, org, event)
		}
	}
}

// reference is often empty, and otherwise one of few.
func reference(rng *rand.Rand) string {
	if rng.IntN(2) == 0 {
		return ""
	}
	return fmt.Sprint("A-", rng.IntN(4))
}

func (b *bench) sameOutcome(step int, got, want error) {
	b.Helper()
	if !errors.Is(got, want) {
		b.Fatalf("step %d: got error %v, the model says %v", step, got, want)
	}
}

func (b *bench) compareSub(m *model, org record.OrgID, sub record.Sub) {
	b.Helper()
	var want layout
	var live []record.Record
	var approved []record.ID
	for _, r := range m.in(org, sub) {
		want.Max = max(want.Max, r.Seq)
		if r.Deleted {
			want.Deleted = append(want.Deleted, r.Seq)
			continue
		}
		live = append(live, *r)
		if r.Status == record.Approved {
			approved = append(approved, r.ID)
		}
	}
	b.wantRecords(org, sub, want)
	slices.Reverse(live)
	records, err := b.RecordRange(b.Context(), org, sub, 1, want.Max)
	b.must(err)
	equal(b, fmt.Sprint("records of ", org, sub), records, live)
	counted, err := b.Approved(b.Context(), org, sub, 1, want.Max)
	b.must(err)
	inputs, err := b.Inputs(b.Context(), org, sub, 1, want.Max)
	b.must(err)
	var got, ids []record.ID
	for _, c := range counted {
		got = append(got, c.ID)
	}
	for _, in := range inputs {
		ids = append(ids, in.ID)
	}
	equal(b, fmt.Sprint("approved of ", org, sub), got, approved)
	equal(b, fmt.Sprint("inputs of ", org, sub), ids, approved)
}

func (b *bench) compareEvent(m *model, org record.OrgID, event record.EventID) {
	b.Helper()
	counts := map[record.Status]int64{}
	var queue, marks []string
	for _, r := range m.records {
		if r.Org != org || r.Event != event {
			continue
		}
		if r.Mark != "" {
			marks = append(marks, fmt.Sprint(r.Mark, r.ID))
		}
		if r.Deleted {
			continue
		}
		counts[r.Status]++
		if r.Status == record.Submitted || r.Status == record.InReview {
			queue = append(queue, string(r.ID)) // all were created at the same time
		}
	}
	got, err := b.CountByStatus(b.Context(), org, event)
	b.must(err)
	for _, status := range record.Statuses() {
		equal(b, fmt.Sprint(status, " of ", org, event), got[status], counts[status])
	}
	slices.Sort(queue)
	slices.Reverse(queue)
	page, total, err := b.ReviewQueue(b.Context(), org, event, 0, 100)
	b.must(err)
	equal(b, "queue total", total, int64(len(queue)))
	var gotQueue []string
	for _, id := range ids(page) {
		gotQueue = append(gotQueue, string(id))
	}
	equal(b, fmt.Sprint("queue of ", org, event), gotQueue, queue)
	slices.Sort(marks)
	marked, err := b.MarkedRecords(b.Context(), org, event, 100)
	b.must(err)
	var gotMarks []string
	for _, r := range marked {
		gotMarks = append(gotMarks, fmt.Sprint(r.Mark, r.ID))
	}
	equal(b, fmt.Sprint("marks of ", org, event), gotMarks, marks)
	has, err := b.HasMarks(b.Context(), org, event)
	b.must(err)
	equal(b, "has marks", has, len(marks) > 0)
}
