package record

import (
	"context"
	"errors"
	"fmt"
)

// Batches is the part of a store that InsertAll uses.
type Batches interface {
	InsertRecords(ctx context.Context, org OrgID, sub Sub, records []Record) (stored []Record, refused []error, err error)
	References
}

// InsertAll is Insert for many records of one sub-collection. refused has, at
// the index of each record that was not stored, the reason: DUPLICATE_REFERENCE for the
// client, or ErrDuplicate if its id is taken. err is a failure of the store,
// after which some of them may have been stored.
func (w Workflow) InsertAll(ctx context.Context, into Batches, org OrgID, sub Sub, records []Record, by Actor) (stored []Record, refused []error, err error) {
	if err := w.admit(ctx, org, sub.Event, len(records)); err != nil {
		return nil, nil, err
	}
	prepared := make([]Record, len(records))
	for i, r := range records {
		r.Event, r.Type = sub.Event, sub.Type
		prepared[i] = w.created(org, r, by)
	}
	stored, refused, err = into.InsertRecords(ctx, org, sub, prepared)
	if err != nil {
		return nil, nil, fmt.Errorf("insert records: %w", err)
	}
	for i, refusal := range refused {
		if errors.Is(refusal, ErrDuplicateReference) {
			refused[i] = duplicateReference(ctx, into, org, prepared[i])
		}
	}
	return stored, refused, nil
}
