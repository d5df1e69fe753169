package recordtest

import (
	"math"

	"github.com/eventcarbon/ecf/libs/record"
)

func readTests() []test {
	return []test{
		{"a record is found under its own path only", func(b *bench) {
			r := b.insert(acme, draft(flights, "r1"))
			equal(b, "record", b.read(acme, r.Key()), r)
			for _, key := range []record.Key{
				{Event: gala, Type: "flights", ID: "r2"},
				{Event: gala, Type: "waste", ID: "r1"},
				{Event: fair, Type: "flights", ID: "r1"},
				{Event: gala, Type: "flights", ID: ""},
				{ID: "r1"},
			} {
				_, err := b.Record(b.Context(), acme, key)
				b.want(record.ErrNotFound, err)
			}
		}},
		{"a deleted record is not found", func(b *bench) {
			r := b.insert(acme, draft(flights, "r1"))
			b.delete(acme, r)
			_, err := b.Record(b.Context(), acme, r.Key())
			b.want(record.ErrNotFound, err)
		}},
		{"a range gives the records that are there, highest seq first", func(b *bench) {
			all := b.fill(acme, flights, "r", 12)
			b.fill(acme, record.Sub{Event: gala, Type: "waste"}, "w", 3)
			b.fill(acme, record.Sub{Event: fair, Type: "flights"}, "f", 3)
			b.delete(acme, all[4])
			for _, c := range []struct {
				from, to int64
				want     []int64
			}{
				{3, 7, []int64{7, 6, 4, 3}},
				{12, 12, []int64{12}},
				{5, 5, nil},
				{10, 99, []int64{12, 11, 10}},
				{-5, 2, []int64{2, 1}},
				{7, 3, nil},
				{13, 20, nil},
				{math.MinInt64, math.MaxInt64, []int64{12, 11, 10, 9, 8, 7, 6, 4, 3, 2, 1}},
			} {
				got, err := b.RecordRange(b.Context(), acme, flights, c.from, c.to)
				b.must(err)
				equal(b, "range", seqs(got), c.want)
			}
			got, err := b.RecordRange(b.Context(), acme, flights, 3, 3)
			b.must(err)
			equal(b, "record", got[0], all[2])
		}},
		{"counts are of the event's records by status, without the deleted ones", func(b *bench) {
			all := b.fill(acme, flights, "r", 6)
			waste := b.fill(acme, record.Sub{Event: gala, Type: "waste"}, "w", 2)
			b.fill(acme, record.Sub{Event: fair, Type: "flights"}, "f", 3)
			b.move(acme, all[0], record.Submitted)
			b.move(acme, all[1], record.Submitted)
			b.move(acme, all[2], record.Approved)
			b.move(acme, waste[0], record.Approved)
			b.delete(acme, all[3])
			b.delete(acme, b.move(acme, waste[1], record.ChangesRequested))
			counts, err := b.CountByStatus(b.Context(), acme, gala)
			b.must(err)
			for status, n := range counts {
				if n == 0 {
					delete(counts, status)
				}
			}
			equal(b, "total of counts", int64(len(counts)), 3)
			for status, want := range map[record.Status]int64{record.Unsubmitted: 2, record.Submitted: 2, record.Approved: 2} {
				equal(b, string(status), counts[status], want)
			}
			counts, err = b.CountByStatus(b.Context(), acme, "event-none")
			b.must(err)
			for status, n := range counts {
				equal(b, string(status), n, 0)
			}
		}},
		{"the highest seqs are told for every type, deleted records included", func(b *bench) {
			highest, err := b.MaxSeqs(b.Context(), acme, gala)
			b.must(err)
			equal(b, "types of nothing", int64(len(highest)), 0)
			all := b.fill(acme, flights, "r", 3)
			b.fill(acme, record.Sub{Event: gala, Type: "waste"}, "w", 5)
			b.fill(acme, record.Sub{Event: gala, Type: "accommodation"}, "a", 1)
			b.fill(acme, record.Sub{Event: fair, Type: "venue"}, "v", 2)
			b.delete(acme, all[2])
			b.fill(other, flights, "of", 4)
			b.fill(other, record.Sub{Event: gala, Type: "digital"}, "od", 1)
			b.fill(other, record.Sub{Event: gala, Type: "zinc"}, "oz", 1)
			highest, err = b.MaxSeqs(b.Context(), acme, gala)
			b.must(err)
			equal(b, "number of types", int64(len(highest)), 3)
			for typ, want := range map[string]int64{"flights": 3, "waste": 5, "accommodation": 1} {
				equal(b, typ, highest[typ], want)
			}
			for org, want := range map[record.OrgID]int64{acme: 11, other: 6, "org-none": 0} {
				numbered, err := b.RecordsNumbered(b.Context(), org)
				b.must(err)
				equal(b, "records ever made by "+string(org), numbered, want)
			}
		}},
	}
}
