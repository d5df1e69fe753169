package ratelimit

import (
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestEmptyBucketsAreForgotten: the buckets of those who have stored nothing for long take no memory, and no others are removed.
func TestEmptyBucketsAreForgotten(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	v := NewVolume(Options{Name: "stored", Rule: Rule{Limit: 2400, Window: 24 * time.Hour}, Now: clock.Now, Logger: slog.New(slog.DiscardHandler)}, nil)
	for i := range maxBuckets {
		v.Add("small "+strconv.Itoa(i), 100) // for an hour
	}
	v.Add("large", 4800)
	if n := len(v.buckets); n != maxBuckets+1 {
		t.Fatalf("%d buckets, and none is empty", n)
	}
	clock.Advance(2 * time.Hour)
	v.Add("new", 100)
	if n := len(v.buckets); n != 2 {
		t.Errorf("%d buckets are left, want that of the one who has stored much and the new one", n)
	}
	if r := v.Look(t.Context(), "large"); r.Allowed {
		t.Errorf("the full bucket was forgotten: %+v", r)
	}
}
