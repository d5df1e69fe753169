package recordtest

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func someImport(id string) record.Import {
	return record.Import{
		ID: id, Org: acme, Event: gala, Type: "flights", Status: record.Validating, Rev: 1,
		By: record.Actor{ID: "u1", Name: "Ann", Role: identity.User}, CreatedAt: start, UpdatedAt: start.Add(time.Second),
		Partial: true, DecimalComma: true, NumberFormat: "1.234,5", DateOrder: "dmy", Doubts: true, Rules: 1, HeadRow: 3, Columns: []string{"C:from", "AA:"}, Context: &footprint.EventContext{Country: "DE", Attendees: 5, FactorSet: "2026.1", GWP: "AR6"}, ContextRev: 3,
		Rows: 9, Bad: 2, Done: 7, Imported: 5, Seed: "seed", Lease: start.Add(time.Minute), Ignored: []string{"a.b", "$c"},
		Errors: []record.RowError{{Row: 2, Column: "from", Code: "UNKNOWN_CODE", Message: "No.", Suggestions: []string{"LHR"}}, {Row: 3, Code: "X", Message: "Y"}},
	}
}

func importTests() []test {
	return []test{
		{"an import is read as it was stored, and its id is taken once", func(b *bench) {
			want := someImport("i1")
			b.must(b.InsertImport(b.Context(), acme, want))
			got, err := b.Import(b.Context(), acme, gala, "i1")
			b.must(err)
			equal(b, "import", got, want)
			b.want(record.ErrDuplicate, b.InsertImport(b.Context(), acme, want))
			_, err = b.Import(b.Context(), acme, gala, "i2")
			b.want(record.ErrNotFound, err)
		}},
		{"an import is replaced at the revision given only, and is open until it is finished", func(b *bench) {
			for _, id := range []string{"i1", "i2"} {
				b.must(b.InsertImport(b.Context(), acme, someImport(id)))
			}
			open := func() (ids []string) {
				all, err := b.OpenImports(b.Context(), "", 10)
				b.must(err)
				for _, o := range all {
					equal(b, "owner", [2]string{string(o.Org), string(o.Event)}, [2]string{string(acme), string(gala)})
					ids = append(ids, o.ID)
				}
				return ids
			}
			equal(b, "open", open(), []string{"i1", "i2"})
			done := someImport("i1")
			done.Rev, done.Status, done.Errors = 2, record.Completed, nil
			b.want(record.ErrConflict, b.ReplaceImport(b.Context(), acme, done, 2))
			b.must(b.ReplaceImport(b.Context(), acme, done, 1))
			b.want(record.ErrConflict, b.ReplaceImport(b.Context(), acme, done, 1))
			got, err := b.Import(b.Context(), acme, gala, "i1")
			b.must(err)
			equal(b, "import", got, done)
			equal(b, "open", open(), []string{"i2"})
			few, err := b.OpenImports(b.Context(), "", 0)
			b.must(err)
			equal(b, "none asked for", len(few), 0)
			for _, id := range []string{"i3", "i0"} {
				b.must(b.InsertImport(b.Context(), acme, someImport(id)))
			}
			equal(b, "open", open(), []string{"i0", "i2", "i3"})
			rest, err := b.OpenImports(b.Context(), "i0", 1)
			b.must(err)
			equal(b, "after the first", rest, []record.OpenImport{{Org: acme, Event: gala, ID: "i2"}})
			none, err := b.OpenImports(b.Context(), "i3", 9)
			b.must(err)
			equal(b, "after the last", len(none), 0)
		}},
		{"the imports of an event are listed newest first, and found by the hash of their file", func(b *bench) {
			for n, id := range []string{"i2", "i3", "i1"} {
				i := someImport(id)
				i.CreatedAt, i.Hash = start.Add(time.Duration(n)*time.Minute), "abc"
				if id == "i3" {
					i.Hash = "def"
				}
				b.must(b.InsertImport(b.Context(), acme, i))
			}
			elsewhere := someImport("i9")
			elsewhere.Event, elsewhere.Hash = fair, "abc"
			b.must(b.InsertImport(b.Context(), acme, elsewhere))
			ids := func(all []record.Import) (names []string) {
				for _, i := range all {
					names = append(names, i.ID)
				}
				return names
			}
			page, total, err := b.EventImports(b.Context(), acme, gala, 0, 2)
			b.must(err)
			equal(b, "first page", ids(page), []string{"i1", "i3"})
			equal(b, "total", total, 3)
			page, _, err = b.EventImports(b.Context(), acme, gala, 2, 2)
			b.must(err)
			equal(b, "second page", ids(page), []string{"i2"})
			same, err := b.ImportsOfFile(b.Context(), acme, gala, "abc")
			b.must(err)
			equal(b, "of the file", ids(same), []string{"i1", "i2"})
			for _, at := range []struct {
				org   record.OrgID
				event record.EventID
			}{{other, gala}, {acme, "nowhere"}} {
				page, total, err := b.EventImports(b.Context(), at.org, at.event, 0, 9)
				b.must(err)
				same, err := b.ImportsOfFile(b.Context(), at.org, at.event, "abc")
				b.must(err)
				equal(b, "elsewhere", len(page)+len(same)+int(total), 0)
			}
		}},
		{"imports of one file at the same time have an order, also where there are more than are listed", func(b *bench) {
			const more = record.MaxImportsOfFile + 3
			var want []string
			for n := range more {
				i := someImport(fmt.Sprintf("i%03d", n*37%more)) // stored in another order than that of their ids
				i.Hash = "abc"
				b.must(b.InsertImport(b.Context(), acme, i))
			}
			for n := more - 1; n >= more-record.MaxImportsOfFile; n-- {
				want = append(want, fmt.Sprintf("i%03d", n))
			}
			same, err := b.ImportsOfFile(b.Context(), acme, gala, "abc")
			b.must(err)
			got := make([]string, len(same))
			for n, i := range same {
				got[n] = i.ID
			}
			equal(b, "of the file", got, want)
		}},
		{"the parts of a file are read as they were stored, and removed together", func(b *bench) {
			parts := [][]byte{bytes.Repeat([]byte{0, 0xff, 'x'}, 100_000), []byte("\ufeffa;b\r\n"), {'z'}}
			for n, part := range parts {
				b.must(b.PutImportPart(b.Context(), acme, "i1", int64(n), part))
			}
			b.must(b.PutImportPart(b.Context(), acme, "i1", 1, parts[1]))
			b.must(b.PutImportPart(b.Context(), acme, "i2", 0, []byte("other")))
			for n, want := range parts {
				got, err := b.ImportPart(b.Context(), acme, "i1", int64(n))
				b.must(err)
				if !bytes.Equal(got, want) {
					b.Errorf("part %d differs", n)
				}
			}
			_, err := b.ImportPart(b.Context(), acme, "i1", 3)
			b.want(record.ErrNotFound, err)
			b.must(b.DropImportParts(b.Context(), acme, "i1"))
			b.must(b.DropImportParts(b.Context(), acme, "i1"))
			_, err = b.ImportPart(b.Context(), acme, "i1", 0)
			b.want(record.ErrNotFound, err)
			_, err = b.ImportPart(b.Context(), acme, "i2", 0)
			b.must(err)
		}},
		{"another organization's imports are not read, replaced or removed", func(b *bench) {
			want := someImport("i1")
			b.must(b.InsertImport(b.Context(), acme, want))
			b.must(b.PutImportPart(b.Context(), acme, "i1", 0, []byte("mine")))
			_, err := b.Import(b.Context(), other, gala, "i1")
			b.want(record.ErrNotFound, err)
			_, err = b.Import(b.Context(), acme, fair, "i1")
			b.want(record.ErrNotFound, err)
			stolen := want
			stolen.Rev, stolen.Status = 2, record.Failed
			b.want(record.ErrConflict, b.ReplaceImport(b.Context(), other, stolen, 1))
			b.want(record.ErrDuplicate, b.InsertImport(b.Context(), other, want))
			_, err = b.ImportPart(b.Context(), other, "i1", 0)
			b.want(record.ErrNotFound, err)
			b.must(b.DropImportParts(b.Context(), other, "i1"))
			part, err := b.ImportPart(b.Context(), acme, "i1", 0)
			b.must(err)
			equal(b, "part", string(part), "mine")
			got, err := b.Import(b.Context(), acme, gala, "i1")
			b.must(err)
			equal(b, "import", got, want)
		}},
		{"of many replacements of an import at once one wins", func(b *bench) {
			b.must(b.InsertImport(b.Context(), acme, someImport("i1")))
			stores := []record.Store{b.Store, b.another()}
			var won atomic.Int64
			var group sync.WaitGroup
			for n := range 16 {
				group.Go(func() {
					next := someImport("i1")
					next.Rev, next.Seed = 2, fmt.Sprint(n)
					if stores[n%2].ReplaceImport(b.Context(), acme, next, 1) == nil {
						won.Add(1)
					}
				})
			}
			group.Wait()
			equal(b, "winners", won.Load(), 1)
		}},
		{"a call whose context has ended writes nothing of an import", func(b *bench) {
			b.wantFailure(b.InsertImport(b.ended(), acme, someImport("i1")))
			b.wantFailure(b.PutImportPart(b.ended(), acme, "i1", 0, []byte("x")))
			b.must(b.InsertImport(b.Context(), acme, someImport("i1")))
			b.wantFailure(b.ReplaceImport(b.ended(), acme, someImport("i1"), 1))
			b.wantFailure(b.DropImportParts(b.ended(), acme, "i1"))
			_, err := b.ImportPart(b.Context(), acme, "i1", 0)
			b.want(record.ErrNotFound, err)
		}},
	}
}
