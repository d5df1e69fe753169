package records

import (
	"context"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/writes"
)

// What became of a record that was sent under a reference.
const (
	created   = "created"
	updated   = "updated"
	unchanged = "unchanged"
	skipped   = "skipped"
)

// upsert writes one record under its reference.
type upsert struct {
	writes.Write
	sub     record.Sub
	event   record.Event
	decoded footprint.Decoded
	// ifMatch, when set, asks for a record that is as the caller saw it.
	ifMatch func(record.Record) bool
	// onlyNew refuses to update.
	onlyNew bool
}

// put creates the record, or gives the one that has the reference the fields that
// were sent. Creating, updating and deleting may come between its steps: each is
// on a condition, and what no longer holds is decided anew.
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
	return record.Record{}, "", &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "Many changes are being made to this record at once. Please try again."}
}

// errMoved: the reference belongs to another record than it did, or to none.
var errMoved = errors.New("records: the reference has moved")

func (u upsert) create(ctx context.Context) (record.Record, string, error) {
	if u.ifMatch != nil {
		return record.Record{}, "", apperr.New(apperr.PreconditionFailed, "No record has this reference, so none is as you saw it.")
	}
	r := record.Record{ID: record.ID(u.Request.NewID(0)), Event: u.sub.Event, Type: u.sub.Type}
	r, err := inputOf(r, u.decoded, u.event)
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
		return record.Record{}, "", apperr.New(apperr.PreconditionFailed, "A record has this reference already.").With(record.DuplicateDetail(existing))
	}
	same := len(changedFields(existing.Fields, u.decoded.Fields)) == 0
	if _, editable := record.NextState(record.Edit, existing.Status); same && !editable {
		// What is locked stays as it is, and that is what was asked for.
		if u.ifMatch != nil && !u.ifMatch(existing) {
			return record.Record{}, "", apperr.New(apperr.PreconditionFailed, "The record has changed since you read it. Read it again and decide anew.")
		}
		return existing, unchanged, nil
	}
	done := unchanged
	r, err := u.Apply(ctx, record.Request{Key: existing.Key(), Move: record.Edit, IfMatch: u.ifMatch, Change: func(r *record.Record) ([]string, error) {
		if r.Reference != u.decoded.ExternalReference {
			return nil, errMoved
		}
		done = unchanged
		changed := changedFields(r.Fields, u.decoded.Fields)
		if len(changed) > 0 {
			done = updated
		}
		return changed, fill(r, u.decoded, u.event.Context(), u.event.ContextRev)
	}})
	if apperr.CodeOf(err) == apperr.RecordNotFound {
		err = errMoved
	}
	if once := u.Request.Once(); once != "" && r.Last.Once == once {
		done = updated // by an earlier attempt of this request
	}
	return r, done, err
}
