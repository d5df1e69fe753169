package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// member is a caller with a role in the organization and, in the team of the tenant's
// event, one of viewer, contributor and reviewer, or none.
type member struct {
	*caller
	id   string
	role identity.Role
	team string
}

// teamOf creates an account for every permitted pair of roles in the organization and
// in a team, and for every role without a team, and adds them to the team of the
// tenant's event.
func (ours *tenant) teamOf(t *testing.T) (members []member) {
	t.Helper()
	pairs := map[identity.Role][]string{
		identity.Viewer: {"", "viewer"}, identity.User: {"", "viewer", "contributor"},
		identity.Manager: {"", "viewer", "contributor", "reviewer"}, identity.Admin: {"", "viewer", "reviewer"},
	}
	var team []any
	for _, role := range identity.Roles() {
		for _, in := range pairs[role] {
			email := role.String() + "." + in + "@team.test"
			if in == "" {
				email = role.String() + ".outside@team.test"
			}
			ours.account(t, ours.org, email, role)
			c := ours.as(t, email)
			m := member{caller: c, id: c.get("/auth/me").want(http.StatusOK).str("_id"), role: role, team: in}
			members = append(members, m)
			if in != "" {
				team = append(team, map[string]any{"userId": m.id, "role": in})
			}
		}
	}
	ours.admin.do(http.MethodPatch, "/events/"+ours.ids["eventId"], map[string]any{"title": "MARKER of a team", "team": map[string]any{"members": team}}, nil).want(http.StatusOK)
	return members
}

// most returns the highest role that a member may have in the event, by an independent
// table.
func (m member) most() identity.Role {
	if m.role == identity.Admin {
		return identity.Admin
	}
	return map[string]identity.Role{"viewer": identity.Viewer, "contributor": identity.User, "reviewer": identity.Manager}[m.team]
}

// decisions are the operations that only reviewers may call on an event with a team.
var decisions = []string{
	"claimRecord", "approveRecord", "requestChanges", "rejectRecord", "reopenRecord", "approveRecords", "requestChangesOfRecords", "rejectRecords",
	"reopenRecords", "approveImport", "signOffEvent", "withdrawSignOff",
}

// TestEveryCellOfATeam calls every operation on an event as every member of its team
// and as every caller outside it. A permitted call succeeds, a forbidden one by a
// member is refused, and to everyone else the event does not exist: the response has
// the same bytes as for an id that does not exist.
func TestEveryCellOfATeam(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ours := s.furnish(t)
	members := ours.teamOf(t)
	before := ours.admin.get("/events/" + ours.ids["eventId"]).want(http.StatusOK)
	for _, o := range api.Operations() {
		if !slices.Contains(o.Params(), "eventId") {
			continue
		}
		for _, m := range members {
			own := map[string]string{}
			if m.most() == identity.Viewer {
				own["recordId"] = ours.records[record.Approved]
			}
			k, err := ours.call(o, own)
			if err != nil {
				t.Fatal(err)
			}
			status := http.StatusOK
			switch {
			case !m.role.Holds(o.Least):
				status = http.StatusForbidden
			case m.most() == identity.RoleNone:
				status = http.StatusNotFound
			case !m.most().Holds(o.Least), !m.most().Holds(o.Others), slices.Contains(decisions, o.ID) && m.team != "reviewer":
				status = http.StatusForbidden
			}
			a := k.make(m.caller, status == http.StatusOK)
			ok := a.status == status || status == http.StatusOK && (a.status <= 299 || refusedFor(o.ID) != "" && a.at("error", "code") == refusedFor(o.ID))
			if !ok {
				t.Errorf("%s as a %s, %q in the team: %d %s, want %d", o.ID, m.role, m.team, a.status, a.body, status)
			}
			if status != http.StatusNotFound {
				continue
			}
			none, err := ours.call(o, ours.never(o))
			if err != nil {
				t.Fatal(err)
			}
			if b := none.make(m.caller, false); b.status != a.status || same(b) != same(a) {
				t.Errorf("%s as a %s outside: %d %s; for an id that does not exist %d %s", o.ID, m.role, a.status, a.body, b.status, b.body)
			}
		}
	}
	if after := ours.admin.get("/events/" + ours.ids["eventId"]); string(after.body) != string(before.body) {
		t.Errorf("the calls have changed something:\n%s\n%s", before.body, after.body)
	}
	ours.listsOfTeams(t, members)
	ours.repeatedOutside(t, members)
}

// listsOfTeams verifies that lists show exactly what the caller may see.
func (ours *tenant) listsOfTeams(t *testing.T, members []member) {
	t.Helper()
	open := ours.admin.post("/events", map[string]any{"title": "For all", "country": "GB"}).want(http.StatusCreated).str("_id")
	waits := ours.admin.post("/events/"+open+"/waste", map[string]any{"treatment": "landfill", "weightKg": 7}).want(http.StatusCreated).str("_id")
	ours.admin.post("/events/"+open+"/waste/"+waits+"/submit", nil).want(http.StatusOK)
	all := ours.admin.get("/review?limit=100").want(http.StatusOK).number("pagination", "total")
	for _, m := range members {
		events := "2"
		if m.most() == identity.RoleNone {
			events = "1"
		}
		for _, path := range []string{"/events", "/events?limit=1", "/events?page=2&limit=1"} {
			a := m.get(path).want(http.StatusOK)
			if a.number("pagination", "total") != events || events == "1" && strings.Contains(string(a.body), "MARKER") {
				t.Errorf("%s as a %s, %q in the team: %s", path, m.role, m.team, a.body)
			}
			m.do(http.MethodGet, path, nil, map[string]string{"If-None-Match": a.header.Get("ETag")}).want(http.StatusNotModified)
		}
		for _, o := range api.Operations() {
			if m.most() != identity.RoleNone || o.Method != http.MethodGet || len(o.Params()) > 0 || o.Public() || !m.role.Holds(o.Least) {
				continue
			}
			if a := m.get(o.Path); strings.Contains(string(a.body), "MARKER") || strings.Contains(string(a.body), ours.ids["eventId"]) {
				t.Errorf("%s shows a %s outside objects of the team: %s", o.ID, m.role, a.body)
			}
		}
		if !m.role.Holds(identity.Manager) {
			continue
		}
		want := "1"
		if m.role == identity.Admin || m.team == "reviewer" {
			want = all
		}
		if a := m.get("/review").want(http.StatusOK); a.number("pagination", "total") != want {
			t.Errorf("the queue of a %s, %q in the team: %s, want %s", m.role, m.team, a.body, want)
		}
	}
}

// proposedTeam verifies that under four eyes, once records were approved, a change of
// the team is a proposal, which an administrator who is not a reviewer may decide, but
// not its author.
func (ours *tenant) proposedTeam(t *testing.T, event string, reviewer, joins member) {
	t.Helper()
	ours.admin.do(http.MethodPatch, "/organization", map[string]any{"policy": map[string]any{"fourEyes": true}}, nil).want(http.StatusOK)
	team := map[string]any{"team": map[string]any{"members": []any{
		map[string]any{"userId": reviewer.id, "role": "reviewer"}, map[string]any{"userId": joins.id, "role": "viewer"},
	}}}
	change := reviewer.do(http.MethodPatch, event, team, nil).want(http.StatusAccepted).str("change", "_id")
	joins.get(event).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	decide := event + "/changes/" + change + "/approve"
	reviewer.post(decide, nil).wantError(http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN")
	joins.post(decide, nil).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	reviewer.get(event + "/changes").want(http.StatusOK)
	ours.admin.post(decide, nil).want(http.StatusOK)
	joins.get(event).want(http.StatusOK)
	// Only reviewers may change what moves the figure.
	figure := reviewer.do(http.MethodPatch, event, map[string]any{"attendees": 17}, nil).want(http.StatusAccepted).str("change", "_id")
	ours.admin.post(event+"/changes/"+figure+"/approve", nil).wantError(http.StatusForbidden, "FORBIDDEN")
	ours.admin.post(event+"/changes/"+figure+"/reject", nil).wantError(http.StatusForbidden, "FORBIDDEN")
}

// repeatedOutside verifies that a response given while the caller was in the team is
// not repeated, by its key or its tag, once the caller is not.
func (ours *tenant) repeatedOutside(t *testing.T, members []member) {
	t.Helper()
	i := slices.IndexFunc(members, func(m member) bool { return m.role == identity.Manager && m.team == "contributor" })
	m, event := members[i], "/events/"+ours.ids["eventId"]
	key := map[string]string{"Idempotency-Key": "mine"}
	body := map[string]any{"treatment": "landfill", "weightKg": 3, "description": "MARKER"}
	m.do(http.MethodPost, event+"/waste", body, key).want(http.StatusCreated)
	tag := m.get(event).want(http.StatusOK).header.Get("ETag")
	reviewer := members[slices.IndexFunc(members, func(m member) bool { return m.role == identity.Manager && m.team == "reviewer" })]
	only := map[string]any{"team": map[string]any{"members": []any{map[string]any{"userId": reviewer.id, "role": "reviewer"}}}}
	reviewer.do(http.MethodPatch, event, only, nil).want(http.StatusOK)
	for _, a := range []*answer{
		m.do(http.MethodPost, event+"/waste", body, key),
		m.do(http.MethodGet, event, nil, map[string]string{"If-None-Match": tag}),
		m.do(http.MethodPatch, event, map[string]any{"endDate": "2000-01-01"}, nil),
	} {
		if a.status != http.StatusNotFound || strings.Contains(string(a.body), "MARKER") || a.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("outside of the team: %d %s", a.status, a.body)
		}
	}
	ours.proposedTeam(t, event, reviewer, m)
	// The last reviewer leaves: the event reports it, and an administrator sets a new
	// team.
	boss := ours.admin
	boss.do(http.MethodPatch, "/users/"+reviewer.id, map[string]any{"disabled": true}, nil).want(http.StatusOK)
	if a := boss.get(event).want(http.StatusOK); a.data("team", "withoutReviewer") != true {
		t.Errorf("the event does not report that it has no reviewer: %s", a.body)
	}
	outside := map[string]any{"team": map[string]any{"members": []any{map[string]any{"userId": reviewer.id, "role": "reviewer"}}}}
	boss.do(http.MethodPatch, event, outside, nil).want(http.StatusBadRequest)
	outsider := members[slices.IndexFunc(members, func(m member) bool { return m.role == identity.Manager && m.team == "" })]
	second := members[slices.IndexFunc(members, func(m member) bool { return m.role == identity.Admin && m.team == "" })]
	outsider.get(event).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	change := boss.do(http.MethodPatch, event, map[string]any{"team": nil}, nil).want(http.StatusAccepted).str("change", "_id")
	second.post(event+"/changes/"+change+"/approve", nil).want(http.StatusOK)
	outsider.get(event).want(http.StatusOK)
}
