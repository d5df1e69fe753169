package imports

import (
	"context"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// renewEvery is the interval at which an import is stored whose rows take long, and longestSlice how long they are worked
	// on before others are.
	renewEvery   = importLease / 6
	longestSlice = 100 * time.Millisecond
	// paceEvery is the number of rows after which it is looked how long they took.
	paceEvery = 10
)

// slice blocks until an organization may import again; the previous slice took the given time.
// While others are active, a long import first pauses for twice the time that it used storage,
// and any import occupies a slot of its organization's expensive work.
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

// pauseAfter returns how long an import pauses after a slice.
func pauseAfter(ctx context.Context, took time.Duration) time.Duration {
	if !fairshare.IsLowPriority(ctx) {
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

// rowsAtOnce returns the number of rows in one write.
func (m *Importer) rowsAtOnce(org record.OrgID) int {
	if m.alone(string(org)) {
		return importBatch
	}
	return importBeside
}

// progress stores the import if it is time to, and ends a slice in either case. Each store is a
// commit, as many as those of the rows where few of them are written at a time. What is not
// stored when the process dies is repeated, which changes nothing.
func (j *job) progress(i *record.Import) error {
	if j.givesWay() {
		return errGivesWay // the caller stores the progress
	}
	if i.Done-j.kept < importBatch && j.now().Sub(j.keptAt) < tellEvery {
		return j.turn()
	}
	return j.keep(i)
}

// pace ends a slice of rows that take long, and stores the import in time to renew its lease. It is called for the n-th row
// if nothing of it is stored.
func (j *job) pace(n int64) error {
	if n%paceEvery != 0 {
		return nil
	}
	switch now := j.now(); {
	case now.Sub(j.keptAt) >= renewEvery:
		return j.keep(&j.i)
	case now.Sub(j.turnedAt) >= longestSlice:
		return j.turn()
	}
	return nil
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
	j.endSlice, j.sliceBegan, j.turnedAt = end, time.Now(), j.now()
	return nil
}
