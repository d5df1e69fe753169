package records_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	memberships "github.com/eventcarbon/ecf/libs/identity/members"
)

// directory is a fixed directory of the members of org1.
type directory map[string]identity.Role

func (d directory) Roles(_ context.Context, org string, ids []string) (map[string]identity.Role, error) {
	roles := map[string]identity.Role{}
	for _, id := range ids {
		if role, ok := d[id]; ok && org == "org1" {
			roles[id] = role
		}
	}
	return roles, nil
}

// Own is a membership in org1 and a disabled one in org2.
// Invitation knows one token.
func (d directory) Invitation(_ context.Context, setupToken string) (memberships.Invitation, error) {
	switch setupToken {
	case "org2.guest.secret":
		return memberships.Invitation{Organization: "org2", Role: identity.Manager}, nil
	case "unavailable":
		return memberships.Invitation{}, errors.New("auth does not respond")
	}
	return memberships.Invitation{}, memberships.ErrNoInvitation
}

func (d directory) Own(_ context.Context, _, user string) ([]memberships.Membership, error) {
	return []memberships.Membership{{ID: user, Organization: "org1", Role: d[user], State: "active"}, {ID: "elsewhere", Organization: "org2", Role: identity.Viewer, State: "disabled"}}, nil
}

func members() directory {
	return directory{"max": identity.Manager, "eva": identity.Manager, "ada": identity.User, "vic": identity.Viewer, "root": identity.Admin}
}

// teamWith returns a body with a team of "id:role" pairs.
func teamWith(pairs ...string) string {
	var list []string
	for _, p := range pairs {
		id, role, _ := strings.Cut(p, ":")
		list = append(list, fmt.Sprintf(`{"userId":%q,"role":%q}`, id, role))
	}
	return `{"title":"Ours","team":{"members":[` + strings.Join(list, ",") + `]}}`
}

// TestOwnOrganizations lists the organizations of the caller with their names.
func TestOwnOrganizations(t *testing.T) {
	t.Parallel()
	h := start(t)
	all := h.send(planck, http.MethodGet, "/organizations", "")
	for _, part := range []string{`{"_id":"org1","name":"org1"`, `"role":"manager","state":"active"}`, `{"_id":"org2","name":"org2"`, `"role":"viewer","state":"disabled"}`, `"total":2`} {
		if all.status != http.StatusOK || !strings.Contains(all.body, part) {
			t.Errorf("%d %s lacks %s", all.status, all.body, part)
		}
	}
	behind := h.send(planck, http.MethodGet, "/organizations?page=9223372036854775807", "")
	if behind.status != http.StatusOK || !strings.Contains(behind.body, `"items":[]`) {
		t.Errorf("a page behind the last: %d %s", behind.status, behind.body)
	}
	second := h.send(planck, http.MethodGet, "/organizations?limit=1&page=2", "")
	if strings.Contains(second.body, `"org1"`) || !strings.Contains(second.body, `"org2"`) {
		t.Errorf("the second page %s", second.body)
	}
}

// TestInvitationIsNamed: the holder of a token learns whose invitation it is, without a session.
func TestInvitationIsNamed(t *testing.T) {
	t.Parallel()
	h := start(t)
	for body, want := range map[string]struct {
		status int
		part   string
	}{
		`{"token":"org2.guest.secret"}`: {http.StatusOK, `"data":{"organization":"org2","organizationName":"org2","role":"manager"}`},
		`{"token":"another"}`:           {http.StatusNotFound, `"UNKNOWN_INVITATION"`},
		`{"token":"unavailable"}`:       {http.StatusServiceUnavailable, `"UNAVAILABLE"`},
		`{"token":""}`:                  {http.StatusBadRequest, `"token"`},
		`{}`:                            {http.StatusBadRequest, `"REQUIRED"`},
	} {
		if a := h.send("", http.MethodPost, "/auth/invitations/lookup", body); a.status != want.status || !strings.Contains(a.body, want.part) {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
}

func TestTeamsAreChecked(t *testing.T) {
	t.Parallel()
	h := start(t)
	for body, field := range map[string]string{
		teamWith("max:contributor"):                              "team.members",
		teamWith("max:reviewer", "max:viewer"):                   "team.members[1].userId",
		teamWith("max:reviewer", "nobody:viewer"):                "team.members[1].userId",
		teamWith("max:reviewer", "ada:reviewer"):                 "team.members[1].role",
		teamWith("max:reviewer", "vic:contributor"):              "team.members[1].role",
		teamWith("max:boss"):                                     "team.members[0].role",
		`{"title":"Ours","team":{}}`:                             "team.members",
		`{"title":"Ours","team":{"members":[{"userId":"max"}]}}`: "team.members[0].role",
		`{"title":"Ours","team":[]}`:                             "team",
	} {
		a := h.send(planck, http.MethodPost, "/events", body)
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, `"field":"`+field+`"`) {
			t.Errorf("%s: %d %s, want a fault of %s", body, a.status, a.body, field)
		}
	}
	// Members without a user, or with an invalid one, are not the same user.
	for _, id := range []string{"", `,"userId":null`, `,"userId":""`, `,"userId":5`} {
		one := `{"role":"reviewer"` + id + `}`
		a := h.send(planck, http.MethodPost, "/events", `{"title":"Ours","team":{"members":[`+one+`,`+one+`]}}`)
		if a.status != http.StatusBadRequest || strings.Count(a.body, `"field":`) != 2 || strings.Contains(a.body, "DUPLICATE_KEY") {
			t.Errorf("two members %s: %d %s, want one fault of each", one, a.status, a.body)
		}
	}
	made := h.send(planck, http.MethodPost, "/events", teamWith("max:reviewer", "ada:viewer"))
	if made.status != http.StatusCreated || !strings.Contains(made.body, `"team":{"members":[{"userId":"max","role":"reviewer"},{"userId":"ada","role":"viewer"}]}`) {
		t.Errorf("%d %s", made.status, made.body)
	}
}

// TestWhoChangesATeam: the creator of the event sets the first team, then its reviewers may change it, and
// administrators always.
func TestWhoChangesATeam(t *testing.T) {
	t.Parallel()
	h := start(t)
	const eva, root = "org1.eva.manager", "org1.root.admin"
	event := "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Ours"}`).text("_id")
	change := func(token, body string, want int) {
		t.Helper()
		if a := h.send(token, http.MethodPatch, event, body); a.status != want {
			t.Errorf("%s: %d %s, want %d", token, a.status, a.body, want)
		}
	}
	change(eva, teamWith("eva:reviewer"), http.StatusForbidden)
	change(eva, `{"title":"Hers"}`, http.StatusOK)
	change(planck, teamWith("max:reviewer", "eva:contributor"), http.StatusOK)
	change(eva, teamWith("eva:reviewer"), http.StatusForbidden)
	change(root, teamWith("eva:reviewer"), http.StatusOK)
	change(planck, `{"team":null}`, http.StatusNotFound)
	change("org1.eva.user", `{"team":null}`, http.StatusForbidden) // a manager no longer
	change(eva, `{"team":null}`, http.StatusOK)
	change(planck, `{"title":"Again"}`, http.StatusOK)
	// The reference of a hidden event is taken, and the error does not name the event.
	h.send(planck, http.MethodPatch, event, `{"externalReference":"conf-1","team":{"members":[{"userId":"max","role":"reviewer"}]}}`).want(http.StatusOK, "")
	hidden, unknown := h.send(eva, http.MethodGet, "/events/by-reference/conf-1", ""), h.send(eva, http.MethodGet, "/events/by-reference/conf-2", "")
	if hidden.code != "EVENT_NOT_FOUND" || unknown.code != hidden.code || hidden.status != unknown.status {
		t.Errorf("%s\n%s", hidden.body, unknown.body)
	}
	for _, a := range []answer{
		h.send(eva, http.MethodPost, "/events", `{"title":"Hers","externalReference":"conf-1"}`),
		h.send(eva, http.MethodPut, "/events/by-reference/conf-1", `{"title":"Hers"}`),
	} {
		if a.code != "DUPLICATE_REFERENCE" || strings.Contains(a.body, strings.TrimPrefix(event, "/events/")) {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	h.send(planck, http.MethodPut, "/events/by-reference/conf-1", `{"title":"Put"}`).want(http.StatusOK, "")
	h.send(eva, http.MethodGet, event, "").want(http.StatusNotFound, "EVENT_NOT_FOUND") // the team stays
	h.send(root, http.MethodPatch, event, `{"team":null}`).want(http.StatusOK, "")
	// The idempotency key of its creator does not reveal a hidden event.
	key := []string{"Idempotency-Key", "made"}
	made := h.send(planck, http.MethodPost, "/events", `{"title":"MARKER"}`, key...).want(http.StatusCreated, "")
	h.send(planck, http.MethodPost, "/events", `{"title":"MARKER"}`, key...).want(http.StatusCreated, "")
	h.send(root, http.MethodPatch, "/events/"+made.text("_id"), teamWith("eva:reviewer")).want(http.StatusOK, "")
	if a := h.send(planck, http.MethodPost, "/events", `{"title":"MARKER"}`, key...); a.code != "EVENT_NOT_FOUND" || strings.Contains(a.body, "MARKER") {
		t.Errorf("%d %s", a.status, a.body)
	}
	history := h.send(planck, http.MethodGet, event+"/history", "")
	if n := strings.Count(history.body, `"field":"team"`); n != 5 {
		t.Errorf("%d changes of the team in %s", n, history.body)
	}
}

// TestATeamKeepsWhatItsDeletedEventLeft: the histories of a deleted event and of its records are served only to those
// who could read them before.
func TestATeamKeepsWhatItsDeletedEventLeft(t *testing.T) {
	t.Parallel()
	const eva, root = "org1.eva.manager", "org1.root.admin"
	h := start(t)
	event := "/events/" + h.send(planck, http.MethodPost, "/events", teamWith("max:reviewer", "ada:contributor")).want(http.StatusCreated, "").text("_id")
	record := event + "/waste/" + h.send(ada, http.MethodPost, event+"/waste", bin).want(http.StatusCreated, "").text("_id")
	nobodys := "/events/" + strings.Repeat("0", 26)
	for _, deleted := range []bool{false, true} {
		if deleted {
			h.send(planck, http.MethodDelete, event, `{"comment":"called off"}`).want(http.StatusOK, "")
		}
		for _, path := range []string{event + "/history", record + "/history"} {
			for _, member := range []string{planck, root} {
				h.send(member, http.MethodGet, path, "").want(http.StatusOK, "")
			}
			outside, unknown := h.send(eva, http.MethodGet, path, ""), h.send(eva, http.MethodGet, strings.Replace(path, event, nobodys, 1), "")
			if outside.status != http.StatusNotFound || bytesOf(outside) != bytesOf(unknown) {
				t.Errorf("deleted %t: who is not in the team can tell the event from an unknown one:\n%s\n%s", deleted, outside.body, unknown.body)
			}
		}
		for _, list := range []string{"/events", "/imports"} {
			if a := h.send(eva, http.MethodGet, list, ""); strings.Contains(a.body, strings.TrimPrefix(event, "/events/")) {
				t.Errorf("deleted %t: %s shows the event: %s", deleted, list, a.body)
			}
		}
	}
}

// bytesOf is the body of an answer without the id of its request.
func bytesOf(a answer) string {
	id := a.header.Get("X-Request-Id")
	if id == "" {
		return a.body
	}
	return strings.ReplaceAll(a.body, id, "")
}
