package record

import (
	"context"
	"time"
)

// FactorPack is a factor set that an operator has added. It belongs to no
// organization, and it never changes.
type FactorPack struct {
	// ID is that of the set: "desnz-2027-v1".
	ID string
	// Checksum is the SHA-256 of the pack without its signature.
	Checksum string
	AddedAt  time.Time
	// Document is the pack.
	Document []byte
}

// FactorPacks are the factor sets that operators have added.
type FactorPacks interface {
	// InsertFactorPack stores a pack; ErrDuplicate if its id is taken, whatever the
	// content.
	InsertFactorPack(ctx context.Context, p FactorPack) error
	// FactorPack reads a pack; ErrNotFound.
	FactorPack(ctx context.Context, id string) (FactorPack, error)
	// FactorPackIDs reads the ids of all packs, latest first, those added at the same time by id.
	FactorPackIDs(ctx context.Context) ([]string, error)
}
