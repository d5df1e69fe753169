package recordtest

import (
	"context"
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/record"
)

// tenantTests request objects of another organization, method by method: they must
// appear not to exist.
func tenantTests() []test {
	return []test{
		{"another organization's events are not found, listed, counted, changed or cleared", func(b *bench) {
			e := someEvent(gala)
			e.Mark = "m1"
			stored, err := b.InsertEvent(b.Context(), acme, e, record.Unlimited)
			b.must(err)

			_, err = b.Event(b.Context(), other, gala)
			b.want(record.ErrNotFound, err)
			_, err = b.EventContext(b.Context(), other, gala)
			b.want(record.ErrNotFound, err)
			b.wantEvents(other, layout{})
			events, err := b.EventRange(b.Context(), other, 1, 9)
			b.must(err)
			equal(b, "events", events, nil)
			used, err := b.UsedSlots(b.Context(), other)
			b.must(err)
			equal(b, "used", used, 0)
			has, err := b.HasMarks(b.Context(), other, gala)
			b.must(err)
			equal(b, "has marks", has, false)

			stolen := stored
			stolen.Org, stolen.Title, stolen.Rev = other, "Stolen", 2
			b.want(record.ErrConflict, b.ReplaceEvent(b.Context(), other, stolen, 1))
			b.must(b.ClearEventMark(b.Context(), other, gala, "m1"))
			_, err = b.InsertEvent(b.Context(), other, stolen, record.Unlimited)
			b.want(record.ErrDuplicate, err)
			got, err := b.Event(b.Context(), acme, gala)
			b.must(err)
			equal(b, "event", got, stored)
			equal(b, "slot of the other", b.insertEvent(other, fair).Slot, 1)
		}},
		{"another organization's records are not found, listed, counted, changed or cleared", func(b *bench) {
			r := fullRecord(flights, "r1")
			r.Seq = b.insert(acme, r).Seq
			queued := b.move(acme, b.insert(acme, draft(flights, "r2")), record.Submitted)
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", someEntry(1, "mine")))

			_, err := b.Record(b.Context(), other, r.Key())
			b.want(record.ErrNotFound, err)
			b.wantRecords(other, flights, layout{})
			records, err := b.RecordRange(b.Context(), other, flights, 1, 9)
			b.must(err)
			equal(b, "range", records, nil)
			counts, err := b.CountByStatus(b.Context(), other, gala)
			b.must(err)
			for status, n := range counts {
				equal(b, string(status), n, 0)
			}
			for _, event := range []record.EventID{gala, ""} {
				page, total, err := b.ReviewQueue(b.Context(), other, event, 0, 9)
				b.must(err)
				equal(b, "queue", page, nil)
				equal(b, "total", total, 0)
			}
			for _, after := range []record.QueuePlace{{}, {CreatedAt: start.AddDate(1, 0, 0)}} { // the newest record comes first
				waiting, err := b.Waiting(b.Context(), acme, gala, after, 9)
				b.must(err)
				equal(b, "waiting", ids(waiting), []record.ID{"r2"})
				waiting, err = b.Waiting(b.Context(), other, gala, after, 9)
				b.must(err)
				equal(b, "waiting", waiting, nil)
			}
			entries, err := b.Entries(b.Context(), other, "r1")
			b.must(err)
			equal(b, "entries", entries, nil)
			entries, err = b.EntryRange(b.Context(), other, "r1", 1, 9)
			b.must(err)
			equal(b, "entries", entries, nil)
			for _, of := range [][]record.ID{{"r1", "r2"}, nil} {
				stored, err := b.EntriesAfter(b.Context(), other, of, record.EntryPlace{}, 9)
				b.must(err)
				equal(b, "stored entries", len(stored), 0)
			}
			for _, read := range []func(context.Context, record.OrgID, []record.ID) (int, error){
				func(ctx context.Context, org record.OrgID, of []record.ID) (int, error) {
					found, err := b.RecordsByID(ctx, org, of)
					return len(found), err
				},
				func(ctx context.Context, org record.OrgID, of []record.ID) (int, error) {
					found, err := b.StoredRecordsByID(ctx, org, of)
					return len(found), err
				},
			} {
				ours, err := read(b.Context(), acme, []record.ID{"r1", "r2"})
				b.must(err)
				theirs, err := read(b.Context(), other, []record.ID{"r1", "r2"})
				b.must(err)
				equal(b, "records by id", []int{ours, theirs}, []int{2, 0})
			}
			marks, err := b.MarkedRecords(b.Context(), other, gala, 9)
			b.must(err)
			equal(b, "marked", marks, nil)
			has, err := b.HasMarks(b.Context(), other, gala)
			b.must(err)
			equal(b, "has marks", has, false)
			has, err = b.HasMarkedRecords(b.Context(), other, gala)
			b.must(err)
			equal(b, "has marked records", has, false)
			highest, err := b.MaxSeqs(b.Context(), other, gala)
			b.must(err)
			equal(b, "types", len(highest), 0)
			counted, err := b.Approved(b.Context(), other, flights, 1, 9)
			b.must(err)
			equal(b, "approved", counted, nil)
			inputs, err := b.Inputs(b.Context(), other, flights, 1, 9)
			b.must(err)
			equal(b, "inputs", inputs, nil)

			stolen := next(r)
			stolen.Org, stolen.Fields = other, json.RawMessage(`{"stolen":true}`)
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), other, stolen, r.Rev))
			b.must(b.ClearRecordMarks(b.Context(), other, gala, []record.MarkedRecord{{Type: "flights", ID: "r1", Seq: 1, Mark: r.Mark}}))
			b.must(b.StoreContributions(b.Context(), other, recalculated("r1", r.Rev, 99, nil, json.RawMessage(`{}`))))
			_, err = b.InsertRecord(b.Context(), other, stolen)
			b.want(record.ErrDuplicate, err)
			b.must(b.InsertEntry(b.Context(), other, gala, "r1", someEntry(1, "theirs")))

			equal(b, "record", b.read(acme, r.Key()), r)
			equal(b, "queued", b.read(acme, queued.Key()), queued)
			entries, err = b.Entries(b.Context(), acme, "r1")
			b.must(err)
			equal(b, "entries", entries, []record.Entry{someEntry(1, "mine")})
			equal(b, "seq of the other", b.insert(other, draft(flights, "o1")).Seq, 1)
		}},
		{"the organization a document is stored under is the one given, not the one it names", func(b *bench) {
			e := someEvent(gala) // names acme
			stored, err := b.InsertEvent(b.Context(), other, e, record.Unlimited)
			b.must(err)
			equal(b, "organization of the event", stored.Org, other)
			_, err = b.Event(b.Context(), acme, gala)
			b.want(record.ErrNotFound, err)
			r := b.insert(other, draft(flights, "r1"))
			equal(b, "organization of the record", r.Org, other)
			equal(b, "record", b.read(other, r.Key()), r)
			moved := next(r)
			moved.Org = acme
			b.must(b.ReplaceRecord(b.Context(), other, moved, 1))
			equal(b, "organization after replacing", b.read(other, r.Key()).Org, other)
			stored.Org, stored.Rev = acme, 2
			b.must(b.ReplaceEvent(b.Context(), other, stored, 1))
			got, err := b.Event(b.Context(), other, gala)
			b.must(err)
			equal(b, "organization after replacing", got.Org, other)
		}},
	}
}
