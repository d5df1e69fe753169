package recordtest

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

func someKey(id string) record.KeyEntry {
	return record.KeyEntry{
		ID: id, Digest: "digest", Seed: "seed", Lease: "lease-1", LeaseUntil: start.Add(time.Minute), ExpiresAt: start.Add(time.Hour),
	}
}

func answered(e record.KeyEntry) record.KeyEntry {
	e.Lease = "lease-2"
	e.Answer = &record.KeyAnswer{
		Status: 201, ETag: `"1.1.x"`, Location: "/events/x", Note: "bm90ZQ",
		Body: append([]byte("{\"a\":\"\u2028 \x00\"}"), bytes.Repeat([]byte{0, 0xff, 'x'}, 100_000)...),
	}
	return e
}

// keyOf returns the stored entry, found by inserting it again.
func (b *bench) keyOf(org record.OrgID, id string) record.KeyEntry {
	b.Helper()
	stored, inserted, err := b.InsertKey(b.Context(), org, record.KeyEntry{ID: id, Lease: "probe"})
	b.must(err)
	if inserted {
		b.Fatalf("the key %s was not there", id)
	}
	return stored
}

func (b *bench) insertKey(org record.OrgID, e record.KeyEntry) {
	b.Helper()
	stored, inserted, err := b.InsertKey(b.Context(), org, e)
	b.must(err)
	equal(b, "inserted", inserted, true)
	equal(b, "entry", stored, e)
}

func keyTests() []test {
	return []test{
		{"a key is read as it was stored, with its answer and without", func(b *bench) {
			plain, full := someKey("k1"), answered(someKey("k2"))
			b.insertKey(acme, plain)
			b.insertKey(acme, full)
			equal(b, "plain", b.keyOf(acme, "k1"), plain)
			equal(b, "full", b.keyOf(acme, "k2"), full)
			empty := someKey("k3")
			empty.Answer = &record.KeyAnswer{Status: 400}
			b.insertKey(acme, empty)
			if a := b.keyOf(acme, "k3").Answer; a == nil || a.Status != 400 || len(a.Body) != 0 {
				b.Errorf("answer %+v", a)
			}
		}},
		{"a key is replaced where the lease is the one given only", func(b *bench) {
			e := someKey("k1")
			b.insertKey(acme, e)
			done, late := answered(e), e
			late.Lease, late.Digest = "lease-3", "other"
			for _, step := range []struct {
				e     record.KeyEntry
				lease string
				want  bool
			}{{late, "lease-0", false}, {done, "lease-1", true}, {late, "lease-1", false}} {
				ok, err := b.ReplaceKey(b.Context(), acme, step.e, step.lease)
				b.must(err)
				equal(b, "replaced", ok, step.want)
			}
			equal(b, "entry", b.keyOf(acme, "k1"), done)
			// A replacement without a response removes the stored one.
			ok, err := b.ReplaceKey(b.Context(), acme, late, "lease-2")
			b.must(err)
			equal(b, "replaced", ok, true)
			equal(b, "entry", b.keyOf(acme, "k1"), late)
			ok, err = b.ReplaceKey(b.Context(), acme, someKey("none"), "lease-1")
			b.must(err)
			equal(b, "replaced", ok, false)
		}},
		{"a key is deleted where the lease is the one given only", func(b *bench) {
			b.insertKey(acme, someKey("k1"))
			b.must(b.DeleteKey(b.Context(), acme, "k1", "lease-0"))
			equal(b, "entry", b.keyOf(acme, "k1"), someKey("k1"))
			b.must(b.DeleteKey(b.Context(), acme, "k1", "lease-1"))
			b.must(b.DeleteKey(b.Context(), acme, "k1", "lease-1"))
			b.insertKey(acme, someKey("k1"))
		}},
		{"expired keys are dropped, the oldest first, no more than the limit", func(b *bench) {
			for i := range 5 {
				e := someKey(fmt.Sprint("k", i))
				e.ExpiresAt = start.Add(time.Duration(i) * time.Minute)
				b.insertKey(acme, e)
			}
			now := start.Add(3 * time.Minute)
			b.must(b.DropExpiredKeys(b.Context(), acme, now, 0))
			b.must(b.DropExpiredKeys(b.Context(), acme, now, -1))
			b.keyOf(acme, "k0")
			b.must(b.DropExpiredKeys(b.Context(), acme, now, 2))
			b.keyOf(acme, "k2")
			b.must(b.DropExpiredKeys(b.Context(), acme, now, 9))
			b.keyOf(acme, "k4")
			for i := range 4 {
				b.insertKey(acme, someKey(fmt.Sprint("k", i)))
			}
		}},
		{"another organization's keys are not read, replaced, deleted or dropped", func(b *bench) {
			e := someKey("k1")
			b.insertKey(acme, e)
			ok, err := b.ReplaceKey(b.Context(), other, answered(e), "lease-1")
			b.must(err)
			equal(b, "replaced", ok, false)
			b.must(b.DeleteKey(b.Context(), other, "k1", "lease-1"))
			b.must(b.DropExpiredKeys(b.Context(), other, e.ExpiresAt, 9))
			equal(b, "entry", b.keyOf(acme, "k1"), e)
		}},
		{"of many inserts and many replacements of one key at once one wins", func(b *bench) {
			stores := []record.Store{b.Store, b.another()}
			const n = 16
			count := func(what, suffix string, attempt func(s record.Store, name string) (bool, error)) {
				var mu sync.Mutex
				var won []string
				var group sync.WaitGroup
				for i := range n {
					group.Go(func() {
						name := fmt.Sprint("by-", i)
						ok, err := attempt(stores[i%2], name)
						mu.Lock()
						defer mu.Unlock()
						if err != nil {
							b.Error(err)
						}
						if ok {
							won = append(won, name)
						}
					})
				}
				group.Wait()
				if len(won) != 1 || b.keyOf(acme, "k1").Lease != won[0]+suffix {
					b.Fatalf("%s: %v won, stored %s", what, won, b.keyOf(acme, "k1").Lease)
				}
			}
			count("insert", "", func(s record.Store, name string) (bool, error) {
				e := someKey("k1")
				e.Lease = name
				_, ok, err := s.InsertKey(b.Context(), acme, e)
				return ok, err
			})
			held := b.keyOf(acme, "k1").Lease
			count("replace", "-again", func(s record.Store, name string) (bool, error) {
				e := someKey("k1")
				e.Lease = name + "-again"
				return s.ReplaceKey(b.Context(), acme, e, held)
			})
		}},
		{"a call whose context has ended writes no key", func(b *bench) {
			_, _, err := b.InsertKey(b.ended(), acme, someKey("k1"))
			b.wantFailure(err)
			b.insertKey(acme, someKey("k1"))
			_, err = b.ReplaceKey(b.ended(), acme, answered(someKey("k1")), "lease-1")
			b.wantFailure(err)
			b.wantFailure(b.DeleteKey(b.ended(), acme, "k1", "lease-1"))
			b.wantFailure(b.DropExpiredKeys(b.ended(), acme, start.Add(2*time.Hour), 9))
			equal(b, "entry", b.keyOf(acme, "k1"), someKey("k1"))
		}},
	}
}
