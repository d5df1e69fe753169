package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestAnInvitationIsRepeatedByItsKey verifies that a repetition returns the same
// invitation and invalidates its former token; that a different request with the same
// key is refused; and that nothing is counted twice.
func TestAnInvitationIsRepeatedByItsKey(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		const path, body = "/api/v2/users", `{"email":"eva@example.org","name":"Eva","role":"manager"}`
		send := func(body, key string, more ...string) answer {
			a := b.do("POST", path, root, body, append([]string{"Idempotency-Key", key}, more...)...)
			if token := a.text("setupToken"); token != "" {
				b.secrets = append(b.secrets, token)
			}
			return a
		}
		wanted := func(a answer, status int, code string) answer {
			t.Helper()
			b.want(a, status, code)
			return a
		}
		first := wanted(send(body, "k"), http.StatusCreated, "")
		if first.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("the first answer: %v", first.header)
		}
		b.clock.Advance(10 * time.Minute) // a repetition does not prolong the invitation
		for range 25 {                    // above the daily limit of an organization
			again := wanted(send(body, "k"), http.StatusCreated, "")
			if again.header.Get("Idempotent-Replayed") != "true" || again.text("_id") != first.text("_id") ||
				again.text("setupToken") == "" || again.text("setupToken") == first.text("setupToken") || again.text("invitedUntil") != first.text("invitedUntil") {
				t.Fatalf("%v %s, and first %s", again.header, again.body, first.body)
			}
			if a := b.setUp(first.text("setupToken")); a.status < http.StatusBadRequest {
				t.Fatalf("a former token was accepted: %s", a.body)
			}
			first = again
		}
		b.want(send(strings.Replace(body, "manager", "user", 1), "k"), http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
		b.want(send(body, "other"), http.StatusConflict, "EMAIL_TAKEN")
		b.want(send(body, "k", "X-Dry-Run", "true"), http.StatusConflict, "EMAIL_TAKEN")
		b.want(b.do("POST", path, root, body), http.StatusConflict, "EMAIL_TAKEN")
		b.want(b.setUp(first.text("setupToken")), http.StatusOK, "")
		accepted := wanted(send(body, "k"), http.StatusCreated, "")
		if accepted.text("_id") != first.text("_id") || accepted.text("setupToken") != "" || accepted.text("state") != "active" {
			t.Errorf("after it was accepted: %s", accepted.body)
		}
	})
}

// TestALinkIsRepeatedByItsKey verifies that a repetition returns the same setup link
// and invalidates its former token; that it counts once; and that a used link yields no
// further token.
func TestALinkIsRepeatedByItsKey(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		link := func(key string, more ...string) answer {
			t.Helper()
			a := b.do("POST", "/api/v2/users/"+b.bob.ID+"/setup-link", root, "", append([]string{"Idempotency-Key", key}, more...)...)
			if token := a.text("setupToken"); token != "" {
				b.secrets = append(b.secrets, token)
			}
			b.want(a, http.StatusCreated, "")
			return a
		}
		last := link("k")
		if last.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("the first answer: %v", last.header)
		}
		for range 25 { // above the daily limit of an organization
			again := link("k")
			if again.header.Get("Idempotent-Replayed") != "true" || again.text("setupToken") == "" || again.text("setupToken") == last.text("setupToken") {
				t.Fatalf("%v %s", again.header, again.body)
			}
			last = again
		}
		other := link("other")
		if other.header.Get("Idempotent-Replayed") != "" {
			t.Errorf("another key: %v", other.header)
		}
		if a := b.setUp(last.text("setupToken")); a.status < http.StatusBadRequest {
			t.Errorf("a former token was accepted: %s", a.body)
		}
		if rehearsed := link("other", "X-Dry-Run", "true"); rehearsed.header.Get("Idempotent-Replayed") != "" || rehearsed.text("setupToken") != "" {
			t.Errorf("rehearsed: %v %s", rehearsed.header, rehearsed.body)
		}
		b.want(b.setUp(other.text("setupToken")), http.StatusOK, "")
		used := link("other")
		if used.header.Get("Idempotent-Replayed") != "true" || used.text("setupToken") != "" || used.text("_id") != b.bob.ID {
			t.Errorf("after it was used: %v %s", used.header, used.body)
		}
		b.want(b.do("POST", "/api/v2/users/"+b.bob.ID+"/setup-link", root, "", "Idempotency-Key", ""), http.StatusBadRequest, "VALIDATION_ERROR")
		// Exactly the tokens that were issued are in the log.
		if n := strings.Count(b.do("GET", "/api/v2/organization/audit?limit=100", root, "").body, `"user.reset"`); n != 27 {
			t.Errorf("%d entries, want 27", n)
		}
	})
}

// TestHeaderFaultsOfAccounts verifies that faults of header fields are reported
// together with those of the body, and nothing is done.
func TestHeaderFaultsOfAccounts(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		want := func(a answer, names ...string) {
			t.Helper()
			b.want(a, http.StatusBadRequest, "VALIDATION_ERROR")
			for _, name := range names {
				if !strings.Contains(a.body, `"field":"`+name+`"`) {
					t.Errorf("%s is not named: %s", name, a.body)
				}
			}
		}
		want(b.do("POST", "/api/v2/users", root, `{"email":"nobody","role":"king"}`, "X-Dry-Run", "maybe", "Idempotency-Key", ""), "X-Dry-Run", "Idempotency-Key", "email", "role")
		want(b.do("POST", "/api/v2/users", root, `{"email":"eva@example.org","role":"user"}`, "Idempotency-Key", "é"), "Idempotency-Key")
		want(b.do("PATCH", "/api/v2/users/"+b.bob.ID, root, `{"role":"king"}`, "X-Dry-Run", "1"), "X-Dry-Run", "role")
		want(b.do("DELETE", "/api/v2/users/"+b.bob.ID, root, "", "X-Dry-Run", "1"), "X-Dry-Run")
		want(b.do("PATCH", "/api/v2/auth/me", root, `{"defaultOrganization":5}`, "X-Dry-Run", "1"), "X-Dry-Run", "defaultOrganization")
		want(b.do("POST", "/api/v2/auth/password", root, `{"currentPassword":5}`, "X-Dry-Run", "1"), "X-Dry-Run", "currentPassword", "newPassword")
		a := b.do("GET", "/api/v2/users/"+b.bob.ID, root, "")
		b.want(a, http.StatusOK, "")
		if a.text("state") != "active" || strings.Contains(b.do("GET", "/api/v2/users", root, "").body, "eva@example.org") {
			t.Errorf("a refused request was carried out: %s", a.body)
		}
	})
}
