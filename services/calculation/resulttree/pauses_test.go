package resulttree

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestALongRunWorksHalfOfTheTimeBesideOthers: a long run pauses between its parts for as long as it has worked, while
// there are shorter ones or were lately, and not otherwise.
func TestALongRunWorksHalfOfTheTimeBesideOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(8)
		pass := func(d time.Duration) { testkit.Takes(t, d) } // by the clock of the bubble
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

// hundred are the records of one segment, which take a while to read.
type hundred struct{ Records }

func (hundred) Approved(context.Context, record.OrgID, record.Sub, int64, int64) ([]record.Counted, error) {
	<-time.After(30 * time.Millisecond)
	return make([]record.Counted, 100), nil
}

// slow is an arithmetic that takes a while to add up calculated records.
type slow struct{ Arithmetic }

func (slow) Current(json.RawMessage) bool { return true }

func (slow) Total(json.RawMessage) (string, error) {
	<-time.After(time.Millisecond)
	return "0", nil
}

func (slow) Sum([]json.RawMessage) (json.RawMessage, error) {
	<-time.After(30 * time.Millisecond)
	return json.RawMessage(`{}`), nil
}

// TestARunRestsWithinASegment: beside another run, after it has read the records of a segment,
// between them, before it adds them up and after that.
func TestARunRestsWithinASegment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mine := &turn{turns: newTurns(2), since: time.Now()}
		mine.turns.began()
		mine.turns.began() // another one, which is short
		ctx := context.WithValue(t.Context(), turnKey{}, mine)
		r := Recalculator{Records: hundred{}, Arithmetic: slow{}, Fanout: 512}
		began := time.Now()
		if _, err := r.addedUp(ctx, record.Event{}, Node{}, NodeID{Index: FactSegments}); err != nil {
			t.Fatal(err)
		}
		const read, before, after, sum = 30, restAfter - 1, 100 - (restAfter - 1), 30
		want := (read + read + before + time.Duration(longestRest.Milliseconds()) + after + after + sum + sum) * time.Millisecond
		if took := time.Since(began); took != want {
			t.Errorf("it took %v with its rests, want %v", took, want)
		}
	})
}
