package auth_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// setUpWith uses a setup token; fields are those other than the token and a valid
// password.
func (b *bundle) setUpWith(token, fields string, headers ...string) answer {
	b.t.Helper()
	return b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(goodPass)+fields+`}`, append(headers, "X-Request-Id", "same")...)
}

const separate = `,"separateAccount":true`

// refusals returns the entries of an organization's audit log that have a reason.
func (b *bundle) refusals(org, reason string) (found []account.AuditEntry) {
	b.t.Helper()
	entries, err := b.store.AuditAfter(b.t.Context(), org, 0, 1000)
	if err != nil {
		b.t.Fatal(err)
	}
	return slices.DeleteFunc(entries, func(e account.AuditEntry) bool { return e.Reason != reason })
}

// TestARehearsedSetupTellsNothing verifies that whether the address of an invitation
// has an account affects neither the response to a dry run of the setup nor its work.
// Dry runs are recorded, hash nothing, do not use up the token and have a budget.
func TestARehearsedSetupTellsNothing(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := &askedStore{Store: open(t)}
			b := setup(t, store)
			root := b.signIn("root@example.com").access
			there, thereToken := b.invite(root, "eve@example.org", "user")
			nowhere, nowhereToken := b.invite(root, "nowhere@example.org", "user")
			b.want(b.setUpWith(nowhereToken[:len(nowhereToken)-2]+"xx", "", "X-Dry-Run", "true"), http.StatusUnauthorized, "UNAUTHENTICATED")
			hashes := b.hasher.Made()
			for _, fields := range []string{"", separate} {
				var answers [2]answer
				var asked [2][]string
				for i, token := range []string{thereToken, nowhereToken} {
					asked[i] = store.during(func() { answers[i] = b.setUpWith(token, fields, "X-Dry-Run", "true") })
				}
				b.want(answers[0], http.StatusOK, "")
				if answers[0].status != answers[1].status || answers[0].body != answers[1].body || !slices.Equal(asked[0], asked[1]) {
					t.Errorf("%q: %d %s %v with an account, %d %s %v without", fields,
						answers[0].status, answers[0].body, asked[0], answers[1].status, answers[1].body, asked[1])
				}
			}
			if made := b.hasher.Made() - hashes; made != 0 {
				t.Errorf("rehearsals made %d hashes", made)
			}
			for _, invited := range []answer{there, nowhere} {
				if !slices.ContainsFunc(b.refusals("o1", "only rehearsed"), func(e account.AuditEntry) bool { return e.Subject == invited.text("_id") }) {
					t.Errorf("no entry of the rehearsal for %s", invited.text("email"))
				}
			}
			const changesPerWindow, changesWindow = 40, 15 * time.Minute
			for n := 2; n < changesPerWindow; n++ {
				b.want(b.setUpWith(thereToken, "", "X-Dry-Run", "true", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", n)), http.StatusOK, "")
			}
			b.want(b.setUpWith(thereToken, "", "X-Dry-Run", "true", "X-Forwarded-For", "203.0.113.1"), http.StatusTooManyRequests, "RATE_LIMITED")
			b.clock.Advance(changesWindow + time.Second)
			// What was tried in a dry run can be done, and the refusal is in two logs.
			b.want(b.setUpWith(nowhereToken, ""), http.StatusOK, "")
			b.want(b.setUpWith(thereToken, ""), http.StatusConflict, "EMAIL_TAKEN")
			const taken = "the address has an account"
			if log := b.refusals("o1", taken); len(log) != 1 || log[0].Subject != there.text("_id") {
				t.Errorf("the log of the organization that invited: %+v", log)
			}
			if log := b.refusals(account.SystemOrg, taken); len(log) != 1 || log[0].Subject != b.eve.ID || log[0].Before != "o1" {
				t.Errorf("the log of the system: %+v", log)
			}
			if log := b.refusals("o2", taken); len(log) != 0 {
				t.Errorf("the log of the other organization: %+v", log)
			}
		})
	}
}

// TestASeparateAccount verifies that the first to register an address keeps it, but
// does not prevent an account of another organization with that address, which requires
// naming the organization at login. Neither account opens the other.
func TestASeparateAccount(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		const owner, squat, ours = "owner@b.test", "purple elephants dance softly", goodPass
		signIn := func(password, org string) answer {
			t.Helper()
			a := b.do("POST", "/api/v2/auth/login", "", `{"email":"Owner@B.test","password":`+quoted(password)+org+`}`)
			if a.status == http.StatusOK {
				b.secrets = append(b.secrets, a.text("accessToken"), a.text("idToken"), a.text("refreshToken"))
			}
			return a
		}
		const o1, o2 = `,"organization":"o1"`, `,"organization":"o2"`
		root, eve := b.signIn("root@example.com").access, b.signIn("eve@example.org").access
		_, token := b.invite(eve, owner, "user")
		b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(squat)+`}`), http.StatusOK, "")
		invited, token := b.invite(root, owner, "manager")
		id := invited.text("_id")
		b.want(b.setUpWith(token, ""), http.StatusConflict, "EMAIL_TAKEN")
		b.want(signIn(ours, o1), http.StatusUnauthorized, "UNAUTHENTICATED")
		rehearsed := b.setUpWith(token, separate, "X-Dry-Run", "true")
		took := b.setUpWith(token, separate)
		b.want(took, http.StatusOK, "")
		if took.text("organization") != "o1" || rehearsed.body != took.body {
			t.Errorf("%s, rehearsed %s: want the organization to name", took.body, rehearsed.body)
		}
		b.want(b.setUpWith(token, separate), http.StatusUnauthorized, "UNAUTHENTICATED")

		in := signIn(ours, o1)
		b.want(in, http.StatusOK, "")
		if claims := claimsOf(t, in.text("accessToken")); claims["sub"] != id || claims["org"] != "o1" || claims["role"] != "manager" {
			t.Errorf("%v", claims)
		}
		for access, is := range map[string]string{in.text("accessToken"): `"separateAccount":true`, root: `"separateAccount":false`} {
			if me := b.do("GET", "/api/v2/auth/me", access, ""); me.status != http.StatusOK || !strings.Contains(me.body, is) {
				t.Errorf("%d %s, want %s", me.status, me.body, is)
			}
		}
		b.want(b.refresh(in.text("refreshToken")), http.StatusOK, "")
		b.want(signIn(squat, ""), http.StatusOK, "")
		b.want(signIn(squat, o2), http.StatusOK, "")
		b.want(signIn(ours, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(signIn(ours, o2), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(signIn(squat, o1), http.StatusNotFound, "NOT_FOUND")
		for _, org := range []string{"", o1} { // the key by which it is found is not an address
			b.want(b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(account.InvitationKey("o1", owner))+`,"password":`+quoted(ours)+org+`}`), http.StatusUnauthorized, "UNAUTHENTICATED")
		}

		// It is the only membership of its address here, and of no other organization.
		b.want(b.do("POST", "/api/v2/users", root, `{"email":`+quoted(owner)+`,"role":"user"}`), http.StatusConflict, "EMAIL_TAKEN")
		if _, err := b.service.Join(t.Context(), owner, "o1", "", identity.User); apperr.CodeOf(err) != apperr.EmailTaken {
			t.Errorf("the operator adds the address once more: %v", err)
		}
		b.user("o3", "boss@example.org", "Boss", identity.Admin)
		_, elsewhere := b.invite(b.signIn("boss@example.org").access, owner, "user")
		b.want(b.accept(in.text("accessToken"), elsewhere), http.StatusNotFound, "NOT_FOUND")
		link := b.do("POST", "/api/v2/users/"+id+"/setup-link", root, "")
		b.want(link, http.StatusCreated, "")
		b.secrets = append(b.secrets, link.text("setupToken"))
		anew := b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(link.text("setupToken"))+`,"password":`+quoted(newPass)+`}`)
		b.want(anew, http.StatusOK, "")
		if anew.text("organization") != "o1" {
			t.Errorf("%s: want the organization to name with the new password as well", anew.body)
		}
		b.want(signIn(newPass, o1), http.StatusOK, "")

		// For an address without an account, a separate account is created as well,
		// with the same response.
		_, free := b.invite(root, "free@b.test", "user")
		if a := b.setUpWith(free, separate); a.status != took.status || a.body != took.body {
			t.Errorf("%s, want %s", a.body, took.body)
		}
		b.want(b.login("free@b.test", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		if _, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: "o1", Email: "free@b.test", Role: identity.User}); apperr.CodeOf(err) != apperr.EmailTaken {
			t.Errorf("the operator makes the address a user once more: %v", err)
		}

		// A member gets no second id.
		_, second := b.invite(root, "eve@example.org", "user")
		b.join("eve@example.org", "o1", identity.User)
		b.want(b.setUpWith(second, separate), http.StatusConflict, "EMAIL_TAKEN")

		// Once the address is free, the membership can get it, with its old id.
		b.want(b.do("DELETE", "/api/v2/users/"+id, root, ""), http.StatusOK, "")
		b.want(signIn(newPass, o1), http.StatusUnauthorized, "UNAUTHENTICATED")
		if err := b.service.FreeAddress(t.Context(), owner, ""); err != nil {
			t.Fatal(err)
		}
		again, token := b.invite(root, owner, "user")
		plain := b.setUpWith(token, "")
		b.want(plain, http.StatusOK, "")
		if plain.text("organization") != "" {
			t.Errorf("%s: nothing has to be named", plain.body)
		}
		in = signIn(ours, "")
		b.want(in, http.StatusOK, "")
		if sub := claimsOf(t, in.text("accessToken"))["sub"]; sub != id || again.text("_id") != id {
			t.Errorf("a second id: %v, %s", sub, again.body)
		}
	})
}

// TestStrangersOfAnAddress verifies, for accounts with one address, that strangers have
// one count for all of them, and that from the networks of one owner the other's
// password cannot be guessed any better (statement 3).
func TestStrangersOfAnAddress(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	_, token := b.invite(b.signIn("root@example.com").access, "eve@example.org", "user")
	b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(newPass)+separate+`}`), http.StatusOK, "")
	login := func(secret, from, org string) answer {
		return b.do("POST", "/api/v2/auth/login", "", `{"email":"eve@example.org","password":`+quoted(secret)+org+`}`, "X-Forwarded-For", from)
	}
	const here, eves, ours, stranger = `,"organization":"o1"`, "203.0.113.1", "192.0.2.9", "198.51.100.1"
	b.want(login(goodPass, eves, ""), http.StatusOK, "")
	b.want(login(newPass, ours, here), http.StatusOK, "")
	for _, lost := range []bool{false, true} {
		if lost { // the network's owner then comes from the store
			if err := b.redis.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			b.clock.Advance(16 * time.Minute)
		}
		for i := range 36 {
			if a := login("wrong", stranger, []string{"", here}[i%2]); i < 30 && a.status != http.StatusUnauthorized {
				t.Errorf("failure %d: %d, want each counted once", i+1, a.status)
			}
		}
		for _, refused := range []answer{login(goodPass, stranger, ""), login(newPass, stranger, here), login(goodPass, ours, "")} {
			b.want(refused, http.StatusTooManyRequests, "RATE_LIMITED")
		}
		b.want(login(newPass, eves, here), http.StatusUnauthorized, "UNAUTHENTICATED") // the password is right but not checked
		b.want(login(goodPass, eves, ""), http.StatusOK, "")
		b.want(login(newPass, ours, here), http.StatusOK, "")
	}

	// If neither account may be tried, the wait is that of the earlier one.
	b.clock.Advance(16 * time.Minute)
	for _, from := range []string{stranger, eves} {
		for range 30 {
			login("wrong", from, "")
		}
		b.clock.Advance(20 * time.Second)
	}
	first, second, both := login("x", stranger, "").header.Get("Retry-After"), login("x", eves, "").header.Get("Retry-After"), login("x", eves, here).header.Get("Retry-After")
	if first == "" || second == "" || first == second || both != first {
		t.Errorf("Retry-After %q and %q, of both %q", first, second, both)
	}

	// The owner of the address does not learn by trying passwords where it has another
	// account.
	tried := func(org string) (statuses []int) {
		b.clock.Advance(16 * time.Minute)
		for range 36 {
			statuses = append(statuses, login("wrong", eves, org).status)
		}
		for _, a := range []answer{login(goodPass, eves, org), login(goodPass, eves, ""), login(goodPass, stranger, "")} {
			statuses = append(statuses, a.status)
		}
		return statuses
	}
	if here, nowhere := tried(here), tried(`,"organization":"o7"`); !slices.Equal(here, nowhere) || !slices.Contains(here, http.StatusTooManyRequests) {
		t.Errorf("where there is a separate account %v, where there is none %v", here, nowhere)
	}
}

// TestSignInsNamingAnOrganizationTellNothing verifies that a login that names an
// organization reveals to no one but the owner, in its response or its work, whether
// that organization has a separate account of the address (statement 1).
func TestSignInsNamingAnOrganizationTellNothing(t *testing.T) {
	t.Parallel()
	store := &askedStore{Store: openSQLite(t)}
	b := setup(t, store)
	root := b.signIn("root@example.com").access
	for _, email := range []string{"eve@example.org", "new@example.org"} {
		_, token := b.invite(root, email, "user")
		b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(newPass)+separate+`}`), http.StatusOK, "")
	}
	work := func(email, password, org string) string {
		before := b.hasher.Made()
		var a answer
		calls := store.during(func() {
			a = b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":`+quoted(password)+`,"organization":`+quoted(org)+`}`, "X-Request-Id", "same")
		})
		return fmt.Sprint(a.status, a.body, b.hasher.Made()-before, calls)
	}
	wrong := work("nobody@example.org", "wrong", "o1")
	for _, email := range []string{"eve@example.org", "new@example.org", "ada@example.com"} {
		for _, org := range []string{"o1", "o2", "o7"} {
			if got := work(email, "wrong", org); got != wrong {
				t.Errorf("%s in %s: %s, want %s", email, org, got, wrong)
			}
		}
	}
	b.signIn("eve@example.org") // cache what is cached of her network
	made := b.hasher.Made()
	if there, nowhere := work("eve@example.org", goodPass, "o1"), work("eve@example.org", goodPass, "o7"); there != nowhere {
		t.Errorf("who has the address is answered %s where it has another account, %s where it has none", there, nowhere)
	}
	if n := b.hasher.Made() - made; n != 2 {
		t.Errorf("%d hashes for two sign-ins of who has the address, want one for each", n)
	}
	// An owner's login is in no other organization's log; a failed one is in both.
	entered := func() [2]int {
		return [2]int{len(b.refusals("o1", "wrong password")), len(b.refusals("o2", "wrong password"))}
	}
	before := entered()
	b.invite(root, "invited@example.org", "user")
	if got := work("invited@example.org", "wrong", "o1"); got != wrong || entered() != before {
		t.Errorf("who is invited: %s, want %s; %v entries, then %v", got, wrong, before, entered())
	}
	in := b.do("POST", "/api/v2/auth/login", "", `{"email":"eve@example.org","password":`+quoted(newPass)+`,"organization":"o1"}`)
	b.want(in, http.StatusOK, "")
	b.secrets = append(b.secrets, in.text("accessToken"), in.text("idToken"), in.text("refreshToken"))
	if now := entered(); now != before {
		t.Errorf("a sign-in is entered as refused: %v, then %v", before, now)
	}
	work("eve@example.org", "wrong", "o1")
	if now := entered(); now != [2]int{before[0] + 1, before[1] + 1} {
		t.Errorf("a failed sign-in: %v entries, then %v", before, now)
	}
}

// TestSetupsHashOneAtATime verifies that concurrent uses of a setup token, from however
// many addresses, hash once: a used token is refused before anything is hashed.
func TestSetupsHashOneAtATime(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		_, token := b.invite(b.signIn("root@example.com").access, "new@example.org", "user")
		reset, err := b.service.ResetPassword(t.Context(), "o1", b.ada.ID)
		if err != nil {
			t.Fatal(err)
		}
		b.secrets = append(b.secrets, reset)
		for _, token := range []string{token, reset} {
			before, statuses := b.hasher.Made(), map[int]int{}
			var mu sync.Mutex
			var all sync.WaitGroup
			for i := range 24 {
				all.Go(func() {
					a := b.setUpWith(token, "", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
					mu.Lock()
					defer mu.Unlock()
					statuses[a.status]++
				})
			}
			all.Wait()
			if made := b.hasher.Made() - before; made != 1 || statuses[http.StatusOK] != 1 {
				t.Errorf("%d hashes, want 1; statuses %v", made, statuses)
			}
			if statuses[http.StatusOK]+statuses[http.StatusUnauthorized]+statuses[http.StatusTooManyRequests] != 24 {
				t.Errorf("statuses %v", statuses)
			}
		}
	})
}
