package calculation

import (
	"context"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/writes"
)

// adoptionView is the effect of another factor set or engine on an event.
type adoptionView struct {
	Event record.EventID `json:"eventId"`
	From  factorSetView  `json:"from"`
	To    factorSetView  `json:"to"`
	// FromEngine and ToEngine are the arithmetic before and after.
	FromEngine string `json:"fromEngine"`
	ToEngine   string `json:"toEngine"`
	// Before and After are the footprint of the counted records before and
	// after; null when nothing is approved. After is the whole result to come.
	Before     *total.Interval  `json:"before"`
	After      *total.Breakdown `json:"after"`
	Difference *footprint.Mass  `json:"differenceKgCO2e"`
}

// adoption is what an event adopts; empty fields are unchanged.
type adoption struct {
	set     *factors.Set
	engine  string
	comment string
}

// apply changes the event, and reports whether anything was another.
func (a adoption) apply(e *record.Event) bool {
	before := e.Context()
	if a.set != nil {
		e.FactorSet = a.set.ID
	}
	if a.engine != "" {
		e.Method.Engine = footprint.Pin(a.engine)
	}
	return e.Context() != before
}

// adopt changes an event to another factor set or engine. The new result is calculated first, and is also the
// response of a dry run. If a record has no factor in the new set, the adoption is rejected: nothing is ever dropped
// from a total by a change of factors.
func (s *server) adopt(c *fiber.Ctx) error {
	to, err := readAdoption(c)
	if err != nil {
		return err
	}
	w, err := s.begin(c, "adoptFactorSet")
	if err != nil {
		return err
	}
	var view adoptionView
	change := writes.EventChange{
		Event: teams.EventID(c), Action: record.FactorsAdopted, Comment: to.comment, Effect: s.effect,
		Change: func(e *record.Event) error {
			if view, err = s.rehearse(c.UserContext(), *e, to); err != nil {
				return err
			}
			if w.Rehearsal || !to.apply(e) {
				return record.ErrUnchanged
			}
			return nil
		},
	}
	if tags, ok := web.IfMatch(c); ok {
		if ev, err := s.event(c); err != nil {
			return err
		} else if !record.MatchEvent(tags, ev) {
			return record.EventMoved()
		}
		change.IfMatch = func(e record.Event) bool { return record.MatchEvent(tags, e) }
	}
	outcome, err := w.ChangeEvent(c.UserContext(), change)
	if err != nil {
		return err
	}
	if w.Rehearsal || outcome.Event.Last.Action != record.FactorsAdopted && outcome.Proposal == nil {
		return web.OK(c, view)
	}
	if err := writes.AuditEvent(c, outcome.Event); err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, outcome.Event.ETag())
	if outcome.Proposal != nil {
		return web.Answer(c, fiber.StatusAccepted, fiber.Map{"change": outcome.Proposal})
	}
	return web.OK(c, view)
}

// readAdoption reads {"factorSet": "desnz-2026", "engine": "2.0.0", "comment": "…"}.
func readAdoption(c *fiber.Ctx) (adoption, error) {
	r, err := web.Fields(c)
	if r == nil {
		return adoption{}, err
	}
	r.RequireOneOf("factorSet", "engine")
	var a adoption
	if id, ok := r.String("factorSet", 1, 100); ok {
		if a.set, err = readSet(c, r, id); err != nil {
			return adoption{}, err
		}
	}
	a.engine, _ = r.Enum("engine", footprint.Engines()...)
	a.comment = r.Remark("comment", record.MaxComment)
	return a, web.Finish(c, r)
}

// rehearse calculates the result after an adoption.
func (s *server) rehearse(ctx context.Context, ev record.Event, to adoption) (adoptionView, error) {
	changed := ev
	to.apply(&changed)
	next := changed.Context()
	view := adoptionView{Event: ev.ID, FromEngine: ev.Context().EngineVersion(), ToEngine: next.EngineVersion()}
	from, err := factors.Resolve(ctx, ev.FactorSet)
	if err != nil {
		return view, fmt.Errorf("event %s: %w", ev.ID, err)
	}
	view.From, view.To = factorSetView{from.ID, from.Checksum}, factorSetView{from.ID, from.Checksum}
	if to.set != nil {
		view.To = factorSetView{to.set.ID, to.set.Checksum}
	}
	if result, err := s.resultOrNone(ctx, ev.Org, ev.ID); err != nil || result.Version == 0 {
		return view, err
	}
	sums, err := s.reader.SumUnder(ctx, ev, next)
	if err != nil || sums.Now.Records()+sums.Next.Records()+int64(len(sums.Faults)) == 0 {
		return view, err
	}
	if len(sums.Faults) > 0 {
		return view, apperr.Invalid(sums.Faults...)
	}
	before, after := sums.Now.Breakdown(ev.Context()).Total, sums.Next.Breakdown(next)
	difference := after.Total.KgCO2e.Sub(before.KgCO2e)
	after.Notices = footprint.WithSetNotice(after.Notices, next) // as the result will have them
	view.Before, view.After, view.Difference = &before, &after, &difference
	return view, nil
}
