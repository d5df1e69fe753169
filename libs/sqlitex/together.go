package sqlitex

import (
	"context"
	"errors"
)

// errOtherFile is returned for a write into another file than that of Together.
var errOtherFile = errors.New("sqlitex: writes of two files cannot be one transaction")

// together is the writes that a Together gathers.
type together struct {
	db     *DB
	writes []func(context.Context, Tx) error
}

type togetherKey struct{}

// Together combines the writes of fn, made with the context passed to it, into one transaction and one commit. Each
// such call of Write returns nil without having written; the outcome of all is that of Together: nil means that all
// are durable; an error, which is fn's own or that of the first failed write, means that none was written.
//
// So fn must not depend on the outcome of a write, nor read what it wrote, nor write concurrently.
func (db *DB) Together(ctx context.Context, fn func(context.Context) error) error {
	t := &together{db: db}
	if err := fn(context.WithValue(ctx, togetherKey{}, t)); err != nil {
		return err
	}
	if len(t.writes) == 0 {
		return ctx.Err()
	}
	return db.Write(ctx, func(ctx context.Context, tx Tx) error {
		for _, write := range t.writes {
			if err := write(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// gathered reports whether fn was added to the Together of ctx.
func (db *DB) gathered(ctx context.Context, fn func(context.Context, Tx) error) (bool, error) {
	t, ok := ctx.Value(togetherKey{}).(*together)
	switch {
	case !ok:
		return false, nil
	case t.db != db:
		return true, errOtherFile
	}
	t.writes = append(t.writes, fn)
	return true, nil
}
