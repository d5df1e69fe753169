// Package sqlitestore stores results in the embedded engine.
package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Schema returns the statements that prepare a database; they may be repeated.
func Schema() []sqlitex.Component {
	return []sqlitex.Component{{Name: "results", Steps: []sqlitex.Step{baseline(), parts(), facts(), byKey(), revisionsByKey()}}}
}

// baseline is version 1: the layout that predates stored versions. Every statement does nothing if its object exists.
func baseline() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE TABLE IF NOT EXISTS result_nodes (
			org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL,
			version INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event, level, type, idx)) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS result_node_details (
			org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL, detail TEXT NOT NULL,
			PRIMARY KEY (org, event, level, type, idx)) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS result_changes (
			org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL,
			version INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event, level, type, idx, version)) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS results (
			org TEXT NOT NULL, event TEXT NOT NULL, version INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event)) WITHOUT ROWID`,
		`CREATE TABLE IF NOT EXISTS result_revisions (
			org TEXT NOT NULL, event TEXT NOT NULL, revision INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event, revision)) WITHOUT ROWID`,
	)
}

// Store is a resulttree.Store on SQLite.
type Store struct{ db *sqlitex.DB }

var _ resulttree.Store = (*Store)(nil)

// New makes a store on a database that was opened with Schema.
func New(db *sqlitex.DB) *Store { return &Store{db: db} }

// Together implements resulttree.Store: one transaction.
func (s *Store) Together(ctx context.Context, fn func(ctx context.Context) error) error {
	err := s.db.Together(ctx, fn)
	if err != nil && !errors.Is(err, resulttree.ErrConflict) {
		return sqlitex.Wrap("store results", err)
	}
	return err
}

// Node implements resulttree.Store. A node and its detail are written together
// and read in one statement, so they are of one version. The statement is no join: one that
// compares parameters is compiled again with each run, for they may make another plan.
func (s *Store) Node(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID) (resulttree.Node, error) {
	var n resulttree.Node
	var doc, detail []byte
	err := s.db.QueryRowContext(ctx,
		`SELECT doc, (SELECT detail FROM result_node_details d
			WHERE d.org=n.org AND d.event=n.event AND d.level=n.level AND d.type=n.type AND d.idx=n.idx)
		 FROM result_nodes n WHERE org=? AND event=? AND level=? AND type=? AND idx=?`, org, event, id.Level, id.Type, id.Index).Scan(&doc, &detail)
	if errors.Is(err, sql.ErrNoRows) {
		return n, resulttree.ErrNotFound
	}
	if err == nil {
		err = json.Unmarshal(doc, &n)
	}
	if err == nil && detail != nil {
		n.Detail, err = resulttree.DecodeDetail(detail)
	}
	if err != nil {
		return n, sqlitex.Wrap("read node", err)
	}
	return n, nil
}

// PutNode implements resulttree.Store.
func (s *Store) PutNode(ctx context.Context, n resulttree.Node, prevVersion int64) error {
	detail, err := resulttree.EncodeDetail(n.Detail)
	if err != nil {
		return sqlitex.Wrap("store node", err)
	}
	return s.put(ctx, n, prevVersion,
		`INSERT INTO result_nodes (version, doc, org, event, level, type, idx) VALUES (?,?,?,?,?,?,?)`,
		`UPDATE result_nodes SET version=?, doc=? WHERE org=? AND event=? AND level=? AND type=? AND idx=? AND version=?`,
		func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx,
				`INSERT INTO result_node_details (org, event, level, type, idx, detail) VALUES (?,?,?,?,?,?)
				 ON CONFLICT DO UPDATE SET detail=excluded.detail`,
				n.Org, n.Event, n.Level, n.Type, n.Index, string(detail))
			if err == nil && n.Facts != nil {
				err = putFacts(ctx, tx, n)
			}
			return err
		},
		n.Version, n.Org, n.Event, n.Level, n.Type, n.Index)
}

// InsertChanges implements resulttree.Store.
func (s *Store) InsertChanges(ctx context.Context, c resulttree.NodeChanges) error {
	doc, err := json.Marshal(c)
	if err != nil {
		return sqlitex.Wrap("keep changes", err)
	}
	return s.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO result_changes (org, event, level, type, idx, version, doc) VALUES (?,?,?,?,?,?,?) ON CONFLICT DO NOTHING`,
			c.Org, c.Event, c.Level, c.Type, c.Index, c.Version, string(doc))
		return err
	})
}

// Changes implements resulttree.Store.
func (s *Store) Changes(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID, after, to int64) ([]resulttree.NodeChanges, error) {
	return many[resulttree.NodeChanges](ctx, s.db,
		`SELECT doc FROM result_changes WHERE org=? AND event=? AND level=? AND type=? AND idx=? AND version>? AND version<=? ORDER BY version`,
		org, event, id.Level, id.Type, id.Index, after, to)
}

// Nodes implements resulttree.Store.
func (s *Store) Nodes(ctx context.Context, org record.OrgID, event record.EventID, typ string, level int, from, to int64) ([]resulttree.Node, error) {
	query, args := `SELECT doc FROM result_nodes WHERE org=? AND event=? AND level=?`, []any{org, event, level}
	if typ != "" {
		query, args = query+` AND type=?`, append(args, typ)
	}
	return many[resulttree.Node](ctx, s.db, query+` AND idx BETWEEN ? AND ? ORDER BY type, idx`, append(args, from, to)...)
}

// Result implements resulttree.Store.
func (s *Store) Result(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Result, error) {
	return one[resulttree.Result](s.db.QueryRowContext(ctx,
		`SELECT doc FROM results WHERE org=? AND event=?`, org, event))
}

// PutResult implements resulttree.Store.
func (s *Store) PutResult(ctx context.Context, r resulttree.Result, prevVersion int64) error {
	return s.put(ctx, r, prevVersion,
		`INSERT INTO results (version, doc, org, event) VALUES (?,?,?,?)`,
		`UPDATE results SET version=?, doc=? WHERE org=? AND event=? AND version=?`, nil,
		r.Version, r.Org, r.Event)
}

// InsertRevision implements resulttree.Store.
func (s *Store) InsertRevision(ctx context.Context, r resulttree.Result) error {
	doc, err := json.Marshal(r)
	if err != nil {
		return sqlitex.Wrap("keep revision", err)
	}
	return s.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO result_revisions (org, event, revision, doc) VALUES (?,?,?,?) ON CONFLICT DO NOTHING`,
			r.Org, r.Event, r.Revision, string(doc))
		return err
	})
}

// Revisions implements resulttree.Store.
func (s *Store) Revisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) ([]resulttree.Result, error) {
	return many[resulttree.Result](ctx, s.db,
		`SELECT doc FROM result_revisions WHERE org=? AND event=? AND revision BETWEEN ? AND ? ORDER BY revision DESC`, org, event, max(from, 1), to)
}

// put inserts (prevVersion 0) or replaces one document under its version, and runs beside in the same transaction.
// The statements take version and doc first, then the key.
func (s *Store) put(ctx context.Context, doc any, prevVersion int64, insert, update string, beside func(context.Context, sqlitex.Tx) error, version int64, key ...any) error {
	text, err := json.Marshal(doc)
	if err != nil {
		return sqlitex.Wrap("store result", err)
	}
	args := append([]any{version, string(text)}, key...)
	err = s.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		if prevVersion == 0 {
			if _, err := tx.ExecContext(ctx, insert, args...); sqlitex.IsDuplicate(err) {
				return resulttree.ErrConflict
			} else if err != nil {
				return err
			}
		} else {
			done, err := tx.ExecContext(ctx, update, append(args, prevVersion)...)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			if n != 1 {
				return resulttree.ErrConflict
			}
		}
		if beside == nil {
			return nil
		}
		return beside(ctx, tx)
	})
	if err != nil && !errors.Is(err, resulttree.ErrConflict) {
		return sqlitex.Wrap("store result", err)
	}
	return err
}

func one[T any](row *sql.Row) (T, error) {
	var doc T
	var text string
	err := row.Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return doc, resulttree.ErrNotFound
	}
	if err == nil {
		err = record.Damaged(json.Unmarshal([]byte(text), &doc))
	}
	if err != nil {
		return doc, sqlitex.Wrap("read result", err)
	}
	return doc, nil
}

// many reads the documents of a query.
func many[T any](ctx context.Context, db *sqlitex.DB, query string, args ...any) ([]T, error) {
	docs, err := sqlitex.List(ctx, db, func(row sqlitex.Scanner) (doc T, err error) {
		var text string
		if err = row.Scan(&text); err == nil {
			err = record.Damaged(json.Unmarshal([]byte(text), &doc))
		}
		return doc, err
	}, query, args...)
	return docs, sqlitex.Wrap("read results", err)
}
