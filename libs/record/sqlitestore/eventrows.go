package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// keptRows bounds the bytes of the rows of events that are remembered.
const keptRows = 4 << 20

type eventKey struct {
	org record.OrgID
	id  record.EventID
}

// keptRow is a cached row, and the major version of the file before it was read.
type keptRow struct {
	row     eventRow
	version sqlitex.Version
}

func newEventRows() *lru.Cache[eventKey, keptRow] {
	return lru.NewCosting[eventKey](keptRows, func(k keptRow) int {
		n := 512 + len(k.row.body)
		for _, text := range []*string{k.row.boundary, k.row.governance, k.row.team} {
			if text != nil {
				n += len(*text)
			}
		}
		return n
	})
}

// EventContext implements record.Counting. Every request below an event calls it, and a worker several times: the row
// is read again only after a commit, by this process or another one, other than of writes of records (writeApart).
func (s *Store) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	const verb = "read event context"
	if err := ctx.Err(); err != nil {
		return record.Event{}, wrap(verb, err)
	}
	key := eventKey{org, id}
	// The version is read first: a commit during the read of the row makes the cached row outdated.
	version, versionErr := s.db.MajorVersion(ctx)
	if kept, ok := s.events.Get(key); ok && versionErr == nil && kept.version == version {
		e, err := kept.row.event()
		return e, wrap(verb, err)
	}
	row, err := scanEventRow(s.db.QueryRowContext(ctx,
		`SELECT `+eventColumns+` FROM events WHERE org = ? AND id = ?`, org, id))
	if err != nil {
		return found(verb, record.Event{}, err)
	}
	if versionErr == nil {
		s.events.Put(key, keptRow{row, version})
	}
	e, err := row.event()
	return e, wrap(verb, err)
}
