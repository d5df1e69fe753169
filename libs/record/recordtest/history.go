package recordtest

import (
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func someEntry(rev int64, comment string) record.Entry {
	return record.Entry{
		Rev: rev, Move: record.Edit, From: record.Unsubmitted, To: record.Unsubmitted,
		By: record.Actor{ID: "u1", Name: "Ann", Role: identity.User}, At: start.Add(time.Duration(rev) * time.Millisecond),
		Comment: comment, Changed: []string{"from", "via"}, Prev: "p", Hash: "h",
	}
}

func historyTests() []test {
	return []test{
		{"history is read oldest first, as it was stored", func(b *bench) {
			var want []record.Entry
			for _, rev := range []int64{1, 2, 3, 10, 11} {
				want = append(want, someEntry(rev, "c"))
			}
			want[1].Changed, want[1].Comment, want[1].From = nil, "", ""
			for _, i := range []int{3, 0, 4, 2, 1} {
				b.must(b.InsertEntry(b.Context(), acme, gala, "r1", want[i]))
			}
			b.must(b.InsertEntry(b.Context(), acme, gala, "r2", someEntry(1, "other record")))
			got, err := b.Entries(b.Context(), acme, "r1")
			b.must(err)
			equal(b, "entries", got, want)
			got, err = b.EntryRange(b.Context(), acme, "r1", 2, 10)
			b.must(err)
			equal(b, "entries 2 to 10", got, []record.Entry{want[3], want[2], want[1]})
			for _, none := range [][2]int64{{4, 9}, {12, 20}, {3, 2}, {-3, 0}} {
				got, err = b.EntryRange(b.Context(), acme, "r1", none[0], none[1])
				b.must(err)
				equal(b, "entries of no range", got, nil)
			}
			got, err = b.Entries(b.Context(), acme, "r3")
			b.must(err)
			equal(b, "entries of nothing", got, nil)
		}},
		{"storing an entry again is success and keeps the first", func(b *bench) {
			first := someEntry(1, "first")
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", first))
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", first))
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", someEntry(1, "second")))
			got, err := b.Entries(b.Context(), acme, "r1")
			b.must(err)
			equal(b, "entries", got, []record.Entry{first})
		}},
		{"a record is replaced and its entry kept, or neither", func(b *bench) {
			store, ok := b.Store.(record.EntryKeeper)
			if !ok {
				return // the workflow writes them one after the other
			}
			r := b.insert(acme, fullRecord(flights, "r1"))
			next := r
			next.Rev = r.Rev + 1
			refused := store.ReplaceRecordKeeping(b.Context(), acme, next, r.Rev+7, r.Last)
			equal(b, "on another revision", errors.Is(refused, record.ErrConflict), true)
			got, err := b.Entries(b.Context(), acme, r.ID)
			b.must(err)
			equal(b, "entries after a conflict", got, nil)
			b.must(store.ReplaceRecordKeeping(b.Context(), acme, next, r.Rev, r.Last))
			got, err = b.Entries(b.Context(), acme, r.ID)
			b.must(err)
			equal(b, "entries", got, []record.Entry{r.Last})
			stored, err := b.Record(b.Context(), acme, r.Key())
			b.must(err)
			equal(b, "revision", stored.Rev, next.Rev)
		}},
		{"two organizations keep the history of the same id apart", func(b *bench) {
			mine, theirs := someEntry(1, "mine"), someEntry(1, "theirs")
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", mine))
			b.must(b.InsertEntry(b.Context(), other, gala, "r1", theirs))
			got, err := b.Entries(b.Context(), acme, "r1")
			b.must(err)
			equal(b, "entries", got, []record.Entry{mine})
			got, err = b.Entries(b.Context(), other, "r1")
			b.must(err)
			equal(b, "entries of the other", got, []record.Entry{theirs})
		}},
		{"the newest entry is in the record, not among the stored ones", func(b *bench) {
			r := b.insert(acme, draft(flights, "r1"))
			b.replace(acme, next(r))
			got, err := b.Entries(b.Context(), acme, "r1")
			b.must(err)
			equal(b, "entries", got, nil)
		}},
	}
}
