package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// TestReportsOfOtherServices verifies that a report of the gateway becomes an entry in
// the chain of the token's organization (statement 35), and that auth takes the actor
// from the token only, and nothing that only auth itself can know (statement 34).
func TestReportsOfOtherServices(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		bob, root, ada := b.signIn("bob@example.com"), b.signIn("root@example.com"), b.signIn("ada@example.com")
		remote := audit.NewRemote(b.base, nil)
		refused := audit.Report{
			Note:    audit.Note{Action: audit.Forbidden, Refused: "FORBIDDEN", Subject: "GET /users", After: "4 times within an hour"},
			Address: "198.51.100.7", RequestID: "req-9",
		}
		if err := remote.Record(t.Context(), bob.access, refused); err != nil {
			t.Fatal(err)
		}
		for range 2 { // with an id it is recorded once
			if err := remote.Record(t.Context(), root.access, audit.Report{
				Note: audit.Note{Action: audit.Organization, ID: "o1/2", Subject: "o1", Before: "fourEyes false", After: "fourEyes true"},
			}); err != nil {
				t.Fatal(err)
			}
		}
		all := b.entries(root.access)
		for i, want := range []map[string]string{
			{"action": "organization.update", "outcome": "done", "actor": b.root.ID, "subject": "o1", "before": "fourEyes false", "after": "fourEyes true"},
			{"action": "request.forbidden", "outcome": "refused", "reason": "FORBIDDEN", "actor": b.bob.ID, "subject": "GET /users",
				"after": "4 times within an hour", "address": "198.51.100.7", "requestId": "req-9", "session": claimsOf(t, bob.access)["sid"].(string)},
		} {
			for name, value := range want {
				if all[i][name] != value {
					t.Errorf("%s is %v, want %s, in %v", name, all[i][name], value, all[i])
				}
			}
		}

		// What another person did to an event is reported with the next action on it,
		// at least once, and recorded once, in their name.
		derived := audit.Report{Note: audit.Note{Action: "event.sign-off", ID: "e1/7", Actor: b.bob.ID, Subject: "e1", After: "revision 7, abc"}, Address: "198.51.100.7", RequestID: "req-10"}
		for _, by := range []tokens{root, ada} {
			if err := remote.Record(t.Context(), by.access, derived); err != nil {
				t.Fatal(err)
			}
		}
		all = b.entries(root.access)
		if e, older := all[0], all[1]; e["action"] != "event.sign-off" || e["actor"] != b.bob.ID || e["after"] != "revision 7, abc" || e["requestId"] != "req-10" ||
			e["session"] != nil && e["session"] != "" || e["address"] != nil && e["address"] != "" || older["action"] == "event.sign-off" {
			t.Errorf("the entry is %v, before it %v", e, older)
		}
		// So is a change of the organization.
		late := audit.Report{Note: audit.Note{Action: audit.Organization, ID: "o1/3", Actor: b.ada.ID, Subject: "o1", After: "fourEyes false"}}
		if err := remote.Record(t.Context(), root.access, late); err != nil {
			t.Fatal(err)
		}
		if e := b.entries(root.access)[0]; e["action"] != audit.Organization || e["actor"] != b.ada.ID {
			t.Errorf("the entry of a change by another person is %v", e)
		}

		// A hit of a limit has no token before login.
		hit := audit.Report{Note: audit.Note{Action: audit.Limited, Refused: "RATE_LIMITED", Subject: "POST /auth/login"}, Address: "198.51.100.8"}
		if err := remote.Record(t.Context(), "", hit); err != nil {
			t.Fatal(err)
		}
		_, before, err := b.store.AuditPage(t.Context(), account.SystemOrg, 0, 10)
		if err != nil || before != 1 {
			t.Errorf("%d entries without an organization, %v", before, err)
		}
		made := refused
		made.Action = "login"
		for what, c := range map[string]struct {
			token  string
			report audit.Report
		}{
			"no token":                  {"", refused},
			"an ID token":               {bob.id, refused},
			"a refresh token":           {bob.refresh, refused},
			"a limit with no token":     {"nonsense", hit},
			"an action of auth's own":   {root.access, made},
			"no action, and not a note": {root.access, audit.Report{}},
		} {
			if err := remote.Record(t.Context(), c.token, c.report); err == nil {
				t.Errorf("%s is accepted", what)
			}
		}
		b.want(b.do("POST", "/api/v2"+audit.Path, root.access, `{}`), http.StatusNotFound, "NOT_FOUND")

		// A request may outlive its token by the duration of a request.
		b.clock.Advance(time.Hour + 10*time.Second)
		if err := b.service.Record(t.Context(), bob.access, refused); err != nil {
			t.Errorf("a token that has just expired: %v", err)
		}
		b.clock.Advance(time.Minute)
		if err := b.service.Record(t.Context(), bob.access, refused); apperr.CodeOf(err) != apperr.Unauthenticated {
			t.Errorf("a token that expired a minute ago: %v", err)
		}
		long := hit
		long.Subject = strings.Repeat("ä", 10_000)
		if err := b.service.Record(t.Context(), "", long); err != nil {
			t.Error(err)
		}
		stored, _, err := b.store.AuditPage(t.Context(), account.SystemOrg, 0, 1)
		if err != nil || len(stored) != 1 || len(stored[0].Subject) > 1000 {
			t.Errorf("%v, %v", stored, err)
		}

		// A caller without a token cannot fill the log; one with a token is still
		// recorded.
		b.clock.Advance(time.Hour)
		_, before, _ = b.store.AuditPage(t.Context(), account.SystemOrg, 0, 1)
		for n := range 100 {
			if err := remote.Record(t.Context(), "", hit); (err == nil) != (n < 60) {
				t.Fatalf("report %d without a token within a minute: %v", n+1, err)
			}
		}
		if _, after, err := b.store.AuditPage(t.Context(), account.SystemOrg, 0, 1); err != nil || after-before != 60 {
			t.Errorf("%d entries were made of 100 reports, %v", after-before, err)
		}
		if err := remote.Record(t.Context(), b.signIn("bob@example.com").access, refused); err != nil {
			t.Errorf("a report with a token: %v", err)
		}
		b.clock.Advance(time.Minute)
		if err := remote.Record(t.Context(), "", hit); err != nil {
			t.Errorf("a minute later: %v", err)
		}
		wholeChains(t, b, account.SystemOrg, "o1", "o2")
	})
}
