package recordtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/histories"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// Vandal changes a database bypassing its store.
type Vandal interface {
	// SetComment changes a stored entry without its hash.
	SetComment(t *testing.T, id record.ID, rev int64, comment string)
	// MoveEntry changes the revision of a stored entry.
	MoveEntry(t *testing.T, id record.ID, rev, to int64)
	// Garble makes a stored entry unreadable.
	Garble(t *testing.T, id record.ID, rev int64)
	// GarbleRecord makes a record unreadable.
	GarbleRecord(t *testing.T, id record.ID)
	// GarbleSupplierFactor makes a supplier's factor unreadable.
	GarbleSupplierFactor(t *testing.T, id string)
	// SetReference changes the reference of a record, but not the key by which it is
	// found.
	SetReference(t *testing.T, id record.ID, reference string)
	DropEntry(t *testing.T, id record.ID, rev int64)
	DropRecord(t *testing.T, id record.ID)
}

// RunAudit damages histories and verifies that an audit finds exactly that. open is as
// for Run.
func RunAudit(t *testing.T, open func(t *testing.T) (record.Store, Vandal)) {
	for _, one := range vandalisms() {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			store, vandal := open(t)
			b := &bench{T: t, Store: store}
			s := b.audited()
			one.do(b, s, vandal)
			faults, tally := b.verified()
			equal(b, "faults", faults, one.want)
			piecemeal, _ := (&bench{T: t, Store: narrow{store}}).verified()
			equal(b, "faults, read in small pieces", piecemeal, one.want)
			if one.want == nil {
				equal(b, "tally", tally, histories.Tally{Records: 4, Entries: 6 + 2 + 1 + 2})
			}
		})
	}
	t.Run("a supplier's factor cannot be read, and the others are", func(t *testing.T) {
		t.Parallel()
		store, vandal := open(t)
		b := &bench{T: t, Store: store}
		for i := range int64(3) {
			b.must(b.InsertSupplierFactor(b.Context(), acme, someSupplierFactor(fmt.Sprint("f", i+1), "Power", i+1)))
		}
		vandal.GarbleSupplierFactor(t, "f2")
		all, err := b.StoredSupplierFactors(b.Context(), acme, "", 10)
		b.must(err)
		for _, f := range all {
			if damaged := f.ID == "f2"; record.IsDamage(f.Damage) != damaged || !damaged && f.Factor.ID != f.ID {
				t.Errorf("%s: %q, %v", f.ID, f.Factor.ID, f.Damage)
			}
		}
		equal(b, "read", len(all), 3)
	})
	t.Run("what is moved meanwhile is whole", func(t *testing.T) {
		t.Parallel()
		store, _ := open(t)
		auditWhileMoving(&bench{T: t, Store: store})
	})
	t.Run("what comes before each count is no fault", func(t *testing.T) {
		t.Parallel()
		store, _ := open(t)
		b := &bench{T: t, Store: store}
		_, err := b.InsertEvent(b.Context(), acme, someEvent(gala), record.Unlimited)
		b.must(err)
		b.Store = &arriving{Store: store, b: b}
		faults, tally := b.verified()
		equal(b, "faults", faults, nil)
		equal(b, "records", tally.Records, 0)
	})
}

// arriving is a store into which a record comes before each of the first counts, so that
// they always differ by one from the records that were read before.
type arriving struct {
	record.Store
	b    *bench
	came int
}

func (a *arriving) CountByStatus(ctx context.Context, org record.OrgID, event record.EventID) (map[record.Status]int64, error) {
	if a.came++; a.came <= 8 {
		a.b.insert(org, draft(flights, record.ID(fmt.Sprint("r", a.came))))
	}
	return a.Store.CountByStatus(ctx, org, event)
}

// narrow returns everything in small batches, so that few records suffice.
type narrow struct{ record.Store }

func (n narrow) StoredRecords(ctx context.Context, org record.OrgID, after record.Place, limit int) ([]record.StoredRecord, error) {
	return n.Store.StoredRecords(ctx, org, after, min(limit, 2))
}

func (n narrow) EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error) {
	return n.Store.EntriesAfter(ctx, org, ids, after, min(limit, 2))
}

// verified returns the findings of a verification, one line for each fault.
func (b *bench) verified() (faults []string, tally histories.Tally) {
	b.Helper()
	tally, err := histories.Verify(b.Context(), b.Store, acme, func(f histories.Fault) error {
		if f.Org != acme {
			b.Errorf("a fault of %s", f.Org)
		}
		if text := f.String(); strings.Contains(text, "reference") || f.Kind != histories.Unreadable {
			faults = append(faults, text)
		} else { // the text of the engine's error differs
			faults = append(faults, strings.TrimSuffix(text, f.Why)+"…")
		}
		return nil
	})
	b.must(err)
	return faults, tally
}

// story is the data to damage.
type story struct {
	long record.Record // six revisions, approved
	// other is an entry of long that is valid by itself, from another history that was never stored.
	other []record.Entry
	bare  record.Record // just created
}

// audited fills the database: r1 has many moves, r2 is deleted, r3 just created, and r4
// is in another event. Another organization has one of each name.
func (b *bench) audited() (s story) {
	b.Helper()
	flow := workflow(b.Store)
	insert := func(org record.OrgID, sub record.Sub, id record.ID) record.Record {
		d := draft(sub, id)
		d.Org = org
		r, err := flow.Insert(b.Context(), org, d, ann)
		b.must(err)
		return r
	}
	for _, id := range []record.EventID{gala, fair} {
		_, err := b.InsertEvent(b.Context(), acme, someEvent(id), record.Unlimited)
		b.must(err)
	}
	apply := func(f record.Workflow, r record.Record, m record.Move) record.Record {
		after, err := f.Apply(b.Context(), record.Request{
			Org: r.Org, Key: r.Key(), Move: m, By: bob, Comment: string(m),
			Change: func(r *record.Record) ([]string, error) {
				r.Fields = []byte(`{"from":"FRA","passengers":4,"to":"LHR"}`)
				return []string{"passengers"}, nil
			},
		})
		b.must(err)
		return after
	}
	s.long = insert(acme, flights, "r1")
	gone := insert(acme, flights, "r2")
	s.bare = insert(acme, flights, "r3")
	apply(flow, gone, record.Delete)
	apply(flow, insert(acme, record.Sub{Event: fair, Type: "waste"}, "r4"), record.Submit)
	insert(other, flights, "o1")

	rehearsal := workflow(b.Store)
	rehearsal.Store = record.Rehearse(b.Store)
	for _, m := range []record.Move{record.Submit, record.Review, record.Approve} {
		s.other = append(s.other, apply(rehearsal, s.long, m).Last)
	}
	for _, m := range []record.Move{record.Submit, record.Withdraw, record.Edit, record.Submit, record.Approve} {
		s.long = apply(flow, s.long, m)
	}
	return s
}

type vandalism struct {
	name string
	do   func(b *bench, s story, v Vandal)
	want []string
}

func vandalisms() []vandalism {
	ofLong := func(what string) string { return "event event-gala, flights, record r1: " + what }
	replaced := func(change func(r *record.Record)) func(b *bench, s story, v Vandal) {
		return func(b *bench, s story, _ Vandal) {
			r := s.long
			change(&r)
			b.must(b.ReplaceRecord(b.Context(), acme, r, s.long.Rev))
		}
	}
	return []vandalism{
		{"nothing", func(*bench, story, Vandal) {}, nil},
		{"a move that died before its write leaves a copy of the newest entry, which is none", func(b *bench, s story, _ Vandal) {
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", s.long.Last))
		}, nil},
		{"an entry is changed", func(b *bench, _ story, v Vandal) { v.SetComment(b.T, "r1", 3, "another") },
			[]string{ofLong("revision 3 was changed")}},
		{"the copy of the newest entry is changed", func(b *bench, s story, v Vandal) {
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", s.long.Last))
			v.SetComment(b.T, "r1", 6, "another")
		}, []string{ofLong("revision 6 was changed")}},
		{"an entry cannot be read", func(b *bench, _ story, v Vandal) { v.Garble(b.T, "r1", 2) },
			[]string{ofLong("revision 2 was changed")}},
		{"an entry is taken away", func(b *bench, _ story, v Vandal) { v.DropEntry(b.T, "r1", 3) },
			[]string{ofLong("revision 3 is missing")}},
		{"the first entry is taken away", func(b *bench, _ story, v Vandal) { v.DropEntry(b.T, "r1", 1) },
			[]string{ofLong("revision 1 is missing")}},
		{"the last of the stored entries are taken away", func(b *bench, _ story, v Vandal) {
			v.DropEntry(b.T, "r1", 4)
			v.DropEntry(b.T, "r1", 5)
		}, []string{ofLong("revisions 4 to 5 are missing")}},
		{"everything stored is taken away", func(b *bench, _ story, v Vandal) {
			for rev := range int64(5) {
				v.DropEntry(b.T, "r1", rev+1)
			}
		}, []string{ofLong("revisions 1 to 5 are missing")}},
		{"two entries change places", func(b *bench, _ story, v Vandal) {
			v.MoveEntry(b.T, "r1", 2, 99)
			v.MoveEntry(b.T, "r1", 3, 2)
			v.MoveEntry(b.T, "r1", 99, 3)
		}, []string{ofLong("revision 2 was changed"), ofLong("revision 3 was changed")}},
		{"an entry is replaced by one that is whole in itself", func(b *bench, s story, v Vandal) {
			v.DropEntry(b.T, "r1", 3)
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", s.other[1]))
		}, []string{ofLong("revision 3 does not follow revision 2"), ofLong("revision 4 does not follow revision 3")}},
		{"an entry of another record is put in", func(b *bench, _ story, v Vandal) {
			theirs, err := b.Entries(b.Context(), acme, "r4")
			b.must(err)
			v.DropEntry(b.T, "r1", 1)
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", theirs[0]))
		}, []string{ofLong("revision 1 was changed")}},
		{"an entry too many", func(b *bench, _ story, _ Vandal) {
			b.must(b.InsertEntry(b.Context(), acme, gala, "r1", someEntry(7, "more")))
		}, []string{ofLong("revision 7 is nobody's move")}},
		{"entries of a record that is not there", func(b *bench, _ story, _ Vandal) {
			b.must(b.InsertEntry(b.Context(), acme, gala, "nobody", someEntry(1, "more")))
			b.must(b.InsertEntry(b.Context(), acme, gala, "nobody", someEntry(2, "more")))
		}, []string{"event event-gala, record nobody, which is not there: revisions 1 to 2 are nobody's move"}},
		{"a record is taken away", func(b *bench, _ story, v Vandal) { v.DropRecord(b.T, "r2") }, []string{
			"event event-gala, flights: the records with the numbers 2 to 2 are missing",
			"event event-gala, record r2, which is not there: revision 1 is nobody's move",
		}},
		{"the newest entry is changed", replaced(func(r *record.Record) { r.Last.By.Name = "Nobody" }),
			[]string{ofLong("revision 6 was changed")}},
		{"the newest entry is one that was only rehearsed", func(b *bench, s story, _ Vandal) {
			r := s.bare
			r.Rev, r.Last = 2, s.other[0]
			b.must(b.ReplaceRecord(b.Context(), acme, r, 1))
		}, []string{
			"event event-gala, flights, record r3: revision 1 is missing",
			"event event-gala, flights, record r3: revision 2 was changed",
			"event event-gala, flights, record r3: the record was changed after revision 2, by no move",
		}},
		{"the newest entries are cut off", replaced(func(r *record.Record) { r.Rev = 8 }), []string{ofLong("revisions 7 to 8 are missing")}},
		{"the record says something else", replaced(func(r *record.Record) { r.Fields = []byte(`{"passengers":1}`) }),
			[]string{ofLong("the record was changed after revision 6, by no move")}},
		{"the record is in another state", replaced(func(r *record.Record) { r.Status = record.Rejected }),
			[]string{ofLong("the record was changed after revision 6, by no move")}},
		{"the record says something else, and a move is made on that", func(b *bench, s story, _ Vandal) {
			r := s.long
			r.Fields = []byte(`{"passengers":1}`)
			b.must(b.ReplaceRecord(b.Context(), acme, r, r.Rev))
			_, err := workflow(b.Store).Apply(b.Context(), record.Request{Org: acme, Key: r.Key(), Move: record.Reopen, By: bob, Comment: "c"})
			b.must(err)
		}, []string{ofLong("the record was changed after revision 6, by no move")}},
		{"the record is in another state, and a move is made on that", func(b *bench, s story, _ Vandal) {
			r := s.bare
			r.Status = record.Submitted
			b.must(b.ReplaceRecord(b.Context(), acme, r, r.Rev))
			_, err := workflow(b.Store).Apply(b.Context(), record.Request{Org: acme, Key: r.Key(), Move: record.Approve, By: bob})
			b.must(err)
		}, []string{"event event-gala, flights, record r3: the record was changed after revision 1, by no move"}},
		{"a decision is somebody's who may not make it, and hashed anew", replaced(func(r *record.Record) { decidedBy(r, ann) }),
			[]string{ofLong("revision 6 was decided by a role that may not"), ofLong("its reviewedBy is not what its history says")}},
		{"the record names somebody else as the one who decided", replaced(func(r *record.Record) { r.ReviewedBy = new(ann) }),
			[]string{ofLong("its reviewedBy is not what its history says")}},
		{"the record names somebody else as the one who submitted it, at another time", replaced(func(r *record.Record) {
			r.SubmittedBy, r.SubmittedAt = new(ann), new(r.SubmittedAt.Add(time.Hour))
		}), []string{ofLong("its submittedBy, submittedAt is not what its history says")}},
		{"the record names somebody else as its last editor", replaced(func(r *record.Record) { r.EditedBy = ann }),
			[]string{ofLong("its editedBy is not what its history says")}},
		{"the reference of the record is another one", func(b *bench, _ story, v Vandal) { v.SetReference(b.T, "r1", "PO 4711") },
			[]string{ofLong(`it cannot be read: its external reference is "PO 4711", and its key is of another one`)}},
		{"a decision is somebody's who may not make it, and hashed anew, and a move is made on that", func(b *bench, s story, _ Vandal) {
			r := s.long
			decidedBy(&r, ann)
			b.must(b.ReplaceRecord(b.Context(), acme, r, r.Rev))
			_, err := workflow(b.Store).Apply(b.Context(), record.Request{Org: acme, Key: r.Key(), Move: record.Reopen, By: bob, Comment: "c"})
			b.must(err)
		}, []string{ofLong("revision 6 was decided by a role that may not")}},
		{"a record cannot be read, and the others are verified", func(b *bench, _ story, v Vandal) {
			v.GarbleRecord(b.T, "r1")
			v.SetComment(b.T, "r4", 1, "another")
		}, []string{ofLong("it cannot be read: …"), "event event-fair, waste, record r4: revision 1 was changed"}},
		{"several at once, each is told", func(b *bench, _ story, v Vandal) {
			v.SetComment(b.T, "r1", 2, "another")
			v.DropEntry(b.T, "r1", 4)
			v.SetComment(b.T, "r4", 1, "another")
		}, []string{
			"event event-fair, waste, record r4: revision 1 was changed",
			ofLong("revision 2 was changed"), ofLong("revision 4 is missing"),
		}},
	}
}

// decidedBy changes the actor of the newest move to another one, as an entry without a
// salt, whose hash anyone with write access to the database can compute.
func decidedBy(r *record.Record, by record.Actor) {
	e := &r.Last
	e.By, e.Salt, e.Origins = by, "", nil
	values := []string{
		string(r.Org), string(r.ID), strconv.FormatInt(e.Rev, 10), string(e.Move), string(e.From), string(e.To),
		by.ID, by.Name, by.Role.String(), e.At.UTC().Format(time.RFC3339Nano), e.Comment, e.Prev, strconv.Itoa(len(e.Changed)),
	}
	h := sha256.New()
	for _, v := range append(append(values, e.Changed...), e.Input) {
		_, _ = fmt.Fprintf(h, "%d:%s", len(v), v)
	}
	e.Hash = hex.EncodeToString(h.Sum(nil))
}

// auditWhileMoving verifies repeatedly while records are created and moved.
func auditWhileMoving(b *bench) {
	seed := testkit.Seed(b)
	_, err := b.InsertEvent(b.Context(), acme, someEvent(gala), record.Unlimited)
	b.must(err)
	ctx, cancel := context.WithCancel(b.Context())
	var movers sync.WaitGroup
	defer movers.Wait()
	defer cancel()
	moves := []record.Move{record.Submit, record.Withdraw, record.Review, record.RequestChanges, record.Approve, record.Reopen}
	for who := range 2 {
		flow := workflow(b.Store)
		rng := rand.New(rand.NewPCG(seed, uint64(who))) //nolint:gosec // a test's choices
		movers.Go(func() {
			for n := range 12 {
				r, err := flow.Insert(ctx, acme, draft(flights, record.ID(fmt.Sprint("r", who, "-", n))), ann)
				if err != nil {
					return
				}
				for range 10 {
					_, err := flow.Apply(ctx, record.Request{Org: acme, Key: r.Key(), Move: moves[rng.IntN(len(moves))], By: bob, Comment: "c"})
					if code := apperr.CodeOf(err); err != nil && code != apperr.InvalidTransition {
						return
					}
				}
			}
		})
	}
	go func() {
		defer cancel()
		movers.Wait()
	}()
	rounds := 0
	for ; ctx.Err() == nil; rounds++ {
		faults, _ := b.verified()
		equal(b, "faults", faults, nil)
	}
	b.Logf("verified %d times", rounds)
	movers.Wait()
	faults, tally := b.verified()
	equal(b, "faults in the end", faults, nil)
	equal(b, "records", tally.Records, 24)
}
