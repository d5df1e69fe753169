package recordtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
)

// marked returns a draft with a mark.
func marked(sub record.Sub, id record.ID, mark string) record.Record {
	r := draft(sub, id)
	r.Mark = mark
	return r
}

func markTests() []test {
	return []test{
		{"marked records are read in the order of their marks, tombstones included", func(b *bench) {
			b.insert(acme, marked(flights, "r1", "m3"))
			gone := b.insert(acme, marked(flights, "r2", "m1"))
			b.insert(acme, draft(flights, "r3"))
			b.insert(acme, marked(record.Sub{Event: gala, Type: "waste"}, "w1", "m2"))
			b.insert(acme, marked(record.Sub{Event: fair, Type: "waste"}, "f1", "m0"))
			b.delete(acme, gone)
			want := []record.MarkedRecord{
				{Type: "flights", ID: "r2", Seq: 2, Mark: "m1"},
				{Type: "waste", ID: "w1", Seq: 1, Mark: "m2"},
				{Type: "flights", ID: "r1", Seq: 1, Mark: "m3"},
			}
			for _, limit := range []int{-1, 0, 1, 2, 3, 4} {
				got, err := b.MarkedRecords(b.Context(), acme, gala, limit)
				b.must(err)
				equal(b, fmt.Sprint("up to ", limit), got, want[:min(max(limit, 0), 3)])
			}
		}},
		{"a mark is cleared where it is still the one given, and nothing else changes", func(b *bench) {
			r1 := b.insert(acme, marked(flights, "r1", "m1"))
			r2 := b.insert(acme, marked(flights, "r2", "m2"))
			gone := b.insert(acme, marked(flights, "r3", "m3"))
			plain := b.insert(acme, draft(flights, "r4"))
			b.delete(acme, gone)
			b.must(b.ClearRecordMarks(b.Context(), acme, gala, []record.MarkedRecord{
				{Type: "flights", ID: "r1", Seq: 1, Mark: "m1"},
				{Type: "flights", ID: "r2", Seq: 2, Mark: "m1"}, // stale: r2 was marked again since
				{Type: "flights", ID: "r3", Seq: 3, Mark: "m3"},
				{Type: "flights", ID: "r9", Seq: 9, Mark: "m9"},
				{Type: "flights", ID: "r4", Seq: 4, Mark: ""},
			}))
			r1.Mark = ""
			equal(b, "cleared", b.read(acme, r1.Key()), r1)
			equal(b, "stale", b.read(acme, r2.Key()), r2)
			equal(b, "unmarked", b.read(acme, plain.Key()), plain)
			got, err := b.MarkedRecords(b.Context(), acme, gala, 10)
			b.must(err)
			equal(b, "still marked", got, []record.MarkedRecord{{Type: "flights", ID: "r2", Seq: 2, Mark: "m2"}})
			b.must(b.ClearRecordMarks(b.Context(), acme, gala, nil))
		}},
		{"marks are cleared in the event of the organization given only, and where they are still those, one as many", func(b *bench) {
			b.insert(acme, marked(flights, "r1", "m1"))
			b.insert(acme, marked(flights, "r2", "m2"))
			both := []record.MarkedRecord{{Type: "flights", ID: "r1", Seq: 1, Mark: "m1"}, {Type: "flights", ID: "r2", Seq: 2, Mark: "m2"}}
			stale := slices.Clone(both)
			for i := range stale {
				stale[i].Mark = "m0"
			}
			for n := 1; n <= len(both); n++ {
				b.must(b.ClearRecordMarks(b.Context(), acme, fair, both[:n]))
				b.must(b.ClearRecordMarks(b.Context(), other, gala, both[:n]))
				b.must(b.ClearRecordMarks(b.Context(), acme, gala, stale[:n]))
				got, err := b.MarkedRecords(b.Context(), acme, gala, 10)
				b.must(err)
				equal(b, fmt.Sprint("still marked after ", n), got, both)
			}
			for n := range both {
				b.must(b.ClearRecordMarks(b.Context(), acme, gala, both[n:n+1]))
				got, err := b.MarkedRecords(b.Context(), acme, gala, 10)
				b.must(err)
				equal(b, fmt.Sprint("still marked after that of ", n), got, slices.Clone(both[n+1:]))
			}
		}},
		{"an event's mark is cleared where it is still the one given", func(b *bench) {
			e := someEvent(gala)
			e.Mark = "m2"
			stored, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
			b.must(err)
			b.must(b.ClearEventMark(b.Context(), acme, gala, "m1"))
			b.must(b.ClearEventMark(b.Context(), acme, "event-none", "m2"))
			// Also where a store may remember the event of its last reading.
			same := func() {
				for what, read := range map[string]func(context.Context, record.OrgID, record.EventID) (record.Event, error){
					"event": b.Event, "event context": b.EventContext,
				} {
					got, err := read(b.Context(), acme, gala)
					b.must(err)
					equal(b, what, got, stored)
				}
			}
			same()
			b.must(b.ClearEventMark(b.Context(), acme, gala, "m2"))
			stored.Mark = ""
			same()
		}},
		{"an event has marks when itself or a record of it has", func(b *bench) {
			ofEvent := false
			has := func(want bool) {
				b.Helper()
				got, err := b.HasMarks(b.Context(), acme, gala)
				b.must(err)
				equal(b, "has marks", got, want)
				got, err = b.HasMarkedRecords(b.Context(), acme, gala)
				b.must(err)
				equal(b, "has marked records", got, want && !ofEvent)
			}
			has(false)
			e := b.insertEvent(acme, gala)
			b.insert(acme, draft(flights, "r0"))
			has(false)
			e.Rev, e.Mark = 2, "m1"
			b.must(b.ReplaceEvent(b.Context(), acme, e, 1))
			ofEvent = true
			has(true)
			ofEvent = false
			b.must(b.ClearEventMark(b.Context(), acme, gala, "m1"))
			has(false)
			r := b.insert(acme, marked(flights, "r1", "m2"))
			has(true)
			b.delete(acme, r)
			has(true)
			b.must(b.ClearRecordMarks(b.Context(), acme, gala, []record.MarkedRecord{{ID: "r1", Mark: "m2"}}))
			has(false)
			b.insert(acme, marked(record.Sub{Event: fair, Type: "flights"}, "f1", "m3"))
			has(false)
		}},
		{"marked events are those with a mark of either kind, oldest first", func(b *bench) {
			none, err := b.MarkedEvents(b.Context(), 10)
			b.must(err)
			equal(b, "marked", none, nil)
			put := func(org record.OrgID, id record.EventID, mark string) {
				b.Helper()
				e := someEvent(id)
				e.Mark = mark
				_, err := b.InsertEvent(b.Context(), org, e, record.Unlimited)
				b.must(err)
			}
			put(acme, "e1", "")
			put(acme, "e2", "m05")
			put(acme, "e3", "m09")
			put(other, "e4", "m02")
			put(other, "e5", "")
			put(other, "e6", "")
			b.deleteEvent(acme, "e3")
			b.insert(acme, marked(record.Sub{Event: "e1", Type: "waste"}, "r1", "m07"))
			b.insert(acme, marked(record.Sub{Event: "e1", Type: "flights"}, "r2", "m03"))
			b.insert(acme, marked(record.Sub{Event: "e2", Type: "flights"}, "r3", "m06"))
			b.delete(other, b.insert(other, marked(record.Sub{Event: "e5", Type: "flights"}, "r4", "m04")))
			b.insert(other, draft(record.Sub{Event: "e6", Type: "flights"}, "r5"))
			want := []record.MarkedEvent{
				{Org: other, Event: "e4", Mark: "m02"},
				{Org: acme, Event: "e1", Mark: "m03"},
				{Org: other, Event: "e5", Mark: "m04"},
				{Org: acme, Event: "e2", Mark: "m05"},
				{Org: acme, Event: "e3", Mark: "m09"},
			}
			for _, limit := range []int{-1, 0, 1, 2, 3, 4, 5, 6} {
				got, err := b.MarkedEvents(b.Context(), limit)
				b.must(err)
				equal(b, fmt.Sprint("up to ", limit), got, want[:min(max(limit, 0), 5)])
			}
		}},
		{"an event with many marks does not hide the others", func(b *bench) {
			for i := range 40 {
				b.insert(acme, marked(flights, record.ID(fmt.Sprint("r", i)), fmt.Sprintf("m%02d", i)))
			}
			b.insert(acme, marked(record.Sub{Event: fair, Type: "flights"}, "f1", "m90"))
			b.insert(other, marked(record.Sub{Event: "event-late", Type: "flights"}, "o1", "m91"))
			got, err := b.MarkedEvents(b.Context(), 3)
			b.must(err)
			equal(b, "marked", got, []record.MarkedEvent{
				{Org: acme, Event: gala, Mark: "m00"}, {Org: acme, Event: fair, Mark: "m90"},
				{Org: other, Event: "event-late", Mark: "m91"},
			})
		}},
	}
}

func contributionTests() []test {
	preview, contribution := json.RawMessage(`{"kgCO2e":"9"}`), json.RawMessage(`{"kg":"9"}`)
	return []test{
		{"approved records are read by rising seq with what the calculation needs", func(b *bench) {
			all := b.fill(acme, flights, "r", 8)
			for _, i := range []int{1, 2, 4, 6, 7} {
				r := next(all[i])
				r.Status, r.Contribution, r.ContextRev = record.Approved, contribution, 3
				all[i] = b.replace(acme, r)
			}
			b.move(acme, all[7], record.ChangesRequested)
			b.move(acme, all[0], record.Submitted)
			b.delete(acme, all[6])
			b.move(acme, b.insert(acme, draft(record.Sub{Event: gala, Type: "waste"}, "w1")), record.Approved)
			for _, c := range []struct {
				from, to int64
				want     []int
			}{{1, 8, []int{1, 2, 4}}, {3, 5, []int{2, 4}}, {4, 4, nil}, {9, 20, nil}} {
				got, err := b.Approved(b.Context(), acme, flights, c.from, c.to)
				b.must(err)
				var want []record.Counted
				for _, i := range c.want {
					r := all[i]
					want = append(want, record.Counted{
						ID: r.ID, Seq: r.Seq, Rev: r.Rev, Type: r.Type, Fields: r.Fields,
						Contribution: r.Contribution, ContextRev: r.ContextRev, CreatedAt: r.CreatedAt.UnixMilli(),
					})
				}
				equal(b, fmt.Sprintf("approved %d to %d", c.from, c.to), got, want)
				inputs, err := b.Inputs(b.Context(), acme, flights, c.from, c.to)
				b.must(err)
				var wanted []record.Input
				for _, c := range want {
					wanted = append(wanted, record.Input{ID: c.ID, Seq: c.Seq, Rev: c.Rev, Fields: string(c.Fields)})
				}
				equal(b, fmt.Sprintf("inputs %d to %d", c.from, c.to), inputs, wanted)
			}
		}},
		{"a contribution calculated anew is kept at its revision, of no older context, and moves no revision", func(b *bench) {
			r := fullRecord(flights, "r1") // Rev 5, ContextRev 7
			r.Seq = b.insert(acme, r).Seq
			for _, c := range []struct{ rev, contextRev int64 }{{4, 8}, {6, 8}, {5, 6}, {5, 0}} {
				b.must(b.StoreContributions(b.Context(), acme, recalculated("r1", c.rev, c.contextRev, preview, contribution)))
				equal(b, fmt.Sprintf("record after revision %d, context %d", c.rev, c.contextRev), b.read(acme, r.Key()), r)
			}
			for _, contextRev := range []int64{7, 8} { // of another engine, and of a newer context
				b.must(b.StoreContributions(b.Context(), acme, recalculated("r1", 5, contextRev, preview, contribution)))
				r.Preview, r.Contribution, r.ContextRev = preview, contribution, contextRev
				equal(b, "record", b.read(acme, r.Key()), r)
			}
			b.must(b.StoreContributions(b.Context(), acme, recalculated("r1", 5, 10, nil, nil)))
			r.Preview, r.Contribution, r.ContextRev = nil, nil, 10
			equal(b, "record without a contribution", b.read(acme, r.Key()), r)
			b.must(b.StoreContributions(b.Context(), acme, recalculated("r-none", 1, 2, preview, contribution)))
		}},
		{"of many contributions at once, each is stored or not by itself", func(b *bench) {
			var many []record.Recalculated
			var want []record.Record
			for i, id := range []record.ID{"r1", "r2", "r3", "r4"} {
				r := b.insert(acme, draft(flights, id))
				again := recalculated(id, r.Rev, r.ContextRev+1, preview, contribution)[0]
				switch i {
				case 1:
					r = b.move(acme, r, record.Submitted) // moved since
				default:
					r.Preview, r.Contribution, r.ContextRev = preview, contribution, r.ContextRev+1
				}
				many, want = append(many, again, record.Recalculated{ID: "r-none" + id, Rev: 1, ContextRev: 2}), append(want, r)
			}
			b.must(b.StoreContributions(b.Context(), acme, many))
			for _, r := range want {
				equal(b, string(r.ID), b.read(acme, r.Key()), r)
			}
			b.must(b.StoreContributions(b.Context(), acme, nil))
		}},
		{"a contribution is not stored with a record that moved on", func(b *bench) {
			r := b.move(acme, b.insert(acme, draft(flights, "r1")), record.Approved)
			moved := b.move(acme, r, record.ChangesRequested)
			b.must(b.StoreContributions(b.Context(), acme, recalculated("r1", r.Rev, 9, preview, contribution)))
			equal(b, "record", b.read(acme, r.Key()), moved)
		}},
	}
}

// recalculated is the one contribution that a test stores.
func recalculated(id record.ID, rev, contextRev int64, preview, contribution json.RawMessage) []record.Recalculated {
	return []record.Recalculated{{ID: id, Rev: rev, ContextRev: contextRev, Preview: preview, Contribution: contribution}}
}
