package record

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// TestWaitingForASignOffEnds: a move waits for a sign-off in progress for two seconds, and not until a clock that was set
// back meanwhile has caught up.
func TestWaitingForASignOffEnds(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for after, goesOn := range map[time.Duration]bool{0: true, closingLimit - 1: true, closingLimit: false, time.Hour: false, -1: false, -time.Hour: false} {
		now := begun
		closing := closingWait{now: func() time.Time { return now }}
		if err := closing.wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		now = begun.Add(after)
		if err := closing.wait(t.Context()); (err == nil) != goesOn || err != nil && apperr.CodeOf(err) != apperr.Unavailable {
			t.Errorf("after %v: %v", after, err)
		}
	}
}
