package resulttree

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestRunsOfOrganizationsTakeTurns: an organization with many events never occupies all workers, and a later one is
// next.
func TestRunsOfOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	begun, end := make(chan record.OrgID), make(chan struct{})
	turns := newTurns(2)
	var atOnce atomic.Int64
	waits := func() func() {
		atOnce.Add(1)
		return func() { atOnce.Add(-1) }
	}
	work := turns.of(waits, func(_ context.Context, org record.OrgID, _ record.EventID) error {
		begun <- org
		<-end
		return nil
	})
	failed := make(chan error, 100)
	notify := func(org record.OrgID, n, waiting int) {
		t.Helper()
		for i := range n {
			go func() { failed <- work(context.Background(), org, record.EventID(fmt.Sprint(org, i))) }()
		}
		testkit.Eventually(t, 10*time.Second, func() error {
			if got := turns.scheduler.Waiting(string(org)); got != waiting {
				return fmt.Errorf("%d of %s wait, want %d", got, org, waiting)
			}
			return nil
		})
	}
	const many = 40
	notify("greedy", many, many-1)
	if org := <-begun; org != "greedy" {
		t.Fatal(org)
	}
	// However many wait, the second worker is for another organization: it starts although nothing has ended.
	notify("other", 1, 0)
	if org := <-begun; org != "other" {
		t.Fatalf("%s has all workers", org)
	}
	notify("third", 1, 1)
	if n := atOnce.Load(); n != many {
		t.Errorf("%d runs are told to wait, want %d and no more", n, many)
	}
	end <- struct{}{} // of either run
	if org := <-begun; org != "third" {
		t.Errorf("%s goes before the third", org)
	}
	close(end)
	for range many - 1 {
		<-begun
	}
	for range many + 2 {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}
