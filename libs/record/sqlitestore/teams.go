package sqlitestore

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// teams stores who sees which event: events without a team are in the index events_open, the members of the others in
// event_members, as long as the event is not deleted.
func teams() sqlitex.Step {
	return sqlitex.Statements(1,
		`ALTER TABLE events ADD COLUMN team TEXT`,
		`CREATE INDEX events_open ON events (org, slot) WHERE deleted = 0 AND team IS NULL`,
		`CREATE TABLE event_members (
			org     TEXT    NOT NULL,
			member  TEXT    NOT NULL,
			slot    INTEGER NOT NULL,
			event   TEXT    NOT NULL,
			reviews INTEGER NOT NULL,
			PRIMARY KEY (org, member, slot)
		) STRICT, WITHOUT ROWID`,
		`CREATE INDEX event_members_event ON event_members (org, event)`,
	)
}

// putTeam stores the team of an event, in the transaction that stores the event.
func putTeam(ctx context.Context, tx sqlitex.Tx, org record.OrgID, e record.Event) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM event_members INDEXED BY event_members_event WHERE org = ? AND event = ?`, org, e.ID); err != nil {
		return err
	}
	if e.Deleted || len(e.Team) == 0 {
		return nil
	}
	team, err := json.Marshal(e.Team)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO event_members (org, member, slot, event, reviews)
		SELECT e.org, json_extract(json_each.value, '$.userId'), e.slot, e.id, json_extract(json_each.value, '$.role') = ?4
		FROM events AS e CROSS JOIN json_each(?3) WHERE e.org = ?1 AND e.id = ?2`,
		org, e.ID, string(team), record.TeamReviewer)
	return err
}

// visible selects the slots of a range whose events a member sees.
const visible = `SELECT slot FROM events INDEXED BY events_open WHERE org = ?1 AND deleted = 0 AND team IS NULL AND slot BETWEEN ?3 AND ?4
	UNION ALL SELECT slot FROM event_members WHERE org = ?1 AND member = ?2 AND slot BETWEEN ?3 AND ?4`

// anyTeams reports whether an event of the organization has a team.
func (s *Store) anyTeams(ctx context.Context, org record.OrgID) (found bool, err error) {
	return found, s.db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM event_members WHERE org = ?)`, org).Scan(&found)
}

// VisibleSpan implements record.TeamPages.
func (s *Store) VisibleSpan(ctx context.Context, org record.OrgID, member string, skip, limit int64) (record.Span, error) {
	const verb = "find page of visible events"
	teams, err := s.anyTeams(ctx, org)
	if err != nil {
		return record.Span{}, wrap(verb, err)
	}
	if !teams {
		return s.EventSpan(ctx, org, skip, limit)
	}
	slots, err := sqlitex.List(ctx, s.db, scanNumber, visible, org, member, 0, int64(math.MaxInt64))
	return record.SpanOf(slots, skip, limit), wrap(verb, err)
}

// VisibleRange implements record.TeamPages.
func (s *Store) VisibleRange(ctx context.Context, org record.OrgID, member string, from, to int64) ([]record.Event, error) {
	events, err := sqlitex.ListUpTo(ctx, s.db, record.RangeBytes, scanEventSize,
		`SELECT `+eventColumns+` FROM events INDEXED BY events_live WHERE org = ?1 AND deleted = 0 AND slot IN (`+visible+`) ORDER BY slot DESC`, org, member, from, to)
	return events, wrap("read visible events", err)
}

// VisibleRevisions implements record.TeamPages.
func (s *Store) VisibleRevisions(ctx context.Context, org record.OrgID, member string, from, to int64) ([]record.Revision, error) {
	revisions, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (r record.Revision, err error) {
		return r, row.Scan(&r.Number, &r.Rev, &r.Event)
	}, `SELECT slot, rev, id FROM events INDEXED BY events_live WHERE org = ?1 AND deleted = 0 AND slot IN (`+visible+`)`, org, member, from, to)
	slices.SortFunc(revisions, func(a, b record.Revision) int { return cmp.Compare(b.Number, a.Number) })
	return revisions, wrap("read revisions of visible events", err)
}

// ReviewQueueOf implements record.ReviewQueue. Of the events that the member reviews
// and those that others do, the shorter list decides which index is read, so that
// who reviews little reads little.
func (s *Store) ReviewQueueOf(ctx context.Context, org record.OrgID, member string, skip, limit int64) ([]record.Record, int64, error) {
	const verb = "read review queue"
	teams, err := s.anyTeams(ctx, org)
	if err != nil {
		return nil, 0, wrap(verb, err)
	}
	if !teams {
		return s.ReviewQueue(ctx, org, "", skip, limit)
	}
	mine, err := sqlitex.List(ctx, s.db, scanEventID, `SELECT id FROM events INDEXED BY events_open WHERE org = ?1 AND deleted = 0 AND team IS NULL
		UNION ALL SELECT event FROM event_members WHERE org = ?1 AND member = ?2 AND reviews = 1`, org, member)
	if err != nil {
		return nil, 0, wrap(verb, err)
	}
	others, err := sqlitex.List(ctx, s.db, scanEventID, `SELECT DISTINCT event FROM event_members WHERE org = ?1
		AND event NOT IN (SELECT event FROM event_members WHERE org = ?1 AND member = ?2 AND reviews = 1)`, org, member)
	if err != nil {
		return nil, 0, wrap(verb, err)
	}
	if len(others) > len(mine) {
		return s.queueIn(ctx, org, mine, skip, limit,
			`SELECT COUNT(*) FROM records INDEXED BY records_queue WHERE org = ?1 AND event IN (SELECT value FROM json_each(?2)) AND `+inQueue,
			`SELECT `+recordColumns+` FROM records INDEXED BY records_queue WHERE org = ?1 AND event IN (SELECT value FROM json_each(?2))
			 AND `+inQueue+` ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4`)
	}
	return s.queueIn(ctx, org, others, skip, limit,
		`SELECT COUNT(*) FROM records INDEXED BY records_queue_all WHERE org = ?1 AND event NOT IN (SELECT value FROM json_each(?2)) AND `+inQueue+ofLiveEvents,
		`SELECT `+recordColumns+` FROM records INDEXED BY records_queue_all WHERE org = ?1 AND event NOT IN (SELECT value FROM json_each(?2))
		 AND `+inQueue+ofLiveEvents+` ORDER BY created_at DESC, id DESC LIMIT ?3 OFFSET ?4`)
}

func scanEventID(row sqlitex.Scanner) (id record.EventID, err error) { return id, row.Scan(&id) }

// queueIn reads a page and the count of a review queue by two statements about the
// same events.
func (s *Store) queueIn(ctx context.Context, org record.OrgID, events []record.EventID, skip, limit int64, count, read string) ([]record.Record, int64, error) {
	ids, err := json.Marshal(events)
	if err != nil {
		return nil, 0, wrap("read review queue", err)
	}
	if events == nil {
		ids = []byte("[]")
	}
	return s.countedPage(ctx, skip, limit, count, read, org, string(ids))
}
