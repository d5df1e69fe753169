package sqlitestore

import (
	"context"
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// CountByStatus implements record.ReviewQueue. The counts are kept by triggers.
func (s *Store) CountByStatus(ctx context.Context, org record.OrgID, event record.EventID) (map[record.Status]int64, error) {
	counts, err := s.countsOf(ctx, org, []record.EventID{event})
	return counts[event], wrap("count records", err)
}

// countsOf reads the counts of events; events without counts are missing.
func (s *Store) countsOf(ctx context.Context, org record.OrgID, events []record.EventID) (map[record.EventID]map[record.Status]int64, error) {
	type count struct {
		event  record.EventID
		status record.Status
		n      int64
	}
	ids, err := json.Marshal(events)
	if err != nil {
		return nil, err
	}
	counts, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (c count, err error) {
		return c, row.Scan(&c.event, &c.status, &c.n)
	}, `SELECT c.event, c.status, c.n FROM json_each(?2) CROSS JOIN record_counts AS c
		WHERE c.org = ?1 AND c.event = json_each.value AND c.n > 0`, org, string(ids))
	all := make(map[record.EventID]map[record.Status]int64, len(events))
	for _, c := range counts {
		if all[c.event] == nil {
			all[c.event] = map[record.Status]int64{}
		}
		all[c.event][c.status] = c.n
	}
	return all, err
}

// Summaries implements record.Summaries. Each of its three readings costs a few
// rows for each event.
func (s *Store) Summaries(ctx context.Context, org record.OrgID, events []record.EventID) (map[record.EventID]record.Summary, error) {
	const verb = "read summaries of events"
	if len(events) == 0 {
		return map[record.EventID]record.Summary{}, ctx.Err()
	}
	ids, err := json.Marshal(events)
	if err != nil {
		return nil, wrap(verb, err)
	}
	type state struct {
		event    record.EventID
		mark     string
		headline *string
	}
	marked, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (e record.EventID, err error) {
		return e, row.Scan(&e)
	}, `SELECT json_each.value FROM json_each(?2)
		WHERE EXISTS (SELECT 1 FROM records INDEXED BY records_marked WHERE org = ?1 AND event = json_each.value AND mark <> '')`, org, string(ids))
	if err != nil {
		return nil, wrap(verb, err)
	}
	states, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (e state, err error) {
		return e, row.Scan(&e.event, &e.mark, &e.headline)
	}, `SELECT e.id, e.mark, e.headline FROM json_each(?2) CROSS JOIN events AS e
		WHERE e.org = ?1 AND e.id = json_each.value`, org, string(ids))
	if err != nil {
		return nil, wrap(verb, err)
	}
	counts, err := s.countsOf(ctx, org, events)
	if err != nil {
		return nil, wrap(verb, err)
	}
	all := make(map[record.EventID]record.Summary, len(events))
	for _, e := range states {
		summary := record.Summary{Counts: record.CountsOf(counts[e.event]), Due: e.mark != ""}
		if e.headline != nil {
			if err := json.Unmarshal([]byte(*e.headline), &summary.Headline); err != nil {
				return nil, wrap(verb, record.Damaged(err))
			}
		}
		all[e.event] = summary
	}
	for _, event := range marked {
		if summary, ok := all[event]; ok {
			summary.Due = true
			all[event] = summary
		}
	}
	return all, nil
}

// PutHeadline implements record.Summaries.
func (s *Store) PutHeadline(ctx context.Context, org record.OrgID, event record.EventID, h record.Headline) error {
	text, err := json.Marshal(h)
	if err != nil {
		return wrap("store headline", err)
	}
	return s.write(ctx, "store headline", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`UPDATE events SET headline = ? WHERE org = ? AND id = ? AND COALESCE(json_extract(headline, '$.version'), 0) < ?`,
			string(text), org, event, h.Version)
		return err
	})
}
