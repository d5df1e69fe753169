package calculation

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// queueItem is a record waiting for a decision, with the data for it.
type queueItem struct {
	record.Record
	review reviewView
}

type reviewView struct {
	// KgCO2e is the record's contribution; null if it cannot be calculated with the event's method.
	KgCO2e *footprint.Mass `json:"kgCO2e"`
	// SharePercent is its share of the event's newest total in percent; null without a total.
	SharePercent json.RawMessage `json:"sharePercent"`
	// WaitingSince is the time of submission. AgeHours is in whole hours, so that polled responses do not change each
	// time.
	WaitingSince string             `json:"waitingSince"`
	AgeHours     int64              `json:"ageHours"`
	Findings     []findings.Finding `json:"findings"`
}

// MarshalJSON encodes the record as everywhere, and the review beside its fields.
func (i queueItem) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(i.Record)
	if err != nil {
		return nil, err
	}
	review, err := json.Marshal(i.review)
	if err != nil {
		return nil, err
	}
	text = append(text[:len(text)-1], `,"review":`...)
	return append(append(text, review...), '}'), nil
}

// queue lists the records waiting for a decision, newest first: of one event, or of the whole organization.
func (s *server) queue(c *fiber.Ctx) error {
	page, err := web.PageOf(c)
	if err != nil {
		return err
	}
	org := teams.Org(c)
	var named record.Event
	if teams.Named(c) {
		if named, err = s.event(c); err != nil {
			return err
		}
	}
	waiting, total, err := s.waiting(c, org, named.ID, page)
	if err != nil {
		return err
	}
	items := make([]queueItem, len(waiting))
	of := map[record.EventID][]int{}
	for i, r := range waiting {
		items[i].Record = r
		of[r.Event] = append(of[r.Event], i)
	}
	for id, places := range of {
		ev := named
		if id != named.ID {
			if ev, err = s.Records.EventContext(c.UserContext(), org, id); err != nil {
				return err
			}
		}
		if err := s.review(c.UserContext(), ev, items, places); err != nil {
			return err
		}
	}
	return web.OK(c, web.NewList(items, page, total))
}

// waiting reads a page of waiting records: of one event, or of all events that the caller reviews. An administrator
// sees the queue of every team.
func (s *server) waiting(c *fiber.Ctx, org record.OrgID, event record.EventID, page web.Page) ([]record.Record, int64, error) {
	p := web.PrincipalOf(c)
	if event != "" || p.Role.Holds(identity.Admin) {
		return s.Records.ReviewQueue(c.UserContext(), org, event, page.Offset(), page.Limit)
	}
	return s.Records.ReviewQueueOf(c.UserContext(), org, p.UserID, page.Offset(), page.Limit)
}

// review adds the data for decisions to the items of one event.
func (s *server) review(ctx context.Context, ev record.Event, items []queueItem, places []int) error {
	result, err := s.resultOrNone(ctx, ev.Org, ev.ID)
	if err != nil {
		return err
	}
	sum, err := result.Sum()
	if err != nil {
		return err
	}
	// The record is checked as if it was counted: with the counted ones, and with those waiting on this page.
	var facts [][]findings.Fact
	var waiting []findings.Fact
	if sum.Records() > 0 && sum.Records() <= eventreader.MaxRecords {
		if facts, _, err = s.crosschecks.Facts(ctx, result); err != nil {
			return err
		}
	}
	total := sum.Total()
	now := s.Now()
	for _, place := range places {
		item := &items[place]
		item.Record = item.Under(ev)
		item.review = waitingOf(item.Record, now)
		part, err := contributionOf(item.Record, ev)
		if err != nil {
			continue // its kilograms stay null
		}
		mass := part.Total()
		item.review.KgCO2e, item.review.SharePercent = &mass, sharePercent(mass, sum.Total())
		total = total.Add(mass)
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		// Approved in between: it is among the facts already.
		for i := range facts {
			facts[i] = slices.DeleteFunc(facts[i], func(f findings.Fact) bool { return f.ID == item.ID })
		}
		waiting = append(waiting, findings.FactOf(record.Counted{ID: item.ID, Type: item.Type, Fields: item.Fields, Contribution: text}))
	}
	if sum.Records() > eventreader.MaxRecords {
		return nil
	}
	for _, f := range findings.Of(findings.EventOf(ev, total), append(facts, waiting)...) {
		if f.Code == findings.CompanionMissing {
			continue // of the event, not of the record that waits
		}
		for _, place := range places {
			if slices.Contains(f.RecordIDs, items[place].ID) {
				items[place].review.Findings = append(items[place].review.Findings, f)
			}
		}
	}
	return nil
}

// waitingOf reports how long a record has waited.
func waitingOf(r record.Record, now time.Time) reviewView {
	since := r.UpdatedAt
	if r.SubmittedAt != nil {
		since = *r.SubmittedAt
	}
	return reviewView{
		SharePercent: json.RawMessage("null"), WaitingSince: since.UTC().Format(timeLayout),
		AgeHours: int64(max(0, now.Sub(since)) / time.Hour), Findings: []findings.Finding{},
	}
}

// sharePercent returns part in percent of total with two decimals, null if total is zero.
func sharePercent(part, total footprint.Mass) json.RawMessage {
	if total.Sign() <= 0 {
		return json.RawMessage("null")
	}
	share := new(big.Rat).SetFrac(new(big.Int).Mul(part.Big(), big.NewInt(100)), total.Big())
	return json.RawMessage(share.FloatString(2))
}
