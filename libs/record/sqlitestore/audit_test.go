package sqlitestore_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/recordtest"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

func TestHistoriesAreVerified(t *testing.T) {
	recordtest.RunAudit(t, func(t *testing.T) (record.Store, recordtest.Vandal) {
		db, store := open(t, filepath.Join(t.TempDir(), "audit.db"))
		return store, vandal{db}
	})
}

type vandal struct{ db *sqlitex.DB }

func (v vandal) exec(t *testing.T, statement string, args ...any) {
	t.Helper()
	if err := v.db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		result, err := tx.ExecContext(ctx, statement, args...)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); n != 1 || err != nil {
			t.Errorf("%d rows, %v: %s", n, err, statement)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func (v vandal) SetComment(t *testing.T, id record.ID, rev int64, comment string) {
	v.exec(t, `UPDATE history SET entry = json_set(entry, '$.comment', ?) WHERE record = ? AND rev = ?`, comment, id, rev)
}

func (v vandal) MoveEntry(t *testing.T, id record.ID, rev, to int64) {
	v.exec(t, `UPDATE history SET rev = ?1, entry = json_set(entry, '$.rev', ?1) WHERE record = ?2 AND rev = ?3`, to, id, rev)
}

func (v vandal) Garble(t *testing.T, id record.ID, rev int64) {
	v.exec(t, `UPDATE history SET entry = 'garbled' WHERE record = ? AND rev = ?`, id, rev)
}

func (v vandal) DropEntry(t *testing.T, id record.ID, rev int64) {
	v.exec(t, `DELETE FROM history WHERE record = ? AND rev = ?`, id, rev)
}

func (v vandal) DropRecord(t *testing.T, id record.ID) {
	v.exec(t, `DELETE FROM records WHERE id = ?`, id)
}

func (v vandal) GarbleRecord(t *testing.T, id record.ID) {
	v.exec(t, `UPDATE records SET created_by = 'garbled' WHERE id = ?`, id)
}

func (v vandal) GarbleSupplierFactor(t *testing.T, id string) {
	v.exec(t, `UPDATE supplier_factors SET body = 'garbled' WHERE id = ?`, id)
}

func (v vandal) SetReference(t *testing.T, id record.ID, reference string) {
	v.exec(t, `UPDATE records SET reference = ? WHERE id = ?`, reference, id)
}
