package teams

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// recheckAfter is how long a check is cached while a long response is sent. With the cached session state and
	// requests under way, a revocation takes effect within a second.
	recheckAfter = 250 * time.Millisecond
	// askTimeout bounds each asking.
	askTimeout = 3 * time.Second
)

// Revalidate returns a function that checks whether the caller would still be admitted, for an operation that takes
// longer than a revocation may take; it is called before each piece of a response, and before each write. It returns nil
// while the session has the same role and the team of the event, if there is one, permits the operation, on what others
// have made and to decide if it did so at first; otherwise an error, also if that cannot be determined. Results are cached
// for a moment. It must be used by one goroutine at a time, and may be used after the request has ended.
func Revalidate(c *fiber.Ctx, v web.TokenVerifier, events Events, now func() time.Time, operation string) (func(context.Context) error, error) {
	token, _ := web.BearerToken(c)
	// The principal of the request has the role in the team by now.
	p, err := v.Verify(c.UserContext(), token)
	if err != nil {
		return nil, err
	}
	o, err := operationOf(operation)
	if err != nil {
		return nil, err
	}
	needed := o.Least
	if o.Others.Holds(needed) && web.PrincipalOf(c).Role.Holds(o.Others) {
		needed = o.Others
	}
	decided := o.Decides != api.NoDecision && Decides(c)
	event := record.EventID(strings.Clone(string(EventID(c))))
	asked := now()
	return func(ctx context.Context) error {
		if since := now().Sub(asked); since >= 0 && since < recheckAfter {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, askTimeout)
		defer cancel()
		if err := web.Readmit(ctx, v, token, p); err != nil {
			return err
		}
		e, err := events.EventContext(ctx, record.OrgID(p.Org), event)
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return err
		}
		if err == nil {
			access, visible := e.AccessOf(p.UserID, p.Role)
			switch {
			case !visible:
				return record.NoSuchEvent()
			case !access.Role.Holds(needed) || decided && !access.Decides:
				return refused(o)
			}
		}
		asked = now()
		return nil
	}, nil
}
