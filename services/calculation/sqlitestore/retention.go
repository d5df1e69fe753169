package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Retention implements resulttree.RetentionStore. It is among the revisions of its
// event, as revision 0.
func (s *Store) Retention(ctx context.Context, org record.OrgID, event record.EventID) (resulttree.Retention, error) {
	r, err := one[resulttree.Retention](s.db.QueryRowContext(ctx,
		`SELECT doc FROM result_revisions WHERE org=? AND event=? AND revision=0`, org, event))
	if errors.Is(err, resulttree.ErrNotFound) {
		err = nil
	}
	return r, err
}

// PutRetention implements resulttree.RetentionStore.
func (s *Store) PutRetention(ctx context.Context, r resulttree.Retention, prevVersion int64) error {
	doc, err := json.Marshal(r)
	if err != nil {
		return sqlitex.Wrap("store retention", err)
	}
	if prevVersion == 0 {
		return s.change(ctx, "store retention", true,
			`INSERT INTO result_revisions (org, event, revision, doc) VALUES (?,?,0,?) ON CONFLICT DO NOTHING`, r.Org, r.Event, string(doc))
	}
	return s.change(ctx, "store retention", true,
		`UPDATE result_revisions SET doc=? WHERE org=? AND event=? AND revision=0 AND json_extract(doc, '$.Version')=?`,
		string(doc), r.Org, r.Event, prevVersion)
}

// ReplaceRevision implements resulttree.RetentionStore.
func (s *Store) ReplaceRevision(ctx context.Context, r resulttree.Result, prevSince int64) error {
	doc, err := json.Marshal(r)
	if err != nil {
		return sqlitex.Wrap("replace revision", err)
	}
	return s.change(ctx, "replace revision", true,
		`UPDATE result_revisions SET doc=? WHERE org=? AND event=? AND revision=? AND coalesce(json_extract(doc, '$.Since'), 0)=?`,
		string(doc), r.Org, r.Event, r.Revision, prevSince)
}

// DeleteRevisions implements resulttree.RetentionStore.
func (s *Store) DeleteRevisions(ctx context.Context, org record.OrgID, event record.EventID, from, to int64) error {
	return s.change(ctx, "delete revisions", false,
		`DELETE FROM result_revisions WHERE org=? AND event=? AND revision BETWEEN ? AND ?`, org, event, max(from, 1), to)
}

// ReplaceChanges implements resulttree.RetentionStore.
func (s *Store) ReplaceChanges(ctx context.Context, c resulttree.NodeChanges) error {
	doc, err := json.Marshal(c)
	if err != nil {
		return sqlitex.Wrap("replace changes", err)
	}
	return s.change(ctx, "replace changes", true,
		`UPDATE result_changes SET doc=? WHERE org=? AND event=? AND level=? AND type=? AND idx=? AND version=?`,
		string(doc), c.Org, c.Event, c.Level, c.Type, c.Index, c.Version)
}

// DeleteChanges implements resulttree.RetentionStore.
func (s *Store) DeleteChanges(ctx context.Context, org record.OrgID, event record.EventID, id resulttree.NodeID, after, to int64) error {
	return s.change(ctx, "delete changes", false,
		`DELETE FROM result_changes WHERE org=? AND event=? AND level=? AND type=? AND idx=? AND version>? AND version<=?`,
		org, event, id.Level, id.Type, id.Index, after, to)
}

// change runs one statement. With must it returns ErrConflict if nothing changed.
func (s *Store) change(ctx context.Context, verb string, must bool, statement string, args ...any) error {
	err := s.db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
		done, err := tx.ExecContext(ctx, statement, args...)
		if err != nil || !must {
			return err
		}
		n, err := done.RowsAffected()
		if err == nil && n == 0 {
			err = resulttree.ErrConflict
		}
		return err
	})
	if err != nil && !errors.Is(err, resulttree.ErrConflict) {
		return sqlitex.Wrap(verb, err)
	}
	return err
}
