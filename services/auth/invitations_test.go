package auth_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
)

// invite invites an address and returns the response and the token.
func (b *bundle) invite(admin, email, role string) (answer, string) {
	b.t.Helper()
	a := b.do("POST", "/api/v2/users", admin, `{"email":`+quoted(email)+`,"name":"Guest","role":`+quoted(role)+`}`)
	b.want(a, http.StatusCreated, "")
	token := a.text("setupToken")
	b.secrets = append(b.secrets, token)
	return a, token
}

func (b *bundle) setUp(token string) answer {
	b.t.Helper()
	return b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(goodPass)+`}`)
}

func (b *bundle) accept(access, token string) answer {
	b.t.Helper()
	return b.do("POST", "/api/v2/auth/invitations/accept", access, `{"token":`+quoted(token)+`}`, "X-Request-Id", "same")
}

// TestAnInvitationTellsNothing verifies that the response to an invitation has the same
// form and, apart from random values, the same content whether or not the address has
// an account.
func TestAnInvitationTellsNothing(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		known, knownToken := b.invite(root, "eve@example.org", "manager")
		fresh, freshToken := b.invite(root, "eva@example.org", "manager")
		shape := func(a answer) string {
			text := a.body
			for _, key := range []string{"_id", "setupToken", "email"} {
				text = strings.ReplaceAll(text, quoted(a.text(key)), `"…"`)
			}
			return text
		}
		if shape(known) != shape(fresh) || known.text("state") != "invited" || known.data["disabled"] != false {
			t.Errorf("%s\n%s", known.body, fresh.body)
		}
		if len(knownToken) != len(freshToken) || len(known.text("_id")) != len(fresh.text("_id")) {
			t.Errorf("tokens %q %q", knownToken, freshToken)
		}
		if x, y := slices.Sorted(maps.Keys(known.header)), slices.Sorted(maps.Keys(fresh.header)); !slices.Equal(x, y) {
			t.Errorf("headers %v and %v", x, y)
		}
		for _, email := range []string{"eve@example.org", "new@example.org"} { // dry run: the first is a member elsewhere
			other := b.signIn("eve@example.org").access
			dry := b.do("POST", "/api/v2/users", other, `{"email":"`+strings.Replace(email, "eve@example.org", "bob@example.com", 1)+`","role":"user"}`, "X-Dry-Run", "true")
			b.want(dry, http.StatusCreated, "")
			if dry.text("state") != "invited" || dry.text("setupToken") != "" {
				t.Errorf("%s", dry.body)
			}
		}
		for _, email := range []string{"Eve@Example.org", "eva@example.org", "bob@example.com"} {
			b.want(b.do("POST", "/api/v2/users", root, `{"email":`+quoted(email)+`,"role":"user"}`), http.StatusConflict, "EMAIL_TAKEN")
		}
		// An invitation is not visible without its token.
		eve := b.signIn("eve@example.org")
		me := b.do("GET", "/api/v2/auth/me", eve.access, "")
		if len(me.data["memberships"].([]any)) != 1 || strings.Contains(me.body, known.text("_id")) {
			t.Errorf("%s", me.body)
		}
		b.want(b.refreshTo(eve.refresh, "o1"), http.StatusNotFound, "NOT_FOUND")
		// An invitation does not count as an administrator, and PATCH does not change
		// that.
		boss, _ := b.invite(root, "boss@example.org", "admin")
		b.want(b.do("PATCH", "/api/v2/users/"+b.root.ID, root, `{"role":"user"}`), http.StatusConflict, "INVALID_TRANSITION")
		for body, want := range map[string]int{`{"disabled":false}`: 200, `{"disabled":true}`: 409, `{"role":"viewer","name":"V"}`: 200} {
			if p := b.do("PATCH", "/api/v2/users/"+boss.text("_id"), root, body); p.status != want || want == 200 && p.text("state") != "invited" {
				t.Errorf("%s: %d %s", body, p.status, p.body)
			}
		}
	})
}

func TestInvitationsAreSpentOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root, eve := b.signIn("root@example.com").access, b.signIn("eve@example.org")
		invited, token := b.invite(root, "eve@example.org", "viewer")
		// Setting up an account for an existing address is refused and recorded.
		b.want(b.setUp(token), http.StatusConflict, "EMAIL_TAKEN")
		ada := b.signIn("ada@example.com").access
		wrong := b.accept(ada, token)
		b.want(wrong, http.StatusNotFound, "NOT_FOUND")
		for _, bad := range []string{token[:len(token)-2] + "xx", "o1.nobody." + token[strings.LastIndex(token, ".")+1:], "x"} {
			if a := b.accept(eve.access, bad); a.status != wrong.status || a.body != wrong.body {
				t.Errorf("%q: %s, want %s", bad, a.body, wrong.body)
			}
		}
		b.want(b.do("POST", "/api/v2/auth/invitations/accept", eve.access, `{"token":`+quoted(token)+`}`, "X-Dry-Run", "true"), http.StatusOK, "")
		got := b.accept(eve.access, token)
		b.want(got, http.StatusOK, "")
		if got.text("_id") != invited.text("_id") || got.text("organization") != "o1" || got.text("state") != "active" || got.text("role") != "viewer" {
			t.Errorf("%s", got.body)
		}
		b.want(b.accept(eve.access, token), http.StatusNotFound, "NOT_FOUND")
		b.want(b.setUp(token), http.StatusUnauthorized, "UNAUTHENTICATED")
		switched := b.refreshTo(eve.refresh, "o1")
		b.want(switched, http.StatusOK, "")
		if claims := claimsOf(t, switched.text("accessToken")); claims["sub"] != invited.text("_id") {
			t.Errorf("%v", claims)
		}
		// Removed and invited again, the membership keeps its id.
		b.want(b.do("DELETE", "/api/v2/users/"+invited.text("_id"), root, ""), http.StatusOK, "")
		again, token := b.invite(root, "EVE@example.org", "user")
		if again.text("_id") != invited.text("_id") {
			t.Errorf("a second id: %s", again.body)
		}
		b.want(b.accept(eve.access, token), http.StatusOK, "")
		// So does the only membership of an erased person, with a new password.
		b.want(b.do("DELETE", "/api/v2/users/"+b.bob.ID, root, ""), http.StatusOK, "")
		bob, token := b.invite(root, "bob@example.com", "user")
		if bob.text("_id") != b.bob.ID {
			t.Errorf("a second id for Bob: %s", bob.body)
		}
		b.want(b.setUp(token), http.StatusOK, "")
		b.signIn("bob@example.com")
		b.want(b.setUp(token), http.StatusUnauthorized, "UNAUTHENTICATED")
		for _, action := range []string{`"user.accept"`, `"the address has an account"`} {
			if log := b.do("GET", "/api/v2/organization/audit?limit=100", root, ""); !strings.Contains(log.body, action) {
				t.Errorf("the audit log has no %s", action)
			}
		}
	})
}

func TestInvitationsEndAndAreBounded(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		first, token := b.invite(root, "late@example.org", "user")
		b.clock.Advance(73 * time.Hour)
		root = b.signIn("root@example.com").access
		b.want(b.setUp(token), http.StatusUnauthorized, "UNAUTHENTICATED")
		again, fresh := b.invite(root, "late@example.org", "manager")
		if again.text("_id") != first.text("_id") || fresh == token || again.text("role") != "manager" {
			t.Errorf("%s", again.body)
		}
		taken := make(chan int, 40)
		for i := range cap(taken) {
			go func() {
				taken <- b.do("POST", "/api/v2/users", root, fmt.Sprintf(`{"email":"p%d@example.org","role":"user"}`, i)).status
			}()
		}
		made := 0
		for range cap(taken) {
			status := <-taken
			if status == http.StatusCreated {
				made++
			} else if status != http.StatusTooManyRequests {
				t.Errorf("status %d", status)
			}
		}
		if made != auth.InvitationsPerDay-1 {
			t.Errorf("%d invitations were made beside one, want %d together", made, auth.InvitationsPerDay)
		}
		b.want(b.do("POST", "/api/v2/users", root, `{"email":"dry@example.org","role":"user"}`, "X-Dry-Run", "true"), http.StatusCreated, "")
		log := b.do("GET", "/api/v2/organization/audit?limit=100", root, "").body
		// Of 21 the first is recorded, and the second, fourth, eighth and sixteenth
		// with the count.
		if n := strings.Count(log, `"too many invitations"`); n != 5 || !strings.Contains(log, `"after":"16 times within an hour"`) {
			t.Errorf("%d entries of 21 refused invitations, want 5: %s", n, log)
		}
		b.clock.Advance(25 * time.Hour)
		root = b.signIn("root@example.com").access
		b.invite(root, "tomorrow@example.org", "user")
	})
}

// TestRefusedInvitationsAreCounted verifies that repeated attempts with invitation
// tokens do not fill the audit log, and that each user's refusals are counted
// separately (statement 35).
func TestRefusedInvitationsAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	entered := func() int {
		log := b.do("GET", "/api/v2/organization/audit?limit=100", b.signIn("root@example.com").access, "").body
		return strings.Count(log, `"no such invitation"`)
	}
	for _, email := range []string{"bob@example.com", "root@example.com"} {
		before, access := entered(), b.signIn(email).access
		for n := range 40 {
			b.want(b.accept(access, fmt.Sprintf("o1.x%d.secret", n)), http.StatusNotFound, "NOT_FOUND")
		}
		if n := entered() - before; n != 6 { // 1, 2, 4, 8, 16, 32
			t.Errorf("%d entries of 40 refusals of %s, want 6", n, email)
		}
	}
	b.clock.Advance(time.Hour)
	before := entered()
	b.want(b.accept(b.signIn("bob@example.com").access, "o1.x.secret"), http.StatusNotFound, "NOT_FOUND")
	if n := entered() - before; n != 1 {
		t.Errorf("%d entries of the first refusal after an hour, want 1", n)
	}
}

// TestASquattedAddressIsFreed verifies that registering someone else's address first
// neither yields the invitations to it nor blocks its owner.
func TestASquattedAddressIsFreed(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	b.user("o9", "owner@example.org", "Squatter", identity.Admin)
	squatter := b.signIn("owner@example.org")
	root := b.signIn("root@example.com").access
	_, token := b.invite(root, "owner@example.org", "manager")
	b.want(b.setUp(token), http.StatusConflict, "EMAIL_TAKEN")
	if err := b.service.FreeAddress(t.Context(), "owner@example.org", "eve@example.org"); apperr.CodeOf(err) != apperr.EmailTaken {
		t.Error(err)
	}
	if err := b.service.FreeAddress(t.Context(), "owner@example.org", "no address"); apperr.CodeOf(err) != apperr.ValidationError {
		t.Error(err)
	}
	if err := b.service.FreeAddress(t.Context(), "owner@example.org", ""); err != nil {
		t.Fatal(err)
	}
	b.want(b.refresh(squatter.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
	b.want(b.setUp(token), http.StatusOK, "")
	owner := b.signIn("owner@example.org")
	if claims := claimsOf(t, owner.access); claims["org"] != "o1" || claims["role"] != "manager" {
		t.Errorf("%v", claims)
	}
}

// TestSetupLinkOfAMember verifies that an administrator can give a member a one-time
// link to set another password; that it is refused for a member of other organizations,
// without revealing these; and that every call counts, dry run or not, and is recorded
// (statements 15, 35).
func TestSetupLinkOfAMember(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		link := func(id string, header ...string) answer {
			t.Helper()
			return b.do("POST", "/api/v2/users/"+id+"/setup-link", root, "", header...)
		}
		_, token := b.invite(root, "lost@example.net", "user")
		b.want(b.setUp(token), http.StatusOK, "")
		lost := b.signIn("lost@example.net")
		id := b.do("GET", "/api/v2/auth/me", lost.access, "").text("_id")

		dry := link(id, "X-Dry-Run", "true")
		b.want(dry, http.StatusCreated, "")
		if dry.text("setupToken") != "" || dry.text("email") != "lost@example.net" {
			t.Errorf("rehearsed: %s", dry.body)
		}
		first, second := link(id).text("setupToken"), link(id).text("setupToken")
		b.secrets = append(b.secrets, first, second)
		// Until it is used nothing changes.
		b.want(b.do("GET", "/api/v2/auth/me", lost.access, ""), http.StatusOK, "")
		b.signIn("lost@example.net")
		setUp := func(token, password string) answer {
			return b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(password)+`}`)
		}
		b.want(setUp(first, "purple elephants dance softly"), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(setUp(second, "purple elephants dance softly"), http.StatusOK, "")
		b.want(setUp(second, "purple elephants dance again"), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.do("POST", "/api/v2/auth/refresh", "", `{"refreshToken":`+quoted(lost.refresh)+`}`), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.do("POST", "/api/v2/auth/login", "", `{"email":"lost@example.net","password":`+quoted(goodPass)+`}`), http.StatusUnauthorized, "UNAUTHENTICATED")

		b.want(link(b.root.ID), http.StatusConflict, "INVALID_TRANSITION")
		b.want(link("nobody"), http.StatusNotFound, "USER_NOT_FOUND")

		// A link issued while the person had no other membership ends with that.
		late := link(id).text("setupToken")
		b.secrets = append(b.secrets, late)
		_, elsewhere := b.invite(b.signIn("eve@example.org").access, "lost@example.net", "user")
		lost.access = b.do("POST", "/api/v2/auth/login", "", `{"email":"lost@example.net","password":"purple elephants dance softly"}`).text("accessToken")
		b.want(b.accept(lost.access, elsewhere), http.StatusOK, "")
		b.want(setUp(late, "purple elephants dance again"), http.StatusUnauthorized, "UNAUTHENTICATED")
		refused, rehearsed := link(id), link(id, "X-Dry-Run", "true")
		b.want(refused, http.StatusForbidden, "FORBIDDEN")
		b.want(rehearsed, http.StatusForbidden, "FORBIDDEN")
		if strings.Contains(refused.body, "example.org") || strings.Contains(refused.body, "o2") {
			t.Errorf("the refusal reveals another organization: %s", refused.body)
		}
		log := b.do("GET", "/api/v2/organization/audit?limit=100", root, "").body
		if n := strings.Count(log, `"user.reset"`); n != 5 || strings.Contains(log, "o2") {
			t.Errorf("%d entries of links, want 3 done and 2 refused: %s", n, log)
		}
		// Links and refusals count, so the twenty are used up soon.
		for range 20 {
			if refused = link(id); refused.code != "FORBIDDEN" {
				break
			}
		}
		b.want(refused, http.StatusTooManyRequests, "RATE_LIMITED")
		b.want(link(id, "X-Dry-Run", "true"), http.StatusTooManyRequests, "RATE_LIMITED")
	})
}

// TestNewLinkOfAnInvitation verifies that an invitation gets a new link in one step, so that there is no moment without
// an invitation: the previous link is invalid, an expired invitation is valid again, the user stays the same, and each
// link counts, but one that is repeated with its key only once.
func TestNewLinkOfAnInvitation(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		invited, first := b.invite(root, "later@example.net", "manager")
		id := invited.text("_id")
		link := func(header ...string) answer {
			t.Helper()
			a := b.do("POST", "/api/v2/users/"+id+"/setup-link", root, "", header...)
			if token := a.text("setupToken"); token != "" {
				b.secrets = append(b.secrets, token)
			}
			return a
		}
		dry := link("X-Dry-Run", "true")
		b.want(dry, http.StatusCreated, "")
		if dry.text("setupToken") != "" {
			t.Errorf("rehearsed: %s", dry.body)
		}
		b.clock.Advance(71 * time.Hour)
		root = b.signIn("root@example.com").access
		second := link("Idempotency-Key", "new link")
		b.want(second, http.StatusCreated, "")
		if second.text("_id") != id || second.text("state") != "invited" || second.text("role") != "manager" || second.text("invitedUntil") <= invited.text("invitedUntil") {
			t.Errorf("%s, after %s", second.body, invited.body)
		}
		b.want(b.setUp(first), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.clock.Advance(time.Minute)
		again := link("Idempotency-Key", "new link")
		b.want(again, http.StatusCreated, "")
		if again.text("invitedUntil") != second.text("invitedUntil") || again.text("setupToken") == second.text("setupToken") {
			t.Errorf("repeated: %s, after %s", again.body, second.body)
		}
		b.want(b.setUp(second.text("setupToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.clock.Advance(80 * time.Hour)
		root = b.signIn("root@example.com").access
		b.want(b.setUp(again.text("setupToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
		last := link()
		b.want(b.setUp(last.text("setupToken")), http.StatusOK, "")
		if claims := claimsOf(t, b.signIn("later@example.net").access); claims["sub"] != id || claims["role"] != "manager" {
			t.Errorf("%v", claims)
		}
	})
}

// TestNewLinksOfAnInvitationAreCounted: a new link counts as an invitation, since it may be sent by mail like one, and
// begins the time of the invitation anew.
func TestNewLinksOfAnInvitationAreCounted(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		invited, _ := b.invite(root, "later@example.net", "manager")
		link := func() answer { return b.do("POST", "/api/v2/users/"+invited.text("_id")+"/setup-link", root, "") }
		until := invited.text("invitedUntil")
		for range auth.InvitationsPerDay - 1 {
			b.clock.Advance(time.Minute)
			a := link()
			b.want(a, http.StatusCreated, "")
			if now := a.text("invitedUntil"); now <= until {
				t.Errorf("valid until %s, after %s", now, until)
			} else {
				until = now
			}
			b.secrets = append(b.secrets, a.text("setupToken"))
		}
		b.want(link(), http.StatusTooManyRequests, "RATE_LIMITED")
	})
}

// TestAnInvitationNamesLookAlikes: an address that can pass for another one is not invited, and
// the characters that may look like others are named to who invites.
func TestAnInvitationNamesLookAlikes(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	root := b.signIn("root@example.com").access
	mixed := b.do("POST", "/api/v2/users", root, `{"email":"b\u043eb@example.com","role":"user"}`)
	b.want(mixed, http.StatusBadRequest, "VALIDATION_ERROR")
	if !strings.Contains(mixed.body, `"code":"MIXED_SCRIPTS"`) || !strings.Contains(mixed.body, "U+043E, Cyrillic") {
		t.Errorf("mixed: %s", mixed.body)
	}
	if made, _ := b.invite(root, "\u0441ео@example.com", "user"); !strings.Contains(made.body, `"code":"EMAIL_NOT_ASCII"`) || !strings.Contains(made.body, "U+0441, Cyrillic") {
		t.Errorf("not ASCII: %s", made.body)
	}
	if made, _ := b.invite(root, "ceo@example.com", "user"); strings.Contains(made.body, "notices") {
		t.Errorf("ASCII: %s", made.body)
	}
}
