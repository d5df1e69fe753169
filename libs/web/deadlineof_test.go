package web

import (
	"testing"
	"time"
)

// TestDeadlineOfARequest verifies that the deadline uses the system clock, whatever Options.Now
// is.
func TestDeadlineOfARequest(t *testing.T) {
	t.Parallel()
	e := &edge{o: Options{Timeout: 10 * time.Second}}
	began := time.Now()
	if until := e.deadlineOf(began); until.Sub(began) != e.o.Timeout {
		t.Errorf("it ends after %v, want %v", until.Sub(began), e.o.Timeout)
	}
	for _, own := range []time.Time{time.Unix(1_500_000_000, 0), time.Unix(1_900_000_000, 0), began.Round(0)} {
		if left := time.Until(e.deadlineOf(own)); left > e.o.Timeout || left < e.o.Timeout-time.Minute {
			t.Errorf("by a clock of %v it ends after %v", own, left)
		}
	}
}
