package gateway

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/ratelimit"
)

// journal is an audit log that fails when told to.
type journal struct {
	mu      sync.Mutex
	entries []string
	err     error
}

func (j *journal) Record(_ context.Context, token string, r audit.Report) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	if r.RequestID == "" || r.Address != "127.0.0.1" {
		return fmt.Errorf("incomplete: %+v", r)
	}
	j.entries = append(j.entries, strings.Join([]string{token, r.Action, r.Refused, r.Subject, r.Before, r.After}, "|"))
	return nil
}

func (j *journal) fail(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.err = err
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	taken := j.entries
	j.entries = nil
	return taken
}

func refusing(body string) func(*fasthttp.RequestCtx) {
	return func(c *fasthttp.RequestCtx) {
		c.SetStatusCode(http.StatusForbidden)
		c.SetContentType("application/json")
		c.SetBodyString(body)
	}
}

// TestRefusalsAreAudited verifies statement 35: rejections are in the audit log with user,
// operation and ids, and a hundred equal ones make seven entries.
func TestRefusalsAreAudited(t *testing.T) {
	t.Parallel()
	j := &journal{}
	s := start(t, func(d *Deps) { d.Audit = j })
	s.services[api.Review].set(refusing(`{"success":false,"error":{"code":"SELF_APPROVAL_FORBIDDEN"}}`))
	s.services[api.Auth].set(refusing(`no JSON`))
	approve := request{method: "POST", path: "/api/v2/events/e1/flights/r1/approve", token: bob}
	for range 100 {
		if got := s.do(approve); got.status != http.StatusForbidden {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	var want []string
	for n := 1; n <= 100; n *= 2 {
		times := ""
		if n > 1 {
			times = fmt.Sprintf("%d times within an hour", n)
		}
		want = append(want, bob+"|request.forbidden|SELF_APPROVAL_FORBIDDEN|POST /events/e1/flights/r1/approve||"+times)
	}
	if got := j.take(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	// Another user, another operation; an invalid id is not logged.
	s.do(request{method: "POST", path: "/api/v2/events/e1/flights/r2/approve", token: alice})
	s.do(request{method: "GET", path: "/api/v2/users/ada@example.com", token: alice})
	want = []string{
		alice + "|request.forbidden|SELF_APPROVAL_FORBIDDEN|POST /events/e1/flights/r2/approve||",
		alice + "|request.forbidden|FORBIDDEN|GET /users/:userId||",
	}
	if got := j.take(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	// A failing log changes no response; the next rejection is logged.
	other := request{method: "POST", path: "/api/v2/events/e1/flights/r1/reject", token: bob, body: `{"comment":"no"}`}
	for i := range 6 {
		if i == 3 {
			j.fail(errors.New("away"))
		}
		if i == 4 {
			j.fail(nil)
		}
		if got := s.do(other); got.status != http.StatusForbidden {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if got := j.take(); len(got) != 3 || !strings.HasSuffix(got[2], "|5 times within an hour") {
		t.Errorf("%q", got)
	}
}

// TestRefusalsWithoutAnAuditLogAreLoggedOnce verifies that however many requests are refused while
// the audit log cannot be written, the log says it once; the entry is made afterwards.
func TestRefusalsWithoutAnAuditLogAreLoggedOnce(t *testing.T) {
	t.Parallel()
	j, logged := &journal{err: errors.New("away")}, &lines{}
	s := start(t, func(d *Deps) { d.Audit, d.Logger = j, slog.New(slog.NewTextHandler(logged, nil)) })
	s.services[api.Review].set(refusing(`{"success":false,"error":{"code":"SELF_APPROVAL_FORBIDDEN"}}`))
	approve := request{method: "POST", path: "/api/v2/events/e1/flights/r1/approve", token: bob}
	for range 40 {
		s.do(approve)
	}
	if n := strings.Count(logged.String(), "audit log"); n != 1 || !strings.Contains(logged.String(), "writing refusals to the audit log fails") {
		t.Errorf("%d lines about the audit log: %s", n, logged)
	}
	j.fail(nil)
	s.do(approve)
	if got := j.take(); len(got) != 1 || !strings.HasSuffix(got[0], "|41 times within an hour") {
		t.Errorf("afterwards %q", got)
	}
}

// TestHitsOfLimitsAreAudited verifies statement 35: exceeded write limits are logged with the
// user, those of sign-ins with the address.
func TestHitsOfLimitsAreAudited(t *testing.T) {
	t.Parallel()
	j := &journal{}
	s := start(t, func(d *Deps) {
		d.Audit = j
		d.SignInLimit, d.WriteLimit = ratelimit.Rule{Limit: 1, Window: time.Hour}, ratelimit.Rule{Limit: 2, Window: time.Hour}
	})
	for range 4 {
		s.do(login())
		s.do(request{method: "POST", path: "/api/v2/events", token: bob, body: `{}`})
	}
	want := []string{
		"|request.limited|RATE_LIMITED|POST /auth/login||",
		bob + "|request.limited|RATE_LIMITED|POST /events||",
		"|request.limited|RATE_LIMITED|POST /auth/login||2 times within an hour",
		bob + "|request.limited|RATE_LIMITED|POST /events||2 times within an hour",
	}
	got := j.take()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestChangesAreAuditedBeforeTheAnswer verifies that a change reported by a service is logged
// before the response, that its header is removed, and that a failure is 503.
func TestChangesAreAuditedBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	j := &journal{}
	s := start(t, func(d *Deps) { d.Audit = j })
	note := base64.RawURLEncoding.EncodeToString([]byte(`{"action":"organization.update","subject":"one","before":"fourEyes false","after":"fourEyes true"}`))
	header := note
	s.services[api.Records].set(func(c *fasthttp.RequestCtx) {
		c.Response.Header.Set("X-Ecf-Audit", header)
		c.SetContentType("application/json")
		c.SetBodyString(`{"success":true,"data":{}}`)
	})
	patch := request{method: "PATCH", path: "/api/v2/organization", token: bob, body: `{}`}
	got := s.do(patch)
	if got.status != http.StatusOK || got.header.Get("X-Ecf-Audit") != "" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if entries := j.take(); !slices.Equal(entries, []string{bob + "|organization.update||one|fourEyes false|fourEyes true"}) {
		t.Errorf("%q", entries)
	}
	j.fail(errors.New("away"))
	got = s.do(patch)
	if got.status != http.StatusServiceUnavailable || got.code(t) != "UNAVAILABLE" || got.header.Get("X-Ecf-Audit") != "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
	j.fail(nil)
	header = "?"
	if got = s.do(patch); got.status != http.StatusServiceUnavailable {
		t.Errorf("a note that cannot be read: %d %s", got.status, got.body)
	}
}
