package recordtest

import (
	"encoding/json"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func replaceTests() []test {
	return []test{
		{"a record is replaced whole, but for its seq and its creation", func(b *bench) {
			first := b.insert(acme, draft(flights, "r1"))
			changed := fullRecord(flights, "r1")
			changed.Rev, changed.Last.Rev = 2, 2
			changed.Seq, changed.CreatedAt = 40, start.Add(-time.Hour)
			changed.CreatedBy = record.Actor{ID: "u9", Role: identity.Admin}
			b.must(b.ReplaceRecord(b.Context(), acme, changed, 1))
			changed.Seq, changed.CreatedAt, changed.CreatedBy = first.Seq, first.CreatedAt, first.CreatedBy
			equal(b, "record", b.read(acme, changed.Key()), changed)

			bare := next(draft(flights, "r1"))
			bare.Rev, bare.Fields, bare.Preview = 3, nil, nil
			bare.Seq, bare.Mark = first.Seq, changed.Mark
			b.must(b.ReplaceRecord(b.Context(), acme, bare, 2))
			equal(b, "record made bare", b.read(acme, bare.Key()), bare)
		}},
		{"a record is replaced at the revision given only", func(b *bench) {
			r := b.insert(acme, draft(flights, "r1"))
			r2 := b.replace(acme, next(r))
			stale := next(r)
			stale.Fields = json.RawMessage(`{"stale":true}`)
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, stale, 1))
			stale.Rev = 4
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, stale, 3))
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, stale, 0))
			equal(b, "record", b.read(acme, r.Key()), r2)
		}},
		{"a record that does not exist is not made by replacing it", func(b *bench) {
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, draft(flights, "r1"), 0))
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, next(draft(flights, "r1")), 1))
			b.wantRecords(acme, flights, layout{})
		}},
		{"a record is not replaced under another event or type", func(b *bench) {
			r := b.insert(acme, draft(flights, "r1"))
			for _, sub := range []record.Sub{{Event: fair, Type: "flights"}, {Event: gala, Type: "waste"}} {
				moved := next(r)
				moved.Event, moved.Type = sub.Event, sub.Type
				b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, moved, 1))
			}
			equal(b, "record", b.read(acme, r.Key()), r)
		}},
		{"a deleted record is not replaced", func(b *bench) {
			r := b.insert(acme, draft(flights, "r1"))
			b.delete(acme, r)
			again := next(next(r))
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, again, 2))
			_, err := b.Record(b.Context(), acme, r.Key())
			b.want(record.ErrNotFound, err)
		}},
		{"replacing a record without a mark keeps the stored one", func(b *bench) {
			r := draft(flights, "r1")
			r.Mark = "m1"
			b.insert(acme, r)
			for _, step := range []struct{ set, want string }{{"", "m1"}, {"m2", "m2"}, {"", "m2"}} {
				r = next(r)
				r.Mark = step.set
				b.replace(acme, r)
				equal(b, "mark", b.read(acme, r.Key()).Mark, step.want)
			}
		}},
		{"replacing a record can not take another's reference", func(b *bench) {
			b.insert(acme, referring(flights, "r1", "A-1"))
			r2 := b.insert(acme, referring(flights, "r2", "A-2"))
			taking := next(r2)
			taking.Reference = "A-1"
			b.want(record.ErrDuplicateReference, b.ReplaceRecord(b.Context(), acme, taking, 1))
			equal(b, "record", b.read(acme, r2.Key()), r2)
			// A stale revision is a conflict, whatever the reference.
			b.want(record.ErrConflict, b.ReplaceRecord(b.Context(), acme, taking, 7))
		}},
		{"replacing a record sets, changes, keeps and frees its reference", func(b *bench) {
			r1 := b.insert(acme, draft(flights, "r1"))
			for _, reference := range []string{"A-1", "A-1", "A-2", ""} {
				r1 = next(r1)
				r1.Reference = reference
				b.replace(acme, r1)
				equal(b, "reference", b.read(acme, r1.Key()).Reference, reference)
			}
			b.insert(acme, referring(flights, "r2", "A-1"))
			b.insert(acme, referring(flights, "r3", "A-2"))
			taking := next(r1)
			taking.Reference = "A-2"
			b.want(record.ErrDuplicateReference, b.ReplaceRecord(b.Context(), acme, taking, r1.Rev))
		}},
		{"deleting a record can not fail on its reference", func(b *bench) {
			r1 := b.insert(acme, referring(flights, "r1", "A-1"))
			b.delete(acme, r1)
			r2 := b.insert(acme, referring(flights, "r2", "A-1"))
			b.delete(acme, r2)
			b.wantRecords(acme, flights, layout{Max: 2, Deleted: []int64{1, 2}})
		}},
	}
}
