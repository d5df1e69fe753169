package recordtest

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

func somePack(id string, after time.Duration) record.FactorPack {
	return record.FactorPack{ID: id, Checksum: strings.Repeat("ab", 32), AddedAt: start.Add(after), Document: []byte(`{"name":"` + id + `"}`)}
}

func packTests() []test {
	return []test{
		{"a factor pack is read as it was stored, and its id is taken once", func(b *bench) {
			want := somePack("grid-2027-v1", 0)
			b.must(b.InsertFactorPack(b.Context(), want))
			got, err := b.FactorPack(b.Context(), want.ID)
			b.must(err)
			equal(b, "pack", got, want)
			again := want
			again.Checksum, again.Document = strings.Repeat("cd", 32), []byte(`{}`)
			b.want(record.ErrDuplicate, b.InsertFactorPack(b.Context(), again))
			got, err = b.another().FactorPack(b.Context(), want.ID)
			b.must(err)
			equal(b, "pack after a second one", got, want)
			_, err = b.FactorPack(b.Context(), "grid-2027-v2")
			b.want(record.ErrNotFound, err)
		}},
		{"factor packs are listed, the one that was added last first", func(b *bench) {
			ids, err := b.FactorPackIDs(b.Context())
			b.must(err)
			equal(b, "ids of none", len(ids), 0)
			b.must(b.InsertFactorPack(b.Context(), somePack("b-v1", time.Second)))
			b.must(b.InsertFactorPack(b.Context(), somePack("a-v1", time.Second)))
			b.must(b.InsertFactorPack(b.Context(), somePack("c-v1", 0)))
			ids, err = b.FactorPackIDs(b.Context())
			b.must(err)
			equal(b, "ids", fmt.Sprint(ids), "[b-v1 a-v1 c-v1]")
		}},
		{"of factor packs that are added at once under one id one is stored", func(b *bench) {
			var stored atomic.Int64
			var wait sync.WaitGroup
			for i := range 4 {
				wait.Go(func() {
					p := somePack("grid-2027-v1", 0)
					p.Document = fmt.Appendf(nil, `{"release":%d}`, i)
					if b.another().InsertFactorPack(b.Context(), p) == nil {
						stored.Add(1)
					}
				})
			}
			wait.Wait()
			equal(b, "stored", stored.Load(), int64(1))
		}},
	}
}
