package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
)

var _ record.Versioned = (*Store)(nil)

// Version implements record.Versioned.
func (s *Store) Version(ctx context.Context) (record.Version, error) {
	v, err := s.db.Version(ctx)
	return record.Version{Epoch: v.Epoch, Number: v.Number}, err
}
