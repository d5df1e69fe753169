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
	// Digest is a hash of what was asked: the same key with another is refused.
	Digest string
	// Seed is random. The ids of what the request creates, and the name it leaves
	// in histories, are made of it, so that they are known before any work.
	Seed string
	// Lease changes with every write of the entry; each write is on the condition
	// that it is still the one read. Who has written it last is at work until
	// LeaseUntil.
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
	// ETag and Location are those fields of its header, empty for none.
	ETag     string
	Location string
	Body     []byte
	// Note is what the answer says for the audit log (see audit.Hold), empty for nothing:
	// the log may not have been written when it was given first.
	Note string
}

// Keys are the idempotency keys of a tenant.
type Keys interface {
	// InsertKey stores e unless there is an entry under its id: then it gives
	// that one and false.
	InsertKey(ctx context.Context, org OrgID, e KeyEntry) (stored KeyEntry, inserted bool, err error)
	// ReplaceKey stores e where the stored entry's Lease is lease, and says
	// whether it was.
	ReplaceKey(ctx context.Context, org OrgID, e KeyEntry, lease string) (bool, error)
	// DeleteKey removes the entry where its Lease is lease. That it is gone or
	// another's by now is no error.
	DeleteKey(ctx context.Context, org OrgID, id, lease string) error
	// DropExpiredKeys removes up to limit entries that have expired by now. It
	// only tidies up: nobody relies on an entry's end.
	DropExpiredKeys(ctx context.Context, org OrgID, now time.Time, limit int) error
}
