package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/permissions"
	"github.com/eventcarbon/ecf/libs/spec"
)

// TestPermissionMatrix tries every documented operation with every role, and
// without a token: who may not is told so before anything else is looked at,
// and who may is never told 403 (statement 20).
func TestPermissionMatrix(t *testing.T) {
	t.Parallel()
	document, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	table := permissions.API()
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
		row, ok := table.Find(operation.ID)
		if !ok {
			t.Errorf("%s is not in the table of permissions", operation.ID)
		}
		for role, c := range callers {
			a := c.do(operation.Method, path, bodyFor(operation.Method, operation.Path), header)
			if forbidden := a.status == http.StatusForbidden; forbidden != (role < row.Least) || a.status == http.StatusUnauthorized || a.status >= 500 {
				t.Errorf("%s %s as %s: %d %s", operation.Method, operation.Path, role, a.status, a.body)
			}
			cells++
		}
	}
	if cells < 120 {
		t.Errorf("only %d cells", cells)
	}
}
