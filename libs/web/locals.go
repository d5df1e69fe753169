package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
)

// key is the type of the request-scoped keys of this package, so that no other package
// can access their values by accident.
type key int

const (
	keyKnown key = iota
	keyOriginalMethod
	keyShare
	keyIntake
	keyWork
	keyFile
	keyNotices
	keyFolded
	keyRehearse // a dry run that collects the errors of the request
)

// known is the request state that the parts of this package share. It is one value, so
// one lookup and one allocation suffice.
type known struct {
	requestID string
	principal identity.Principal
	code      apperr.Code
	cause     error
	// quiet: log at level debug, unless the request fails; together: also if it fails;
	// unrouted: no operation matches the path.
	quiet, together, unrouted bool
	// began is when the request arrived; ended, once its line is written, when it was
	// answered. They are stored because reading the clock is a large part of the cost
	// of measuring.
	began, ended time.Time
	// State left by a fast path that did not answer: the deadline of the request, its
	// span with its context, and the panic, if any.
	until  time.Time
	traced context.Context
	span   trace.Span
	fault  *panicked
}

// knownOf returns the state of a request.
func knownOf(c *fiber.Ctx) *known {
	k, ok := c.Locals(keyKnown).(*known)
	if !ok {
		k = &known{}
		c.Locals(keyKnown, k)
	}
	return k
}

// RequestID returns the id of the request, which is also in the X-Request-Id of its
// response and in its log line.
func RequestID(c *fiber.Ctx) string { return knownOf(c).requestID }

// LogTogether lowers the log line of a request to level debug, whatever its outcome.
// The caller logs a summary of such requests instead: during overload, a line for each
// would use up the remaining capacity.
func LogTogether(c *fiber.Ctx) { knownOf(c).together = true }

// PrincipalOf returns the caller of the request. On a public route it is the zero
// Principal, whose role is RoleNone.
func PrincipalOf(c *fiber.Ctx) identity.Principal { return knownOf(c).principal }

// ActAs sets the role in which the caller acts from here on; the caller's own role must
// include it.
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

// methodOf returns the method sent by the client, even one that fiber does not know.
func methodOf(c *fiber.Ctx) string {
	if m, ok := c.Locals(keyOriginalMethod).(string); ok {
		return m
	}
	return c.Method()
}
