package sqlitestore

import (
	"context"
	"encoding/json"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// policies are the older states of the policy of each organization.
func policies() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE policies (
			org  TEXT    NOT NULL,
			rev  INTEGER NOT NULL,
			body TEXT    NOT NULL,
			PRIMARY KEY (org, rev)
		) STRICT, WITHOUT ROWID`,
	)
}

// InsertPolicies implements record.Policies.
func (s *Store) InsertPolicies(ctx context.Context, org record.OrgID, states []record.PolicyEntry) error {
	bodies := make([]string, len(states))
	for i, e := range states {
		body, err := json.Marshal(e)
		if err != nil {
			return wrap("insert policies", err)
		}
		bodies[i] = string(body)
	}
	return s.write(ctx, "insert policies", func(ctx context.Context, tx sqlitex.Tx) error {
		for from := 0; from < len(states); from += sqlitex.MostRows {
			part := states[from:min(from+sqlitex.MostRows, len(states))]
			rows := sqlitex.NewRows(3, len(part))
			for i, e := range part {
				rows.Add(org, e.Rev, bodies[from+i])
			}
			if _, err := rows.Exec(ctx, tx, `INSERT INTO policies (org, rev, body)
				SELECT * FROM (VALUES (?, ?, ?)) WHERE column1 IS NOT NULL ON CONFLICT DO NOTHING`); err != nil {
				return err
			}
		}
		return nil
	})
}

// PoliciesAfter implements record.Policies.
func (s *Store) PoliciesAfter(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.PolicyEntry, error) {
	all, err := sqlitex.List(ctx, s.db, scanJSON[record.PolicyEntry],
		`SELECT body FROM policies WHERE org = ? AND rev > ? ORDER BY rev LIMIT ?`, org, after, max(limit, 0))
	return all, wrap("read policies", err)
}
