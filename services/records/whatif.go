package records

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// whatIfRecords is the maximum number of counted records that a dry run sums; beyond it the
	// response has no total.
	whatIfRecords = 20_000
	// whatIfTravel is the maximum number of records of attendee travel that it calculates, and
	// whatIfBytes that of their fields: a record may have thousands of origins.
	whatIfTravel = 2000
	whatIfBytes  = 32 << 20
	// whatIfStep is the number of records calculated per slot, and whatIfRange the size of the
	// ranges read, which is that of a worker, because stores cache them.
	whatIfStep  = 64
	whatIfRange = 512
)

// whatIf is the effect on the figures of a dry run that changes where people travel.
type whatIf struct {
	// AttendeeTravel is the figure of all records of attendee travel that are not rejected,
	// counted or not.
	AttendeeTravel movedFigure `json:"attendeeTravel"`
	// Total is the figure of the event: of approved records and, for a record, of that record.
	// It is absent if more records are approved than a dry run sums.
	Total *movedFigure `json:"total,omitempty"`
}

// movedFigure is a figure before and after a change.
type movedFigure struct {
	Before total.Interval `json:"before"`
	After  total.Interval `json:"after"`
}

func movedFrom(before, after total.Contribution) movedFigure {
	return movedFigure{Before: before.Interval(), After: after.Interval()}
}

// contributionUnder returns the contribution of a record under the context of an event: the
// stored one if it has that context, otherwise a calculated one.
func contributionUnder(typ string, fields, stored json.RawMessage, of int64, ev record.Event) (part total.Contribution, err error) {
	if of == ev.ContextRev && total.OfThisEngine(stored) {
		err = json.Unmarshal(stored, &part)
		return part, err
	}
	evaluation, err := footprint.Evaluate(typ, fields, ev.Context())
	if err != nil {
		return part, err
	}
	return total.Of(&evaluation), nil
}

// counted sums the approved records of an event, attendee travel and others separately, in
// steps between which other organizations can run; highest are the highest numbers of its
// lists. It returns false if there are too many.
func (s *server) counted(ctx context.Context, ev record.Event, highest map[string]int64) (others total.Contribution, travel []record.Counted, ok bool, err error) {
	counts, err := s.Store.CountByStatus(ctx, ev.Org, ev.ID)
	if err != nil || counts[record.Approved] > whatIfRecords {
		return others, nil, false, err
	}
	var parts []total.Contribution
	for _, typ := range footprint.Types() {
		for from := int64(1); from <= highest[typ]; from += whatIfRange {
			records, err := s.Store.Approved(ctx, ev.Org, record.Sub{Event: ev.ID, Type: typ}, from, from+whatIfRange-1)
			if err != nil {
				return others, nil, false, err
			}
			if typ == footprint.AttendeeTravel {
				travel = append(travel, records...)
				continue
			}
			if err := each(ctx, records, func(c record.Counted) error {
				part, err := contributionUnder(typ, c.Fields, c.Contribution, c.ContextRev, ev)
				if err != nil {
					return fmt.Errorf("what if: record %s: %w", c.ID, err)
				}
				parts = append(parts, part)
				return nil
			}); err != nil {
				return others, nil, false, err
			}
		}
	}
	return total.Sum(parts...), travel, true, nil
}

// each calls f with each record, and yields to other organizations in between.
func each(ctx context.Context, records []record.Counted, f func(record.Counted) error) error {
	for n, c := range records {
		if n%whatIfStep == 0 {
			if err := fairshare.Yield(ctx); err != nil {
				return err
			}
		}
		if err := f(c); err != nil {
			return err
		}
	}
	return nil
}

// movedTravel returns the figures of the attendee travel of an event before and after a change,
// counted or not; nil if there is too much of it.
func (s *server) movedTravel(ctx context.Context, before, after record.Event, highest int64) (*whatIf, error) {
	if highest > whatIfTravel {
		return nil, nil //nolint:nilnil // there is nothing to tell
	}
	var had, has []total.Contribution
	size := 0
	for from := int64(1); from <= highest; from += whatIfStep {
		records, err := s.Store.RecordRange(ctx, before.Org, record.Sub{Event: before.ID, Type: footprint.AttendeeTravel}, from, from+whatIfStep-1)
		if err != nil {
			return nil, err
		}
		if err := fairshare.Yield(ctx); err != nil {
			return nil, err
		}
		for _, r := range records {
			if r.Status == record.Rejected {
				continue
			}
			if size += len(r.Fields); size > whatIfBytes {
				return nil, nil //nolint:nilnil // there is nothing to tell
			}
			a, err := contributionUnder(r.Type, r.Fields, r.Contribution, r.ContextRev, before)
			if err != nil {
				return nil, err
			}
			b, err := contributionUnder(r.Type, r.Fields, nil, 0, after)
			if err != nil {
				return nil, refusedUnder(r.ID, err)
			}
			had, has = append(had, a), append(has, b)
		}
	}
	return &whatIf{AttendeeTravel: movedFrom(total.Sum(had...), total.Sum(has...))}, nil
}

// whatIfPlace calculates the effect of another place of the event; nil if anything else that
// affects figures changes with it, or if there is too much attendee travel.
func (s *server) whatIfPlace(c *fiber.Ctx, before, after record.Event) (*whatIf, error) {
	same := after.Context()
	same.Place = before.Context().Place
	if same != before.Context() || after.Location == before.Location {
		return nil, nil //nolint:nilnil // there is nothing to tell
	}
	if err := web.BeginRehearsal(c); err != nil {
		return nil, err
	}
	ctx := c.UserContext()
	highest, err := s.Store.MaxSeqs(ctx, before.Org, before.ID)
	if err != nil {
		return nil, err
	}
	now, next := before, after
	next.ContextRev = -1 // no stored contribution has it
	out, err := s.movedTravel(ctx, now, next, highest[footprint.AttendeeTravel])
	if out == nil {
		return nil, err
	}
	others, travel, ok, err := s.counted(ctx, before, highest)
	if err != nil || !ok {
		return out, err
	}
	a, b := []total.Contribution{others}, []total.Contribution{others}
	err = each(ctx, travel, func(c record.Counted) error {
		x, err := contributionUnder(c.Type, c.Fields, c.Contribution, c.ContextRev, now)
		if err != nil {
			return err
		}
		y, err := contributionUnder(c.Type, c.Fields, nil, 0, next)
		if err != nil {
			return refusedUnder(c.ID, err)
		}
		a, b = append(a, x), append(b, y)
		return nil
	})
	if err != nil {
		return nil, err
	}
	t := movedFrom(total.Sum(a...), total.Sum(b...))
	out.Total = &t
	return out, nil
}

// refusedUnder names the record that cannot be calculated with another place.
func refusedUnder(id record.ID, err error) error {
	if apperr.CodeOf(err) != apperr.ValidationError {
		return err
	}
	return apperr.Invalid(apperr.Detail{Field: "place", Code: footprint.FactorUnavailable, RecordID: string(id),
		Message: "The attendee travel record " + string(id) + " cannot be calculated with this place."})
}

// whatIfTo calculates the effect of another destination of one record: its figure, and the
// total of the event if the record were approved.
func (s *server) whatIfTo(c *fiber.Ctx, ev record.Event, before, after record.Record) (*whatIf, error) {
	if err := web.BeginRehearsal(c); err != nil {
		return nil, err
	}
	ctx := c.UserContext()
	a, err := contributionUnder(before.Type, before.Fields, before.Contribution, before.ContextRev, ev)
	if err != nil {
		return nil, err
	}
	b, err := contributionUnder(after.Type, after.Fields, after.Contribution, after.ContextRev, ev)
	if err != nil {
		return nil, err
	}
	out := &whatIf{AttendeeTravel: movedFrom(a, b)}
	highest, err := s.Store.MaxSeqs(ctx, ev.Org, ev.ID)
	if err != nil {
		return nil, err
	}
	others, travel, ok, err := s.counted(ctx, ev, highest)
	if err != nil || !ok {
		return out, err
	}
	rest := []total.Contribution{others}
	err = each(ctx, travel, func(c record.Counted) error {
		if c.ID == before.ID {
			return nil
		}
		part, err := contributionUnder(c.Type, c.Fields, c.Contribution, c.ContextRev, ev)
		rest = append(rest, part)
		return err
	})
	if err != nil {
		return nil, err
	}
	t := movedFrom(total.Sum(append(rest, a)...), total.Sum(append(slices.Clip(rest), b)...))
	out.Total = &t
	return out, nil
}

// withWhatIf returns the JSON of a response with the result of a dry run.
func withWhatIf(answer any, w *whatIf) (any, error) {
	if w == nil {
		return answer, nil
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	if all["whatIf"], err = json.Marshal(w); err != nil {
		return nil, err
	}
	return all, nil
}
