package resulttree

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

type marks struct {
	due []record.MarkedEvent
	err error
}

func (m *marks) MarkedEvents(context.Context, int) ([]record.MarkedEvent, error) { return m.due, m.err }

type notifier struct {
	notified []record.EventID
	err      error
}

func (b *notifier) TryNotify(_ context.Context, _ record.OrgID, e record.EventID) error {
	b.notified = append(b.notified, e)
	return b.err
}

func TestSweeperNotifiesForMarksThatStay(t *testing.T) {
	t.Parallel()
	m, b := &marks{}, &notifier{}
	s := &Sweeper{Records: m, Notifier: b, Logger: slog.New(slog.DiscardHandler)}
	sweep := func(due ...record.MarkedEvent) []record.EventID {
		b.notified, m.due = nil, due
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return b.notified
	}
	a1, a2, c1 := record.MarkedEvent{Org: "o", Event: "a", Mark: "1"}, record.MarkedEvent{Org: "o", Event: "a", Mark: "2"}, record.MarkedEvent{Org: "o", Event: "c", Mark: "1"}
	for i, step := range []struct {
		due  []record.MarkedEvent
		want []record.EventID
	}{
		{[]record.MarkedEvent{a1}, nil},                            // first seen: the notifier has probably notified
		{[]record.MarkedEvent{a1, c1}, []record.EventID{"a"}},      // found again: the notification was lost
		{[]record.MarkedEvent{a2, c1}, []record.EventID{"c"}},      // a has moved on
		{[]record.MarkedEvent{a2}, []record.EventID{"a"}},          //
		{[]record.MarkedEvent{a2, c1}, nil},                        // third sighting of a: quiet; c is new
		{[]record.MarkedEvent{a2, c1}, []record.EventID{"a", "c"}}, // fourth of a, second of c
		{nil, nil},
	} {
		if got := sweep(step.due...); !slices.Equal(got, step.want) {
			t.Fatalf("step %d: notified %v, want %v", i, got, step.want)
		}
	}
	m.err = errors.New("down")
	if s.Sweep(t.Context()) == nil {
		t.Fatal("a failed sweep is not told")
	}
}

func TestSweeperSlowsDownButNeverStops(t *testing.T) {
	t.Parallel()
	notified := 0
	for times := 1; times <= 200; times++ {
		if notifiesAt(times) {
			notified++
		}
	}
	if notified != 4+6 { // 2, 4, 8, 16, then 32, 64, 96, 128, 160, 192
		t.Fatalf("notified %d times in 200 sweeps", notified)
	}
}

// While the queue is away every sweep tries; when it is back, the first one
// notifications, however long it was away.
func TestSweeperNotifiesAsSoonAsTheQueueIsBack(t *testing.T) {
	t.Parallel()
	m := &marks{due: []record.MarkedEvent{{Org: "o", Event: "a", Mark: "1"}}}
	b := &notifier{err: errors.New("no queue")}
	s := &Sweeper{Records: m, Notifier: b, Logger: slog.New(slog.DiscardHandler)}
	sweep := func() int {
		b.notified = nil
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return len(b.notified)
	}
	sweep()
	for range 20 {
		if sweep() != 1 {
			t.Fatal("a ring that could not be made is not tried again")
		}
	}
	b.err = nil
	if sweep() != 1 {
		t.Fatal("the queue is back and nobody notifications")
	}
	if sweep() != 0 {
		t.Fatal("notified again at once")
	}
}

// A working sweeper reports progress, even if all its queries fail.
func TestSweeperTellsThatItGetsOn(t *testing.T) {
	t.Parallel()
	m := &marks{due: []record.MarkedEvent{{Org: "o", Event: "a", Mark: "1"}, {Org: "o", Event: "b", Mark: "1"}}}
	looked := 0
	s := &Sweeper{Records: m, Notifier: &notifier{err: errors.New("no queue")}, Logger: slog.New(slog.DiscardHandler), Looked: func() { looked++ }}
	for i, want := range []int{1, 1 + 3, 1 + 3 + 3} { // one query; then one and two notifications
		if err := s.Sweep(t.Context()); err != nil || looked != want {
			t.Fatalf("sweep %d: %v, told %d times, want %d", i, err, looked, want)
		}
	}
	m.err = errors.New("down")
	if err := s.Sweep(t.Context()); err == nil || looked != 1+3+3+1 {
		t.Fatalf("a sweep that fails: %v, told %d times", err, looked)
	}
}

// lastly ends a context at a query.
type lastly struct {
	looks int
	last  int
	end   func()
}

func (l *lastly) MarkedEvents(context.Context, int) ([]record.MarkedEvent, error) {
	if l.looks++; l.looks == l.last {
		l.end()
	}
	return nil, errors.New("the database is away")
}

// An outage of the database is a line of the sweeper, not one at each tick.
func TestSweeperTellsOfAnOutageOnce(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	var log bytes.Buffer
	s := &Sweeper{Records: &lastly{last: 50, end: end}, Notifier: &notifier{}, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	s.Run(ctx, time.Millisecond)
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "the database is away") {
		t.Errorf("%d lines of 50 sweeps that failed:\n%s", n, log.String())
	}
}
