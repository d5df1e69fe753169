package teams_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
)

// roles verifies tokens "organization.user" by present roles.
type roles map[string]identity.Role

func (r roles) Verify(_ context.Context, token string) (identity.Principal, error) {
	org, user, _ := strings.Cut(strings.Clone(token), ".")
	role, ok := r[user]
	if !ok {
		return identity.Principal{}, identity.NotAdmitted()
	}
	return identity.Principal{Org: org, UserID: user, Role: role}, nil
}

// recheckAfter is how long a check is good for.
const recheckAfter = 250 * time.Millisecond

// caller is a member of the organization and of the team of an event.
type caller struct {
	role identity.Role
	team record.TeamRole
}

// TestRevalidate: a long response ends once its caller would not be admitted any more.
func TestRevalidate(t *testing.T) {
	t.Parallel()
	as := func(e *events, role record.TeamRole, more ...record.TeamMember) {
		ev := e.of["team"]
		ev.Team = append(more, record.TeamMember{ID: "rita", Role: role})
		e.of["team"] = ev
	}
	nothing := func(*events, roles) {}
	manager := caller{identity.Manager, record.TeamReviewer}
	for name, c := range map[string]struct {
		who       caller
		operation string
		change    func(e *events, r roles)
		ends      bool
	}{
		"nothing": {manager, "approveRecord", nothing, false},
		"another member": {manager, "approveRecord", func(e *events, _ roles) {
			as(e, record.TeamReviewer, record.TeamMember{ID: "new", Role: record.TeamViewer})
		}, false},
		"less, but enough":          {manager, "getEvent", func(e *events, _ roles) { as(e, record.TeamViewer) }, false},
		"less in the team":          {manager, "approveRecord", func(e *events, _ roles) { as(e, record.TeamContributor) }, true},
		"no more writing":           {manager, "createRecord", func(e *events, _ roles) { as(e, record.TeamViewer) }, true},
		"still writing":             {manager, "createRecord", func(e *events, _ roles) { as(e, record.TeamContributor) }, false},
		"others' records no more":   {manager, "deleteRecord", func(e *events, _ roles) { as(e, record.TeamContributor) }, true},
		"own records":               {caller{identity.Manager, record.TeamContributor}, "deleteRecord", nothing, false},
		"out of the team":           {manager, "getEvent", func(e *events, _ roles) { ev := acme().of["team"]; ev.Team = ev.Team[:1]; e.of["team"] = ev }, true},
		"the team was dissolved":    {manager, "getEvent", func(e *events, _ roles) { e.of["team"] = record.Event{ID: "team", Org: "acme"} }, false},
		"another role":              {manager, "getEvent", func(_ *events, r roles) { r["rita"] = identity.Viewer }, true},
		"the session ended":         {manager, "getEvent", func(_ *events, r roles) { delete(r, "rita") }, true},
		"the event is not found":    {manager, "getEvent", func(e *events, _ roles) { delete(e.of, "team") }, false},
		"the store does not answer": {manager, "getEvent", func(e *events, _ roles) { e.failed = errors.New("away") }, true},
		// An administrator has that role in every event, and decides on records as a reviewer only.
		"an administrator":            {caller{identity.Admin, record.TeamReviewer}, "approveRecord", nothing, false},
		"decides no more":             {caller{identity.Admin, record.TeamReviewer}, "approveRecord", func(e *events, _ roles) { as(e, record.TeamContributor) }, true},
		"decides no more, but writes": {caller{identity.Admin, record.TeamReviewer}, "createRecord", func(e *events, _ roles) { as(e, record.TeamContributor) }, false},
		"never decided":               {caller{identity.Admin, record.TeamContributor}, "approveEventChange", nothing, false},
		"a viewer":                    {caller{identity.Viewer, record.TeamViewer}, "getEvent", nothing, false},
	} {
		for way, later := range map[string]time.Duration{"in time": recheckAfter, "after the clock was set back": -time.Hour} {
			e, r, now := acme(), roles{"rita": c.who.role}, time.Unix(1_000_000, 0)
			as(e, c.who.team)
			var check func(context.Context) error
			o, _ := api.Operations().Find("getEvent")
			app := web.New(web.Options{Service: "test", Logger: slog.New(slog.DiscardHandler)})
			err := web.Register(app, web.BasePath, r, api.Table{o}, teams.Guard(e, []web.Route{{Operation: o.ID, Handler: func(f *fiber.Ctx) (err error) {
				check, err = teams.Revalidate(f, r, e, func() time.Time { return now }, c.operation)
				return err
			}}}))
			if err != nil {
				t.Fatal(err)
			}
			webtest.Send(t, app, "acme.rita", http.MethodGet, web.BasePath+"/events/team", "")
			if check == nil {
				t.Fatal(name, ": it did not begin")
			}
			c.change(e, r)
			now = now.Add(recheckAfter - time.Millisecond)
			if err := check(t.Context()); err != nil {
				t.Errorf("%s: checked again at once: %v", name, err)
			}
			now = now.Add(time.Millisecond - recheckAfter + later)
			if err := check(t.Context()); (err != nil) != c.ends {
				t.Errorf("%s, %s: %v, ends %t", name, way, err, c.ends)
			}
		}
	}
}

// TestRevalidatedForAMoment: while nothing changes, the session and the team are read once in each such time.
func TestRevalidatedForAMoment(t *testing.T) {
	t.Parallel()
	e, r, now := acme(), roles{"rita": identity.Manager}, time.Unix(1_000_000, 0)
	var check func(context.Context) error
	o, _ := api.Operations().Find("getEvent")
	app := web.New(web.Options{Service: "test", Logger: slog.New(slog.DiscardHandler)})
	if err := web.Register(app, web.BasePath, r, api.Table{o}, []web.Route{{Operation: o.ID, Handler: func(f *fiber.Ctx) (err error) {
		check, err = teams.Revalidate(f, r, e, func() time.Time { return now }, o.ID)
		return err
	}}}); err != nil {
		t.Fatal(err)
	}
	webtest.Send(t, app, "acme.rita", http.MethodGet, web.BasePath+"/events/team", "")
	now = now.Add(recheckAfter)
	if err := check(t.Context()); err != nil {
		t.Fatal(err)
	}
	delete(r, "rita")
	now = now.Add(recheckAfter - 1)
	if err := check(t.Context()); err != nil {
		t.Errorf("read again too early: %v", err)
	}
	now = now.Add(1)
	if err := check(t.Context()); err == nil {
		t.Error("never read again")
	}
}
