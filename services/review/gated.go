package review

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// local is the type of the request-scoped keys of this package.
type local int

// readAhead is the key of the record that was read before the event.
const readAhead local = iota

// gated returns the routes of decisions that move a record into or out of the approved state.
// They read the record, then the event with a read that the gate requires, and write on the
// condition that the record is unchanged (package signoff). In this order one read of the event
// serves the guard, which checks who may do this, and the gate, which checks whether it may be
// done now.
func (s *server) gated() []web.Route {
	routes := teams.Guard(currentEvents{s.Store}, []web.Route{
		s.decision("approveRecord", record.Approve),
		s.decision("reopenRecord", record.Reopen),
	})
	for i, r := range routes {
		routes[i].Handler = s.recordFirst(r.Handler)
	}
	return routes
}

// recordFirst reads the record of the path before a guarded handler. What the guard hides stays
// hidden: the handler uses the record only if it has access to the event. If the record cannot
// be read, the handler reports why.
func (s *server) recordFirst(guarded fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if r, err := s.Store.Record(c.UserContext(), teams.Org(c), teams.Key(c)); err == nil {
			c.Locals(readAhead, &r)
		}
		return guarded(c)
	}
}

// known returns the record read for a gated decision, or nil for any other decision.
func known(c *fiber.Ctx) *record.Known {
	r, ok := c.Locals(readAhead).(*record.Record)
	e, read, err := teams.Event(c)
	if !ok || !read || err != nil {
		return nil
	}
	return &record.Known{Record: *r, Event: &e}
}

// currentEvents reads events as a gate requires, and deleted ones as they are.
type currentEvents struct{ Store }

// EventContext implements teams.Events.
func (s currentEvents) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	e, err := s.CurrentEvent(ctx, org, id)
	if errors.Is(err, record.ErrNotFound) {
		return s.Store.EventContext(ctx, org, id)
	}
	return e, err
}
