package audit

import (
	"fmt"
	"testing"
	"time"
)

// However many are refused, and however often, what is remembered of them and
// entered stays bounded.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	var r Refusals
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	entered := 0
	count := func(who string) int {
		_, nth, enter := r.Count(Limited, "POST /auth/login", who, now)
		if enter {
			entered++
		}
		return nth
	}
	for i := range maxRefusals {
		count(fmt.Sprint(i))
	}
	if entered != maxRefusals {
		t.Errorf("%d of %d different refusals are entered", entered, maxRefusals)
	}
	entered = 0
	for i := range 100_000 {
		count(fmt.Sprint("more ", i))
	}
	if len(r.seen) > maxRefusals+1 || entered != 17 { // the powers of two up to 65,536
		t.Errorf("%d remembered, %d entered of 100,000 who are too many", len(r.seen), entered)
	}
	now = now.Add(refusalsWindow)
	if nth := count("somebody new"); nth != 1 || len(r.seen) > 2 {
		t.Errorf("an hour later: the %d. time, %d remembered", nth, len(r.seen))
	}
}
