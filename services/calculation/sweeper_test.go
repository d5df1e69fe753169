package calculation

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

type bell struct{ rung []record.EventID }

func (b *bell) Ring(_ context.Context, _ record.OrgID, e record.EventID) { b.rung = append(b.rung, e) }

func TestSweeperRingsForMarksThatStay(t *testing.T) {
	t.Parallel()
	m, b := &marks{}, &bell{}
	s := &Sweeper{Records: m, Bell: b, Logger: slog.New(slog.DiscardHandler)}
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
		{[]record.MarkedEvent{a1}, nil},                            // first seen: the bell has probably rung
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
		if rings(times) {
			rung++
		}
	}
	if rung != 4+6 { // 2, 4, 8, 16, then 32, 64, 96, 128, 160, 192
		t.Fatalf("rung %d times in 200 sweeps", rung)
	}
}
