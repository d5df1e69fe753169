package calculation

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/calculation/eventreader"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// previewView is the result if the whole queue were approved.
type previewView struct {
	Event record.EventID `json:"eventId"`
	// BasedOn is the newest result, null when nothing is approved yet.
	BasedOn *basedOnView `json:"basedOn"`
	Queue   queueView    `json:"queue"`
	total.Breakdown
	Method        methodView    `json:"method"`
	FactorSet     factorSetView `json:"factorSet"`
	EngineVersion string        `json:"engineVersion"`
}

type basedOnView struct {
	Revision int64          `json:"revision"`
	Status   string         `json:"status"`
	Total    total.Interval `json:"total"`
}

type queueView struct {
	// Records wait for a decision; NotCalculated of them have no factor under the
	// event's method and are not in the figures.
	Records       int64          `json:"records"`
	NotCalculated []record.ID    `json:"notCalculated"`
	KgCO2e        footprint.Mass `json:"kgCO2e"`
}

// preview serves the total if the whole queue were approved.
func (s *server) preview(c *fiber.Ctx) error {
	ev, err := s.event(c)
	if err != nil {
		return err
	}
	view, err := s.previewOf(c.UserContext(), ev)
	if err != nil {
		return err
	}
	return web.OK(c, view)
}

// previewAttempts bounds how often the queue and the result are read until they are consistent.
const previewAttempts = 4

func (s *server) previewOf(ctx context.Context, ev record.Event) (previewView, error) {
	b, err := s.basis(ctx, ev)
	if err != nil {
		return previewView{}, err
	}
	return makePreview(ev, b)
}

// basis is the input of a preview: a result and a queue that are consistent, unless they keep changing.
type basis struct {
	result resulttree.Result
	queue  queue
	moving bool
}

// status is the state of the result, given the event as read before it.
func (b basis) status(ev record.Event) string {
	if b.moving || b.result.Version > 0 && b.result.ContextRev != ev.ContextRev {
		return statusRecalculating
	}
	return statusCurrent
}

// basis reads the newest result and the queue.
func (s *server) basis(ctx context.Context, ev record.Event) (basis, error) {
	for attempt := 1; ; attempt++ {
		before, err := s.resultOrNone(ctx, ev.Org, ev.ID)
		if err != nil {
			return basis{}, err
		}
		waiting, err := s.queued(ctx, ev)
		if err != nil {
			return basis{}, err
		}
		// A record approved meanwhile is in neither of the two, or in both. Then
		// it has a mark, or the result has another version.
		due, err := s.Records.HasMarks(ctx, ev.Org, ev.ID)
		if err != nil {
			return basis{}, err
		}
		after, err := s.resultOrNone(ctx, ev.Org, ev.ID)
		if err != nil {
			return basis{}, err
		}
		if steady := !due && before.Version == after.Version; steady || attempt == previewAttempts {
			return basis{before, waiting, !steady}, nil
		}
		if err := eventreader.Pause(ctx); err != nil {
			return basis{}, err
		}
	}
}

// queuePage is how much of the queue is read at once.
const queuePage = 500

// queue are the records waiting for a decision.
type queue struct {
	records int64
	failed  []record.ID
	sum     total.Contribution
}

// queued adds up the records that wait for a decision.
func (s *server) queued(ctx context.Context, ev record.Event) (queue, error) {
	q := queue{failed: []record.ID{}}
	for after := (record.QueuePlace{}); ; {
		page, err := s.Records.Waiting(ctx, ev.Org, ev.ID, after, queuePage)
		if err != nil || len(page) == 0 {
			return q, err
		}
		q.records += int64(len(page))
		after = record.QueuePlaceOf(page[len(page)-1])
		parts := []total.Contribution{q.sum}
		for _, r := range page {
			part, err := contributionOf(r, ev)
			if err != nil {
				q.failed = append(q.failed, r.ID)
				continue
			}
			parts = append(parts, part)
		}
		q.sum = total.Sum(parts...)
	}
}

// contributionOf returns the contribution of a record: the stored one if it is of the event's context and this
// engine, else a new one.
func contributionOf(r record.Record, ev record.Event) (part total.Contribution, err error) {
	if r.ContextRev == ev.ContextRev && total.OfThisEngine(r.Contribution) {
		err = json.Unmarshal(r.Contribution, &part)
		return part, err
	}
	evaluation, err := footprint.Evaluate(r.Type, r.Fields, ev.Context())
	return total.Of(&evaluation), err
}

// checksumOf returns the checksum of an event's factor set.
func checksumOf(ev record.Event) (string, error) {
	set, err := factors.ByID(ev.FactorSet)
	if err != nil {
		return "", fmt.Errorf("preview of event %s: %w", ev.ID, err)
	}
	return set.Checksum, nil
}

func makePreview(ev record.Event, b basis) (previewView, error) {
	checksum, err := checksumOf(ev)
	if err != nil {
		return previewView{}, err
	}
	view := previewView{
		Event: ev.ID, Queue: queueView{Records: b.queue.records, NotCalculated: b.queue.failed, KgCO2e: b.queue.sum.Total()},
		Method: methodView{ev.Method.RadiativeForcing, ev.Method.GWP}, FactorSet: factorSetView{ev.FactorSet, checksum},
		EngineVersion: ev.Context().EngineVersion(),
	}
	counted, err := b.result.Sum()
	if err != nil {
		return view, err
	}
	if b.result.Version > 0 {
		view.BasedOn = &basedOnView{b.result.Revision, b.status(ev), counted.Breakdown(b.result.Context).Total}
	}
	if counted.Records()+b.queue.sum.Records() == 0 {
		return view, noResult(b.moving)
	}
	view.Breakdown = counted.Add(b.queue.sum).Breakdown(ev.Context())
	return view, nil
}
