package record

import (
	"context"
	"time"
)

// KeyEntry is one idempotency key as the engines keep it: what was asked under
// it, who is at work on it, and the first answer once that is final. What it
// means is decided in libs/idempotency.
type KeyEntry struct {
	// ID is a hash of organization, user, method, path and key.
	ID string
	// Digest is a hash of the request: a request with the same key and another digest is rejected.
	Digest string
	// Seed is random. The ids of what the request creates, and its name in histories, are derived from it, so they
	// are known before any work.
	Seed string
	// Lease changes with every write of the entry, and each write is conditional on it. The last writer is at work
	// until LeaseUntil.
	Lease      string
	LeaseUntil time.Time
	// Answer is set once the first answer is final.
	Answer *KeyAnswer
	// ExpiresAt is when the key is forgotten.
	ExpiresAt time.Time
}

// KeyAnswer is an answer to be given again.
type KeyAnswer struct {
	Status int
	// ETag and Location are those header fields, empty for none.
	ETag     string
	Location string
	Body     []byte
	// Note is the response's note for the audit log (see audit.Hold), empty for none: the log may not have been
	// written with the first response.
	Note string
}

// Keys are the idempotency keys of a tenant.
type Keys interface {
	// InsertKey stores e unless an entry with its id exists: then it returns that entry and false.
	InsertKey(ctx context.Context, org OrgID, e KeyEntry) (stored KeyEntry, inserted bool, err error)
	// ReplaceKey stores e if the stored entry's Lease is lease, and reports whether it was.
	ReplaceKey(ctx context.Context, org OrgID, e KeyEntry, lease string) (bool, error)
	// DeleteKey removes the entry if its Lease is lease. It succeeds if the entry is gone or has another lease.
	DeleteKey(ctx context.Context, org OrgID, id, lease string) error
	// DropExpiredKeys removes up to limit expired entries, to free space only: expired entries are ignored.
	DropExpiredKeys(ctx context.Context, org OrgID, now time.Time, limit int) error
}
