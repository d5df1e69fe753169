package web

import (
	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
)

// key is the type of the request-scoped values of this package, so that no
// other package can set or read them by accident.
type key int

const (
	keyRequestID key = iota
	keyOriginalMethod
	keyPrincipal
	keyCode
	keyCause
	keyQuiet
	keyUnrouted
	keyShare
	keySpool
	keyWork
	keyFile
	keyNotices
	keyRehearse // the request is rehearsed for its faults
)

// RequestID returns the id of the request, which is also in its answer's
// X-Request-Id and in its log line.
func RequestID(c *fiber.Ctx) string {
	id, _ := c.Locals(keyRequestID).(string)
	return id
}

// PrincipalOf returns who makes the request. On a public route it is the zero
// Principal, whose role is RoleNone.
func PrincipalOf(c *fiber.Ctx) identity.Principal {
	p, _ := c.Locals(keyPrincipal).(identity.Principal)
	return p
}

// ActAs sets the role that the caller of the request acts in from here on: one that the
// caller's own holds.
func ActAs(c *fiber.Ctx, role identity.Role) {
	p := PrincipalOf(c)
	p.Role = role
	setPrincipal(c, p)
}

func setPrincipal(c *fiber.Ctx, p identity.Principal) { c.Locals(keyPrincipal, p) }

func codeOf(c *fiber.Ctx) apperr.Code {
	code, _ := c.Locals(keyCode).(apperr.Code)
	return code
}

func isSet(c *fiber.Ctx, k key) bool {
	set, _ := c.Locals(k).(bool)
	return set
}

// methodOf returns the method the client sent, also when it is one that fiber
// does not know.
func methodOf(c *fiber.Ctx) string {
	if m, ok := c.Locals(keyOriginalMethod).(string); ok {
		return m
	}
	return c.Method()
}
