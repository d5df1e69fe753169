package mongostore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestEveryWriteSurvivesATransientError lets each command of each writing method fail once, before and after its
// execution by the server: the method succeeds, and its write exists once.
func TestEveryWriteSurvivesATransientError(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	store := open(t, connect(t, through, nil).Database(database))
	ctx, now := t.Context(), time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	actor := record.Actor{ID: "u1", Role: identity.Manager}
	n := 0
	fresh := func(prefix string) string { n++; return fmt.Sprint(prefix, n) }
	stored := func() record.Record { return mustInsert(t, store, marked(fresh("r"))) }
	event := func() record.Event {
		e, err := store.InsertEvent(ctx, org, record.Event{ID: record.EventID(fresh("e")), Rev: 1, Mark: "m"}, record.Unlimited)
		must(t, err)
		return e
	}
	for _, method := range []struct {
		name string
		// prepare returns the write, and a check of its effect.
		prepare func(t *testing.T) (write, check func() error)
	}{
		{"InsertRecord", func(t *testing.T) (write, check func() error) {
			r, seq := marked(fresh("r")), int64(0)
			before := highestOf(t, store)
			return func() error {
					got, err := store.InsertRecord(ctx, org, r)
					seq = got.Seq
					return err
				}, func() error {
					if seq != before+1 || highestOf(t, store) != seq {
						return fmt.Errorf("number %d after %d, highest %d", seq, before, highestOf(t, store))
					}
					return nil
				}
		}},
		{"InsertRecords", func(t *testing.T) (write, check func() error) {
			batch := []record.Record{marked(fresh("r")), marked(fresh("r")), marked(fresh("r"))}
			before := highestOf(t, store)
			return func() error {
					all, refused, err := store.InsertRecords(ctx, org, sub, batch)
					for i, r := range refused {
						if r != nil || all[i].Seq != before+1+int64(i) {
							return fmt.Errorf("%d: number %d, refused: %w", i, all[i].Seq, r)
						}
					}
					return err
				}, func() error {
					if got := highestOf(t, store); got != before+3 {
						return fmt.Errorf("highest %d, want %d", got, before+3)
					}
					return nil
				}
		}},
		{"ReplaceRecord", func(t *testing.T) (write, check func() error) {
			r := stored()
			r.Rev, r.Status = 2, record.Approved
			r.Last = record.Entry{Rev: 2, Move: record.Approve, From: record.Submitted, To: record.Approved, By: actor, At: now, Hash: "h"}
			return func() error { return store.ReplaceRecord(ctx, org, r, 1) }, func() error {
				got, err := store.Record(ctx, org, r.Key())
				if err == nil && (got.Rev != 2 || got.Status != record.Approved) {
					err = fmt.Errorf("got %+v", got)
				}
				return err
			}
		}},
		{"ReplaceRecord that deletes", func(t *testing.T) (write, check func() error) {
			r := stored()
			r.Rev, r.Deleted = 2, true
			return func() error { return store.ReplaceRecord(ctx, org, r, 1) }, none
		}},
		{"InsertEntry", func(t *testing.T) (write, check func() error) {
			id := record.ID(fresh("r"))
			return func() error {
					return store.InsertEntry(ctx, org, sub.Event, id, record.Entry{Rev: 1, By: actor, At: now})
				}, func() error {
					return wantN(store.Entries(ctx, org, id))
				}
		}},
		{"InsertEvent", func(t *testing.T) (write, check func() error) {
			used, err := store.UsedSlots(ctx, org)
			must(t, err)
			e := record.Event{ID: record.EventID(fresh("e")), Rev: 1}
			return func() error { _, err := store.InsertEvent(ctx, org, e, used+1); return err }, func() error {
				got, err := store.UsedSlots(ctx, org)
				if err == nil && got != used+1 {
					err = fmt.Errorf("%d slots, want %d", got, used+1)
				}
				return err
			}
		}},
		{"ReplaceEvent", func(t *testing.T) (write, check func() error) {
			e := event()
			e.Rev, e.Title = 2, "changed"
			return func() error { return store.ReplaceEvent(ctx, org, e, 1) }, none
		}},
		{"InsertEventEntry", func(t *testing.T) (write, check func() error) {
			e := event()
			return func() error { return store.InsertEventEntry(ctx, org, e.ID, record.EventEntry{Rev: 1}) }, func() error {
				return wantN(store.EventEntries(ctx, org, e.ID, 1, 9))
			}
		}},
		{"Fence", func(t *testing.T) (write, check func() error) {
			r := stored()
			return func() error { return store.Fence(ctx, org, sub, r.Seq, r.Seq, 7) }, func() error {
				got, err := store.Record(ctx, org, r.Key())
				if err == nil && got.Fence != 7 {
					err = fmt.Errorf("fence %d", got.Fence)
				}
				return err
			}
		}},
		{"ClearRecordMarks", func(t *testing.T) (write, check func() error) {
			r := stored()
			return func() error {
					return store.ClearRecordMarks(ctx, org, sub.Event, []record.MarkedRecord{{ID: r.ID, Mark: r.Mark}})
				}, func() error {
					got, err := store.Record(ctx, org, r.Key())
					if err == nil && got.Mark != "" {
						err = fmt.Errorf("mark %q", got.Mark)
					}
					return err
				}
		}},
		{"ClearEventMark", func(t *testing.T) (write, check func() error) {
			e := event()
			return func() error { return store.ClearEventMark(ctx, org, e.ID, "m") }, none
		}},
		{"PutHeadline", func(t *testing.T) (write, check func() error) {
			e := event()
			return func() error {
				return store.PutHeadline(ctx, org, e.ID, record.Headline{Version: 1, Revision: 1, Total: []byte("{}")})
			}, none
		}},
		{"StoreContributions", func(t *testing.T) (write, check func() error) {
			r := stored()
			return func() error {
				return store.StoreContributions(ctx, org, []record.Recalculated{{ID: r.ID, Rev: 1, ContextRev: 2, Preview: []byte("{}"), Contribution: []byte("{}")}})
			}, none
		}},
		{"CountByStatus", func(t *testing.T) (write, check func() error) {
			stored()
			return func() error { _, err := store.CountByStatus(ctx, org, sub.Event); return err }, none
		}},
		{"InsertOrganization", func(t *testing.T) (write, check func() error) {
			o := record.Organization{ID: record.OrgID(fresh("o")), Name: "O", Rev: 1, CreatedAt: now}
			return func() error { return store.InsertOrganization(ctx, o) }, none
		}},
		{"ReplaceOrganization", func(t *testing.T) (write, check func() error) {
			o := record.Organization{ID: record.OrgID(fresh("o")), Name: "O", Rev: 1, CreatedAt: now}
			must(t, store.InsertOrganization(ctx, o))
			o.Rev, o.Name = 2, "P"
			return func() error { return store.ReplaceOrganization(ctx, o, 1) }, none
		}},
		{"InsertKey", func(t *testing.T) (write, check func() error) {
			k := record.KeyEntry{ID: fresh("k"), Lease: "l", ExpiresAt: now}
			return func() error {
				_, inserted, err := store.InsertKey(ctx, org, k)
				if err == nil && !inserted {
					err = fmt.Errorf("somebody else has it")
				}
				return err
			}, none
		}},
		{"ReplaceKey", func(t *testing.T) (write, check func() error) {
			k := record.KeyEntry{ID: fresh("k"), Lease: "l", ExpiresAt: now}
			_, _, err := store.InsertKey(ctx, org, k)
			must(t, err)
			k.Lease = "m"
			return func() error {
				replaced, err := store.ReplaceKey(ctx, org, k, "l")
				if err == nil && !replaced {
					err = fmt.Errorf("the lease is lost")
				}
				return err
			}, none
		}},
		{"DeleteKey", func(t *testing.T) (write, check func() error) {
			k := record.KeyEntry{ID: fresh("k"), Lease: "l", ExpiresAt: now}
			_, _, err := store.InsertKey(ctx, org, k)
			must(t, err)
			return func() error { return store.DeleteKey(ctx, org, k.ID, "l") }, none
		}},
		{"DropExpiredKeys", func(t *testing.T) (write, check func() error) {
			_, _, err := store.InsertKey(ctx, org, record.KeyEntry{ID: fresh("k"), Lease: "l", ExpiresAt: now})
			must(t, err)
			return func() error { return store.DropExpiredKeys(ctx, org, now.Add(time.Hour), 9) }, none
		}},
		{"InsertImport", func(t *testing.T) (write, check func() error) {
			i := record.Import{ID: fresh("i"), Event: sub.Event, Rev: 1, CreatedAt: now}
			return func() error { return store.InsertImport(ctx, org, i) }, none
		}},
		{"ReplaceImport", func(t *testing.T) (write, check func() error) {
			i := record.Import{ID: fresh("i"), Event: sub.Event, Rev: 1, CreatedAt: now}
			must(t, store.InsertImport(ctx, org, i))
			i.Rev = 2
			return func() error { return store.ReplaceImport(ctx, org, i, 1) }, none
		}},
		{"PutImportPart", func(t *testing.T) (write, check func() error) {
			id := fresh("i")
			return func() error { return store.PutImportPart(ctx, org, id, 1, []byte("x")) }, func() error {
				_, err := store.ImportPart(ctx, org, id, 1)
				return err
			}
		}},
		{"DropImportParts", func(t *testing.T) (write, check func() error) {
			id := fresh("i")
			must(t, store.PutImportPart(ctx, org, id, 1, []byte("x")))
			return func() error { return store.DropImportParts(ctx, org, id) }, none
		}},
	} {
		t.Run(method.name, func(t *testing.T) {
			testkit.EachWriteFails(t, between, func() (write, check func() error) { return method.prepare(t) })
		})
	}
}

func none() error { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantN checks that there is one value.
func wantN[T any](all []T, err error) error {
	if err == nil && len(all) != 1 {
		err = fmt.Errorf("%d, want 1", len(all))
	}
	return err
}

func marked(id string) record.Record {
	r := sample(sub, record.ID(id))
	r.Mark = "m-" + id
	return r
}

func highestOf(t *testing.T, store *mongostore.Store) int64 {
	t.Helper()
	all, err := store.MaxSeqs(t.Context(), org, sub.Event)
	must(t, err)
	return all[sub.Type]
}
