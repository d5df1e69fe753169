package calculation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// deed is the result of an earlier attempt of a request: the entry in the event's history, and the current event.
type deed struct {
	event record.Event
	entry record.EventEntry
}

// repeatable makes a handler that changes an event at most once find an earlier attempt of the request, by its name
// in the event's history, and respond accordingly: the process may have crashed before the response was stored. Since
// the change may not be possible a second time, this is checked first.
func (s *server) repeatable(next fiber.Handler, answer func(c *fiber.Ctx, d deed) error) fiber.Handler {
	repeat := func(c *fiber.Ctx) (found bool, err error) {
		d, found, err := s.done(c)
		if !found || err != nil {
			return false, err
		}
		// The entry may be missing in the audit log; duplicates are ignored there.
		if note := writes.EventNote(d.event.ID, d.entry); audit.Reportable(note.Action) {
			if err := audit.Attach(c, note); err != nil {
				return true, err
			}
		}
		if !d.event.Deleted {
			c.Set(fiber.HeaderETag, d.event.ETag())
		}
		return true, answer(c, d)
	}
	return func(c *fiber.Ctx) error {
		if idempotency.Of(c).Resumed {
			if found, err := repeat(c); found || err != nil {
				return err
			}
		}
		err := next(c)
		if !errors.Is(err, record.ErrMade) {
			return err
		}
		// Another attempt took over this one and was faster.
		found, failure := repeat(c)
		if failure == nil && !found {
			failure = record.NoSuchEvent() // deleted since
		}
		return failure
	}
}

// done looks for the request's change of the event in the path. For an event deleted since there is no response,
// unless the request deleted it.
func (s *server) done(c *fiber.Ctx) (deed, bool, error) {
	e, err := s.Records.EventContext(c.UserContext(), teams.Org(c), teams.EventID(c))
	if errors.Is(err, record.ErrNotFound) {
		return deed{}, false, nil
	}
	if err != nil {
		return deed{}, false, err
	}
	entry, found, err := record.EntryOnce(c.UserContext(), s.Records, e, idempotency.Of(c).Once())
	if e.Deleted && entry.Rev != e.Rev {
		found = false
	}
	return deed{e, entry}, found, err
}

// changedBefore responds with the current event.
func (s *server) changedBefore(c *fiber.Ctx, d deed) error { return web.OK(c, d.event) }

// approvedBefore answers for a proposal that was approved.
func (s *server) approvedBefore(c *fiber.Ctx, d deed) error {
	if d.entry.Action == record.SignOffBegun {
		return s.begunBefore(c, d)
	}
	if d.event.Mark != "" {
		s.Bulk.Notify(c.UserContext(), d.event.Org, d.event.ID)
	}
	if d.event.Deleted {
		return web.OK(c, fiber.Map{"_id": d.event.ID, "deleted": true})
	}
	return web.OK(c, d.event)
}

// assessedBefore responds with a proposal whose effect was calculated.
func (s *server) assessedBefore(c *fiber.Ctx, d deed) error {
	p, _, open := d.event.Find(d.entry.Change)
	if !open {
		return noSuchChange()
	}
	return web.OK(c, fiber.Map{"change": proposalView{p, false}})
}

// signedOffBefore responds for a sign-off that was begun, or proposed.
func (s *server) signedOffBefore(c *fiber.Ctx, d deed) error {
	if d.entry.Action == record.SignOffBegun {
		return s.begunBefore(c, d)
	}
	p := d.proposal(record.SignedOff)
	if p.Body == nil { // decided since: the request has the proposed change
		var asked struct {
			Revision  int64  `json:"revision"`
			Statement string `json:"statement"`
		}
		if err := json.Unmarshal(c.Request().Body(), &asked); err != nil {
			return fmt.Errorf("sign off: %w", err)
		}
		body, err := json.Marshal(asked)
		if err != nil {
			return fmt.Errorf("sign off: %w", err)
		}
		p.Body, p.ResultRevision = body, asked.Revision
	}
	return web.Answer(c, fiber.StatusAccepted, fiber.Map{"change": p})
}

// proposal returns the proposal that was made: the open one or, if it was decided since, the one in the history.
func (d deed) proposal(kind record.EventAction) record.Proposal {
	if p, _, open := d.event.Find(d.entry.Change); open {
		return p
	}
	return record.Proposal{ID: d.entry.Change, Kind: kind, By: d.entry.By, At: d.entry.At, Comment: d.entry.Comment, ContextRev: d.entry.ContextRev}
}

// begunBefore responds for a sign-off that was begun, and completes it if necessary: two concurrent attempts write
// the same, and one of them fails on the event's revision.
func (s *server) begunBefore(c *fiber.Ctx, d deed) error {
	if d.event.Rev == d.entry.Rev {
		w, err := s.writes.Begin(c)
		if err != nil {
			return err
		}
		go s.finishSignOff(context.WithoutCancel(c.UserContext()), d.event, w.Report)
	}
	list, err := s.checklistOf(c.UserContext(), d)
	if err != nil {
		return err
	}
	return web.Answer(c, fiber.StatusAccepted, fiber.Map{"event": d.event, "checklist": list})
}

// checklistOf returns the checklist of a sign-off: it is stored with the sign-off, and with its edition. If there is
// no edition, it is the current one.
func (s *server) checklistOf(ctx context.Context, d deed) (any, error) {
	if d.event.Rev == d.entry.Rev {
		return d.event.Gate.Pending.Open, nil
	}
	for _, ed := range slices.Backward(d.event.Editions) {
		// The gate is closed at the time of the request, right before its entry.
		if ed.By.ID == d.entry.By.ID && ed.Statement == d.entry.Comment && !ed.At.After(d.entry.At) && len(ed.Open) > 0 {
			return ed.Open, nil
		}
	}
	return s.checklist(ctx, d.event)
}

// adoptedBefore answers for a factor set or an engine that was adopted, or proposed.
func (s *server) adoptedBefore(c *fiber.Ctx, d deed) error {
	if d.entry.Action == record.ChangeProposed {
		return web.Answer(c, fiber.StatusAccepted, fiber.Map{"change": d.proposal(record.FactorsAdopted)})
	}
	to, err := readAdoption(c)
	if err != nil {
		return err
	}
	before, err := d.entry.Undone(d.event)
	if err != nil {
		return err
	}
	view, err := s.rehearse(c.UserContext(), before, to)
	if err != nil {
		return err
	}
	return web.OK(c, view)
}
