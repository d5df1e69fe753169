package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// Version identifies what is stored: as long as it stays the same, everything
// that is read stays the same.
func (s *Store) Version(ctx context.Context) (sqlitex.Version, error) { return s.db.Version(ctx) }
