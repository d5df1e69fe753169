package web

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

type valueKey struct{}

// TestDeadlineContext compares the lazy context with that of the standard library.
func TestDeadlineContext(t *testing.T) {
	t.Parallel()
	parent := context.WithValue(t.Context(), valueKey{}, "value")
	far := time.Now().Add(time.Hour)
	kinds := map[string]func(ctx context.Context) bool{
		"unasked":    func(context.Context) bool { return true },
		"waited for": func(ctx context.Context) bool { return ctx.Done() != nil },
		"with a child": func(ctx context.Context) bool {
			child, stop := context.WithCancel(ctx)
			defer stop()
			return child.Err() == nil
		},
		"with values":     func(ctx context.Context) bool { return ctx.Value(valueKey{}) == "value" },
		"asked for error": func(ctx context.Context) bool { return ctx.Err() == nil },
	}
	for name, before := range kinds {
		ctx := withDeadline(parent, far)
		if at, ok := ctx.Deadline(); !ok || !at.Equal(far) || !before(ctx) || ctx.Value(valueKey{}) != "value" {
			t.Errorf("%s: not as it should be before its end", name)
		}
		ctx.end()
		<-ctx.Done()
		if !errors.Is(ctx.Err(), context.Canceled) || ctx.Value(valueKey{}) != "value" {
			t.Errorf("%s: ended with %v", name, ctx.Err())
		}
	}
	if err := withDeadline(parent, time.Now().Add(-time.Second)).Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("past its deadline: %v", err)
	}
	late := withDeadline(parent, time.Now().Add(time.Millisecond))
	<-late.Done()
	if !errors.Is(late.Err(), context.DeadlineExceeded) {
		t.Errorf("at its deadline: %v", late.Err())
	}
	shorter, stop := context.WithDeadline(parent, time.Now().Add(time.Minute))
	defer stop()
	if at, _ := withDeadline(shorter, far).Deadline(); !at.Before(far) {
		t.Error("a child outlives its parent")
	}
	stop()
	if err := withDeadline(shorter, far).Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("of an ended parent: %v", err)
	}
}

// TestDeadlineContextEndsItsChildren verifies that children created before and after the first
// wait end too.
func TestDeadlineContextEndsItsChildren(t *testing.T) {
	t.Parallel()
	ctx := withDeadline(t.Context(), time.Now().Add(time.Hour))
	first, stopFirst := context.WithTimeout(context.WithValue(ctx, valueKey{}, 1), time.Hour)
	defer stopFirst()
	second, stopSecond := context.WithCancel(first)
	defer stopSecond()
	ctx.end()
	testkit.Eventually(t, 10*time.Second, func() error {
		if first.Err() == nil || second.Err() == nil {
			return errors.New("a child goes on")
		}
		return nil
	})
}

func TestAllocationsOfADeadline(t *testing.T) {
	testkit.WithoutRace(t)
	parent := context.Background()
	at := time.Now().Add(time.Hour)
	if n := testing.AllocsPerRun(100, func() { withDeadline(parent, at).end() }); n > 1 {
		t.Errorf("a deadline that nobody waits for allocates %v times", n)
	}
}
