package web

import (
	"context"

	"github.com/gofiber/fiber/v2"
)

// BodyContext returns a context for a response body that is made while it is sent. It has the
// deadline of the request, but does not end when the handler returns, which is before the first
// byte is sent.
func BodyContext(c *fiber.Ctx) (context.Context, context.CancelFunc) {
	deadline, _ := c.UserContext().Deadline()
	return context.WithDeadline(context.WithoutCancel(c.UserContext()), deadline)
}
