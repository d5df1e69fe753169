package mongostore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
)

// SetSweepBatch reduces the batch size, so that a sweep of few documents has several.
func (s *Store) SetSweepBatch(n int) { s.sweepBatch = n }

// InsertNumbered stores a record under a number of the test's choice.
func (s *Store) InsertNumbered(ctx context.Context, org record.OrgID, r record.Record, number int64) error {
	d := newRecordDoc(org, r.Key().Sub(), r)
	d.Seq = number
	_, err := insert(ctx, s.records, d)
	return err
}
