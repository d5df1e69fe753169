package records

import (
	"context"
	"errors"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/writes"
)

// The outcomes of a write by reference.
const (
	created   = "created"
	updated   = "updated"
	unchanged = writes.Unchanged
	skipped   = writes.Skipped
)

// upsert writes one record by its reference.
type upsert struct {
	writes.Write
	sub     record.Sub
	event   record.Event
	decoded footprint.Decoded
	// ifMatch, if set, reports whether the record is as the caller saw it.
	ifMatch func(record.Record) bool
	// onlyNew rejects updates.
	onlyNew bool
}

// put creates the record, or updates the one that has the reference. Other requests may create,
// update or delete it between the steps: each is conditional, and is decided again if its
// condition fails.
func (u upsert) put(ctx context.Context) (r record.Record, done string, err error) {
	for range editAttempts {
		existing, err := u.Store.RecordByReference(ctx, u.Org, u.sub, u.decoded.ExternalReference)
		if errors.Is(err, record.ErrNotFound) {
			r, done, err = u.create(ctx)
		} else if err == nil {
			r, done, err = u.update(ctx, existing)
		}
		if !errors.Is(err, errMoved) {
			return r, done, err
		}
	}
	return record.Record{}, "", apperr.Overtaken("record")
}

// errMoved means that the reference now belongs to another record or to none.
var errMoved = errors.New("records: the reference has moved")

func (u upsert) create(ctx context.Context) (record.Record, string, error) {
	if u.ifMatch != nil {
		return record.Record{}, "", apperr.New(apperr.PreconditionFailed, "No record has this reference, so the state that you saw no longer exists.")
	}
	r, err := recordOf(record.Key{Event: u.sub.Event, Type: u.sub.Type, ID: record.ID(u.Request.NewID(0))}, u.decoded, u.event)
	if err != nil {
		return record.Record{}, "", err
	}
	r, err = u.Workflow.Insert(ctx, u.Org, r, u.By)
	if apperr.CodeOf(err) == apperr.DuplicateReference {
		err = errMoved
	}
	return r, created, err
}

func (u upsert) update(ctx context.Context, existing record.Record) (record.Record, string, error) {
	if u.onlyNew {
		return record.Record{}, "", apperr.New(apperr.PreconditionFailed, "A record with this reference already exists.").With(record.DuplicateDetail(existing))
	}
	same := len(record.ChangedFields(existing.Fields, u.decoded.Fields)) == 0
	if _, editable := record.NextState(record.Edit, existing.Status); same && !editable {
		// A locked record with the requested fields is not an error.
		if u.ifMatch != nil && !u.ifMatch(existing) {
			return record.Record{}, "", apperr.New(apperr.PreconditionFailed, "The record has changed since you read it. Read it again before you decide.")
		}
		return existing, unchanged, nil
	}
	done := unchanged
	r, err := u.Apply(ctx, record.Request{Key: existing.Key(), Move: record.Edit, IfMatch: u.ifMatch, Change: func(r *record.Record) ([]string, error) {
		if r.Reference != u.decoded.ExternalReference {
			return nil, errMoved
		}
		done = unchanged
		changed := record.ChangedFields(r.Fields, u.decoded.Fields)
		if len(changed) > 0 {
			done = updated
		}
		return changed, r.SetInput(u.decoded, u.event.Context(), u.event.ContextRev)
	}})
	if apperr.CodeOf(err) == apperr.RecordNotFound {
		err = errMoved
	}
	if once := u.Request.Once(); once != "" && r.Last.Once == once {
		done = updated // by an earlier attempt of this request
	}
	return r, done, err
}
