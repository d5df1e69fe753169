package fairshare_test

import (
	"context"
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/fairshare"
)

// TestYield verifies that the function of the context is called with the context of the work,
// and that cancellation is reported in either case.
func TestYield(t *testing.T) {
	t.Parallel()
	if err := fairshare.Yield(t.Context()); err != nil {
		t.Error(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := fairshare.Yield(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("%v of work that was given up", err)
	}
	calls, refused := 0, errors.New("no turn")
	ctx := fairshare.Yielding(t.Context(), func(ctx context.Context) error {
		if calls++; ctx.Value(workKey{}) != "work" {
			t.Error("another context")
		}
		return refused
	})
	if err := fairshare.Yield(context.WithValue(ctx, workKey{}, "work")); !errors.Is(err, refused) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

type workKey struct{}
