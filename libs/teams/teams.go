// Package teams guards every operation on an event: it decides, from the
// event and the caller alone, whether the event is visible to the caller and with which
// role the caller acts on it.
package teams

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// Events reads the events that a service has operations on.
type Events interface {
	EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error)
}

// local is the type of the request-scoped values of this package.
type local int

const (
	hidden local = iota
	accessTo
	ofPath
)

// Guard returns the routes with those that name an event guarded. An event with a team
// that the caller is not in is hidden: to everything behind the guard, the keys of
// repeated requests included, its id is one that no event has, so the answers are
// those for an unknown id. For any other event the caller's role is cut down to that
// in the team; FORBIDDEN where it does not allow the operation.
func Guard(events Events, routes []web.Route) []web.Route {
	table := api.Operations()
	for i, r := range routes {
		if o, ok := table.Find(r.Operation); ok && slices.Contains(o.Params(), "eventId") {
			routes[i].Handler = guarded(events, o, r.Handler)
		}
	}
	return routes
}

func guarded(events Events, o api.Operation, next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		e, err := events.EventContext(c.UserContext(), Org(c), record.EventID(c.Params("eventId")))
		if errors.Is(err, record.ErrNotFound) {
			return next(c) // and reports it
		}
		if err != nil {
			return err
		}
		visible, err := admit(c, e, o)
		if err != nil {
			return err
		}
		if visible {
			c.Locals(ofPath, &e)
		} else {
			c.Locals(hidden, true)
		}
		return next(c)
	}
}

// admit sets the caller's role for the event, or rejects the operation; it reports whether the event is visible to
// the caller at all.
func admit(c *fiber.Ctx, e record.Event, o api.Operation) (visible bool, err error) {
	p := web.PrincipalOf(c)
	access, visible := e.AccessOf(p.UserID, p.Role)
	if !visible {
		return false, nil
	}
	if !access.Role.Holds(o.Least) || o.Decides == api.Reviewers && !access.Decides {
		return true, refused(o)
	}
	web.ActAs(c, access.Role)
	c.Locals(accessTo, access)
	return true, nil
}

// Admit is the guard of an operation that finds its event otherwise than by the id in
// the path, once it has found it. EVENT_NOT_FOUND where the event is hidden; an unknown operation is an error, because
// what it requires is unknown.
func Admit(c *fiber.Ctx, e record.Event, operation string) error {
	o, err := operationOf(operation)
	if err != nil {
		return err
	}
	visible, err := admit(c, e, o)
	if err == nil && !visible {
		err = record.NoSuchEvent()
	}
	return err
}

func operationOf(id string) (api.Operation, error) {
	o, ok := api.Operations().Find(id)
	if !ok {
		return o, fmt.Errorf("teams: there is no operation %q", id)
	}
	return o, nil
}

// Sees reports whether the caller sees an event.
func Sees(c *fiber.Ctx, e record.Event) bool {
	p := web.PrincipalOf(c)
	_, visible := e.AccessOf(p.UserID, p.Role)
	return visible
}

// Conceal removes from an error the ids of events that the caller cannot see: a reference is unique
// in the organization, so that it is taken cannot be concealed, but which event has it is.
func Conceal(c *fiber.Ctx, events Events, err error) error {
	e, ok := errors.AsType[*apperr.Error](err)
	if !ok {
		return err
	}
	concealed := *e
	concealed.Details = slices.Clone(e.Details)
	for i, d := range concealed.Details {
		if d.EventID == "" {
			continue
		}
		owner, err := events.EventContext(c.UserContext(), Org(c), record.EventID(d.EventID))
		if err != nil && !errors.Is(err, record.ErrNotFound) {
			return err
		}
		if err != nil || !Sees(c, owner) {
			concealed.Details[i].EventID, concealed.Details[i].Message = "", "Another event has this reference."
		}
	}
	return &concealed
}

// refused is the error for a caller who sees the event but may not perform the operation.
func refused(o api.Operation) error {
	return apperr.New(apperr.Forbidden, "This requires the role %s in the team of this event.", o.TeamRole()).
		With(apperr.Detail{Field: "team", Code: "TEAM_ROLE", Message: "The event lists its team. Its reviewers and administrators can change it."})
}

// hiddenPrefix is the prefix for the id of a hidden event: no id has a dot.
const hiddenPrefix = "hidden."

// Org returns the organization of the caller.
func Org(c *fiber.Ctx) record.OrgID { return record.OrgID(web.PrincipalOf(c).Org) }

// Named reports whether the path names an event.
func Named(c *fiber.Ctx) bool { return c.Params("eventId") != "" }

// EventID returns the event that the path names, for the caller.
func EventID(c *fiber.Ctx) record.EventID {
	id := c.Params("eventId")
	if isHidden(c) {
		id = hiddenPrefix + id
	}
	return record.EventID(id)
}

// Key returns the record that the path names, for the caller.
func Key(c *fiber.Ctx) record.Key {
	return record.Key{Event: EventID(c), Type: c.Params("type"), ID: record.ID(c.Params("recordId"))}
}

// KnownType returns TYPE_NOT_FOUND unless the path names a record type.
func KnownType(c *fiber.Ctx) error { return record.CheckType(c.Params("type")) }

// Event returns the event in the path as read by the guard for this request, so that a handler need not read it
// again; ErrNotFound if it was deleted. ok is false if the guard found no visible event; then the store returns the
// reason.
func Event(c *fiber.Ctx) (e record.Event, ok bool, err error) {
	read, ok := c.Locals(ofPath).(*record.Event)
	if !ok {
		return record.Event{}, false, nil
	}
	if read.Deleted {
		return record.Event{}, true, record.ErrNotFound
	}
	return *read, true, nil
}

// Under returns a record as served under the event in the path; see Record.Under.
func Under(c *fiber.Ctx, r record.Record) record.Record {
	if e, read, err := Event(c); read && err == nil {
		return r.Under(e)
	}
	return r
}

// Path returns the path of the request for idempotency: a different one if it names a hidden event, so that a
// repeated request does not get the response from when the event was visible.
func Path(c *fiber.Ctx) string {
	if isHidden(c) {
		return hiddenPrefix + c.Path()
	}
	return c.Path()
}

func isHidden(c *fiber.Ctx) bool {
	is, _ := c.Locals(hidden).(bool)
	return is
}

// Decides reports whether the caller decides on records, changes and sign-offs of the
// event of the path.
func Decides(c *fiber.Ctx) bool {
	access, ok := c.Locals(accessTo).(record.Access)
	if !ok {
		return web.PrincipalOf(c).Role.Holds(identity.Manager)
	}
	return access.Decides
}
