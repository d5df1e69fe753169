package sqlitex

import (
	"context"
	"slices"
)

type unsyncedKey struct{}

// Unsynced returns a context for writes of what is made again where it is lost: they are there
// for everybody when Write returns, and durable with the next write that is not of such a
// context. A power cut before takes them away, the last first, and nothing else with them; the
// death of the process does not.
func Unsynced(ctx context.Context) context.Context {
	return context.WithValue(ctx, unsyncedKey{}, true)
}

func isUnsynced(ctx context.Context) bool {
	unsynced, _ := ctx.Value(unsyncedKey{}).(bool)
	return unsynced
}

// setSync decides whether the next transaction waits until it is on the disk: unless all of
// its writes may be lost. The engine takes the setting when it compiles the statement, so
// that it is not one of those that are prepared once.
func (w *writer) setSync(ctx context.Context, batch []*write) error {
	unsynced := !slices.ContainsFunc(batch, func(one *write) bool { return !one.unsynced })
	if unsynced == w.unsynced {
		return nil
	}
	setting := "PRAGMA synchronous = FULL"
	if unsynced {
		// In the log of writes: what is there before the next sync of it stays in its order.
		setting = "PRAGMA synchronous = NORMAL"
	}
	if _, err := w.conn.ExecContext(ctx, setting); err != nil {
		return err
	}
	w.unsynced = unsynced
	return nil
}
