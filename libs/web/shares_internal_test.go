package web

import (
	"errors"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestReadsOfOneOrganizationLeaveProcessorsFree: while another organization reads too,
// half of the processors at most work for one that asks for more than they can do.
func TestReadsOfOneOrganizationLeaveProcessorsFree(t *testing.T) {
	t.Parallel()
	for _, processors := range []int{2, 4, 16} {
		s := fairshare.New(readOptions(processors))
		begin := func(org string) (begun bool, end func()) {
			t.Helper()
			ended := make(chan func(), 1)
			go func() {
				if end, err := s.Acquire(t.Context(), org, 1); err == nil {
					ended <- end
				}
			}()
			testkit.Eventually(t, 10*time.Second, func() error {
				select {
				case end = <-ended:
					begun = true
				default:
					if s.Waiting(org) == 0 {
						return errors.New("it neither runs nor waits")
					}
				}
				return nil
			})
			return begun, end
		}
		if ok, end := begin("quiet"); !ok {
			t.Fatalf("%d processors: the first read waits", processors)
		} else {
			end()
		}
		n := 0
		for ok := true; ok; n++ {
			ok, _ = begin("greedy")
		}
		if n-1 != processors/2 {
			t.Errorf("%d processors: %d reads of one organization run, want %d", processors, n-1, processors/2)
		}
		if ok, _ := begin("quiet"); !ok {
			t.Errorf("%d processors: a read of another organization waits", processors)
		}
	}
}
