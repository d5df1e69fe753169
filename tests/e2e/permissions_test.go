package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/spec"
)

// leastRole is the permission matrix, written out a second time: what is not
// named here is every member's.
func leastRole(method, path string) identity.Role {
	managers := regexp.MustCompile(`^(POST /events|(PATCH|DELETE) /events/\{eventId\}|GET /review|GET /events/\{eventId\}/review|` +
		`POST /events/\{eventId\}/review/approve|GET /events/\{eventId\}/results/preview|POST /events/\{eventId\}/factor-set|` +
		`POST /events/\{eventId\}/\{type\}/\{recordId\}/(review|approve|request-changes|reject|reopen))$`)
	admins := regexp.MustCompile(`^((GET|POST) /users|(GET|PATCH|DELETE) /users/\{userId\}|PATCH /organization|GET /organization/audit)$`)
	switch operation := method + " " + path; {
	case admins.MatchString(operation):
		return identity.Admin
	case managers.MatchString(operation):
		return identity.Manager
	}
	return identity.User
}

// TestPermissionMatrix tries every documented operation with every role, and
// without a token: who may not is told so before anything else is looked at,
// and who may is never told 403 (statement 20).
func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	document, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, nil)
	callers := map[identity.Role]*caller{
		identity.User: s.user(t), identity.Manager: s.manager(t), identity.Admin: s.as(t, "admin@example.test"),
	}
	ids := strings.NewReplacer("{type}", "waste", "{revision}", "1", "{other}", "1", "{code}", "LHR", "{setId}", "desnz-2026",
		"{eventId}", strings.Repeat("0", 26), "{recordId}", strings.Repeat("0", 26), "{userId}", strings.Repeat("0", 26),
		"{sessionId}", strings.Repeat("0", 26), "{importId}", strings.Repeat("0", 26))
	cells := 0
	for _, operation := range document.Operations {
		if operation.Public || operation.Root {
			continue
		}
		// A path of two parameters would take a name of the first for a type.
		path := strings.ReplaceAll(operation.Path, "/record-types/{type}", "/record-types/waste")
		path = ids.Replace(path)
		// Rehearsed, so that who may do something has not done it.
		header := map[string]string{"X-Dry-Run": "true"}
		if a := s.anonymous(t).do(operation.Method, path, nil, header); a.status != http.StatusUnauthorized {
			t.Errorf("%s %s without a token: %d", operation.Method, operation.Path, a.status)
		}
		least := leastRole(operation.Method, operation.Path)
		for role, c := range callers {
			a := c.do(operation.Method, path, bodyFor(operation.Method, operation.Path), header)
			if forbidden := a.status == http.StatusForbidden; forbidden != (role < least) || a.status == http.StatusUnauthorized || a.status >= 500 {
				t.Errorf("%s %s as %s: %d %s", operation.Method, operation.Path, role, a.status, a.body)
			}
			cells++
		}
	}
	if cells < 120 {
		t.Errorf("only %d cells", cells)
	}
}
