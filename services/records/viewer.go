package records

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// views reports whether the caller is a viewer, who reads what is approved,
// without comments, and nothing else.
func views(c *fiber.Ctx) bool { return !web.PrincipalOf(c).Role.Holds(identity.User) }

// eventFor returns an event as the caller may see it.
func eventFor(c *fiber.Ctx, e record.Event) record.Event {
	if viewsEvent(c, e) {
		return e.WithoutComments()
	}
	return e
}

// viewsEvent reports whether the caller is a viewer of an event: by the role in its team,
// also where the operation is one of many events.
func viewsEvent(c *fiber.Ctx, e record.Event) bool {
	p := web.PrincipalOf(c)
	access, _ := e.AccessOf(p.UserID, p.Role)
	return !access.Role.Holds(identity.User)
}

// viewersTag returns the entity tag of what a viewer sees, whose tag for others is
// given: who changes from one token to another is not told that the answers to both are
// the same. In If-Match the two name the same revision.
func viewersTag(tag string) string { return strings.Replace(tag, ".", ".viewer.", 1) }

// listApproved answers with a page of the approved records, newest first.
func (s *server) listApproved(c *fiber.Ctx, event record.Event, page web.Page) error {
	items, total, err := s.Store.ApprovedPage(c.UserContext(), orgOf(c), subOf(c), page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	for i := range items {
		items[i] = items[i].WithoutComments().Under(event)
	}
	return web.OK(c, web.NewList(items, page, total))
}
