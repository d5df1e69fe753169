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

// Repetitions of a refusal are entered the first, second, fourth time and so on, within an hour from the first; one that
// could not be entered is made up for by the next. Others do not count.
func TestRepeatedRefusals(t *testing.T) {
	t.Parallel()
	var r Refusals
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	count := func(who string, at time.Time) (string, string) {
		key, nth, enter := r.Count(Limited, "POST /auth/login", who, at)
		return key, fmt.Sprint(nth, enter)
	}
	for i, want := range []string{"1 true", "2 true", "3 false", "4 true", "5 false"} {
		if _, got := count("ann", start.Add(time.Duration(i)*time.Minute)); got != want {
			t.Errorf("refusal %d: %s, want %s", i+1, got, want)
		}
	}
	key, _ := count("ann", start)
	r.Owe(key)
	r.Owe("nobody")
	for _, want := range []string{"7 true", "8 true", "9 false"} {
		if _, got := count("ann", start.Add(refusalsWindow-1)); got != want {
			t.Errorf("after one that could not be entered: %s, want %s", got, want)
		}
	}
	if _, got := count("bob", start); got != "1 true" {
		t.Errorf("of another caller: %s", got)
	}
	if _, got := count("ann", start.Add(refusalsWindow)); got != "1 true" {
		t.Errorf("an hour after the first: %s", got)
	}
	for nth, want := range map[int]string{1: "", 2: "2 times within an hour", 8: "8 times within an hour"} {
		if got := Times(nth); got != want {
			t.Errorf("Times(%d) is %q, want %q", nth, got, want)
		}
	}
}

// With too many counters, one that has begun goes on.
func TestRefusalsOfManyCallers(t *testing.T) {
	t.Parallel()
	var r Refusals
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i := range maxRefusals {
		r.Count(Limited, "GET /", fmt.Sprint(i), now)
	}
	if _, nth, _ := r.Count(Limited, "GET /", "7", now); nth != 2 {
		t.Errorf("a known caller's second refusal is the %d.", nth)
	}
	if key, nth, _ := r.Count(Limited, "GET /", "new", now); nth != 1 || key != Limited+"\x00others" {
		t.Errorf("a new caller's first refusal is the %d. of %q", nth, key)
	}
	now = now.Add(refusalsWindow)
	if key, _, _ := r.Count(Limited, "GET /", "new", now); key != Limited+"\x00GET /\x00new" || len(r.seen) != 1 {
		t.Errorf("an hour later it is counted in %q, beside %d", key, len(r.seen))
	}
}
