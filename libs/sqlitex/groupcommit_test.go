package sqlitex

import (
	"context"
	"testing"
	"time"
)

// TestACommitWaitsForAsManyAsThereWere has writes come one by one, once the commit waits for
// them.
func TestACommitWaitsForAsManyAsThereWere(t *testing.T) {
	var g gathering
	g.committed(2, 1, 0, 300*time.Microsecond)
	queue := make(chan *write)
	var limit time.Duration
	never := func(d time.Duration) <-chan time.Time {
		limit = d
		go func() {
			for range 2 {
				queue <- new(write)
			}
		}()
		return nil
	}
	batch := g.more([]*write{new(write)}, queue, never, t.Context().Done())
	if len(batch) != 3 || limit != 600*time.Microsecond {
		t.Errorf("a batch of %d after a limit of %v, want the 3 that were seen before and twice the time of their commit", len(batch), limit)
	}
}

func TestWhoWritesAloneIsNotKeptWaiting(t *testing.T) {
	var g gathering
	g.committed(1, 0, 0, time.Hour)
	asked := func(time.Duration) <-chan time.Time {
		t.Error("it was waited")
		return nil
	}
	if batch := g.more([]*write{new(write)}, make(chan *write), asked, t.Context().Done()); len(batch) != 1 {
		t.Errorf("a batch of %d", len(batch))
	}
}

func TestWaitingForWritesEnds(t *testing.T) {
	var g gathering
	g.committed(64, 64, 0, time.Hour)
	over := make(chan time.Time, 1)
	over <- time.Time{}
	limited := func(d time.Duration) <-chan time.Time {
		if d != gatherLimit {
			t.Errorf("a limit of %v, want %v whatever the last commit took", d, gatherLimit)
		}
		return over
	}
	if batch := g.more([]*write{new(write)}, make(chan *write), limited, t.Context().Done()); len(batch) != 1 {
		t.Errorf("a batch of %d after its time", len(batch))
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if batch := g.more([]*write{new(write)}, make(chan *write), func(time.Duration) <-chan time.Time { return nil }, ended.Done()); len(batch) != 1 {
		t.Errorf("a batch of %d when the file is closed", len(batch))
	}
	// And no more than a commit may be of.
	queue := make(chan *write, 2*batchLimit)
	for range cap(queue) {
		queue <- new(write)
	}
	g.committed(batchLimit, batchLimit, 0, time.Hour)
	if batch := g.more(nil, queue, limited, t.Context().Done()); len(batch) != batchLimit {
		t.Errorf("a batch of %d, want at most %d", len(batch), batchLimit)
	}
}

// TestThoseWhoMetByChanceAreNotWaitedForLong has two writes in one commit again and again,
// after which nobody comes: the waits get rare, until one brings somebody.
func TestThoseWhoMetByChanceAreNotWaitedForLong(t *testing.T) {
	var g gathering
	waits := 0
	over := make(chan time.Time, 1)
	limited := func(time.Duration) <-chan time.Time {
		waits++
		over <- time.Time{}
		return over
	}
	alone := func() {
		g.committed(1, 1, 0, time.Millisecond)
		g.more([]*write{new(write)}, make(chan *write), limited, t.Context().Done())
	}
	const commits = 1000
	for range commits {
		alone()
	}
	if most := 6 + commits/64; waits > most || waits < 10 {
		t.Errorf("%d of %d commits waited in vain, want %d at most, and some", waits, commits, most)
	}
	queue := make(chan *write)
	ended, end := context.WithCancel(t.Context())
	defer end()
	go func() {
		for {
			select {
			case queue <- new(write):
			case <-ended.Done():
				return
			}
		}
	}()
	never := func(time.Duration) <-chan time.Time { return nil }
	met := 0
	for range 2 * 64 {
		g.committed(2, 0, 0, time.Millisecond)
		if len(g.more([]*write{new(write)}, queue, never, t.Context().Done())) >= 2 {
			met++
		}
	}
	if met < 64 {
		t.Errorf("of %d commits %d waited for those who come again, want all once a wait brought one", 2*64, met)
	}
}

// TestCommitsAreForHalfOfThoseWhoPrepareMeanwhile has sixteen write again and again, who take
// longer to come again than half of a commit lasts, or do not.
func TestCommitsAreForHalfOfThoseWhoPrepareMeanwhile(t *testing.T) {
	const lasted = time.Millisecond
	slow := func() *gathering {
		g := new(gathering)
		for range 2 { // until it is known how many they are, and how long all of them take
			g.committed(16, 0, lasted, lasted)
		}
		return g
	}
	t.Run("slow", func(t *testing.T) {
		g := slow()
		for i := range halvesFor {
			if n := g.expected(); n != 8 {
				t.Fatalf("commit %d is for %d, want half of 16", i, n)
			}
			g.committed(8, 3, lasted/4, lasted)
		}
		if n := g.expected(); n != 16 {
			t.Fatalf("after %d commits for half the next is for %d: it is not looked again", halvesFor, n)
		}
		// Those who were in the commit before have come only now: how long all of them take
		// is not known yet.
		g.committed(16, 0, lasted, lasted)
		if n := g.expected(); n != 16 {
			t.Errorf("the second is for %d, want 16", n)
		}
		g.committed(16, 0, lasted, lasted)
		if n := g.expected(); n != 8 {
			t.Errorf("the third is for %d, want 8", n)
		}
	})
	t.Run("fast", func(t *testing.T) {
		g := new(gathering)
		for i := range 100 {
			g.committed(16, 0, lasted/4, lasted)
			if n := g.expected(); n != 16 {
				t.Fatalf("commit %d is for %d, want 16: nobody prepares anything meanwhile", i, n)
			}
		}
	})
	t.Run("more come", func(t *testing.T) {
		g := slow()
		g.committed(8, 12, 0, lasted)
		if n := g.expected(); n != 10 {
			t.Errorf("it is waited for %d, want half of the 20 that were seen", n)
		}
	})
	t.Run("fewer come", func(t *testing.T) {
		g := slow()
		g.committed(5, 0, 2*lasted, lasted)
		if n := g.expected(); n != 16 {
			t.Errorf("it is waited for %d, want all who were there, to know how many are left", n)
		}
		g.committed(5, 0, 2*lasted, lasted)
		if n := g.expected(); n != 5 {
			t.Errorf("it is waited for %d, want the 5 who are left", n)
		}
	})
	t.Run("alone", func(t *testing.T) {
		g := new(gathering)
		for range 3 {
			g.committed(1, 0, time.Hour, lasted)
			if n := g.expected(); n != 1 {
				t.Fatalf("it is waited for %d", n)
			}
		}
	})
}
