package records

import (
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
	p := web.PrincipalOf(c)
	if access, _ := e.AccessOf(p.UserID, p.Role); !access.Role.Holds(identity.User) {
		return e.WithoutComments()
	}
	return e
}

// listApproved answers with a page of the approved records, newest first.
func (s *server) listApproved(c *fiber.Ctx, page web.Page) error {
	items, total, err := s.Store.ApprovedPage(c.UserContext(), orgOf(c), subOf(c), page.Offset(), page.Limit)
	if err != nil {
		return err
	}
	for i := range items {
		items[i] = items[i].WithoutComments()
	}
	return web.OK(c, web.NewList(items, page, total))
}
