package auth

import (
	"context"
	"encoding/json"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// maxReportText limits each string of a report, in bytes.
const maxReportText = audit.MaxText

// reportGrace is how long a report's token may have expired: the request that it is
// about began while the token was valid.
const reportGrace = 30 * time.Second

// strangersReports limits the reports without a token that are recorded per minute, so
// that a caller who reaches auth, or is refused from many addresses, cannot fill the
// log. The gateway counts those that are refused and reports them with the next one.
const strangersReports = 60

func newReportBudget(now func() time.Time, log *slog.Logger) *ratelimit.Limiter {
	return ratelimit.New(ratelimit.Options{Name: "reports", Rule: ratelimit.Rule{Limit: strangersReports, Window: time.Minute},
		Shared: ratelimit.NewLocal(now, 1), Now: now, Logger: log})
}

var _ audit.Recorder = (*Service)(nil)

// Record implements audit.Recorder: it enters rejections of the gateway, and
// changes by other services. The actor is that of the access token, which is
// verified here too; only rate limit hits may come without one, in limited numbers.
func (s *Service) Record(ctx context.Context, accessToken string, r audit.Report) error {
	return s.record(ctx, accessToken, r, true)
}

// record is Record for a report that a service has proved to be its own, or for an
// unproven one: the latter is recorded only for the token's user, or without an actor,
// and without an address.
func (s *Service) record(ctx context.Context, accessToken string, r audit.Report, proven bool) error {
	if !audit.Reportable(r.Action) {
		return apperr.New(apperr.Forbidden, "This action cannot be reported by other services.")
	}
	var p identity.Principal
	if accessToken != "" || r.Action != audit.Limited {
		var err error
		if p, err = s.verifier.Verify(ctx, accessToken); err != nil {
			p, err = s.lateVerifier.Verify(ctx, accessToken)
		}
		if err != nil {
			return err
		}
	} else if budget := s.strangersReports.Take(ctx, ""); !budget.Allowed {
		return &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(budget.Reset, time.Second),
			Message: "Too many reports without a caller. Please wait for the time in Retry-After."}
	}
	if !proven {
		if r.Actor != "" && r.Actor != p.UserID || accessToken == "" && !namesNobody(r.Note) {
			return apperr.New(apperr.Forbidden, "Only an authenticated service may report actions of others.")
		}
		r.Address = ""
		if accessToken == "" {
			r.RequestID = ""
		}
	}
	for _, text := range []*string{&r.Refused, &r.Subject, &r.Before, &r.After, &r.ID, &r.Actor} {
		*text = cutBytes(*text, maxReportText)
	}
	ctx = context.WithValue(ctx, callerKey{}, caller{
		actor: p.UserID, requestID: cutBytes(r.RequestID, maxReportText), origin: account.Origin{Address: cutBytes(r.Address, maxReportText)},
	})
	e := event{action: r.Action, org: p.Org, subject: r.Subject, session: sessions.SessionOf(p.Session), failed: r.Refused, from: r.Before, to: r.After}
	if r.ID != "" {
		ofEvent := strings.HasPrefix(r.Action, audit.Event)
		e.id = "event:" + p.Org + "/" + r.ID
		if !ofEvent {
			e.id = r.Action + ":" + p.Org + "/" + r.ID
		}
		if !proven {
			// A forged id does not prevent the true entry of another actor.
			e.id += "/" + p.UserID
		}
		if (ofEvent || r.Action == audit.Organization) && r.Actor != "" && r.Actor != p.UserID {
			// The action of another person, by an earlier request: of this request only
			// the id is kept, as the origin of the report.
			e.actor, e.session = r.Actor, ""
			ctx = context.WithValue(ctx, callerKey{}, caller{requestID: cutBytes(r.RequestID, maxReportText)})
		}
	}
	return s.audit(ctx, e)
}

// namesNobody reports whether a report has nothing that its sender can choose: only
// which operation was refused, and how often.
func namesNobody(n audit.Note) bool {
	return n.ID == "" && n.Actor == "" && n.Before == "" && (n.After == "" || isTimes.MatchString(n.After)) &&
		slices.Contains([]string{string(apperr.RateLimited), ""}, n.Refused) &&
		slices.ContainsFunc(api.Operations(), func(o api.Operation) bool { return o.Public() && n.Subject == o.Method+" "+o.Path })
}

// isTimes matches what audit.Times returns.
var isTimes = regexp.MustCompile(`^[0-9]{1,9} times within an hour$`)

// takeReport answers the gateway's reports.
func (s *Service) takeReport(c *fiber.Ctx) error {
	body, err := web.Body(c)
	if err != nil {
		return err
	}
	var r audit.Report
	if err := json.Unmarshal(body, &r); err != nil {
		return apperr.Invalid(apperr.Detail{Code: "BAD_FORMAT", Message: "The body must be a report."})
	}
	token := ""
	if c.Get(fiber.HeaderAuthorization) != "" {
		var ok bool
		if token, ok = web.BearerToken(c); !ok {
			return identity.NotAdmitted()
		}
	}
	if err := s.record(c.UserContext(), token, r, proven(c)); err != nil {
		return err
	}
	return web.OK(c, fiber.Map{})
}
