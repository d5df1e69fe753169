package records

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

func orgOf(c *fiber.Ctx) record.OrgID { return record.OrgID(web.PrincipalOf(c).Org) }

func (s *server) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func (s *server) createEvent(c *fiber.Ctx) error {
	body, err := web.Body(c)
	if err != nil {
		return err
	}
	event := record.Event{Method: record.DefaultMethod}
	if _, err := readEvent(body, &event, true); err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	id := record.EventID(w.Request.NewID(0))
	if made, ok, err := s.madeEvent(c, w, id); ok || err != nil {
		return answerCreated(c, made, err)
	}
	organization, err := s.Store.Organization(c.UserContext(), w.Org)
	if err != nil {
		return fmt.Errorf("create event: read organization: %w", err)
	}
	quota, ok := s.Quotas[organization.Plan]
	if !ok {
		return fmt.Errorf("create event: organization %s is on plan %q, which has no quota", organization.ID, organization.Plan)
	}
	set, _ := factors.ForStart(event.StartDate)
	now := s.now()
	event.ID, event.FactorSet = id, set.ID
	event.CreatedBy, event.CreatedAt, event.UpdatedAt, event.Rev, event.ContextRev = w.By, now, now, 1, 1
	event, err = w.Store.InsertEvent(c.UserContext(), w.Org, event, quota)
	if w.Request.Keyed() && (errors.Is(err, record.ErrQuota) || errors.Is(err, record.ErrDuplicate)) {
		// An attempt that was given up for dead may have been faster.
		if made, ok, lookup := s.lookEvent(c, w, id); ok || lookup != nil {
			return answerCreated(c, made, lookup)
		}
	}
	if errors.Is(err, record.ErrQuota) {
		return quotaExceeded(organization.Plan, quota)
	}
	return answerCreated(c, event, err)
}

// madeEvent looks for the event an earlier attempt of this request has made.
func (s *server) madeEvent(c *fiber.Ctx, w writes.Write, id record.EventID) (event record.Event, found bool, err error) {
	if !w.Request.Resumed {
		return record.Event{}, false, nil
	}
	return s.lookEvent(c, w, id)
}

// lookEvent also finds an event that was deleted since: it was created.
func (s *server) lookEvent(c *fiber.Ctx, w writes.Write, id record.EventID) (event record.Event, found bool, err error) {
	event, err = s.Store.EventContext(c.UserContext(), w.Org, id)
	if errors.Is(err, record.ErrNotFound) {
		return record.Event{}, false, nil
	}
	return event, err == nil, err
}

func answerCreated(c *fiber.Ctx, event record.Event, err error) error {
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, event.ETag())
	return web.Created(c, event, web.BasePath+"/events/"+string(event.ID))
}

func quotaExceeded(plan string, quota int64) error {
	return apperr.New(apperr.QuotaExceeded, "The plan %s includes %d events, and all of them are used.", plan, quota).
		With(apperr.Detail{Field: "plan", Code: "EVENT_QUOTA",
			Message: "Deleting an event does not give its place back. A larger plan does."})
}

// event reads the event of the path.
func (s *server) event(c *fiber.Ctx) (record.Event, error) {
	e, err := s.Store.Event(c.UserContext(), orgOf(c), record.EventID(c.Params("eventId")))
	if errors.Is(err, record.ErrNotFound) {
		return e, record.NoSuchEvent()
	}
	return e, err
}

func (s *server) getEvent(c *fiber.Ctx) error {
	event, err := s.event(c)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, event.ETag())
	return web.OK(c, event)
}

func (s *server) editEvent(c *fiber.Ctx) error {
	return s.changeEvent(c, func(body []byte, event *record.Event) error {
		before := event.Context()
		changed, err := readEvent(body, event, false)
		if err != nil || !changed {
			return err
		}
		if event.Context() != before {
			event.ContextRev++
			event.Mark = record.NewMark(s.Now())
		}
		return nil
	}, func(event record.Event) error {
		c.Set(fiber.HeaderETag, event.ETag())
		return web.OK(c, event)
	})
}

func (s *server) deleteEvent(c *fiber.Ctx) error {
	return s.changeEvent(c, func(_ []byte, event *record.Event) error {
		event.Deleted = true
		// The worker clears this and whatever its records still have.
		event.Mark = record.NewMark(s.Now())
		return nil
	}, func(event record.Event) error {
		return web.OK(c, fiber.Map{"_id": event.ID, "deleted": true})
	})
}

// editAttempts bounds how often a change is tried again when another one came
// between its read and its write.
const editAttempts = 10

// changeEvent reads, changes and stores the event of the path, on the
// condition that nobody else did in between.
func (s *server) changeEvent(c *fiber.Ctx, change func(body []byte, event *record.Event) error, answer func(record.Event) error) error {
	body, err := web.Body(c)
	if err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	tags, conditional := web.IfMatch(c)
	for range editAttempts {
		event, err := s.event(c)
		if err != nil {
			// A body that could never be right is told about first.
			if apperr.CodeOf(err) == apperr.EventNotFound {
				if invalid := change(body, &record.Event{Method: record.DefaultMethod}); invalid != nil {
					return invalid
				}
			}
			return err
		}
		before := event.Rev
		event.Mark = ""
		if err := change(body, &event); err != nil {
			return err
		}
		if conditional && !slices.Contains(tags, "*") && !record.MatchEvent(tags, withRev(event, before)) {
			return apperr.New(apperr.PreconditionFailed, "The event has changed since you read it. Read it again and decide anew.")
		}
		event.Rev, event.UpdatedAt = before+1, s.now()
		err = w.Store.ReplaceEvent(c.UserContext(), w.Org, event, before)
		if errors.Is(err, record.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		if event.Mark != "" {
			w.Notify(c.UserContext(), event.ID)
		}
		return answer(event)
	}
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "Many changes are being made to this event at once. Please try again."}
}

func withRev(e record.Event, rev int64) record.Event {
	e.Rev = rev
	return e
}
