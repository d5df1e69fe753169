package records

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

func (s *server) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func (s *server) createEvent(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	event := record.Event{Method: record.NewMethod}
	readEvent(r, &event, true)
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
	event, err = s.insertEvent(c, w, event)
	return answerCreated(c, event, s.conceal(c, err))
}

// insertEvent stores a new event, or returns the one created by an earlier attempt of the
// request.
func (s *server) insertEvent(c *fiber.Ctx, w writes.Write, event record.Event) (record.Event, error) {
	id := record.EventID(w.Request.NewID(0))
	if made, ok, err := s.madeEvent(c, w, id); ok || err != nil {
		return made, err
	}
	organization, err := s.Store.Organization(c.UserContext(), w.Org)
	if err != nil {
		return event, fmt.Errorf("create event: read organization: %w", err)
	}
	quota, ok := s.Quotas[organization.Plan]
	if !ok {
		return event, fmt.Errorf("create event: organization %s is on plan %q, which has no quota", organization.ID, organization.Plan)
	}
	set, _ := factors.ForStart(event.StartDate)
	now := s.now()
	event.FactorSet = set.ID
	asked := record.NewEvent(w.Org, id, event, w.By, now)
	event, err = w.Store.InsertEvent(c.UserContext(), w.Org, asked, quota)
	if w.Request.Keyed() && (errors.Is(err, record.ErrQuota) || errors.Is(err, record.ErrDuplicate) || errors.Is(err, record.ErrDuplicateReference)) {
		// An attempt whose lease had expired may have been faster.
		if made, ok, lookup := s.lookEvent(c, w, id); ok || lookup != nil {
			return made, lookup
		}
	}
	switch {
	case errors.Is(err, record.ErrQuota):
		return event, quotaExceeded(organization.Plan, quota)
	case errors.Is(err, record.ErrDuplicateReference):
		return event, record.DuplicateEventReference(c.UserContext(), w.Store, w.Org, asked)
	}
	if err == nil && !w.Rehearsal {
		if err := writes.AuditEvent(c, event); err != nil {
			return event, err
		}
	}
	return event, err
}

// madeEvent looks up the event created by an earlier attempt of this request.
func (s *server) madeEvent(c *fiber.Ctx, w writes.Write, id record.EventID) (event record.Event, found bool, err error) {
	if !w.Request.Resumed {
		return record.Event{}, false, nil
	}
	return s.lookEvent(c, w, id)
}

// lookEvent also finds an event that was deleted since it was created.
func (s *server) lookEvent(c *fiber.Ctx, w writes.Write, id record.EventID) (event record.Event, found bool, err error) {
	event, err = s.Store.EventContext(c.UserContext(), w.Org, id)
	if errors.Is(err, record.ErrNotFound) {
		return record.Event{}, false, nil
	}
	return event, err == nil, err
}

// answerCreated answers with the event as created: without records.
func answerCreated(c *fiber.Ctx, event record.Event, err error) error {
	if err != nil {
		return err
	}
	view := record.EventView{Event: event, BetterSet: tellOfSet(c, event)}
	c.Set(fiber.HeaderETag, view.ETag())
	return web.Created(c, view, web.BasePath+"/events/"+string(event.ID))
}

// answerEvent answers with an event as visible to the caller, and its summary.
func (s *server) answerEvent(c *fiber.Ctx, event record.Event) error {
	views, err := s.viewsOf(c.UserContext(), event.Org, []record.Event{eventFor(c, event)})
	if err != nil {
		return err
	}
	views[0].NoReviewer, views[0].BetterSet = s.withoutReviewer(c, event), tellOfSet(c, event)
	tag := views[0].ETag()
	if viewsEvent(c, event) {
		tag = viewersTag(tag)
	}
	c.Set(fiber.HeaderETag, tag)
	return web.OK(c, views[0])
}

// tellOfSet adds a notice if another factor set would suit the event better, and returns that
// set, or the empty string. The set is fixed when the event is created, so a changed date or a
// new edition would otherwise go unnoticed.
func tellOfSet(c *fiber.Ctx, event record.Event) (better string) {
	n, ok := footprint.SetNotice(event.Context())
	if !ok {
		return ""
	}
	web.Notify(c, fields.Notice{Code: n.Code, Message: n.Message, Field: n.Field, Suggestions: n.Suggestions})
	return strings.Join(n.Suggestions, "")
}

func quotaExceeded(plan string, quota int64) error {
	return apperr.New(apperr.QuotaExceeded, "The plan %s includes %d events, and all of them have been used.", plan, quota).
		With(apperr.Detail{Field: "plan", Code: "EVENT_QUOTA",
			Message: "Deleting an event does not give it back. A larger plan has more events."})
}

// event reads the event of the path.
func (s *server) event(c *fiber.Ctx) (record.Event, error) {
	e, read, err := teams.Event(c)
	if !read {
		e, err = s.Store.Event(c.UserContext(), teams.Org(c), teams.EventID(c))
	}
	if errors.Is(err, record.ErrNotFound) {
		return e, record.NoSuchEvent()
	}
	return e, err
}

// writableEvent is event for changes of drafts: it returns EVENT_SIGNED if the event is signed.
// It is an ordinary read, because a draft does not change any figure.
func (s *server) writableEvent(c *fiber.Ctx) (record.Event, error) {
	e, err := s.event(c)
	if err != nil {
		return e, err
	}
	return e, e.Writable()
}

func (s *server) getEvent(c *fiber.Ctx) error {
	event, err := s.event(c)
	if err != nil {
		return err
	}
	return s.answerEvent(c, event)
}

func (s *server) editEvent(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	comment := readReason(r)
	// Errors that do not depend on the event are reported before it is looked up.
	sent := record.Event{Method: record.DefaultMethod}
	readEvent(r, &sent, false)
	if err := s.checkTeam(c, r, sent.Team); err != nil {
		return err
	}
	if err := web.Finish(c, r); err != nil {
		return err
	}
	var before record.Event
	return s.changeEvent(c, teams.EventID(c), writes.EventChange{
		Action: record.EventChanged, Comment: comment,
		Change: func(e *record.Event) error {
			before = *e
			readEvent(r, e, false)
			return errors.Join(r.Err(), mayChangeTeam(c, before, *e))
		},
	}, func(event record.Event) error {
		web.Notify(c, eventNotices(r, event)...)
		if dry, err := web.DryRun(c); err != nil || !dry {
			return errors.Join(err, s.answerEvent(c, event))
		}
		return s.answerRehearsed(c, before, event)
	})
}

// answerRehearsed answers with an event as it would be and, if only its place changes, the
// effect on the figures.
func (s *server) answerRehearsed(c *fiber.Ctx, before, after record.Event) error {
	effect, err := s.whatIfPlace(c, before, after)
	if err != nil {
		return err
	}
	views, err := s.viewsOf(c.UserContext(), after.Org, []record.Event{after})
	if err != nil {
		return err
	}
	views[0].BetterSet = tellOfSet(c, after)
	answer, err := withWhatIf(views[0], effect)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, views[0].ETag())
	return web.OK(c, answer)
}

// deleteEvent accepts an optional body with the reason.
func (s *server) deleteEvent(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if r == nil {
		return err
	}
	comment := readReason(r)
	if err := web.Finish(c, r); err != nil {
		return err
	}
	return s.changeEvent(c, teams.EventID(c), writes.EventChange{
		Action: record.EventDeleted, Comment: comment,
		Change: func(e *record.Event) error {
			e.Deleted = true // the worker clears its mark and those of its records
			return nil
		},
	}, func(event record.Event) error {
		return web.OK(c, fiber.Map{"_id": event.ID, "deleted": true})
	})
}

// changeEvent changes an event, or proposes the change; then it answers 202 with the proposal.
func (s *server) changeEvent(c *fiber.Ctx, id record.EventID, change writes.EventChange, answer func(record.Event) error) error {
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	change.Event = id
	if tags, ok := web.IfMatch(c); ok {
		change.IfMatch = func(e record.Event) bool { return record.MatchEvent(tags, e) }
	}
	outcome, err := w.ChangeEvent(c.UserContext(), change)
	if err != nil {
		return s.conceal(c, err)
	}
	if !w.Rehearsal && !outcome.Unchanged {
		if err := writes.AuditEvent(c, outcome.Event); err != nil {
			return err
		}
	}
	if outcome.Proposal != nil {
		c.Set(fiber.HeaderETag, outcome.Event.ETag())
		return web.Answer(c, fiber.StatusAccepted, fiber.Map{"change": outcome.Proposal})
	}
	return answer(outcome.Event)
}

// editAttempts bounds how often a change is retried after a conflicting one.
const editAttempts = 10
