package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// usualPercent is the default of the garbage collector: it runs when the heap has grown to twice the live heap.
	usualPercent = 100
	// roomyHeap is the heap size, in bytes, at which even a busy process is collected.
	roomyHeap = 96 << 20
	// A process is busy when collections are less than oftenWithin apart, until they are more than calmAfter apart.
	oftenWithin = 250 * time.Millisecond
	calmAfter   = 5 * time.Second
	// startUp is how long after its start a process is not considered: its heap grows from nothing.
	startUp = 3 * time.Second
)

// heapPace tunes the garbage collector. The heap of these processes is small: under load it would be collected many
// times a second, taking a quarter of the processors from requests each time. So while a process is busy its heap may
// grow to roomyHeap; an idle one, and one with a larger live heap, is collected as usual.
type heapPace struct {
	set  func(percent int)
	live func() uint64 // bytes in use when the heap was collected last
	calm interface{ Reset(d time.Duration) bool }

	mu      sync.Mutex
	last    time.Time
	percent int
}

// paceHeap starts the tuning of this process, after a while.
func paceHeap() {
	time.AfterFunc(startUp, func() {
		p := &heapPace{set: func(percent int) { debug.SetGCPercent(percent) }, live: liveHeap, percent: usualPercent}
		p.calm = time.AfterFunc(calmAfter, p.rest)
		p.watch()
	})
}

// watch calls collected after each collection, by the finalizer of an unreachable object.
func (p *heapPace) watch() {
	type canary struct{ p *heapPace } // with a pointer, so that it is in no block with others
	runtime.AddCleanup(&canary{p}, func(p *heapPace) {
		p.collected(time.Now())
		p.watch()
	}, p)
}

// collected notes that the heap was collected.
func (p *heapPace) collected(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	often := now.Sub(p.last) < oftenWithin
	p.last = now
	p.calm.Reset(calmAfter)
	// Also if collections are rare because of the larger heap: the live heap may have grown.
	if often || p.percent != usualPercent {
		p.change(percentFor(p.live()))
	}
}

// rest notes that the heap was not collected for a while.
func (p *heapPace) rest() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change(usualPercent)
}

func (p *heapPace) change(percent int) {
	if percent != p.percent {
		p.percent = percent
		p.set(percent)
	}
}

// percentFor returns the growth in percent for a live heap of a busy process, in steps, so that it does not change
// with each collection.
func percentFor(live uint64) int {
	const step = 50
	if live == 0 || live >= roomyHeap/2 {
		return usualPercent
	}
	used := int(live)
	return max(usualPercent, (roomyHeap-used)*100/used/step*step)
}

func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
