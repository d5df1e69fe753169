package records

import (
	"context"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
)

// slice waits until an organization may work on imports again, of which the slice before took
// some time. Beside others a long one leaves storage to them for twice as long as it had it, and any
// works in place of other expensive work of its own.
func (m *Importer) slice(ctx context.Context, org string, took time.Duration) (end func(), err error) {
	if m.alone(org) {
		return m.slices.Acquire(ctx, org, 1)
	}
	select {
	case <-time.After(pauseAfter(ctx, took)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return m.Work.AcquireFirst(ctx, org, 1)
}

// pauseAfter returns for how long an import leaves storage to others after a slice of it.
func pauseAfter(ctx context.Context, took time.Duration) time.Duration {
	if !fairshare.IsBehind(ctx) {
		return 0
	}
	return min(2*took, longestPause)
}

// alone reports whether no other organization has work in this process.
func (m *Importer) alone(org string) bool {
	if m.Work == nil {
		return true
	}
	m.Work.Seen(org)
	return m.Work.Alone(org)
}

// rowsAtOnce returns how many rows are to become records in one write.
func (m *Importer) rowsAtOnce(org record.OrgID) int {
	if m.alone(string(org)) {
		return importBatch
	}
	return importBeside
}

// progress stores the import when there is something to tell, and ends a slice of the work in
// either case: each storing is a commit, as many as those of the rows where others have few of them
// made at once. What is not stored when the process dies is done again, which changes nothing.
func (j *job) progress(i *record.Import) error {
	if j.givesWay() {
		return errGivesWay // who ends the work stores how far it is
	}
	if i.Done-j.kept < importBatch && j.now().Sub(j.keptAt) < tellEvery {
		return j.turn()
	}
	return j.keep(i)
}

// turn ends a slice of the work, and returns when the next one may begin.
func (j *job) turn() error {
	j.endSlice()
	j.endSlice = func() {}
	var took time.Duration
	if !j.sliceBegan.IsZero() {
		took = time.Since(j.sliceBegan)
	}
	end, err := j.slice(j.ctx, string(j.i.Org), took)
	if err != nil {
		return err
	}
	j.endSlice, j.sliceBegan = end, time.Now()
	return nil
}
