package records

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// concurrentImportRows is the number of records of an import that are moved concurrently.
const concurrentImportRows = 16

// The outcomes of a move of all records of an import, for one of them.
const (
	removed = "removed"
	kept    = "kept"
	refused = "refused"
	moved   = "moved"
)

// importOutcome is the outcome for one record of an import.
type importOutcome struct {
	ID        record.ID      `json:"_id"`
	Type      string         `json:"type"`
	Reference string         `json:"externalReference,omitempty"`
	Status    record.Status  `json:"status"`
	Outcome   string         `json:"outcome"`
	Error     *web.ErrorBody `json:"error,omitempty"`
}

// finishedImport reads the import of the path, which must have finished.
func (s *server) finishedImport(c *fiber.Ctx) (record.Import, error) {
	i, err := s.importOf(c)
	if err != nil {
		return i, err
	}
	if !i.Finished() {
		return i, apperr.New(apperr.InvalidTransition, "The import is still running. Wait until it is completed or failed.").
			With(apperr.Detail{Field: "status", Code: string(viewOf(i).Status), Message: "The import is " + string(viewOf(i).Status) + "."})
	}
	return i, nil
}

// eachOf calls do, some calls concurrently, for every existing record that an import created,
// and returns the outcomes in file order. A record for which it panics gets INTERNAL; the
// others continue. None follows once the caller may no longer do the operation: an import has
// so many records that the caller's rights can end before it does.
func (s *server) eachOf(c *fiber.Ctx, operation string, i record.Import, do func(ctx context.Context, r record.Record) (importOutcome, error)) ([]importOutcome, error) {
	ctx := c.UserContext()
	still, err := teams.Revalidate(c, s.Verifier, s.Store, s.now, operation)
	if err != nil {
		return nil, err
	}
	outcomes, errs := make([]importOutcome, i.Done), make([]error, i.Done)
	places := make(chan struct{}, concurrentImportRows)
	var group sync.WaitGroup
	for n := range i.Done {
		places <- struct{}{}
		if err = errors.Join(ctx.Err(), still(ctx)); err != nil {
			break
		}
		group.Go(func() {
			defer func() { <-places }()
			var r record.Record
			err := imports.Recovered(func() (err error) {
				if r, err = s.Store.FindRecord(ctx, i.Org, i.Event, imports.RecordID(i, n+1)); err == nil {
					outcomes[n], err = do(ctx, r)
				}
				return err
			})
			if errors.Is(err, record.ErrNotFound) {
				return
			}
			if p, ok := errors.AsType[*imports.Panic](err); ok {
				s.Logger.LogAttrs(ctx, slog.LevelError, "a move panicked", slog.String("record", string(imports.RecordID(i, n+1))),
					slog.String("request_id", web.RequestID(c)), slog.String("error", p.Error()), slog.String("stack", p.Stack))
				if r.ID != "" { // otherwise it cannot be read, and has no outcome
					body := web.ErrorOf(c, err)
					outcomes[n] = outcomeOf(r, refused)
					outcomes[n].Error, err = &body, nil
				}
			}
			errs[n] = err
		})
	}
	group.Wait()
	if err := errors.Join(err, errors.Join(errs...)); err != nil {
		return nil, err
	}
	all := make([]importOutcome, 0, len(outcomes))
	for _, o := range outcomes {
		if o.ID != "" {
			all = append(all, o)
		}
	}
	return all, nil
}

func outcomeOf(r record.Record, outcome string) importOutcome {
	return importOutcome{ID: r.ID, Type: r.Type, Reference: r.Reference, Status: r.Status, Outcome: outcome}
}

// moveOne moves one record. An internal error ends the whole request.
func moveOne(c *fiber.Ctx, w writes.Write, r record.Record, request record.Request) (importOutcome, error) {
	request.Key = r.Key()
	after, err := w.Apply(c.UserContext(), request)
	if err == nil {
		return outcomeOf(after, moved), nil
	}
	if _, status := web.Translate(err); status >= http.StatusInternalServerError {
		return importOutcome{}, err
	}
	body := web.ErrorOf(c, err)
	o := outcomeOf(r, refused)
	o.Error = &body
	return o, nil
}

func count(all []importOutcome, outcome string) (n int64) {
	for _, o := range all {
		if o.Outcome == outcome {
			n++
		}
	}
	return n
}

// undoImport deletes the records that an import created and nobody has changed since. Changed
// or submitted ones are kept, approved ones are errors; the response names each. If repeated,
// it continues where an interrupted attempt has stopped.
func (s *server) undoImport(c *fiber.Ctx) error {
	w, i, err := s.importMove(c)
	if err != nil {
		return err
	}
	if w.By.Role < identity.Manager && w.By.ID != i.By.ID {
		return apperr.New(apperr.Forbidden, "Only the person who imported the file, or a manager, may do this.")
	}
	if _, err := s.writableEvent(c); err != nil {
		return err
	}
	var mu sync.Mutex
	var deleted []record.ID
	all, err := s.eachOf(c, "undoImport", i, func(_ context.Context, r record.Record) (importOutcome, error) {
		switch {
		case r.Status == record.Approved:
			return outcomeOf(r, refused), nil
		case r.Rev != 1:
			return outcomeOf(r, kept), nil
		}
		o, err := moveOne(c, w, r, record.Request{Move: record.Delete, IfMatch: func(r record.Record) bool { return r.Rev == 1 }})
		switch {
		case err != nil:
			return o, err
		case o.Outcome == moved:
			o.Outcome = removed
			mu.Lock()
			deleted = append(deleted, r.ID)
			mu.Unlock()
		default: // a concurrent request was faster
			o.Outcome, o.Error = kept, nil
		}
		return o, nil
	})
	if !w.Rehearsal {
		// Even after a failure midway: those are deleted, and no repetition finds them.
		err = errors.Join(err, s.auditUndo(c, i, deleted, err != nil))
	}
	if err != nil {
		return err
	}
	gone := count(all, removed)
	if !w.Rehearsal {
		if i, err = s.markUndone(c.UserContext(), i, w.By, gone, int64(len(all))-gone); err != nil {
			return err
		}
	}
	if gone == 0 {
		idempotency.NothingDone(c)
	}
	return web.OK(c, fiber.Map{
		"import": viewOf(i), "removed": gone, "kept": count(all, kept), "refused": count(all, refused), "updatedBefore": i.Updated, "items": all,
	})
}

// importMove begins a move of all records of an import.
func (s *server) importMove(c *fiber.Ctx) (writes.Write, record.Import, error) {
	r, err := web.Fields(c)
	if r == nil {
		return writes.Write{}, record.Import{}, err
	}
	if err := web.Finish(c, r); err != nil {
		return writes.Write{}, record.Import{}, err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return w, record.Import{}, err
	}
	i, err := s.finishedImport(c)
	return w, i, err
}

// markUndone stores in an import that it was undone, and how many records are gone and left.
func (s *server) markUndone(ctx context.Context, i record.Import, by record.Actor, gone, left int64) (record.Import, error) {
	for range editAttempts {
		before := i.Rev
		if i.Undone == nil {
			i.Undone = &record.Undone{By: by, At: s.now()}
		} else {
			again := *i.Undone
			i.Undone = &again
		}
		i.Undone.Removed += gone
		i.Undone.Left = left
		i.Rev, i.UpdatedAt = before+1, s.now()
		err := s.Store.ReplaceImport(ctx, i.Org, i, before)
		if !errors.Is(err, record.ErrConflict) {
			return i, err
		}
		if i, err = s.Store.Import(ctx, i.Org, i.Event, i.ID); err != nil {
			return i, err
		}
	}
	return i, apperr.Overtaken("import")
}

// moveImport returns the handler of the operation that submits or approves what an import created.
// Records that existed before are not moved.
func (s *server) moveImport(operation string, m record.Move) fiber.Handler {
	return func(c *fiber.Ctx) error {
		w, i, err := s.importMove(c)
		if err != nil {
			return err
		}
		if _, err := s.writableEvent(c); err != nil {
			return err
		}
		all, err := s.eachOf(c, operation, i, func(_ context.Context, r record.Record) (importOutcome, error) {
			if m == record.Submit && r.Status.IsSubmitted() || r.Status == record.Approved {
				return outcomeOf(r, unchanged), nil
			}
			return moveOne(c, w, r, record.Request{Move: m})
		})
		if err != nil {
			return err
		}
		if count(all, moved) == 0 {
			idempotency.NothingDone(c)
		}
		return web.OK(c, fiber.Map{"import": viewOf(i), "moved": count(all, moved), "unchanged": count(all, unchanged), "refused": count(all, refused), "items": all})
	}
}
