package teams_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
)

// events are the events of an organization, and the failure of the store, if any.
type events struct {
	of     map[record.EventID]record.Event
	failed error
}

func (e *events) EventContext(_ context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	ev, ok := e.of[id]
	if e.failed != nil || !ok || ev.Org != org {
		if e.failed != nil {
			return record.Event{}, e.failed
		}
		return record.Event{}, record.ErrNotFound
	}
	return ev, nil
}

// acme are two events of an organization, one with a team, one without; and one with a team that was deleted.
func acme() *events {
	team := []record.TeamMember{{ID: "vera", Role: record.TeamViewer}, {ID: "carl", Role: record.TeamContributor}, {ID: "rita", Role: record.TeamReviewer}, {ID: "chief", Role: record.TeamReviewer}}
	return &events{of: map[record.EventID]record.Event{
		"open": {ID: "open", Org: "acme"}, "team": {ID: "team", Org: "acme", Team: team}, "gone": {ID: "gone", Org: "acme", Team: team, Deleted: true},
	}}
}

// serve returns an app of guarded operations whose handler is answer.
func serve(t *testing.T, e teams.Events, answer fiber.Handler) *fiber.App {
	t.Helper()
	var table api.Table
	var routes []web.Route
	for _, id := range []string{"getEvent", "createRecord", "approveRecord", "approveEventChange", "listEvents"} {
		o, ok := api.Operations().Find(id)
		if !ok {
			t.Fatalf("there is no operation %s", id)
		}
		table, routes = append(table, o), append(routes, web.Route{Operation: id, Handler: answer})
	}
	app := web.New(web.Options{Service: "test", Logger: slog.New(slog.DiscardHandler)})
	if err := web.Register(app, web.BasePath, webtest.Tokens{}, table, teams.Guard(e, routes)); err != nil {
		t.Fatal(err)
	}
	return app
}

// seen is what a handler learns of a request.
func seen(c *fiber.Ctx) error {
	_, read, err := teams.Event(c)
	id := string(teams.EventID(c))
	return web.OK(c, fmt.Sprintf("%s as %s, decides %t, read %t %v, key %t", id, web.PrincipalOf(c).Role, teams.Decides(c), read, err, teams.Path(c) == c.Path()))
}

const (
	get     = "GET /events/%s"
	add     = "POST /events/%s/flights"
	approve = "POST /events/%s/flights/r/approve"
	decide  = "POST /events/%s/changes/c/approve"
)

// TestGuard: what each member may do with an event, by the team and the role in the organization.
func TestGuard(t *testing.T) {
	t.Parallel()
	app := serve(t, acme(), seen)
	for _, c := range []struct{ who, call, event, want string }{
		// Without a team the role in the organization counts.
		{"acme.mia.manager", get, "open", "open as manager, decides true, read true <nil>, key true"},
		{"acme.ulf.user", get, "open", "open as user, decides false, read true <nil>, key true"},
		{"acme.mia.manager", approve, "open", "open as manager, decides true, read true <nil>, key true"},
		{"acme.ulf.user", approve, "open", "FORBIDDEN"},
		// In a team it is cut down to that of the member.
		{"acme.vera.manager", get, "team", "team as viewer, decides false, read true <nil>, key true"},
		{"acme.vera.manager", add, "team", "FORBIDDEN TEAM_ROLE contributor"},
		{"acme.vera.manager", approve, "team", "FORBIDDEN TEAM_ROLE reviewer"},
		{"acme.carl.manager", add, "team", "team as user, decides false, read true <nil>, key true"},
		{"acme.carl.manager", approve, "team", "FORBIDDEN TEAM_ROLE reviewer"},
		{"acme.rita.manager", approve, "team", "team as manager, decides true, read true <nil>, key true"},
		{"acme.rita.manager", decide, "team", "team as manager, decides true, read true <nil>, key true"},
		// It is never more than that in the organization.
		{"acme.rita.user", get, "team", "team as user, decides false, read true <nil>, key true"},
		{"acme.rita.user", approve, "team", "FORBIDDEN"},
		// An administrator sees every event, and decides on records as a reviewer only.
		{"acme.boss.admin", get, "team", "team as admin, decides false, read true <nil>, key true"},
		{"acme.boss.admin", add, "team", "team as admin, decides false, read true <nil>, key true"},
		{"acme.boss.admin", approve, "team", "FORBIDDEN TEAM_ROLE reviewer"},
		{"acme.boss.admin", decide, "team", "team as admin, decides false, read true <nil>, key true"},
		{"acme.chief.admin", approve, "team", "team as admin, decides true, read true <nil>, key true"},
		// For others it has an id that no event has, also as part of a key.
		{"acme.mia.manager", get, "team", "hidden.team as manager, decides true, read false <nil>, key false"},
		{"acme.mia.manager", approve, "team", "hidden.team as manager, decides true, read false <nil>, key false"},
		{"other.rita.manager", get, "team", "team as manager, decides true, read false <nil>, key true"},
		{"acme.mia.manager", get, "unknown", "unknown as manager, decides true, read false <nil>, key true"},
		{"acme.rita.manager", get, "gone", "gone as manager, decides true, read true " + record.ErrNotFound.Error() + ", key true"},
	} {
		method, path, _ := strings.Cut(fmt.Sprintf(c.call, c.event), " ")
		a := webtest.Send(t, app, c.who, method, web.BasePath+path, "")
		var body struct {
			Data  string
			Error web.ErrorBody
		}
		if err := json.Unmarshal(a.Body, &body); err != nil {
			t.Fatalf("%s %s: %s", c.who, path, a.Body)
		}
		got := body.Data
		if a.Status != http.StatusOK {
			got = string(body.Error.Code)
			for _, d := range body.Error.Details {
				_, role, _ := strings.Cut(body.Error.Message, "the role ")
				role, _, _ = strings.Cut(role, " ")
				got += " " + d.Code + " " + role
			}
		}
		if got != c.want {
			t.Errorf("%s %s %s: %s, want %s", c.who, method, path, got, c.want)
		}
	}
}

// TestGuardWithoutAStore: what cannot be checked is not done.
func TestGuardWithoutAStore(t *testing.T) {
	t.Parallel()
	e := acme()
	e.failed = errors.New("the store is away")
	done := false
	app := serve(t, e, func(c *fiber.Ctx) error { done = true; return web.OK(c, nil) })
	if a := webtest.Send(t, app, "acme.mia.manager", http.MethodGet, web.BasePath+"/events/team", ""); a.Status < http.StatusInternalServerError || done {
		t.Errorf("status %d, done %t: %s", a.Status, done, a.Body)
	}
}

// TestAdmit: the guard of operations that find their event by something else.
func TestAdmit(t *testing.T) {
	t.Parallel()
	e := acme()
	app := serve(t, e, func(c *fiber.Ctx) error {
		ev := e.of[record.EventID(c.Query("found"))]
		if err := teams.Admit(c, ev, c.Query("for")); err != nil {
			return err
		}
		return web.OK(c, fmt.Sprint(web.PrincipalOf(c).Role, teams.Decides(c), teams.Sees(c, ev)))
	})
	for _, c := range []struct{ who, found, operation, want string }{
		{"acme.mia.manager", "open", "approveRecord", "manager true true"},
		{"acme.carl.manager", "team", "getEventByReference", "user false true"},
		{"acme.carl.manager", "team", "putEventByReference", "FORBIDDEN"},
		{"acme.boss.admin", "team", "putEventByReference", "admin false true"},
		{"acme.mia.manager", "team", "getEventByReference", "EVENT_NOT_FOUND"},
		{"acme.boss.admin", "open", "noOperation", "INTERNAL"},
	} {
		a := webtest.Send(t, app, c.who, http.MethodGet, web.BasePath+"/events?found="+c.found+"&for="+c.operation, "")
		if !strings.Contains(string(a.Body), `"`+c.want+`"`) {
			t.Errorf("%s, %s of %s: %s, want %s", c.who, c.operation, c.found, a.Body, c.want)
		}
	}
}

// TestConceal: an error names the events that its caller sees, and no others.
func TestConceal(t *testing.T) {
	t.Parallel()
	e := acme()
	e.of["elsewhere"] = record.Event{ID: "elsewhere", Org: "other"}
	taken := apperr.New(apperr.DuplicateReference, "Taken.")
	for _, id := range []string{"open", "team", "elsewhere", "unknown", ""} {
		taken = taken.With(apperr.Detail{Field: "externalReference", EventID: id, Message: "Event " + id + " has it."})
	}
	plain := errors.New("of no kind")
	app := serve(t, e, func(c *fiber.Ctx) error {
		if err := teams.Conceal(c, e, plain); !errors.Is(err, plain) {
			t.Errorf("another error became %v", err)
		}
		return teams.Conceal(c, e, taken)
	})
	for who, want := range map[string][]string{"acme.mia.manager": {"open"}, "acme.vera.user": {"open", "team"}, "acme.boss.admin": {"open", "team"}, "other.rita.manager": {"elsewhere"}} {
		a := webtest.Send(t, app, who, http.MethodGet, web.BasePath+"/events", "")
		for _, id := range []string{"open", "team", "elsewhere", "unknown"} {
			told := strings.Contains(string(a.Body), id)
			if is := strings.Contains(strings.Join(want, " "), id); told != is {
				t.Errorf("%s: %s is named %t: %s", who, id, told, a.Body)
			}
		}
	}
	if taken.Details[1].EventID != "team" {
		t.Error("the error itself was changed")
	}
	e.failed = errors.New("the store is away")
	if a := webtest.Send(t, app, "acme.mia.manager", http.MethodGet, web.BasePath+"/events", ""); strings.Contains(string(a.Body), "team") {
		t.Errorf("without the store: %s", a.Body)
	}
}
