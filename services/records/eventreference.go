package records

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

func (s *server) getEventByReference(c *fiber.Ctx) error {
	reference, err := referenceOf(c)
	if err != nil {
		return record.NoSuchEvent()
	}
	event, err := s.Store.EventByReference(c.UserContext(), teams.Org(c), reference)
	if errors.Is(err, record.ErrNotFound) {
		return record.NoSuchEvent()
	}
	if err != nil {
		return err
	}
	if err := teams.Admit(c, event, "getEventByReference"); err != nil {
		return err
	}
	return s.answerEvent(c, event)
}

// putEventByReference creates the event with a reference, or replaces its fields. Other
// requests may create, change or delete it between the steps: each is conditional, and is
// decided again if its condition fails.
func (s *server) putEventByReference(c *fiber.Ctx) error {
	reference, err := referenceOf(c)
	if err != nil {
		return record.NoSuchEvent()
	}
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	comment := readReason(r)
	event := record.Event{Method: record.NewMethod}
	readPut(r, &event, reference)
	if err := s.checkTeam(c, r, event.Team); err != nil {
		return err
	}
	if err := web.Finish(c, r); err != nil {
		return err
	}
	web.Notify(c, eventNotices(r, event)...)
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	for range editAttempts {
		existing, err := w.Store.EventByReference(c.UserContext(), w.Org, reference)
		switch {
		case errors.Is(err, record.ErrNotFound):
			err = s.putNewEvent(c, w, event)
		case err == nil && web.IfNoneMatchAny(c):
			err = apperr.New(apperr.PreconditionFailed, "An event with this reference already exists.").
				With(apperr.Detail{Field: "externalReference", Code: "DUPLICATE", EventID: string(existing.ID),
					Message: "The event " + string(existing.ID) + " has this reference."})
		case err == nil && !teams.Sees(c, existing):
			err = record.DuplicateEventReference(c.UserContext(), w.Store, w.Org, existing)
		case err == nil:
			err = teams.Admit(c, existing, "putEventByReference")
			if err == nil {
				err = s.putEvent(c, existing.ID, comment, r, reference)
			}
		}
		if !errors.Is(err, errMoved) {
			return s.conceal(c, err)
		}
	}
	return apperr.Overtaken("event")
}

// putNewEvent creates the event; it returns errMoved if another event now has the reference.
func (s *server) putNewEvent(c *fiber.Ctx, w writes.Write, event record.Event) error {
	if _, ok := web.IfMatch(c); ok {
		return apperr.New(apperr.PreconditionFailed, "No event has this reference, so the state that you saw no longer exists.")
	}
	event, err := s.insertEvent(c, w, event)
	if apperr.CodeOf(err) == apperr.DuplicateReference {
		return errMoved
	}
	return answerCreated(c, event, err)
}

// putEvent replaces the fields of an event; it returns errMoved if it now has another reference
// or none.
func (s *server) putEvent(c *fiber.Ctx, id record.EventID, comment string, r *fields.Reader, reference string) error {
	err := s.changeEvent(c, id, writes.EventChange{
		Action: record.EventChanged, Comment: comment,
		Change: func(e *record.Event) error {
			if e.Reference != reference {
				return errMoved
			}
			before := *e
			*e = e.WithoutInput()
			readPut(r, e, reference)
			return errors.Join(r.Err(), mayChangeTeam(c, before, *e))
		},
	}, func(event record.Event) error { return s.answerEvent(c, event) })
	if apperr.CodeOf(err) == apperr.EventNotFound {
		return errMoved
	}
	return err
}

// readPut reads the body of a PUT: all fields of the event, with the reference in the path,
// from which the body must not differ.
func readPut(r *fields.Reader, event *record.Event, reference string) {
	event.Reference = ""
	readEvent(r, event, true)
	if event.Reference != "" && event.Reference != reference {
		r.Fault(apperr.Detail{Field: "externalReference", Code: fields.NotAllowed,
			Message: "externalReference must match the reference in the path, or be left out."})
	}
	event.Reference = reference
	if fault, bad := record.BadReference(reference); bad {
		r.Fault(fault)
	} else if fault, bad := record.MisleadingReference(reference); bad {
		r.Fault(fault)
	} else if length := utf8.RuneCountInString(reference); length > maxReference {
		r.Fault(apperr.Detail{Field: "externalReference", Code: fields.TooLong,
			Message: fmt.Sprintf("externalReference must have at most %d characters; the one in the path has %d.", maxReference, length)})
	}
}
