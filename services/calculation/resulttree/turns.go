package resulttree

import (
	"context"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
)

// taken is how many notifications a process takes up for each run that it can make:
// those that wait for a run are the ones it chooses among.
const taken = 8

// newTurns bounds how many runs are made at once. Of the organizations that wait, the
// one that has had the fewest runs goes next, and none has all of them while there are
// two: the one approval of an organization does not wait for a thousand events of
// another, nor for its long ones.
func newTurns(runs int) *fairshare.Scheduler {
	return fairshare.New(fairshare.Options{Slots: runs, Share: max(1, runs-1)})
}

// inTurn lets each run wait for the turn of its organization; waits is
// told of it.
func inTurn(turns *fairshare.Scheduler, waits func() (ended func()), run func(context.Context, record.OrgID, record.EventID) error) func(context.Context, record.OrgID, record.EventID) error {
	return func(ctx context.Context, org record.OrgID, event record.EventID) error {
		ended := waits()
		end, err := turns.Acquire(ctx, string(org), 1)
		ended()
		if err != nil {
			return err
		}
		defer end()
		return run(ctx, org, event)
	}
}
