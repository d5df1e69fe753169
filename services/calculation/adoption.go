package calculation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// adoptionView says what another factor set makes of an event.
type adoptionView struct {
	Event record.EventID `json:"eventId"`
	From  factorSetView  `json:"from"`
	To    factorSetView  `json:"to"`
	// Before and After are the footprint of the counted records under either
	// set; null when nothing is approved. After is the whole result to come.
	Before     *total.Interval  `json:"before"`
	After      *total.Breakdown `json:"after"`
	Difference *footprint.Mass  `json:"differenceKgCO2e"`
}

// adopt gives an event another factor set. The result that this makes is
// worked out first, and is the answer to a rehearsal as well. A record that has
// no factor in the new set keeps the event from adopting it: nothing is ever
// dropped from a total by a change of figures.
func (s *server) adopt(c *fiber.Ctx) error {
	dry, err := web.DryRun(c)
	if err != nil {
		return err
	}
	to, err := readFactorSet(c)
	if err != nil {
		return err
	}
	tags, conditional := web.IfMatch(c)
	for range adoptAttempts {
		ev, err := s.event(c)
		if err != nil {
			return err
		}
		if conditional && !slices.Contains(tags, "*") && !record.MatchEvent(tags, ev) {
			return apperr.New(apperr.PreconditionFailed, "The event has changed since you read it. Read it again and decide anew.")
		}
		view, err := s.rehearse(c.UserContext(), ev, to)
		if err != nil {
			return err
		}
		if dry || ev.FactorSet == to.ID {
			return web.OK(c, view)
		}
		stored, err := s.store(c.UserContext(), ev, to)
		if errors.Is(err, record.ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		s.Bulk.Notify(c.UserContext(), ev.Org, ev.ID)
		c.Set(fiber.HeaderETag, stored.ETag())
		return web.OK(c, view)
	}
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "Many changes are being made to this event at once. Please try again."}
}

// adoptAttempts bounds how often adopting is tried again when somebody else
// changed the event in between.
const adoptAttempts = 5

// store writes the event with the set. The same write marks it, so that the
// result follows whatever happens to this process.
func (s *server) store(ctx context.Context, ev record.Event, to *factors.Set) (record.Event, error) {
	before := ev.Rev
	ev.FactorSet, ev.Mark = to.ID, record.NewMark(s.Now())
	ev.Rev, ev.ContextRev, ev.UpdatedAt = before+1, ev.ContextRev+1, s.Now().UTC().Truncate(time.Millisecond)
	return ev, s.Records.ReplaceEvent(ctx, ev.Org, ev, before)
}

// readFactorSet reads the body {"factorSet": "desnz-2026"}.
func readFactorSet(c *fiber.Ctx) (*factors.Set, error) {
	r, err := web.Fields(c)
	if r == nil {
		return nil, err
	}
	r.Require("factorSet")
	id, ok := r.String("factorSet", 1, 100)
	set, held := factors.ByID(id)
	if ok && !held {
		r.Fault(unknownSet("factorSet"))
	}
	return set, web.Finish(c, r)
}

// rehearse works out what the counted records come to under another set.
func (s *server) rehearse(ctx context.Context, ev record.Event, to *factors.Set) (adoptionView, error) {
	view := adoptionView{Event: ev.ID, To: factorSetView{to.ID, to.Checksum}}
	from, ok := factors.ByID(ev.FactorSet)
	if !ok {
		return view, fmt.Errorf("event %s: factor set %q is not held", ev.ID, ev.FactorSet)
	}
	view.From = factorSetView{from.ID, from.Checksum}
	if _, err := s.Results.Result(ctx, ev.Org, ev.ID); errors.Is(err, resulttree.ErrNotFound) {
		return view, nil
	}
	next := ev.Context()
	next.FactorSet = to.ID
	sums, err := s.reader.SumUnder(ctx, ev, next)
	if err != nil || sums.Now.Records()+sums.Next.Records()+int64(len(sums.Faults)) == 0 {
		return view, err
	}
	if len(sums.Faults) > 0 {
		return view, apperr.Invalid(sums.Faults...)
	}
	before, after := sums.Now.Breakdown(ev.Context()).Total, sums.Next.Breakdown(next)
	difference := after.Total.KgCO2e.Sub(before.KgCO2e)
	view.Before, view.After, view.Difference = &before, &after, &difference
	return view, nil
}
