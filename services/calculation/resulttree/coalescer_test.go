package resulttree

import (
	"context"
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// A notification during a run occupies no other worker, and is not lost either.
func TestNotificationsDuringARunMakeItBeginAgain(t *testing.T) {
	t.Parallel()
	begun, proceed := make(chan record.EventID), make(chan error)
	a := newCoalescer(func(_ context.Context, _ record.OrgID, e record.EventID) error {
		begun <- e
		return <-proceed
	})
	ended := make(chan error)
	run := func(e record.EventID) { go func() { ended <- a.do(t.Context(), "o", e) }() }
	run("a")
	<-begun
	for range 5 {
		if err := a.do(t.Context(), "o", "a"); err != nil { // returns at once
			t.Fatal(err)
		}
	}
	run("b") // another event is not delayed
	if e := <-begun; e != "b" {
		t.Fatalf("%s begun", e)
	}
	proceed <- nil // one of the two runs: a starts again, b ends
	proceed <- nil
	if e := <-begun; e != "a" {
		t.Fatalf("%s begun again", e)
	}
	proceed <- nil
	for range 2 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	if len(a.again) != 0 {
		t.Fatalf("left over: %v", a.again)
	}
}

func TestAFailedRunHoldsUpNothing(t *testing.T) {
	t.Parallel()
	failure, calls := errors.New("no database"), 0
	a := newCoalescer(func(context.Context, record.OrgID, record.EventID) error {
		if calls++; calls == 1 {
			return failure
		}
		if calls == 2 {
			panic("cannot")
		}
		return nil
	})
	if err := a.do(t.Context(), "o", "a"); !errors.Is(err, failure) {
		t.Fatalf("got %v", err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = a.do(t.Context(), "o", "a")
	}()
	if err := a.do(t.Context(), "o", "a"); err != nil || calls != 3 {
		t.Fatalf("got %v after %d runs", err, calls)
	}
}
