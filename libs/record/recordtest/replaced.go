package recordtest

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
)

// Replaced is a store that calls After for each record that it has replaced.
type Replaced struct {
	record.Store

	After func()
}

// ReplaceRecord implements record.Store.
func (s Replaced) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	err := s.Store.ReplaceRecord(ctx, org, r, prevRev)
	if err == nil {
		s.After()
	}
	return err
}
