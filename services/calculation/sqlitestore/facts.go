package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// facts is version 3: the data of segments for cross-record checks. It is derived, so a file begins without any.
func facts() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE IF NOT EXISTS result_facts (
			org TEXT NOT NULL, event TEXT NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL, facts BLOB NOT NULL,
			PRIMARY KEY (org, event, type, idx)) WITHOUT ROWID`,
	)
}

// putFacts stores the facts of a segment.
func putFacts(ctx context.Context, tx sqlitex.Tx, n resulttree.Node) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO result_facts (org, event, type, idx, facts) VALUES (?,?,?,?,?) ON CONFLICT DO UPDATE SET facts=excluded.facts`,
		n.Org, n.Event, n.Type, n.Index, n.Facts)
	return err
}

// Facts implements resulttree.Store.
func (s *Store) Facts(ctx context.Context, org record.OrgID, event record.EventID, typ string, from, to int64) ([]resulttree.NodeFacts, error) {
	query, args := `SELECT type, idx, facts FROM result_facts WHERE org=? AND event=?`, []any{org, event}
	if typ != "" {
		query, args = query+` AND type=?`, append(args, typ)
	}
	all, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (f resulttree.NodeFacts, err error) {
		err = row.Scan(&f.Type, &f.Index, &f.Facts)
		return f, err
	}, query+` AND idx BETWEEN ? AND ? ORDER BY type, idx`, append(args, from, to)...)
	return all, sqlitex.Wrap("read facts", err)
}

// KeepFacts implements resulttree.Store.
func (s *Store) KeepFacts(ctx context.Context, org record.OrgID, event record.EventID, f resulttree.NodeFacts, version int64) error {
	return s.change(ctx, "keep facts", false,
		`INSERT INTO result_facts (org, event, type, idx, facts)
			SELECT org, event, type, idx, ? FROM result_nodes WHERE org=? AND event=? AND level=0 AND type=? AND idx=? AND version=?
		 ON CONFLICT DO UPDATE SET facts=excluded.facts`, f.Facts, org, event, f.Type, f.Index, version)
}
