package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/audit"
)

// TestAuthKnowsServicesByTheirSecret verifies with real processes that a client that
// reaches auth directly can neither have reports about others recorded, with whatever
// token, nor try passwords, nor exhaust an owner's limit by forging the owner's
// address, while requests and reports of the services continue (statements 34 and 35).
func TestAuthKnowsServicesByTheirSecret(t *testing.T) {
	t.Parallel()
	g := startGateways(t)
	admin := g.account("admin@example.test", "admin")
	g.account("user@example.test", "user")
	g.account("manager@example.test", "manager")
	const home = "203.0.113.7"
	token := func(email, from string) string {
		t.Helper()
		access, _ := g.signIn(0, email, from)
		return access
	}
	user, boss := token("user@example.test", home), token("admin@example.test", home)

	auth := g.setting("ECF_AUTH_URL")
	entries := func() string {
		t.Helper()
		return string(g.at(0, boss).get("/organization/audit?limit=100").want(http.StatusOK).body)
	}
	direct := func(token string, r audit.Report) error {
		return audit.NewRemote(auth, nil).Record(t.Context(), token, r)
	}
	for name, err := range map[string]error{
		"an action of the administrator": direct(user, audit.Report{Note: audit.Note{Action: "event.sign-off", ID: "e1/7", Actor: admin}}),
		"a change of the organization":   direct(user, audit.Report{Note: audit.Note{Action: audit.Organization, Before: "fourEyes false", After: "fourEyes true"}, Address: "8.8.8.8"}),
		"a limit that names somebody":    direct("", audit.Report{Note: audit.Note{Action: audit.Limited, Subject: "made up", Before: admin, After: admin}, Address: "8.8.8.8"}),
	} {
		if err == nil {
			t.Errorf("%s is recorded", name)
		}
	}
	for _, made := range []string{"event.sign-off", "organization.update", "8.8.8.8"} {
		if log := entries(); strings.Contains(log, made) {
			t.Errorf("%s is in the log: %s", made, log)
		}
	}
	for n := range 60 {
		a := (&caller{t: t, url: auth, inside: true}).do(http.MethodPost, "/auth/login", map[string]any{"email": "user@example.test", "password": fmt.Sprint("wrong", n)}, map[string]string{"X-Forwarded-For": home})
		if a.status != http.StatusUnauthorized || a.header.Get("X-Ecf-Peer-Refused") == "" {
			t.Fatalf("login %d at auth itself: %d %s", n, a.status, a.body)
		}
	}
	token("user@example.test", home)

	// Through the gateways and records: what one does and another continues is recorded
	// for each.
	manager := token("manager@example.test", "203.0.113.8")
	event := g.at(0, manager).post("/events", map[string]any{"title": "Signed", "country": "GB", "startDate": "2026-09-01"}).want(http.StatusCreated).str("_id")
	g.at(1, boss).do(http.MethodPatch, "/events/"+event, map[string]any{"title": "Signed again"}, nil).want(http.StatusOK)
	if log := entries(); !strings.Contains(log, `"event.create"`) || !strings.Contains(log, `"event.change"`) || !strings.Contains(log, `"203.0.113.8"`) {
		t.Errorf("the log is %s", log)
	}
}

// setting returns a setting of the processes.
func (g *gateways) setting(name string) string {
	g.t.Helper()
	for _, line := range g.env {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	g.t.Fatalf("there is no %s", name)
	return ""
}

// TestServicesWithoutASecretSaySo verifies that a service without the secret logs at
// start that it attributes requests to the connection.
func TestServicesWithoutASecretSaySo(t *testing.T) {
	t.Parallel()
	g := startGateways(t, "ECF_PEER_SECRET=")
	for _, p := range g.procs {
		p.WaitLine("neither ECF_PEER_SECRET nor ECF_TLS_CERT is set")
	}
	g.account("admin@example.test", "admin")
	boss, _ := g.signIn(0, "admin@example.test", "203.0.113.7")
	if log := string(g.at(0, boss).get("/organization/audit?limit=100").want(http.StatusOK).body); strings.Contains(log, "203.0.113.7") || !strings.Contains(log, `"127.0.0.1"`) {
		t.Errorf("the log is %s", log)
	}
}
