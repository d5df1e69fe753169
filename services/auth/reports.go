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

// maxReportText bounds each text of a report, in bytes.
const maxReportText = audit.MaxText

// reportGrace is how long ago a token may have expired that a report is made
// with: the request it is of began while it was good.
const reportGrace = 30 * time.Second

// strangersReports is how many reports of nobody are entered within a minute: whoever
// reaches auth, or is refused from as many addresses as it likes, cannot fill the log with
// them. The gateway owes those that are refused, and counts them in the next one.
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

// record is Record of a report that a service has proved to be its own, or that may be
// anybody's: then it is only of the token's user, or of nobody, and says no address.
func (s *Service) record(ctx context.Context, accessToken string, r audit.Report, proven bool) error {
	if !audit.Reportable(r.Action) {
		return apperr.New(apperr.Forbidden, "This action is not reported by others.")
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
			Message: "Too many reports of nobody. Wait as long as Retry-After says."}
	}
	if !proven {
		if r.Actor != "" && r.Actor != p.UserID || accessToken == "" && !namesNobody(r.Note) {
			return apperr.New(apperr.Forbidden, "Only a service that has proved to be one reports of others.")
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
			// What is made up keeps no true entry of somebody else out.
			e.id += "/" + p.UserID
		}
		if ofEvent && r.Actor != "" && r.Actor != p.UserID {
			// The action of somebody else, by an earlier request: of this one only its
			// id is kept, as who has brought the report.
			e.actor, e.session = r.Actor, ""
			ctx = context.WithValue(ctx, callerKey{}, caller{requestID: cutBytes(r.RequestID, maxReportText)})
		}
	}
	return s.audit(ctx, e)
}

// namesNobody reports whether a report has nothing that its sender may choose: which
// operation was refused to strangers, and how often.
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
