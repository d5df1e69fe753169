package recordtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// workflow returns the workflow on a store, with a clock that always advances and
// distinct marks.
func workflow(store record.Store) record.Workflow {
	var ticks atomic.Int64
	return record.Workflow{
		Store: store,
		Now:   func() time.Time { return start.Add(time.Duration(ticks.Add(1)) * time.Millisecond) },
		NewMark: func() string {
			return fmt.Sprintf("%012x-mark", ticks.Add(1))
		},
	}
}

var (
	ann = record.Actor{ID: "u-ann", Name: "Ann", Role: identity.User}
	bob = record.Actor{ID: "u-bob", Name: "Bob", Role: identity.Manager}
)

// history returns the whole history of a record: the stored entries and the one in the
// record.
func (b *bench) history(r record.Record) []record.Entry {
	b.Helper()
	entries, err := b.Entries(b.Context(), r.Org, r.ID)
	b.must(err)
	// An entry may be stored before the move that replaces it, and the move then fail:
	// the record's own copy counts.
	if n := len(entries); n > 0 && entries[n-1].Rev == r.Last.Rev {
		entries = entries[:n-1]
	}
	return append(entries, r.Last)
}

func workflowTests() []test {
	return []test{
		{"64 approvals at once have one effect", func(b *bench) {
			flows := []record.Workflow{workflow(b.Store), workflow(b.another())}
			r, err := flows[0].Insert(b.Context(), acme, draft(flights, "r1"), ann)
			b.must(err)
			_, err = flows[0].Apply(b.Context(), record.Request{Org: acme, Key: r.Key(), Move: record.Submit, By: ann})
			b.must(err)
			errs := race(64, func(i int) error {
				_, err := flows[i%2].Apply(b.Context(), record.Request{Org: acme, Key: r.Key(), Move: record.Approve, By: bob})
				return err
			})
			equal(b, "effects", b.tally(errs, apperr.New(apperr.InvalidTransition, "")), 1)
			got := b.read(acme, r.Key())
			equal(b, "status", got.Status, record.Approved)
			equal(b, "revision", got.Rev, 3)
			if got.Mark == "" {
				b.Fatal("the approval left no mark")
			}
			entries := b.history(got)
			equal(b, "history lines", len(entries), 3)
			for i, move := range []record.Move{record.Create, record.Submit, record.Approve} {
				equal(b, "move", entries[i].Move, move)
			}
			b.must(record.VerifyHistory(acme, r.ID, entries))
		}},
		{"random moves at once leave a whole history", randomMoves},
	}
}

// randomMoves makes concurrent random moves on a few records. Whatever was refused, the
// history must have every move that took effect, without a gap.
func randomMoves(b *bench) {
	seed := testkit.Seed(b)
	flows := []record.Workflow{workflow(b.Store), workflow(b.another())}
	var keys []record.Key
	for i := range 3 {
		r, err := flows[0].Insert(b.Context(), acme, draft(flights, record.ID(fmt.Sprint("r", i))), ann)
		b.must(err)
		keys = append(keys, r.Key())
	}
	moves := []record.Move{
		record.Edit, record.Submit, record.Submit, record.Withdraw, record.Review, record.Approve, record.Approve,
		record.RequestChanges, record.Reject, record.Reopen, record.Reopen,
	}
	var effects [3]atomic.Int64
	errs := race(6, func(who int) error {
		rng := rand.New(rand.NewPCG(seed, uint64(who))) //nolint:gosec // a test's choices
		for range 12 {
			at := rng.IntN(len(keys))
			_, err := flows[who%2].Apply(b.Context(), record.Request{
				Org: acme, Key: keys[at], Move: moves[rng.IntN(len(moves))], By: bob, Comment: "why",
				Change: func(r *record.Record) ([]string, error) {
					r.Fields = fmt.Appendf(nil, `{"passengers":%d}`, rng.IntN(100))
					return []string{"passengers"}, nil
				},
			})
			switch code := apperr.CodeOf(err); {
			case err == nil:
				effects[at].Add(1)
			case code == apperr.InvalidTransition, code == apperr.RecordLocked, code == apperr.Unavailable:
			default:
				return err
			}
		}
		return nil
	})
	b.must(errors.Join(errs...))
	for i, key := range keys {
		r := b.read(acme, key)
		entries := b.history(r)
		b.must(record.VerifyHistory(acme, r.ID, entries))
		equal(b, "revision and history lines", r.Rev, int64(len(entries)))
		equal(b, "revision and effects", r.Rev, 1+effects[i].Load())
	}
}
