package sqlitex

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
)

func TestTogetherIsOneCommit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db := openAt(t, path)
	before, asked := commits(t, path), db.Traffic().Writes
	err := db.Together(t.Context(), func(ctx context.Context) error {
		err := errors.Join(db.Write(ctx, put("a")), db.Write(ctx, put("b")), db.Write(ctx, put("c")))
		if got := rows(t, db); got != 0 {
			t.Errorf("%d rows are seen before the others", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(t, db); got != 3 {
		t.Errorf("%d rows, want 3", got)
	}
	if got := commits(t, path) - before; got != 1 {
		t.Errorf("%d commits, want 1", got)
	}
	if got := db.Traffic().Writes - asked; got != 1 {
		t.Errorf("%d writes are counted, want 1", got)
	}
	mustWrite(t, db, put("d")) // not a part of what has ended
}

func TestTogetherIsAllOrNothing(t *testing.T) {
	t.Parallel()
	db, other := openNew(t), openNew(t)
	mustWrite(t, db, put("taken"))
	failure := errors.New("refused")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		fn   func(ctx context.Context) error
		want func(error) bool
	}{
		"a write fails": {t.Context(), func(ctx context.Context) error {
			return errors.Join(db.Write(ctx, put("a")), db.Write(ctx, put("taken")), db.Write(ctx, put("b")))
		}, IsDuplicate},
		"who writes fails": {t.Context(), func(ctx context.Context) error {
			return errors.Join(db.Write(ctx, put("a")), failure)
		}, func(err error) bool { return errors.Is(err, failure) }},
		"another file": {t.Context(), func(ctx context.Context) error {
			return errors.Join(db.Write(ctx, put("a")), other.Write(ctx, put("a")))
		}, func(err error) bool { return errors.Is(err, errOtherFile) }},
		"cancelled": {cancelled, func(ctx context.Context) error {
			return db.Write(ctx, put("a"))
		}, func(err error) bool { return errors.Is(err, context.Canceled) }},
		"cancelled with nothing to write": {cancelled, func(context.Context) error { return nil },
			func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		if err := db.Together(c.ctx, c.fn); !c.want(err) {
			t.Errorf("%s: got error %v", name, err)
		}
		if got := rows(t, db) + rows(t, other); got != 1 {
			t.Errorf("%s: %d rows, want the one there was", name, got)
		}
	}
	if err := db.Together(t.Context(), func(context.Context) error { return nil }); err != nil {
		t.Error(err)
	}
}
