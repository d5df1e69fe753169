package e2e

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
)

// propose makes a change of the tenant's event that waits for a second manager.
func (ours *tenant) propose() {
	ours.user.t.Helper()
	ours.admin.do(http.MethodPatch, "/organization", map[string]any{"policy": map[string]any{"fourEyes": true}}, nil).want(http.StatusOK)
	ours.ids["changeId"] = ours.manager.do(http.MethodPatch, "/events/"+ours.ids["eventId"], map[string]any{"attendees": 9}, nil).want(http.StatusAccepted).str("change", "_id")
}

// TestEveryCellOfAnotherOrganization calls every operation of the permission table with
// the ids of another organization, without a token and with each role. A permitted
// caller gets 404 with the same header and body as for an id that never existed, a caller with too
// low a role 403 likewise; no response names anything of the other organization, and
// nothing has changed afterwards (statement 17).
func TestEveryCellOfAnotherOrganization(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		ours := s.furnish(t)
		ours.propose()
		before := ours.snapshot()
		org := s.organization(t, "Other Ltd", "team")
		strangers := map[identity.Role]*caller{identity.RoleNone: s.anonymous(t)}
		for _, role := range identity.Roles() {
			s.account(t, org, role.String()+"@other.test", role)
			strangers[role] = s.as(t, role.String()+"@other.test")
		}
		// An event of the strangers, so that only its contents belong to the other
		// organization.
		own := strangers[identity.Manager].post("/events", map[string]any{"title": "Theirs", "country": "GB"}).want(http.StatusCreated).str("_id")
		secrets := ours.names()
		for _, o := range api.Operations() {
			theirs, err := ours.call(o, nil)
			if err != nil {
				t.Error(err)
				continue
			}
			never := ours.never(o)
			none, err := ours.call(o, never)
			if err != nil {
				t.Error(err)
				continue
			}
			for role, c := range strangers {
				want := http.StatusNotFound
				switch {
				case role == identity.RoleNone && !o.Public():
					want = http.StatusUnauthorized
				case !role.Holds(o.Least):
					want = http.StatusForbidden
				case o.ID == "updateMe", o.ID == "acceptInvitation": // it names an organization in its body
				case o.ID == "lookUpInvitation": // setUpAccount has used the token
				case o.ID == "getEventByReference": // the caller's organization has none
				case o.ID == "putEventByReference": // it creates the caller's own
					want = http.StatusOK
				case len(never) == 0:
					want = http.StatusOK // about the caller itself, or the same for all
				}
				// A real call, except where the caller has every right.
				a := theirs.make(c, want == http.StatusOK)
				if ok := a.status >= 200 && a.status <= 299; ok != (want == http.StatusOK) || !ok && a.status != want {
					t.Errorf("%s as the other organization's %s: %d %s, want %d", o.ID, role, a.status, a.body, want)
				}
				hidden := secrets
				if o.ID == "listAuditLog" {
					hidden = secrets[:4] // responses name the paths with the ids that were sent
				}
				if !o.Public() && slices.ContainsFunc(hidden, func(s string) bool { return strings.Contains(string(a.body), s) }) {
					t.Errorf("%s shows the other organization's %s: %s", o.ID, role, a.body)
				}
				if want == http.StatusOK {
					continue
				}
				if b := none.make(c, false); b.status != a.status || same(b) != same(a) {
					t.Errorf("%s as the other organization's %s: %d %s; for an id that does not exist %d %s", o.ID, role, a.status, a.body, b.status, b.body)
				}
			}
			if len(never) > 1 && never["eventId"] != "" {
				// Contents of our event, below the stranger's.
				below, err := ours.call(o, map[string]string{"eventId": own})
				if err != nil {
					t.Fatal(err)
				}
				mixed := maps.Clone(never)
				mixed["eventId"] = own
				none, err := ours.call(o, mixed)
				if err != nil {
					t.Fatal(err)
				}
				a, b := below.make(strangers[identity.Admin], false), none.make(strangers[identity.Admin], false)
				if a.status != http.StatusNotFound || b.status != a.status || same(a) != same(b) {
					t.Errorf("%s below another event: %d %s; for an id that does not exist %d %s", o.ID, a.status, a.body, b.status, b.body)
				}
			}
		}
		// A body has ids too, for requests about many records.
		for _, id := range []string{"submitRecords", "approveRecords"} {
			o, _ := api.Operations().Find(id)
			k, err := ours.call(o, map[string]string{"eventId": own})
			if err != nil {
				t.Fatal(err)
			}
			a := k.make(strangers[identity.Admin], false).want(http.StatusOK)
			if a.number("failed") != "1" || a.data("items", 0, "error", "code") != "RECORD_NOT_FOUND" {
				t.Errorf("%s of our record below another event: %s", id, a.body)
			}
		}
		if after := ours.snapshot(); after != before {
			t.Errorf("the calls have changed something:\n%s\n%s", before, after)
		}
	})
}
