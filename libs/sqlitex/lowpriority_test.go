package sqlitex

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestWritesBehindLetOthersGoFirst queues writes of both kinds while the writer is held,
// those that are behind first.
func TestWritesBehindLetOthersGoFirst(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	release := gate(t, db)
	defer release()
	var mu sync.Mutex
	var order []string
	noted := func(name string) func(context.Context, Tx) error {
		return func(context.Context, Tx) error {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, name)
			return nil
		}
	}
	var wg sync.WaitGroup
	queued := func(ctx context.Context, name string, queue chan *write, n int) {
		wg.Go(func() {
			if err := db.Write(ctx, noted(name)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
		testkit.Eventually(t, 10*time.Second, func() error {
			if len(queue) != n {
				return fmt.Errorf("%d are queued, not %d", len(queue), n)
			}
			return nil
		})
	}
	for n := range 2 {
		queued(fairshare.LowPriority(t.Context()), fmt.Sprint("behind ", n), db.behind, n+1)
	}
	for n := range 3 {
		queued(t.Context(), fmt.Sprint("first ", n), db.queue, n+1)
	}
	release()
	wg.Wait()
	if want := []string{"first 0", "first 1", "first 2", "behind 0", "behind 1"}; !slices.Equal(order, want) {
		t.Errorf("written in the order %q, want %q", order, want)
	}
}

// TestWritesBehindHaveTheirTurn has others queue without a pause, each while the one before is
// made: one that is behind is made all the same.
func TestWritesBehindHaveTheirTurn(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	const most = 100
	made, begun, queued, done := 0, make(chan struct{}), make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	var wg sync.WaitGroup
	var next func()
	next = func() {
		err := db.Write(t.Context(), func(context.Context, Tx) error {
			begin()
			<-queued
			select {
			case <-done:
				return nil
			default:
			}
			if made++; made == most {
				return nil
			}
			wg.Go(next)
			waitQueued(t, db, 1)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	wg.Go(next)
	<-begun
	wg.Go(func() {
		err := db.Write(fairshare.LowPriority(t.Context()), func(context.Context, Tx) error {
			if made > behindAfter+1 {
				t.Errorf("it was made after %d others, want after %d", made, behindAfter)
			}
			close(done)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	testkit.Eventually(t, 10*time.Second, func() error {
		if len(db.behind) == 0 {
			return fmt.Errorf("it is not queued")
		}
		return nil
	})
	close(queued)
	wg.Wait()
}

// TestTheTurnOfWritesBehind looks at the choice itself.
func TestTheTurnOfWritesBehind(t *testing.T) {
	db := &DB{queue: make(chan *write, 1), behind: make(chan *write, 1), closing: make(chan struct{})}
	for _, turn := range []bool{false, true} {
		db.queue <- new(write)
		db.behind <- new(write)
		for _, want := range []bool{turn, !turn} {
			if _, behind, ok := db.next(turn); !ok || behind != want {
				t.Errorf("their turn: %v; behind: %v, want %v", turn, behind, want)
			}
		}
	}
	close(db.closing)
	db.behind <- new(write)
	if _, behind, ok := db.next(false); !ok || !behind {
		t.Error("a write that was queued before the file was closed is not made")
	}
	if _, _, ok := db.next(false); ok {
		t.Error("a write of a file that is closed")
	}
}
