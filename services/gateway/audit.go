package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
)

// auditTimeout bounds the call that writes an entry of the audit log; the response
// waits for it.
const auditTimeout = time.Second

// auditRefusal writes a rejected request to the audit log: who was rejected, and for
// what. Repetitions are logged with decreasing frequency, so that a client cannot fill
// the log. The response does not depend on the outcome.
func (g *gateway) auditRefusal(c *fiber.Ctx, action string, code apperr.Code) {
	if g.Audit == nil {
		return
	}
	p, operation := web.PrincipalOf(c), c.Method()+" "+strings.TrimPrefix(c.Route().Path, web.BasePath)
	who := user{p.Org, p.UserID}.key()
	if p.UserID == "" {
		who = g.addressKey(c)
	}
	key, nth, enter := g.refusals.Count(action, operation, who, g.Now())
	if !enter {
		return
	}
	note := audit.Note{Action: action, Refused: string(code), Subject: withIDs(operation, c)}
	note.After = audit.Times(nth)
	err := g.report(c, note)
	if err != nil {
		g.refusals.Owe(key)
	}
	// A line for each would let a client fill the log of the gateway while auth is away.
	g.unwritten.Report(context.WithoutCancel(c.UserContext()), err)
}

// auditAnswer writes to the audit log the changes that a service reports. If that fails
// the response is 503, as it is in auth, so that no change is confirmed that the log
// does not contain.
func (g *gateway) auditAnswer(c *fiber.Ctx) error {
	notes, err := audit.Attached(c.Response())
	if err == nil && g.Audit == nil {
		return nil
	}
	failed := func(note audit.Note, err error) {
		g.Logger.ErrorContext(c.UserContext(), "a change is not in the audit log", "action", note.Action, "before", note.Before, "after", note.After,
			"user", web.PrincipalOf(c).UserID, "error", telemetry.Redact(err.Error()))
	}
	if err != nil {
		failed(audit.Note{}, err)
	}
	for _, note := range notes {
		// Each entry is independent: a failure does not prevent the others.
		if fault := g.report(c, note); fault != nil {
			failed(note, fault)
			err = errors.Join(err, fault)
		}
	}
	if err == nil {
		return nil
	}
	return apperr.New(apperr.Unavailable, "The change was made, but the audit log cannot be written right now.").Because(err)
}

// report sends a note to auth, with a timeout of its own, because the client may
// disconnect.
func (g *gateway) report(c *fiber.Ctx, note audit.Note) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.UserContext()), auditTimeout)
	defer cancel()
	token := ""
	if web.PrincipalOf(c).UserID != "" {
		token, _ = web.BearerToken(c)
	}
	r := audit.Report{Note: note, RequestID: web.RequestID(c)}
	if address := web.ClientIP(c.Context(), g.TrustedProxies); address.IsValid() {
		r.Address = address.String()
	}
	return g.Audit.Record(ctx, token, r)
}

// refusedAs returns the error code of a response.
func refusedAs(c *fiber.Ctx) apperr.Code {
	var body struct {
		Error struct {
			Code apperr.Code `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(c.Response().Body(), &body); err != nil || body.Error.Code == "" {
		return apperr.Forbidden
	}
	return body.Error.Code
}

// plainID matches the format of ids. Anything else in the place of an id, an email
// address for example, is not logged.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// withIDs inserts the ids of a request into its path pattern.
func withIDs(pattern string, c *fiber.Ctx) string {
	for _, name := range c.Route().Params {
		if id := c.Params(name); plainID.MatchString(id) {
			pattern = strings.Replace(pattern, ":"+name, id, 1)
		}
	}
	return strings.Clone(pattern)
}
