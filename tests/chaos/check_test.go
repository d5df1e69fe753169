package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// The limits for a result to be right after the end of a fault, and after one in which
// Redis lost everything.
const (
	objective          = 5 * time.Second
	objectiveForgotten = time.Minute
)

// check verifies the state after a round with c, which may read everything. It returns
// how long it took until the result was right.
func (l *ledger) check(ctx context.Context, c *client, org string, quiet time.Time, limit time.Duration) (time.Duration, error) {
	deadline := time.NewTimer(time.Until(quiet.Add(limit)))
	defer deadline.Stop()
	listed, err := l.list(ctx, c)
	if err != nil {
		return 0, err
	}
	var took time.Duration
	for {
		wrong := l.checkResult(ctx, c, listed)
		if took = time.Since(quiet); wrong == nil {
			break
		}
		pause := time.NewTimer(20 * time.Millisecond)
		select {
		case <-pause.C:
		case <-deadline.C:
			return took, fmt.Errorf("%s after all faults were over: %w", took, wrong)
		}
	}
	return took, errors.Join(l.checkRecords(listed), l.checkHistories(ctx, c, org, listed))
}

// list reads all records of the event, page by page.
func (l *ledger) list(ctx context.Context, c *client) (map[string][]json.RawMessage, error) {
	listed := map[string][]json.RawMessage{}
	for _, typ := range []string{"waste", "flights"} {
		for page := 1; ; page++ {
			var list struct {
				Items      []json.RawMessage
				Pagination struct{ Total, TotalPages int }
			}
			if err := c.get(ctx, fmt.Sprintf("/events/%s/%s?limit=20&page=%d", l.event, typ, page), &list); err != nil {
				return nil, err
			}
			listed[typ] = append(listed[typ], list.Items...)
			if page >= list.Pagination.TotalPages {
				if len(listed[typ]) != list.Pagination.Total {
					return nil, fmt.Errorf("%d %s are listed, but the total is %d", len(listed[typ]), typ, list.Pagination.Total)
				}
				break
			}
		}
	}
	return listed, nil
}

// seen has the fields of a listed record.
type seen struct {
	ID          record.ID `json:"_id"`
	Description string
	Status      string
	Submitted   bool
	Revision    int
	WeightKg    int
	Passengers  int
}

// checkRecords compares the list with what was acknowledged: nothing lost, nothing
// twice, nothing else.
func (l *ledger) checkRecords(listed map[string][]json.RawMessage) error {
	var wrong []error
	there := map[string]seen{}
	for typ, items := range listed {
		for _, item := range items {
			var s seen
			if err := json.Unmarshal(item, &s); err != nil {
				return err
			}
			if other, twice := there[s.Description]; twice {
				wrong = append(wrong, fmt.Errorf("%q is listed twice, as %s and as %s", s.Description, other.ID, s.ID))
			}
			there[s.Description] = s
			if !slices.ContainsFunc(l.entries, func(e *entry) bool { return e.token == s.Description && e.typ == typ }) {
				wrong = append(wrong, fmt.Errorf("%s %s was created by no client: %s", typ, s.ID, item))
			}
		}
	}
	for _, e := range l.entries {
		s, found := there[e.token]
		if e.unsure != "" {
			continue // its history is checked; its present state is unknown
		}
		switch {
		case e.status == "" || e.status == "deleted":
			if found {
				wrong = append(wrong, fmt.Errorf("%q is listed, after %v", e.token, e.moves))
			}
		case !found:
			wrong = append(wrong, fmt.Errorf("lost: %s %s, acknowledged: %v", e.typ, e.id, e.moves))
		case string(s.ID) != e.id || s.Status != e.status || s.Revision != len(e.moves) || max(s.WeightKg, s.Passengers) != e.weight:
			wrong = append(wrong, fmt.Errorf("%s %s is %+v, acknowledged: %v, %d", e.typ, e.id, s, e.moves, e.weight))
		}
	}
	return errors.Join(wrong...)
}

// checkHistories verifies the hash chain of each history, and that it has the
// acknowledged moves, each once, in order.
func (l *ledger) checkHistories(ctx context.Context, c *client, org string, listed map[string][]json.RawMessage) error {
	var wrong []error
	for typ, items := range listed {
		for _, item := range items {
			var s seen
			if err := json.Unmarshal(item, &s); err != nil {
				return err
			}
			var history struct{ Items []record.Entry }
			if err := c.get(ctx, fmt.Sprintf("/events/%s/%s/%s/history?limit=100", l.event, typ, s.ID), &history); err != nil {
				return err
			}
			slices.Reverse(history.Items)
			if err := record.VerifyHistory(record.OrgID(org), s.ID, history.Items); err != nil {
				wrong = append(wrong, err)
			}
			var moves []string
			for _, e := range history.Items {
				moves = append(moves, string(e.Move))
			}
			at := slices.IndexFunc(l.entries, func(e *entry) bool { return e.token == s.Description })
			if at < 0 {
				continue // reported by checkRecords
			}
			e := l.entries[at]
			if !slices.Equal(moves, e.moves) && (e.unsure == "" || !slices.Equal(moves, append(slices.Clone(e.moves), e.unsure))) {
				wrong = append(wrong, fmt.Errorf("history of %s %s: %v, acknowledged: %v (unsure %q)", typ, s.ID, moves, e.moves, e.unsure))
			}
		}
	}
	return errors.Join(wrong...)
}

// checkResult compares the result with a full recalculation from the listed records.
func (l *ledger) checkResult(ctx context.Context, c *client, listed map[string][]json.RawMessage) error {
	var event struct {
		Country            string
		StartDate, EndDate string
		Attendees          int64
		FactorSet          string
		Method             record.Method
	}
	if err := c.get(ctx, "/events/"+l.event, &event); err != nil {
		return err
	}
	under := footprint.EventContext{
		Country: event.Country, StartDate: event.StartDate, EndDate: event.EndDate, Attendees: event.Attendees,
		RadiativeForcing: event.Method.RadiativeForcing, GWP: event.Method.GWP, FactorSet: event.FactorSet, Engine: event.Method.Engine,
	}
	want, approved, err := recompute(listed, under)
	if err != nil {
		return err
	}
	a, err := c.ask(ctx, http.MethodGet, "/events/"+l.event+"/results", nil, nil)
	if err != nil {
		return err
	}
	if approved == 0 {
		if a.status == http.StatusNotFound && bytes.Contains(a.body, []byte("NOTHING_APPROVED")) {
			return nil
		}
		return fmt.Errorf("no record is approved, but the result is %d %s", a.status, a.body)
	}
	var got map[string]json.RawMessage
	if err := a.into(&got); err != nil {
		return err
	}
	var status string
	var counts struct{ Approved int }
	if err := errors.Join(json.Unmarshal(got["status"], &status), json.Unmarshal(got["counts"], &counts)); err != nil {
		return err
	}
	if status != "current" || counts.Approved != approved {
		return fmt.Errorf("the result is %s and counts %d approved records, want %d", status, counts.Approved, approved)
	}
	for name, value := range want {
		if !bytes.Equal(value, got[name]) {
			return fmt.Errorf("%s is %s, recalculated: %s", name, got[name], value)
		}
	}
	return nil
}

// recompute recalculates the sums of all approved records from their inputs as a client
// sees them.
func recompute(listed map[string][]json.RawMessage, under footprint.EventContext) (fields map[string]json.RawMessage, approved int, err error) {
	var parts []total.Contribution
	for typ, items := range listed {
		for _, item := range items {
			var s seen
			if err := json.Unmarshal(item, &s); err != nil {
				return nil, 0, err
			}
			if s.Status != "approved" {
				continue
			}
			// The server's own fields are dropped, as they are if a client sends them
			// back.
			decoded, err := footprint.Decode(typ, item, under)
			if err != nil {
				return nil, 0, err
			}
			evaluation, err := footprint.Evaluate(typ, decoded.Fields, under)
			if err != nil {
				return nil, 0, err
			}
			parts = append(parts, total.Of(&evaluation))
		}
	}
	text, err := json.Marshal(total.Sum(parts...).Breakdown(under))
	if err != nil {
		return nil, 0, err
	}
	return fields, len(parts), json.Unmarshal(text, &fields)
}
