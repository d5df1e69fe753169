package app

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// noTimer counts how often it was set anew.
type noTimer struct{ resets int }

func (n *noTimer) Reset(time.Duration) bool { n.resets++; return true }

// TestABusyHeapHasRoom: a heap that is collected over and over may grow to 96 MiB, one that
// is not collected so often, that has half of that in use, or that is at rest again, as any
// other does.
func TestABusyHeapHasRoom(t *testing.T) {
	t.Parallel()
	var set []int
	live, now, calm := uint64(16<<20), time.Now(), &noTimer{}
	p := &heapPace{set: func(percent int) { set = append(set, percent) }, live: func() uint64 { return live }, calm: calm, percent: usualPercent}
	collect := func(after time.Duration) {
		now = now.Add(after)
		p.collected(now)
	}
	collect(0)
	collect(oftenWithin)
	if len(set) != 0 {
		t.Errorf("a heap that is not collected often is set to %v", set)
	}
	collect(oftenWithin - 1)
	collect(time.Second) // by then it is rare, which is what the room is for
	collect(oftenWithin - 1)
	live = 24 << 20
	collect(1)
	live = 48 << 20
	collect(1)
	live = 12 << 20
	collect(1)
	// So much room is for so little in use, however seldom it is collected by then.
	live = 40 << 20
	collect(time.Second)
	live = 12 << 20
	collect(1)
	p.rest()
	p.rest()
	if want := []int{500, 300, 100, 700, 100, 700, 100}; !slices.Equal(set, want) {
		t.Errorf("percents %v, want %v", set, want)
	}
	if calm.resets != 10 {
		t.Errorf("the time of calm began anew %d times, want 10", calm.resets)
	}
}

// TestCollectionsAreNoticed: each collection of the heap is noticed, and what is in use is
// known.
func TestCollectionsAreNoticed(t *testing.T) {
	t.Parallel()
	noticed := make(chan int, 64)
	p := &heapPace{set: func(percent int) { noticed <- percent }, live: func() uint64 {
		if liveHeap() == 0 {
			t.Error("it is not known what is in use")
		}
		return roomyHeap / 4
	}, calm: &noTimer{}, percent: usualPercent}
	p.watch()
	testkit.Eventually(t, time.Minute, func() error {
		runtime.GC()
		if len(noticed) == 0 {
			return errors.New("no collection was noticed")
		}
		return nil
	})
	if percent := <-noticed; percent != 300 {
		t.Errorf("percent %d, want 300", percent)
	}
}
