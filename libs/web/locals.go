package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
)

// key is the type of the request-scoped values of this package, so that no
// other package can set or read them by accident.
type key int

const (
	keyKnown key = iota
	keyOriginalMethod
	keyShare
	keyIntake
	keyWork
	keyFile
	keyNotices
	keyRehearse // the request is rehearsed for its faults
)

// known is what the parts of this package tell each other about a request, which most of
// them ask for. It is one value, so that it is found at once and made once.
type known struct {
	requestID string
	principal identity.Principal
	code      apperr.Code
	cause     error
	// quiet: the request is logged as one of debugging, unless it fails; together: also when it
	// does; unrouted: no operation has taken it.
	quiet, together, unrouted bool
	// began is when the request came, and ended, once its line is written, when it had been
	// answered: reading the clock takes a good part of what measuring does.
	began, ended time.Time
	// What a shortcut has left that has not answered: until when the request is to be answered,
	// its span with the context that has it, and how the shortcut has ended, if by a panic.
	until  time.Time
	traced context.Context
	span   trace.Span
	fault  *panicked
}

// knownOf returns what is known of a request.
func knownOf(c *fiber.Ctx) *known {
	k, ok := c.Locals(keyKnown).(*known)
	if !ok {
		k = &known{}
		c.Locals(keyKnown, k)
	}
	return k
}

// RequestID returns the id of the request, which is also in its answer's
// X-Request-Id and in its log line.
func RequestID(c *fiber.Ctx) string { return knownOf(c).requestID }

// LogTogether makes the line of a request one of debugging, however it is answered. Who calls
// it tells of many such requests in one line: where they are more than there is time for, a
// line of each would take what is left of it.
func LogTogether(c *fiber.Ctx) { knownOf(c).together = true }

// PrincipalOf returns who makes the request. On a public route it is the zero
// Principal, whose role is RoleNone.
func PrincipalOf(c *fiber.Ctx) identity.Principal { return knownOf(c).principal }

// ActAs sets the role that the caller of the request acts in from here on: one that the
// caller's own holds.
func ActAs(c *fiber.Ctx, role identity.Role) {
	p := PrincipalOf(c)
	p.Role = role
	setPrincipal(c, p)
}

func setPrincipal(c *fiber.Ctx, p identity.Principal) { knownOf(c).principal = p }

func codeOf(c *fiber.Ctx) apperr.Code { return knownOf(c).code }

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
