package records

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// views reports whether the caller is a viewer, who can only read what is approved, without
// comments.
func views(c *fiber.Ctx) bool { return !web.PrincipalOf(c).Role.Holds(identity.User) }

// eventFor returns an event as visible to the caller.
func eventFor(c *fiber.Ctx, e record.Event) record.Event {
	if viewsEvent(c, e) {
		return e.WithoutComments()
	}
	return e
}

// viewsEvent reports whether the caller is a viewer of an event, by the role in its team, even
// in an operation on many events.
func viewsEvent(c *fiber.Ctx, e record.Event) bool {
	p := web.PrincipalOf(c)
	access, _ := e.AccessOf(p.UserID, p.Role)
	return !access.Role.Holds(identity.User)
}

// viewersTag returns the entity tag of the viewer's representation; tag is that for others, so
// that a client that switches tokens does not get 304 for the other representation. In If-Match
// both name the same revision.
func viewersTag(tag string) string { return strings.Replace(tag, ".", ".viewer.", 1) }

// listApproved answers with a page of the approved records, newest first.
func (s *server) listApproved(c *fiber.Ctx, event record.Event, page web.Page) error {
	items, total, err := s.Store.ApprovedPage(c.UserContext(), teams.Org(c), subOf(c), page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	for i := range items {
		items[i] = items[i].WithoutComments().Under(event)
	}
	return web.OK(c, web.NewList(items, page, total))
}
