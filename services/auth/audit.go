package auth

import (
	"context"
	"log/slog"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// event is something that concerns security: who did what to whom, and how it
// ended. It names people by their ids, and holds no email and no secret.
type event struct {
	action   string // "login", "user.role"
	org      string
	actor    string // who did it; empty: nobody known, or an operator at the machine
	subject  string // the user it was done to
	session  string
	failed   string // why it was refused; empty: it was done
	from, to string // what was changed
}

// caller is what is known of whoever makes the request, for events.
type caller struct {
	actor, requestID string
	origin           account.Origin
}

type callerKey struct{}

// withCaller keeps the caller of a request for the events it causes.
func withCaller(c *fiber.Ctx) context.Context {
	return context.WithValue(c.UserContext(), callerKey{}, caller{
		actor: web.PrincipalOf(c).UserID, requestID: web.RequestID(c), origin: originOf(c),
	})
}

func callerOf(ctx context.Context) caller {
	known, _ := ctx.Value(callerKey{}).(caller)
	return known
}

// audit writes an event as one line of the log.
func (a *Accounts) audit(ctx context.Context, e event) {
	known := callerOf(ctx)
	if e.actor == "" {
		e.actor = known.actor
	}
	level, outcome := slog.LevelInfo, "done"
	if e.failed != "" {
		level, outcome = slog.LevelWarn, "refused"
	}
	attrs := []slog.Attr{slog.String("action", e.action), slog.String("outcome", outcome)}
	for _, pair := range [...][2]string{
		{"reason", e.failed}, {"org", e.org}, {"actor", e.actor}, {"subject", e.subject}, {"session", e.session},
		{"from", e.from}, {"to", e.to}, {"address", known.origin.Address}, {"request_id", known.requestID},
	} {
		if pair[1] != "" {
			attrs = append(attrs, slog.String(pair[0], pair[1]))
		}
	}
	a.log.LogAttrs(ctx, level, "audit", attrs...)
}
