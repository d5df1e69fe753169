package recordtest

import (
	"context"
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/record"
)

// contextTests call every method with a cancelled context.
func contextTests() []test {
	return []test{
		{"a write whose context has ended writes nothing and says so", func(b *bench) {
			ctx := b.Context()
			org := someOrganization(acme)
			b.must(b.InsertOrganization(ctx, org))
			e := someEvent(gala)
			e.Mark = "m1"
			e, err := b.InsertEvent(ctx, acme, e, record.Unlimited)
			b.must(err)
			r := fullRecord(flights, "r1")
			r.Seq = b.insert(acme, r).Seq

			changedOrg, changedEvent := org, e
			changedOrg.Rev, changedOrg.Name = 2, "Changed"
			changedEvent.Rev, changedEvent.Title = 2, "Changed"
			for name, write := range map[string]func(context.Context) error{
				"InsertOrganization":  func(ctx context.Context) error { return b.InsertOrganization(ctx, someOrganization(other)) },
				"ReplaceOrganization": func(ctx context.Context) error { return b.ReplaceOrganization(ctx, changedOrg, 1) },
				"InsertEvent": func(ctx context.Context) error {
					_, err := b.InsertEvent(ctx, acme, someEvent(fair), record.Unlimited)
					return err
				},
				"ReplaceEvent": func(ctx context.Context) error { return b.ReplaceEvent(ctx, acme, changedEvent, 1) },
				"InsertRecord": func(ctx context.Context) error {
					_, err := b.InsertRecord(ctx, acme, draft(flights, "r2"))
					return err
				},
				"ReplaceRecord": func(ctx context.Context) error { return b.ReplaceRecord(ctx, acme, deleted(r), r.Rev) },
				"InsertEntry":   func(ctx context.Context) error { return b.InsertEntry(ctx, acme, gala, "r1", someEntry(1, "")) },
				"ClearRecordMarks": func(ctx context.Context) error {
					return b.ClearRecordMarks(ctx, acme, gala, []record.MarkedRecord{{Type: "flights", ID: "r1", Seq: 1, Mark: r.Mark}})
				},
				"ClearEventMark": func(ctx context.Context) error { return b.ClearEventMark(ctx, acme, gala, "m1") },
				"StoreContributions": func(ctx context.Context) error {
					return b.StoreContributions(ctx, acme, recalculated("r1", r.Rev, 99, nil, json.RawMessage(`{}`)))
				},
			} {
				if err := write(b.ended()); err == nil {
					b.Fatalf("%s: no error", name)
				} else {
					b.wantFailure(err)
				}
			}

			gotOrg, err := b.Organization(ctx, acme)
			b.must(err)
			equal(b, "organization", gotOrg, org)
			_, err = b.Organization(ctx, other)
			b.want(record.ErrNotFound, err)
			gotEvent, err := b.Event(ctx, acme, gala)
			b.must(err)
			equal(b, "event", gotEvent, e)
			used, err := b.UsedSlots(ctx, acme)
			b.must(err)
			equal(b, "used slots", used, 1)
			equal(b, "record", b.read(acme, r.Key()), r)
			b.wantRecords(acme, flights, layout{Max: 1})
			entries, err := b.Entries(ctx, acme, "r1")
			b.must(err)
			equal(b, "entries", entries, nil)
		}},
		{"a read whose context has ended fails", func(b *bench) {
			b.insertEvent(acme, gala)
			key := b.insert(acme, draft(flights, "r1")).Key()
			for name, read := range map[string]func(context.Context) error{
				"Organization":     func(ctx context.Context) error { _, err := b.Organization(ctx, acme); return err },
				"Event":            func(ctx context.Context) error { _, err := b.Event(ctx, acme, gala); return err },
				"EventSpan":        func(ctx context.Context) error { _, err := b.EventSpan(ctx, acme, 0, 1); return err },
				"EventRange":       func(ctx context.Context) error { _, err := b.EventRange(ctx, acme, 1, 1); return err },
				"VisibleSpan":      func(ctx context.Context) error { _, err := b.VisibleSpan(ctx, acme, "ann", 0, 1); return err },
				"VisibleRange":     func(ctx context.Context) error { _, err := b.VisibleRange(ctx, acme, "ann", 1, 1); return err },
				"VisibleRevisions": func(ctx context.Context) error { _, err := b.VisibleRevisions(ctx, acme, "ann", 1, 1); return err },
				"ReviewQueueOf":    func(ctx context.Context) error { _, _, err := b.ReviewQueueOf(ctx, acme, "ann", 0, 1); return err },
				"EventRevisions":   func(ctx context.Context) error { _, err := b.EventRevisions(ctx, acme, 1, 1); return err },
				"UsedSlots":        func(ctx context.Context) error { _, err := b.UsedSlots(ctx, acme); return err },
				"Record":           func(ctx context.Context) error { _, err := b.Record(ctx, acme, key); return err },
				"RecordSpan":       func(ctx context.Context) error { _, err := b.RecordSpan(ctx, acme, flights, 0, 1); return err },
				"RecordRevisions":  func(ctx context.Context) error { _, err := b.RecordRevisions(ctx, acme, flights, 1, 1); return err },
				"EntryRange":       func(ctx context.Context) error { _, err := b.EntryRange(ctx, acme, "r1", 1, 1); return err },
				"RecordRange":      func(ctx context.Context) error { _, err := b.RecordRange(ctx, acme, flights, 1, 1); return err },
				"CountByStatus":    func(ctx context.Context) error { _, err := b.CountByStatus(ctx, acme, gala); return err },
				"ReviewQueue":      func(ctx context.Context) error { _, _, err := b.ReviewQueue(ctx, acme, gala, 0, 1); return err },
				"Waiting": func(ctx context.Context) error {
					_, err := b.Waiting(ctx, acme, gala, record.QueuePlace{}, 1)
					return err
				},
				"EachDraft": func(ctx context.Context) error {
					return b.EachDraft(ctx, acme, gala, func(record.Record) error { return nil })
				},
				"Entries":       func(ctx context.Context) error { _, err := b.Entries(ctx, acme, "r1"); return err },
				"MarkedRecords": func(ctx context.Context) error { _, err := b.MarkedRecords(ctx, acme, gala, 1); return err },
				"EventContext":  func(ctx context.Context) error { _, err := b.EventContext(ctx, acme, gala); return err },
				"Summaries": func(ctx context.Context) error {
					_, err := b.Summaries(ctx, acme, []record.EventID{gala})
					return err
				},
				"HasMarks": func(ctx context.Context) error { _, err := b.HasMarks(ctx, acme, gala); return err },
				"HasMarkedRecords": func(ctx context.Context) error {
					_, err := b.HasMarkedRecords(ctx, acme, gala)
					return err
				},
				"RecordsNumbered": func(ctx context.Context) error { _, err := b.RecordsNumbered(ctx, acme); return err },
				"MaxSeqs":         func(ctx context.Context) error { _, err := b.MaxSeqs(ctx, acme, gala); return err },
				"Approved":        func(ctx context.Context) error { _, err := b.Approved(ctx, acme, flights, 1, 1); return err },
				"Inputs":          func(ctx context.Context) error { _, err := b.Inputs(ctx, acme, flights, 1, 1); return err },
				"MarkedEvents":    func(ctx context.Context) error { _, err := b.MarkedEvents(ctx, 1); return err },
			} {
				if err := read(b.ended()); err == nil {
					b.Fatalf("%s: no error", name)
				} else {
					b.wantFailure(err)
				}
			}
		}},
	}
}
