package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
)

// TestEveryOperationRefusesWeakPasswords verifies that every operation that sets a
// password refuses what the policy refuses, and changes nothing (statement 7).
func TestEveryOperationRefusesWeakPasswords(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in := b.signIn("ada@example.com")
	token, err := b.service.ResetPassword(t.Context(), "o1", b.bob.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.secrets = append(b.secrets, token)
	for weak, code := range map[string]string{"fourteen chars": "TOO_SHORT", "Summer2026Summer2026": "COMMON_PASSWORD", strings.Repeat("x y ", 40): "TOO_LONG"} {
		for door, a := range map[string]answer{
			"setup":  b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(weak)+`}`),
			"change": b.do("POST", "/api/v2/auth/password", in.access, `{"currentPassword":`+quoted(goodPass)+`,"newPassword":`+quoted(weak)+`}`),
			"rehearsed": b.do("POST", "/api/v2/auth/password", in.access, `{"currentPassword":`+quoted(goodPass)+`,"newPassword":`+quoted(weak)+`}`,
				"X-Dry-Run", "true"),
		} {
			if a.status != http.StatusBadRequest || a.code != "VALIDATION_ERROR" || !strings.Contains(a.body, `"`+code+`"`) || strings.Contains(a.body, weak) {
				t.Errorf("%s, %q: %d %s", door, weak, a.status, a.body)
			}
		}
		if err := b.service.SetPassword(t.Context(), "o1", b.ada.ID, weak); apperr.CodeOf(err) != apperr.ValidationError {
			t.Errorf("the operator sets %q: %v", weak, err)
		}
		if _, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: "o1", Email: "new@example.com", Role: identity.User, Password: weak}); apperr.CodeOf(err) != apperr.ValidationError {
			t.Errorf("a user is made with %q: %v", weak, err)
		}
	}
	// The account it belongs to matters.
	b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":"bob@example.com1"}`), http.StatusBadRequest, "VALIDATION_ERROR")
	b.signIn("ada@example.com")
	b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(newPass)+`}`), http.StatusOK, "")
}
