package e2e

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
)

// sleeping is the store of a process that is suspended right before its first write of
// an event or record.
type sleeping struct {
	record.Store
	asleep, wake chan struct{}
}

func (s *sleeping) sleep() {
	select {
	case <-s.asleep:
	default:
		close(s.asleep)
	}
	<-s.wake
}

func (s *sleeping) InsertEvent(ctx context.Context, org record.OrgID, e record.Event, quota int64) (record.Event, error) {
	s.sleep()
	return s.Store.InsertEvent(ctx, org, e, quota)
}

func (s *sleeping) InsertSupplierFactor(ctx context.Context, org record.OrgID, f record.SupplierFactor) error {
	s.sleep()
	return s.Store.InsertSupplierFactor(ctx, org, f)
}

func (s *sleeping) InsertRecord(ctx context.Context, org record.OrgID, r record.Record) (record.Record, error) {
	s.sleep()
	return s.Store.InsertRecord(ctx, org, r)
}

func (s *sleeping) InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, all []record.Record) ([]record.Record, []error, error) {
	s.sleep()
	return s.Store.InsertRecords(ctx, org, sub, all)
}

func (s *sleeping) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	s.sleep()
	return s.Store.ReplaceRecord(ctx, org, r, prevRev)
}
