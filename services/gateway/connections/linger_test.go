package connections

import (
	"fmt"
	"testing"
	"time"
)

// TestEndsOfConnections verifies that the lingering connections of an address are limited in
// number and share a pace, independently of other addresses.
func TestEndsOfConnections(t *testing.T) {
	t.Parallel()
	l := newLingering(nil, nil).ends
	for n := range lingerOfAddress + 1 {
		if ok := l.begin("greedy", false); ok != (n < lingerOfAddress) {
			t.Errorf("connection %d of one address: %v", n+1, ok)
		}
	}
	if !l.begin("other", false) || !l.begin("greedy", true) {
		t.Error("connections of another address, or of a proxy, are closed at once")
	}
	l.end("greedy")
	l.end("greedy")
	if !l.begin("greedy", false) {
		t.Error("a place that is free again is not used")
	}
	for n := 0; l.begin(fmt.Sprint(n), false); n++ {
		if n > lingerTotal {
			t.Fatal("there is no end to them")
		}
	}
	now := time.Unix(1_800_000_000, 0)
	waited := time.Duration(0)
	for range 16 << 20 / lingerPiece { // one upload of the maximum size
		waited, _ = l.wait("greedy", now, lingerTime)
	}
	if waited < 500*time.Millisecond || waited > lingerTime {
		t.Errorf("16 MiB of one address are taken within %v", waited)
	}
	// All addresses share a pace too, and one that gives up does not delay others.
	taken := 0
	for n := range 100_000 {
		if wait, ok := l.wait(fmt.Sprint(n), now, lingerTime); ok {
			taken++
		} else if wait != 0 {
			t.Fatalf("a piece that is not taken waits %v", wait)
		}
	}
	if most := 128 << 20 / lingerPiece; taken > most || taken < most/2 {
		t.Errorf("%d pieces of many addresses are taken within %v, want %d at most", taken, lingerTime, most)
	}
	if wait, ok := l.wait("after the flood", now.Add(lingerTime), lingerTime); !ok || wait > 100*time.Millisecond {
		t.Errorf("after the flood one waits %v, or is closed", wait)
	}
}
