package recordtest

import (
	"fmt"

	"github.com/eventcarbon/ecf/libs/record"
)

func insertTests() []test {
	return []test{
		{"a record is read as it was stored", func(b *bench) {
			for _, r := range []record.Record{draft(flights, "plain"), fullRecord(flights, "full")} {
				stored := b.insert(acme, r)
				r.Seq = stored.Seq
				equal(b, "returned", stored, r)
				equal(b, "record", b.read(acme, r.Key()), r)
			}
		}},
		{"what a record lacks is not there when it is read", func(b *bench) {
			r := draft(flights, "r1")
			r.Fields, r.Preview = nil, nil
			b.insert(acme, r)
			got := b.read(acme, r.Key())
			if got.Fields != nil || got.Preview != nil || got.Contribution != nil || got.SubmittedAt != nil || got.SubmittedBy != nil ||
				got.ReviewedAt != nil || got.ReviewedBy != nil {
				b.Fatalf("absent values came back as present: %+v", got)
			}
		}},
		{"seq is 1, 2, 3 in each sub-collection, whatever the record says", func(b *bench) {
			for i := range 3 {
				r := draft(flights, record.ID(fmt.Sprint("r", i)))
				r.Seq = 50
				equal(b, "seq", b.insert(acme, r).Seq, int64(i+1))
			}
			equal(b, "seq of another type", b.insert(acme, draft(record.Sub{Event: gala, Type: "waste"}, "w")).Seq, int64(1))
			equal(b, "seq of another event", b.insert(acme, draft(record.Sub{Event: fair, Type: "flights"}, "f")).Seq, int64(1))
			equal(b, "seq of another organization", b.insert(other, draft(flights, "o")).Seq, int64(1))
			equal(b, "seq of the next", b.insert(acme, draft(flights, "r4")).Seq, int64(4))
		}},
		{"a deleted record keeps its seq, even the highest", func(b *bench) {
			all := b.fill(acme, flights, "r", 2)
			b.delete(acme, all[1])
			equal(b, "seq", b.insert(acme, draft(flights, "r3")).Seq, int64(3))
		}},
		{"a record's id is taken once, and a refusal takes no seq", func(b *bench) {
			first := b.insert(acme, draft(flights, "r1"))
			for _, sub := range []record.Sub{flights, {Event: gala, Type: "waste"}, {Event: fair, Type: "flights"}} {
				_, err := b.InsertRecord(b.Context(), acme, draft(sub, "r1"))
				b.want(record.ErrDuplicate, err)
			}
			equal(b, "record", b.read(acme, first.Key()), first)
			equal(b, "seq of the next", b.insert(acme, draft(flights, "r2")).Seq, int64(2))
			b.delete(acme, first)
			_, err := b.InsertRecord(b.Context(), acme, draft(flights, "r1"))
			b.want(record.ErrDuplicate, err)
		}},
		{"a reference is used once in a sub-collection, and a refusal takes no seq", func(b *bench) {
			b.insert(acme, referring(flights, "r1", "A-1"))
			_, err := b.InsertRecord(b.Context(), acme, referring(flights, "r2", "A-1"))
			b.want(record.ErrDuplicateReference, err)
			_, err = b.Record(b.Context(), acme, record.Key{Event: gala, Type: "flights", ID: "r2"})
			b.want(record.ErrNotFound, err)
			equal(b, "seq of the next", b.insert(acme, referring(flights, "r2", "A-2")).Seq, int64(2))
		}},
		{"a reference is exact: case, spaces and accents count", func(b *bench) {
			for i, reference := range []string{"a", "A", " a", "a ", "\u00e1", "a\u0301", "a\u00a0"} {
				b.insert(acme, referring(flights, record.ID(fmt.Sprint("r", i)), reference))
			}
		}},
		{"another type, event or organization may use the same reference", func(b *bench) {
			b.insert(acme, referring(flights, "r1", "A-1"))
			b.insert(acme, referring(record.Sub{Event: gala, Type: "waste"}, "r2", "A-1"))
			b.insert(acme, referring(record.Sub{Event: fair, Type: "flights"}, "r3", "A-1"))
			b.insert(other, referring(flights, "r4", "A-1"))
		}},
		{"records without a reference do not collide, with an id used as a reference neither", func(b *bench) {
			b.insert(acme, draft(flights, "r1"))
			b.insert(acme, draft(flights, "r2"))
			b.insert(acme, referring(flights, "r3", "r1"))
			b.insert(acme, referring(flights, "r4", "id:r1"))
			b.insert(acme, referring(flights, "r5", "ref:r1"))
		}},
		{"an id that is taken is said before a reference that is", func(b *bench) {
			r := b.insert(acme, referring(flights, "r1", "A-1"))
			_, err := b.InsertRecord(b.Context(), acme, r)
			b.want(record.ErrDuplicate, err)
			// The record belongs to another organization, so this reference conflicts with its own.
			b.insert(other, referring(flights, "o1", "A-1"))
			_, err = b.InsertRecord(b.Context(), other, r)
			b.want(record.ErrDuplicateReference, err)
		}},
		{"a deleted record frees its reference", func(b *bench) {
			r := b.insert(acme, referring(flights, "r1", "A-1"))
			b.delete(acme, r)
			b.insert(acme, referring(flights, "r2", "A-1"))
			_, err := b.InsertRecord(b.Context(), acme, referring(flights, "r3", "A-1"))
			b.want(record.ErrDuplicateReference, err)
		}},
	}
}

func referring(sub record.Sub, id record.ID, reference string) record.Record {
	r := draft(sub, id)
	r.Reference = reference
	return r
}
