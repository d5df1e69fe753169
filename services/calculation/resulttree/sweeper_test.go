package resulttree

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

type marks struct {
	due []record.MarkedEvent
	err error
}

func (m *marks) MarkedEvents(context.Context, int) ([]record.MarkedEvent, error) { return m.due, m.err }

type notifier struct {
	rung []record.EventID
	err  error
}

func (b *notifier) TryNotify(_ context.Context, _ record.OrgID, e record.EventID) error {
	b.rung = append(b.rung, e)
	return b.err
}

func TestSweeperRingsForMarksThatStay(t *testing.T) {
	t.Parallel()
	m, b := &marks{}, &notifier{}
	s := &Sweeper{Records: m, Notifier: b, Logger: slog.New(slog.DiscardHandler)}
	sweep := func(due ...record.MarkedEvent) []record.EventID {
		b.rung, m.due = nil, due
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return b.rung
	}
	a1, a2, c1 := record.MarkedEvent{Org: "o", Event: "a", Mark: "1"}, record.MarkedEvent{Org: "o", Event: "a", Mark: "2"}, record.MarkedEvent{Org: "o", Event: "c", Mark: "1"}
	for i, step := range []struct {
		due  []record.MarkedEvent
		want []record.EventID
	}{
		{[]record.MarkedEvent{a1}, nil},                            // first seen: the notifier has probably rung
		{[]record.MarkedEvent{a1, c1}, []record.EventID{"a"}},      // seen again: the ring was lost
		{[]record.MarkedEvent{a2, c1}, []record.EventID{"c"}},      // a has moved on
		{[]record.MarkedEvent{a2}, []record.EventID{"a"}},          //
		{[]record.MarkedEvent{a2, c1}, nil},                        // third sighting of a: quiet; c is new
		{[]record.MarkedEvent{a2, c1}, []record.EventID{"a", "c"}}, // fourth of a, second of c
		{nil, nil},
	} {
		if got := sweep(step.due...); !slices.Equal(got, step.want) {
			t.Fatalf("step %d: rung %v, want %v", i, got, step.want)
		}
	}
	m.err = errors.New("down")
	if s.Sweep(t.Context()) == nil {
		t.Fatal("a failed sweep is not told")
	}
}

func TestSweeperSlowsDownButNeverStops(t *testing.T) {
	t.Parallel()
	rung := 0
	for times := 1; times <= 200; times++ {
		if notifiesAt(times) {
			rung++
		}
	}
	if rung != 4+6 { // 2, 4, 8, 16, then 32, 64, 96, 128, 160, 192
		t.Fatalf("rung %d times in 200 sweeps", rung)
	}
}

// While the queue is away every sweep tries; when it is back, the first one
// rings, however long it was away.
func TestSweeperRingsAsSoonAsTheQueueIsBack(t *testing.T) {
	t.Parallel()
	m := &marks{due: []record.MarkedEvent{{Org: "o", Event: "a", Mark: "1"}}}
	b := &notifier{err: errors.New("no queue")}
	s := &Sweeper{Records: m, Notifier: b, Logger: slog.New(slog.DiscardHandler)}
	sweep := func() int {
		b.rung = nil
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(b.rung)
	}
	sweep()
	for range 20 {
		if sweep() != 1 {
			t.Fatal("a ring that could not be made is not tried again")
		}
	}
	b.err = nil
	if sweep() != 1 {
		t.Fatal("the queue is back and nobody rings")
	}
	if sweep() != 0 {
		t.Fatal("rung again at once")
	}
}
