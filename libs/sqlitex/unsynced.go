package sqlitex

import (
	"context"
	"slices"
)

type unsyncedKey struct{}

// Unsynced returns a context for writes of data that can be recalculated if lost: they are visible when Write
// returns, and durable with the next write without such a context. A power failure before may lose them, the latest
// first, and nothing else; a crash of the process does not.
func Unsynced(ctx context.Context) context.Context {
	return context.WithValue(ctx, unsyncedKey{}, true)
}

func isUnsynced(ctx context.Context) bool {
	unsynced, _ := ctx.Value(unsyncedKey{}).(bool)
	return unsynced
}

// setSync decides whether the next transaction waits for the disk: unless all of its writes may be lost. The engine
// evaluates the setting when it compiles the statement, so it is not one of the prepared ones.
func (w *writer) setSync(ctx context.Context, batch []*write) error {
	unsynced := !slices.ContainsFunc(batch, func(one *write) bool { return !one.unsynced })
	if unsynced == w.unsynced {
		return nil
	}
	setting := "PRAGMA synchronous = FULL"
	if unsynced {
		// In the write-ahead log: writes before its next sync keep their order.
		setting = "PRAGMA synchronous = NORMAL"
	}
	if _, err := w.conn.ExecContext(ctx, setting); err != nil {
		return err
	}
	w.unsynced = unsynced
	return nil
}
