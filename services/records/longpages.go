package records

import (
	"context"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// longPage is the number of bytes from which on the page of a list waits for others.
	longPage = record.RangeBytes
	// longPages is how many such pages are in memory at a time, one of each organization.
	longPages = 2
)

// longPageTurns schedules the pages that take much memory, which many concurrent requests
// would multiply: of event histories and of lists of events.
type longPageTurns struct{ scheduler *fairshare.Scheduler }

func newLongPageTurns() longPageTurns {
	return longPageTurns{fairshare.New(fairshare.Options{Slots: longPages, Share: 1})}
}

// of returns the turn of a page of an organization, which a short page never takes.
func (l longPageTurns) of(org record.OrgID) *pageTurn {
	return &pageTurn{scheduler: l.scheduler, org: org}
}

// pageTurn is the turn of one page. It ends once the response has been written.
type pageTurn struct {
	scheduler *fairshare.Scheduler
	org       record.OrgID
	release   func() // nil: not taken
}

// wait waits until no other long page of the organization is in memory, the first time.
func (t *pageTurn) wait(ctx context.Context) error {
	if t.release != nil {
		return nil
	}
	release, err := t.scheduler.Acquire(ctx, string(t.org), 1)
	if err != nil {
		return web.TooLate(err)
	}
	t.release = release
	return nil
}

func (t *pageTurn) end() {
	if t.release != nil {
		t.release()
	}
}
