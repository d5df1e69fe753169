package app

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// usualPercent is the garbage collector's own choice: a heap is collected when it has
	// grown to twice of what is in use.
	usualPercent = 100
	// roomyHeap is how large, in bytes, the heap of a busy process may be before it is
	// collected all the same.
	roomyHeap = 96 << 20
	// A process is busy when its heap is collected again within oftenWithin, and not any more when
	// it is not for calmAfter.
	oftenWithin = 250 * time.Millisecond
	calmAfter   = 5 * time.Second
	// startUp is how long a process is not looked at: its heap grows from nothing.
	startUp = 3 * time.Second
)

// heapPace decides how often the heap is collected. That of these processes is small: under
// load it would be collected many times a second, and each time take a quarter of the
// processors from requests. So while a process is busy its heap may grow to roomyHeap; one
// at rest, and one that has more in use, is collected as any other is.
type heapPace struct {
	set  func(percent int)
	live func() uint64 // bytes in use when the heap was collected last
	calm interface{ Reset(d time.Duration) bool }

	mu      sync.Mutex
	last    time.Time
	percent int
}

// paceHeap begins to decide for this process, in a while.
func paceHeap() {
	time.AfterFunc(startUp, func() {
		p := &heapPace{set: func(percent int) { debug.SetGCPercent(percent) }, live: liveHeap, percent: usualPercent}
		p.calm = time.AfterFunc(calmAfter, p.rest)
		p.watch()
	})
}

// watch has collected called after each collection: what is reachable by nothing goes with it.
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
	// Also where it is collected seldom because of its room: what is in use may have grown.
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

// percentFor returns by how much more than what is in use a busy heap may grow, in steps, so
// that it is not changed with each collection.
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
