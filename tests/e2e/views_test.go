package e2e

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestOneTagIsOneBodyForEverybody verifies that a program that changes from one token
// to another gets no 304 if the other caller's response differs. Each operation that
// reads is requested by each role, in the organization and in the team, and once with
// every tag of the others.
func TestOneTagIsOneBodyForEverybody(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	event, item, paths := s.readable(t)
	user, manager, admin := s.user(t), s.manager(t), s.as(t, "admin@example.test")
	s.account(t, s.org, "viewer@example.test", identity.Viewer)
	s.account(t, s.org, "guest@example.test", identity.User) // a viewer in the team only
	viewer, guest := s.as(t, "viewer@example.test"), s.as(t, "guest@example.test")

	// Comments, which viewers do not see: of a record, of a signature, of a result.
	const comment = "Between colleagues."
	manager.post("/events/"+event+"/sign-off/withdraw", map[string]any{"comment": comment}).want(http.StatusOK)
	record := "/events/" + event + "/waste/" + item
	manager.post(record+"/reopen", map[string]any{"comment": comment}).want(http.StatusOK)
	user.post(record+"/submit", nil).want(http.StatusOK)
	manager.post(record+"/approve", map[string]any{"comment": comment}).want(http.StatusOK)
	var members []any
	for who, role := range map[*caller]string{user: "contributor", manager: "reviewer", viewer: "viewer", guest: "viewer"} {
		members = append(members, map[string]any{"userId": who.get("/auth/me").want(http.StatusOK).str("_id"), "role": role})
	}
	admin.do(http.MethodPatch, "/events/"+event, map[string]any{"comment": comment, "team": map[string]any{"members": members}}, nil).want(http.StatusOK)
	testkit.Eventually(t, 20*time.Second, func() error {
		if user.get("/events/"+event+"/results").want(http.StatusOK).str("status") != "current" {
			return errors.New("the result is not current")
		}
		return nil
	})

	callers := map[string]*caller{"viewer": viewer, "viewer of the team": guest, "user": user, "manager": manager, "admin": admin}
	different := 0
	for name, path := range paths {
		answers := map[string]*answer{}
		for who, c := range callers {
			if a := c.get(path); a.status == http.StatusOK {
				answers[who] = a
			}
		}
		for _, one := range slices.Sorted(maps.Keys(answers)) {
			for _, other := range slices.Sorted(maps.Keys(answers)) {
				if string(answers[one].body) == string(answers[other].body) {
					continue
				}
				different++
				again := callers[other].do(http.MethodGet, path, nil, map[string]string{"If-None-Match": answers[one].header.Get("ETag")})
				if again.status != http.StatusOK || string(again.body) != string(answers[other].body) {
					t.Errorf("%s: the tag of %s, %s, is also that of %s: %d", name, one, answers[one].header.Get("ETag"), other, again.status)
				}
			}
		}
	}
	if different < 20 {
		t.Errorf("only %d answers differ: the comments are not seen", different)
	}
	// What a viewer has seen identifies the revision all the same.
	tag := viewer.get(record).want(http.StatusOK).header.Get("ETag")
	admin.do(http.MethodPost, record+"/reopen", map[string]any{"comment": comment}, map[string]string{"If-Match": tag, "X-Dry-Run": "true"}).wantNot(t, http.StatusPreconditionFailed)
}

// wantNot checks that the status is another one.
func (a *answer) wantNot(t *testing.T, status int) {
	t.Helper()
	if a.status == status {
		t.Errorf("%s: status %d: %s", a.what, a.status, a.body)
	}
}
