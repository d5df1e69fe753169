package resulttree

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestALongRunWorksHalfOfTheTimeBesideOthers: between its parts a run that has become long
// rests for as long as it has worked, while there are others that are not long or have been
// lately, and not otherwise.
func TestALongRunWorksHalfOfTheTimeBesideOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(8)
		pass := func(d time.Duration) { <-time.After(d) }
		// run makes a run of an event; all times are those of the bubble's clock.
		run := func(event record.EventID, body func(ctx context.Context)) {
			waits := func() func() { return func() {} }
			err := turns.of(waits, func(ctx context.Context, _ record.OrgID, _ record.EventID) error {
				body(ctx)
				return nil
			})(t.Context(), "org", event)
			if err != nil {
				t.Error(err)
			}
		}
		beside := func(event record.EventID, takes time.Duration) {
			go run(event, func(context.Context) { pass(takes) })
			synctest.Wait()
		}
		rested := func(ctx context.Context, what string, worked, want time.Duration) {
			t.Helper()
			pass(worked)
			began := time.Now()
			rest(ctx)
			if got := time.Since(began); got != want {
				t.Errorf("%s: it rested for %v, want %v", what, got, want)
			}
		}
		run("large", func(ctx context.Context) {
			rested(ctx, "alone", time.Second, 0)
			beside("first", 100*time.Millisecond)
			rested(ctx, "beside another", 30*time.Millisecond, 30*time.Millisecond)
			rested(ctx, "soon after the other", besideFor/2, longestRest)
			rested(ctx, "long after the other", 2*besideFor, 0)
			beside("second", 10*besideFor)
			rested(ctx, "beside one that takes longer", 2*besideFor, longestRest)
			pass(20 * besideFor)
			go run("as large", func(ctx context.Context) {
				pass(longAfter)
				rest(ctx)
				pass(10 * besideFor)
			})
			synctest.Wait()
			rested(ctx, "beside another long one", time.Second, 0)
			pass(20 * besideFor)
		})
		run("small", func(ctx context.Context) {
			beside("third", 10*besideFor)
			rested(ctx, "of one that is not long", longAfter/2, 0)
			pass(20 * besideFor)
		})
		rest(t.Context()) // of no run
		if turns.short != 0 {
			t.Errorf("%d runs are under way after the last", turns.short)
		}
	})
}

// hundred are the records of one segment.
type hundred struct{ Records }

func (hundred) Approved(context.Context, record.OrgID, record.Sub, int64, int64) ([]record.Counted, error) {
	return make([]record.Counted, 100), nil
}

// counted is the arithmetic of records that are calculated already.
type counted struct{ Arithmetic }

func (counted) Current(json.RawMessage) bool { return true }

func (counted) Total(json.RawMessage) (string, error) { return "0", nil }

// TestARunRestsWithinASegment: not only between two of them.
func TestARunRestsWithinASegment(t *testing.T) {
	t.Parallel()
	mine := &turn{turns: newTurns(1), since: time.Now().Add(-time.Hour)}
	mine.turns.began()
	ctx := context.WithValue(t.Context(), turnKey{}, mine)
	r := Recalculator{Records: hundred{}, Arithmetic: counted{}, Fanout: 512}
	if _, _, err := r.countRecords(ctx, record.Event{}, &Node{}); err != nil {
		t.Fatal(err)
	}
	if !mine.long {
		t.Error("after an hour it has not rested once")
	}
}
