package record

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// TestLargeChangesAreBounded: within 24 hours the history of an event grows by LargeChangesADay at most through large
// changes; small ones are always taken, and a clock that is set back does not make the wait longer.
func TestLargeChangesAreBounded(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	flow := EventFlow{Now: func() time.Time { return now }}
	ada := Actor{ID: "ada", Role: 1}
	e := NewEvent("org1", "gala", Event{Title: "Gala"}, ada, now)
	change := func(text string) error {
		after, err := flow.next(EventRequest{Action: EventChanged, By: ada, Change: func(e *Event) error {
			e.Compensation = []Compensation{{Kind: Offset, Description: text}}
			return nil
		}}, e)
		if err == nil {
			e = after
		}
		return err
	}
	large := [2]string{strings.Repeat("a", 100_000), strings.Repeat("b", 100_000)}
	refused := func() int64 {
		t.Helper()
		var kept int64
		for i := range 1000 {
			err := change(large[i%2])
			if err == nil {
				kept += e.Last.Changed[0].size()
				continue
			}
			if code := apperr.CodeOf(err); code != apperr.RateLimited {
				t.Fatalf("%s, want RATE_LIMITED: %v", code, err)
			}
			return kept
		}
		t.Fatal("1000 large changes were taken")
		return 0
	}
	if kept := refused(); kept > LargeChangesADay || kept < LargeChangesADay-400_000 {
		t.Errorf("the history has grown by %d bytes, want about %d", kept, LargeChangesADay)
	}
	now = now.Add(time.Hour)
	err := change(strings.Repeat("c", 100_000))
	answer, ok := errors.AsType[*apperr.Error](err)
	if !ok || answer.RetryAfter != 23*time.Hour || len(answer.Details) != 1 || answer.Details[0].Field != "compensation" || answer.Details[0].Code != "HISTORY_LIMIT" {
		t.Errorf("%+v, want 23 hours and the field", err)
	}
	// The value before a small change is the large one, so the first change back to it is refused, too.
	e.Compensation = nil
	for i := range 2000 {
		if err := change(strings.Repeat("s", 1000+i%2)); err != nil {
			t.Fatalf("small change %d: %v", i, err)
		}
	}
	for name, moved := range map[string]time.Duration{"a day later": 23 * time.Hour, "a clock set back": -48 * time.Hour} {
		before, was := e, now
		now = now.Add(moved)
		if err := change(large[0]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		e, now = before, was
	}
}
