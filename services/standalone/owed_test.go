package standalone_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/standalone"
)

// TestAChangeThatAKilledProcessHasNotEntered: a process that ends between a change of an organization and its entry in the
// audit log leaves the entry in the organization. Nothing is wrong with the data, and the next change enters it, once.
func TestAChangeThatAKilledProcessHasNotEntered(t *testing.T) {
	t.Parallel()
	c := smallSystem(t)
	c.env["ECF_ADDR"] = "127.0.0.1:0"
	org := c.must("", "org", "create", "--name", "Acme", "--plan", "team")
	c.must(password+"\n", "user", "create", "--org", org, "--email", "root@acme.test", "--role", "admin")
	base := ""
	t.Run("change the policy", func(t *testing.T) {
		c := &commands{t, c.env}
		base = c.serve()
		patch(t, base, `{"policy":{"requireReason":true}}`)
	})
	change := func(owed bool, do func(*record.Organization) record.OwedChange) {
		t.Helper()
		db, err := sqlitex.Open(t.Context(), filepath.Join(c.env["ECF_DATA_DIR"], standalone.DatabaseFile), recordsqlite.Schema()...)
		must(t, err)
		store := recordsqlite.New(db)
		o, err := store.Organization(t.Context(), record.OrgID(org))
		must(t, err)
		before := o.Rev
		o.Rev++
		if change := do(&o); owed {
			o.Owe(change)
		}
		must(t, store.ReplaceOrganization(t.Context(), o, before))
		must(t, db.Close())
	}
	policy := func(required bool) func(o *record.Organization) record.OwedChange {
		return func(o *record.Organization) record.OwedChange {
			p := o.Policy
			p.RequireReason = required
			o.SetPolicy(p, o.Rev, record.Actor{ID: "another"}, nil, o.CreatedAt)
			if required {
				return record.OwedChange{Action: audit.Organization, Rev: o.Rev, By: "another", Before: "requireReason false", After: "requireReason true"}
			}
			return record.OwedChange{Action: audit.Organization, Rev: o.Rev, By: "another", Before: "requireReason true", After: "requireReason false"}
		}
	}
	plan := func(to string) func(o *record.Organization) record.OwedChange {
		return func(o *record.Organization) record.OwedChange {
			was := o.Plan
			o.Plan = to
			return record.OwedChange{Action: auth.PlanAction, Rev: o.Rev, Before: was, After: to}
		}
	}
	faults := func(want ...string) {
		t.Helper()
		out, err := c.run("", "audit", "verify")
		if (err != nil) != (len(want) > 0) {
			t.Errorf("%v\n%s", err, out)
		}
		for _, fault := range want {
			if !strings.Contains(out, fault) {
				t.Errorf("not told: %s\n%s", fault, out)
			}
		}
	}
	change(false, policy(false))
	change(false, plan("free"))
	faults("its requireReason is false, and was last set to true", "its plan is free, and was last set to team")
	change(false, policy(true))
	change(false, plan("team"))
	faults()
	change(true, policy(false))
	change(true, plan("free"))
	faults()

	// The plan is entered by the next command on the organization, the policy by the next change of it.
	c.must("", "org", "plan", "--org", org, "--plan", "free")
	c.must("", "org", "plan", "--org", org, "--plan", "free")
	t.Run("change the policy again", func(t *testing.T) {
		c := &commands{t, c.env}
		base = c.serve()
		token := patch(t, base, `{"policy":{"fourEyes":true}}`)
		_, body := ask(t, http.MethodGet, base+"/api/v2/organization/audit?limit=100", token, "")
		for text, want := range map[string]int{
			`"before":"requireReason true","after":"requireReason false"`: 1,
			`"before":"team","after":"free"`:                              1,
			`"before":"fourEyes false","after":"fourEyes true"`:           1,
			`"actor":"another"`:                                           1,
		} {
			if n := strings.Count(body, text); n != want {
				t.Errorf("%d entries have %s, want %d: %s", n, text, want, body)
			}
		}
	})
	faults()
}

// patch changes the organization as its administrator and returns the token.
func patch(t *testing.T, base, body string) (token string) {
	t.Helper()
	status, answer := ask(t, http.MethodPost, base+"/api/v2/auth/login", "", `{"email":"root@acme.test","password":"`+password+`"}`)
	var login struct{ AccessToken string }
	if value(t, answer, &login); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	if status, answer := ask(t, http.MethodPatch, base+"/api/v2/organization", login.AccessToken, body); status != http.StatusOK {
		t.Fatalf("%d %s", status, answer)
	}
	return login.AccessToken
}
