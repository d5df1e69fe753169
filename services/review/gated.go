package review

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// local is the type of the request-scoped values of this package.
type local int

// readAhead is the record of the path, read before the event of the path was.
const readAhead local = iota

// gated is the decisions on one record that move it into or out of the approved ones.
// They read the record, then the event as a gate must be read, and write on the condition
// that the record is as it was read (package signoff). In this order one reading of the
// event serves the guard, who may do this, and the gate, whether it may be done now.
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

// recordFirst reads the record of the path for a guarded handler. What the guard hides
// stays hidden: the handler looks at the record where it has seen the event alone. A
// record that cannot be read is left to the handler, who tells why.
func (s *server) recordFirst(guarded fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if r, err := s.Store.Record(c.UserContext(), orgOf(c), keyOf(c)); err == nil {
			c.Locals(readAhead, &r)
		}
		return guarded(c)
	}
}

// known returns what was read for a gated decision; nil for any other one.
func known(c *fiber.Ctx) *record.Known {
	r, ok := c.Locals(readAhead).(*record.Record)
	e, read, err := teams.Event(c)
	if !ok || !read || err != nil {
		return nil
	}
	return &record.Known{Record: *r, Event: &e}
}

// currentEvents reads events as a gate must be read, and deleted ones as they are.
type currentEvents struct{ Store }

// EventContext implements teams.Events.
func (s currentEvents) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	e, err := s.CurrentEvent(ctx, org, id)
	if errors.Is(err, record.ErrNotFound) {
		return s.Store.EventContext(ctx, org, id)
	}
	return e, err
}
