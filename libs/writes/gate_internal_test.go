package writes

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// gateStore answers reads of an event with what its channel has, and reports when a read begins.
type gateStore struct {
	Store
	begun  chan struct{}
	events chan func() record.Event
}

func (s gateStore) CurrentEvent(context.Context, record.OrgID, record.EventID) (record.Event, error) {
	s.begun <- struct{}{}
	return (<-s.events)(), nil
}

func revision(rev int64) func() record.Event {
	return func() record.Event { return record.Event{ID: "e", Rev: rev} }
}

// waiting returns the reading that has not begun, once somebody waits for it.
func (g *gateReader) waiting(t *testing.T) (r *gateReading) {
	t.Helper()
	testkit.Eventually(t, 10*time.Second, func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if r = g.next; r == nil {
			return errors.New("nobody waits for the next read")
		}
		return nil
	})
	return r
}

// began waits until the store is asked, and verifies that nobody can share that read any more.
func (g *gateReader) began(t *testing.T, store gateStore) {
	t.Helper()
	select {
	case <-store.begun:
	case <-time.After(10 * time.Second):
		t.Fatal("the store is not asked")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next != nil {
		t.Fatal("a read that has begun is still shared")
	}
}

// TestAGateIsNotReadBeforeItsCaller: a move that has read its record does not share a read of the gate that had begun
// before, which may not see that the gate was closed since.
func TestAGateIsNotReadBeforeItsCaller(t *testing.T) {
	t.Parallel()
	store := gateStore{begun: make(chan struct{}, 2), events: make(chan func() record.Event)}
	g := &gateReader{store: store}
	read := func(answer chan<- int64) {
		e, err := g.read(t.Context(), "org", "e")
		if err != nil {
			t.Error(err)
		}
		answer <- e.Rev
	}
	first, second := make(chan int64, 1), make(chan int64, 1)
	go read(first)
	g.began(t, store)
	go read(second)
	g.waiting(t)
	store.events <- revision(1)
	g.began(t, store)
	store.events <- revision(2)
	if one, two := <-first, <-second; one != 1 || two != 2 {
		t.Errorf("the first is answered with the revision %d, the one that came later with %d", one, two)
	}
}

// TestAReadOfTheGateThatPanics: those who share it are not answered with an event whose gate is open.
func TestAReadOfTheGateThatPanics(t *testing.T) {
	t.Parallel()
	store := gateStore{begun: make(chan struct{}, 2), events: make(chan func() record.Event)}
	g := &gateReader{store: store}
	read := func() {
		defer func() { _ = recover() }() // as Each does
		_, _ = g.read(t.Context(), "org", "e")
	}
	go read()
	g.began(t, store)
	go read()
	shared := g.waiting(t)
	store.events <- revision(1)
	g.began(t, store)
	store.events <- func() record.Event { panic("the store panics") }
	<-shared.done
	if shared.err == nil {
		t.Errorf("those who share it are answered with %+v and no error", shared.event)
	}
	again := make(chan struct{})
	go func() {
		defer close(again)
		read()
	}()
	g.began(t, store)
	store.events <- revision(3)
	<-again
}

// eachGate answers a read of an event with that event.
type eachGate struct{ Store }

func (eachGate) CurrentEvent(_ context.Context, _ record.OrgID, id record.EventID) (record.Event, error) {
	return record.Event{ID: id}, nil
}

// TestAGateIsThatOfItsEvent: a move in one event does not share a read of the gate of another.
func TestAGateIsThatOfItsEvent(t *testing.T) {
	t.Parallel()
	g := &gateReader{store: eachGate{}}
	g.running.Lock() // as a read before does
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	answer := make(chan record.EventID, 1)
	go func() {
		e, _ := g.read(ctx, "org", "e")
		answer <- e.ID
	}()
	g.waiting(t)
	if e, err := g.read(ctx, "org", "other"); err != nil || e.ID != "other" {
		t.Errorf("the gate of the other event is that of %q, %v", e.ID, err)
	}
	g.running.Unlock()
	if got := <-answer; got != "e" {
		t.Errorf("the gate of the event is that of %q", got)
	}
}
