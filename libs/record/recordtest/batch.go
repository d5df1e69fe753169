package recordtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/eventcarbon/ecf/libs/record"
)

func batchTests() []test {
	return []test{
		{"a batch is stored in its order under consecutive numbers", func(b *bench) {
			b.fill(acme, flights, "before", 2)
			batch := []record.Record{draft(flights, "r1"), fullRecord(flights, "r2"), draft(flights, "r3")}
			stored, refused, err := b.InsertRecords(b.Context(), acme, flights, batch)
			b.must(err)
			for i, r := range batch {
				r.Seq = int64(i + 3)
				b.must(refused[i])
				equal(b, "returned", stored[i], r)
				equal(b, "record", b.read(acme, r.Key()), r)
			}
			equal(b, "seq of the next", b.insert(acme, draft(flights, "r4")).Seq, int64(6))
		}},
		{"what a batch cannot store is refused at its place and takes no number", func(b *bench) {
			b.insert(acme, referring(flights, "old", "A-1"))
			b.insert(other, draft(flights, "theirs"))
			batch := []record.Record{
				referring(flights, "r1", "A-1"), draft(flights, "r2"), draft(flights, "old"), referring(flights, "r4", "A-2"),
				referring(flights, "r5", "A-2"), draft(flights, "r2"), draft(flights, "theirs"), draft(flights, "r8"),
			}
			want := []error{
				record.ErrDuplicateReference, nil, record.ErrDuplicate, nil,
				record.ErrDuplicateReference, record.ErrDuplicate, record.ErrDuplicate, nil,
			}
			stored, refused, err := b.InsertRecords(b.Context(), acme, flights, batch)
			b.must(err)
			seq := int64(1)
			for i := range batch {
				if !errors.Is(refused[i], want[i]) {
					b.Errorf("%d: refused %v, want %v", i, refused[i], want[i])
				}
				if want[i] == nil {
					seq++
					equal(b, "seq", stored[i].Seq, seq)
				}
			}
			b.wantRecords(acme, flights, layout{Max: 4})
		}},
		{"a batch that was stored in part is completed by repeating it", func(b *bench) {
			batch := []record.Record{referring(flights, "r1", "A-1"), draft(flights, "r2"), draft(flights, "r3")}
			_, _, err := b.InsertRecords(b.Context(), acme, flights, batch[:2])
			b.must(err)
			stored, refused, err := b.InsertRecords(b.Context(), acme, flights, batch)
			b.must(err)
			b.want(record.ErrDuplicate, refused[0])
			b.want(record.ErrDuplicate, refused[1])
			b.must(refused[2])
			equal(b, "seq", stored[2].Seq, int64(3))
		}},
		{"an empty batch does nothing, and neither does one whose context has ended", func(b *bench) {
			stored, refused, err := b.InsertRecords(b.Context(), acme, flights, nil)
			b.must(err)
			equal(b, "lengths", []int{len(stored), len(refused)}, []int{0, 0})
			_, _, err = b.InsertRecords(b.ended(), acme, flights, []record.Record{draft(flights, "r1")})
			b.wantFailure(err)
			equal(b, "seq", b.insert(acme, draft(flights, "r1")).Seq, int64(1))
		}},
		{"batches and single records at once leave no hole and lose none", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			var group sync.WaitGroup
			for i := range 4 {
				group.Go(func() {
					var batch []record.Record
					for j := range 6 {
						batch = append(batch, draft(flights, record.ID(fmt.Sprint("b", i, "-", j))))
					}
					stored, refused, err := stores[i%2].InsertRecords(b.Context(), acme, flights, batch)
					if err != nil || errors.Join(refused...) != nil {
						b.Error(err, errors.Join(refused...))
						return
					}
					for j := 1; j < len(stored); j++ {
						if stored[j].Seq <= stored[j-1].Seq {
							b.Errorf("numbers %v do not rise", seqs(stored))
						}
					}
				})
				group.Go(func() {
					for j := range 3 {
						if _, err := stores[(i+1)%2].InsertRecord(b.Context(), acme, draft(flights, record.ID(fmt.Sprint("s", i, "-", j)))); err != nil {
							b.Error(err)
						}
					}
				})
			}
			group.Wait()
			b.wantRecords(acme, flights, layout{Max: 36})
			all, err := b.RecordRange(b.Context(), acme, flights, 1, 100)
			b.must(err)
			equal(b, "number of records", len(all), 36)
		}},
		{"a record is found by its id within its event and organization only", func(b *bench) {
			r := b.insert(acme, draft(flights, "r1"))
			waste := b.insert(acme, draft(record.Sub{Event: gala, Type: "waste"}, "w1"))
			for _, want := range []record.Record{r, waste} {
				got, err := b.FindRecord(b.Context(), acme, gala, want.ID)
				b.must(err)
				equal(b, "record", got, want)
			}
			for _, miss := range []struct {
				org   record.OrgID
				event record.EventID
				id    record.ID
			}{{other, gala, "r1"}, {acme, fair, "r1"}, {acme, gala, "r2"}} {
				_, err := b.FindRecord(b.Context(), miss.org, miss.event, miss.id)
				b.want(record.ErrNotFound, err)
			}
			b.delete(acme, r)
			_, err := b.FindRecord(b.Context(), acme, gala, "r1")
			b.want(record.ErrNotFound, err)
		}},
		{"a reference is known within its sub-collection and organization, until its record is deleted", func(b *bench) {
			r := b.insert(acme, referring(flights, "r1", "A-1"))
			for _, c := range []struct {
				org       record.OrgID
				sub       record.Sub
				reference string
				want      bool
			}{
				{acme, flights, "A-1", true}, {acme, flights, "A-2", false}, {other, flights, "A-1", false},
				{acme, record.Sub{Event: gala, Type: "waste"}, "A-1", false}, {acme, record.Sub{Event: fair, Type: "flights"}, "A-1", false},
			} {
				got, err := b.RecordByReference(b.Context(), c.org, c.sub, c.reference)
				if !c.want {
					b.want(record.ErrNotFound, err)
					continue
				}
				b.must(err)
				equal(b, fmt.Sprintf("%+v", c), got, r)
			}
			b.delete(acme, r)
			_, err := b.RecordByReference(b.Context(), acme, flights, "A-1")
			b.want(record.ErrNotFound, err)
		}},
		{"deleted records are found by the reference that they had", func(b *bench) {
			deleted := func(org record.OrgID, sub record.Sub, reference string) (ids []record.ID) {
				found, err := b.DeletedByReference(b.Context(), org, sub, reference)
				b.must(err)
				for _, r := range found {
					equal(b, "deleted", r.Deleted, true)
					ids = append(ids, r.ID)
				}
				return ids
			}
			for _, id := range []record.ID{"r1", "r2"} {
				equal(b, "before", len(deleted(acme, flights, "A-1")), int(id[1]-'1'))
				b.delete(acme, b.insert(acme, referring(flights, id, "A-1")))
			}
			b.delete(acme, b.insert(acme, referring(flights, "r3", "A-2")))
			b.insert(acme, referring(flights, "r4", "A-1"))
			ids := deleted(acme, flights, "A-1")
			slices.Sort(ids)
			equal(b, "deleted", ids, []record.ID{"r1", "r2"})
			equal(b, "of another organization", len(deleted(other, flights, "A-1")), 0)
			equal(b, "of another type", len(deleted(acme, record.Sub{Event: gala, Type: "waste"}, "A-1")), 0)
		}},
	}
}
