package record

import "context"

// Archive reads what the other interfaces omit, so that all data of a
// tenant can be copied to another store.
type Archive interface {
	// EventsAfter reads up to limit events with slots above after, ascending,
	// deleted ones included.
	EventsAfter(ctx context.Context, org OrgID, after int64, limit int) ([]Event, error)
	// KeysAfter reads up to limit idempotency keys with ids above after, ascending.
	KeysAfter(ctx context.Context, org OrgID, after string, limit int) ([]KeyEntry, error)
	// ImportsAfter reads up to limit imports with ids above after, ascending,
	// finished ones included.
	ImportsAfter(ctx context.Context, org OrgID, after string, limit int) ([]Import, error)
}
