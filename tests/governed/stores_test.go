package governed

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// errDied is what a write of a dead process returns.
var errDied = errors.New("the process has died")

// process makes the writes of one process. It can be made to die at one of them: before
// it, so that nothing is stored, or after it, so that the outcome is not known. A dead
// process writes nothing more.
type process struct {
	mu    sync.Mutex
	dead  bool
	armed bool
	left  int // writes before the one at which it dies
	after bool
	// counted, if set, is called once, when records have been counted.
	counted func()
}

// dieAt makes the process die at the n-th write from now on, counted from 0.
func (p *process) dieAt(n int, after bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.left, p.after = true, n, after
}

// spare cancels dieAt and reports whether the process has died.
func (p *process) spare() (died bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = false
	return p.dead
}

func (p *process) write(do func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.dead:
		return errDied
	case p.armed && p.left == 0:
		p.dead = true
		if p.after {
			_ = do() // nothing reads the outcome any more
		}
		return errDied
	case p.armed:
		p.left--
	}
	return do()
}

// mortalRecords is a record.Store that writes through a process.
type mortalRecords struct {
	record.Store
	p *process
}

func (s mortalRecords) ReplaceOrganization(ctx context.Context, o record.Organization, prev int64) error {
	return s.p.write(func() error { return s.Store.ReplaceOrganization(ctx, o, prev) })
}

func (s mortalRecords) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prev int64) error {
	return s.p.write(func() error { return s.Store.ReplaceEvent(ctx, org, e, prev) })
}

func (s mortalRecords) SetEverApproved(ctx context.Context, org record.OrgID, id record.EventID) error {
	return s.p.write(func() error { return s.Store.SetEverApproved(ctx, org, id) })
}

// CountByStatus calls counted once between the count and the decision based on it.
func (s mortalRecords) CountByStatus(ctx context.Context, org record.OrgID, event record.EventID) (map[record.Status]int64, error) {
	counts, err := s.Store.CountByStatus(ctx, org, event)
	if meanwhile := s.p.counted; meanwhile != nil {
		s.p.counted = nil
		meanwhile()
	}
	return counts, err
}

func (s mortalRecords) InsertEventEntry(ctx context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error {
	return s.p.write(func() error { return s.Store.InsertEventEntry(ctx, org, id, e) })
}

func (s mortalRecords) InsertRecord(ctx context.Context, org record.OrgID, r record.Record) (stored record.Record, err error) {
	err = s.p.write(func() error {
		stored, err = s.Store.InsertRecord(ctx, org, r)
		return err
	})
	return stored, err
}

func (s mortalRecords) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prev int64) error {
	return s.p.write(func() error { return s.Store.ReplaceRecord(ctx, org, r, prev) })
}

func (s mortalRecords) InsertEntry(ctx context.Context, org record.OrgID, event record.EventID, id record.ID, e record.Entry) error {
	return s.p.write(func() error { return s.Store.InsertEntry(ctx, org, event, id, e) })
}

func (s mortalRecords) Fence(ctx context.Context, org record.OrgID, sub record.Sub, from, to, epoch int64) error {
	return s.p.write(func() error { return s.Store.Fence(ctx, org, sub, from, to, epoch) })
}

func (s mortalRecords) ClearRecordMarks(ctx context.Context, org record.OrgID, event record.EventID, marked []record.MarkedRecord) error {
	return s.p.write(func() error { return s.Store.ClearRecordMarks(ctx, org, event, marked) })
}

func (s mortalRecords) ClearEventMark(ctx context.Context, org record.OrgID, id record.EventID, mark string) error {
	return s.p.write(func() error { return s.Store.ClearEventMark(ctx, org, id, mark) })
}

func (s mortalRecords) StoreContributions(ctx context.Context, org record.OrgID, all []record.Recalculated) error {
	return s.p.write(func() error { return s.Store.StoreContributions(ctx, org, all) })
}

func (s mortalRecords) PutHeadline(ctx context.Context, org record.OrgID, event record.EventID, h record.Headline) error {
	return s.p.write(func() error { return s.Store.PutHeadline(ctx, org, event, h) })
}

// mortalResults is a resulttree.Store, likewise.
type mortalResults struct {
	resulttree.Store
	p *process
}

func (s mortalResults) PutNode(ctx context.Context, n resulttree.Node, prev int64) error {
	return s.p.write(func() error { return s.Store.PutNode(ctx, n, prev) })
}

func (s mortalResults) InsertChanges(ctx context.Context, c resulttree.NodeChanges) error {
	return s.p.write(func() error { return s.Store.InsertChanges(ctx, c) })
}

func (s mortalResults) PutResult(ctx context.Context, r resulttree.Result, prev int64) error {
	return s.p.write(func() error { return s.Store.PutResult(ctx, r, prev) })
}

func (s mortalResults) InsertRevision(ctx context.Context, r resulttree.Result) error {
	return s.p.write(func() error { return s.Store.InsertRevision(ctx, r) })
}

func (s mortalResults) PutPart(ctx context.Context, org record.OrgID, event record.EventID, name string, data []byte, at time.Time) error {
	return s.p.write(func() error { return s.Store.PutPart(ctx, org, event, name, data, at) })
}

func (s mortalResults) DeletePart(ctx context.Context, org record.OrgID, event record.EventID, name string, before time.Time) error {
	return s.p.write(func() error { return s.Store.DeletePart(ctx, org, event, name, before) })
}
