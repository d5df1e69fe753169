package auth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// TestFlow plays the flow of the specification, section 5, with statement 13.
func TestFlow(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		a := b.login(" ada@EXAMPLE.com", goodPass)
		b.want(a, http.StatusOK, "")
		names := slices.Sorted(maps.Keys(a.data))
		if fmt.Sprint(names) != "[accessToken expiresIn idToken refreshToken tokenType]" || a.data["expiresIn"] != 3600.0 || a.data["tokenType"] != "Bearer" {
			t.Errorf("login gave %v with expiresIn %v, tokenType %v", names, a.data["expiresIn"], a.data["tokenType"])
		}
		if a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("tokens may be kept by caches: %q", a.header.Get("Cache-Control"))
		}
		refresh := a.text("refreshToken")
		b.secrets = append(b.secrets, refresh)
		me := b.do("GET", "/api/v2/auth/me", a.text("accessToken"), "")
		b.want(me, http.StatusOK, "")
		if me.text("email") != "Ada@Example.com" || me.text("role") != "manager" || me.text("_id") != b.ada.ID || me.text("name") != "Ada Lovelace" {
			t.Errorf("me: %s", me.body)
		}

		// An hour later the access token has expired, and the client refreshes
		// repeatedly.
		b.clock.Advance(time.Hour)
		b.want(b.do("GET", "/api/v2/auth/me", a.text("accessToken"), ""), http.StatusUnauthorized, "UNAUTHENTICATED")
		for range 3 {
			r := b.refresh(refresh)
			b.want(r, http.StatusOK, "")
			if names := slices.Sorted(maps.Keys(r.data)); fmt.Sprint(names) != "[accessToken expiresIn idToken tokenType]" {
				t.Errorf("refresh gave %v", names)
			}
			if r.text("accessToken") == a.text("accessToken") || r.text("idToken") == a.text("idToken") {
				t.Error("refresh gave a former token")
			}
			b.want(b.do("GET", "/api/v2/auth/me", r.text("accessToken"), ""), http.StatusOK, "")
			b.clock.Advance(24 * time.Hour)
		}
		// The last use is recorded.
		claims := claimsOf(t, a.text("accessToken"))
		v, err := b.store.Session(t.Context(), claims["sid"].(string))
		if err != nil || !v.LastUsedAt.After(v.CreatedAt.Add(48*time.Hour)) {
			t.Errorf("%+v, %v", v, err)
		}
		// Near its end no token outlives the session; then the session has ended.
		b.clock.Set(v.Expires.Add(-10 * time.Second))
		r := b.refresh(refresh)
		b.want(r, http.StatusOK, "")
		if n := r.data["expiresIn"].(float64); n < 9 || n > 10 {
			t.Errorf("expiresIn %v ten seconds before the end", n)
		}
		b.clock.Set(v.Expires)
		b.want(b.refresh(refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.login("ada@example.com", goodPass), http.StatusOK, "")
	})
}

func claimsOf(t *testing.T, token string) jwt.MapClaims {
	t.Helper()
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(token, claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestTokensSayWhatTheyShould(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	long := b.user("o1", "long@example.com", strings.Repeat("Ä🦆", 50), identity.User)
	for _, u := range []account.User{b.ada, long} {
		in := b.signIn(u.Email)
		for _, token := range []string{in.access, in.id} {
			if len(token) >= 1024 {
				t.Errorf("a token has %d bytes", len(token))
			}
		}
	}
	in := b.signIn("ada@example.com")
	parsed, _, err := jwt.NewParser().ParseUnverified(in.access, jwt.MapClaims{})
	if err != nil || parsed.Header["typ"] != "at+jwt" || parsed.Header["alg"] != "EdDSA" || parsed.Header["kid"] == "" {
		t.Errorf("header %v, %v", parsed.Header, err)
	}
	access, id := claimsOf(t, in.access), claimsOf(t, in.id)
	for name, want := range map[string]any{"iss": issuer, "sub": b.ada.ID, "org": "o1", "role": "manager", "client_id": "ecf", "name": "Ada Lovelace"} {
		if access[name] != want {
			t.Errorf("access token's %s is %v, want %v", name, access[name], want)
		}
	}
	for name, want := range map[string]any{"iss": issuer, "sub": b.ada.ID, "org": "o1", "role": "manager", "email": "Ada@Example.com", "sid": access["sid"]} {
		if id[name] != want {
			t.Errorf("ID token's %s is %v, want %v", name, id[name], want)
		}
	}
	if fmt.Sprint(access["aud"]) != "[ecf-api]" || fmt.Sprint(id["aud"]) != "[ecf]" || access["jti"] == id["jti"] || access["email"] != nil {
		t.Errorf("access %v, id %v", access, id)
	}
	if access["exp"].(float64)-access["iat"].(float64) != 3600 || id["auth_time"] == nil {
		t.Errorf("access %v, id %v", access, id)
	}
}

// TestWrongCredentialsAreAllAlike verifies that all failed logins have the same
// response and the same work (statement 1).
func TestWrongCredentialsAreAllAlike(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		if err := b.service.DisableUser(t.Context(), "o1", b.bob.ID); err != nil {
			t.Fatal(err)
		}
		fresh, setupToken, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: "o1", Email: "new@example.com", Role: identity.User})
		if err != nil {
			t.Fatal(err)
		}
		b.secrets = append(b.secrets, setupToken)
		if err := b.service.DeleteUser(t.Context(), "o1", b.user("o1", "gone@example.com", "", identity.User).ID); err != nil {
			t.Fatal(err)
		}
		bodies := map[string]string{}
		for what, with := range map[string][2]string{
			"unknown email":       {"nobody@example.com", goodPass},
			"no email at all":     {"'; DROP TABLE users --", goodPass},
			"wrong password":      {"ada@example.com", "not the password"},
			"disabled":            {"bob@example.com", goodPass},
			"disabled and wrong":  {"bob@example.com", "not the password"},
			"no password yet":     {fresh.Email, goodPass},
			"deleted":             {"gone@example.com", goodPass},
			"a longer password":   {"ada@example.com", goodPass + "x"},
			"a truncated one":     {"ada@example.com", goodPass[:len(goodPass)-1]},
			"another's password?": {"eve@example.org", newPass},
			"the hash itself":     {"ada@example.com", b.ada.PasswordHash},
		} {
			before := b.hasher.Made()
			a := b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(with[0])+`,"password":`+quoted(with[1])+`}`, "X-Request-Id", "same")
			b.want(a, http.StatusUnauthorized, "UNAUTHENTICATED")
			if n := b.hasher.Made() - before; n != 1 {
				t.Errorf("%s cost %d hashes, want 1", what, n)
			}
			a.header.Del("Date")
			bodies[a.body+fmt.Sprint(a.header)] = what
		}
		if len(bodies) != 1 {
			t.Errorf("the answers differ: %v", bodies)
		}
	})
}

func TestRefreshRefuses(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		in := b.signIn("ada@example.com")
		other := b.signIn("eve@example.org")
		sid, _, _ := account.SplitToken(in.refresh)
		_, foreignSecret, _ := account.SplitToken(other.refresh)
		v, err := b.store.Session(t.Context(), sid)
		if err != nil {
			t.Fatal(err)
		}
		answers := map[string]bool{}
		for what, token := range map[string]string{
			"nonsense":                 "x",
			"the access token":         in.access,
			"the ID token":             in.id,
			"another session's secret": account.JoinToken(sid, foreignSecret),
			"an unknown session":       account.JoinToken("nosuchsession", foreignSecret),
			"the stored hash":          account.JoinToken(sid, v.SecretHash),
			"an operator":              `{"$gt":""}.` + foreignSecret,
			"the secret alone":         foreignSecret,
			"a line break":             in.refresh + "\n",
		} {
			a := b.do("POST", "/api/v2/auth/refresh", "", `{"refreshToken":`+quoted(token)+`}`, "X-Request-Id", "same")
			if a.status != http.StatusUnauthorized || a.code != "UNAUTHENTICATED" {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
			answers[a.body] = true
		}
		if len(answers) != 1 {
			t.Errorf("the answers differ: %v", answers)
		}
		b.want(b.refresh(in.refresh), http.StatusOK, "")
		// Data at rest opens nothing (statement 14).
		if v.SecretHash == "" || strings.Contains(in.refresh, v.SecretHash) || strings.Contains(fmt.Sprintf("%+v", v), foreignSecret) {
			t.Errorf("stored: %+v", v)
		}
	})
}

// TestInvalidBodies verifies that an error lists every fault, and never the secret
// itself.
func TestInvalidBodies(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	for _, c := range []struct {
		path, body string
		fields     string
	}{
		{"login", ``, "[email password]"},
		{"login", `{}`, "[email password]"},
		{"login", `{"email":null,"password":null}`, "[email password]"},
		{"login", `{"email":{"$gt":""},"password":123456789012345}`, "[email password]"},
		{"login", `{"email":"a@b","password":["hush hush hush"]}`, "[password]"},
		{"login", `{"email":"","password":""}`, "[email password]"},
		{"login", `{"email":"a@b","password":"hush hush hush","password":"x"}`, "[password]"},
		{"login", `{"email":"a@b","password":"` + strings.Repeat("h", 2000) + `"}`, "[password]"},
		{"login", `{"email":"a@b","password":"x"} `, ""},
		{"login", `{"email":"a@b","password":"x"} x`, "[]"},
		{"login", `[]`, "[]"},
		{"login", `{"email":"a@b","password":"hush hush`, "[]"},
		{"refresh", ``, "[refreshToken]"},
		{"refresh", `{"refreshToken":123456789012345}`, "[refreshToken]"},
		{"refresh", `{"refreshToken":{"hush":"hush hush hush"}}`, "[refreshToken]"},
	} {
		a := b.do("POST", "/api/v2/auth/"+c.path, "", c.body)
		if c.fields == "" {
			b.want(a, http.StatusUnauthorized, "UNAUTHENTICATED")
			continue
		}
		if c.fields == "[]" {
			c.fields = fmt.Sprint(a.fields)
		}
		if a.status != http.StatusBadRequest || a.code != "VALIDATION_ERROR" || fmt.Sprint(a.fields) != c.fields {
			t.Errorf("%s %.60s: %d %s", c.path, c.body, a.status, a.body)
		}
		if strings.Contains(a.body, "hush") || strings.Contains(a.body, "123456789012345") {
			t.Errorf("%s %.60s: the answer holds the secret: %s", c.path, c.body, a.body)
		}
	}
	b.want(b.do("POST", "/api/v2/auth/login", "", `{"email":"a@b","password":"x"}`, "Content-Type", "text/plain"), http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
	// Unknown fields are accepted.
	b.want(b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":"`+goodPass+`","otp":"1"}`), http.StatusOK, "")
}

// TestOnlyAccessTokensOpenRoutes verifies statement 9, and statement 10 through the
// service's own routes.
func TestOnlyAccessTokensOpenRoutes(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in := b.signIn("ada@example.com")
	for what, token := range map[string]string{"no token": "", "ID token": in.id, "refresh token": in.refresh, "half a token": in.access[:200]} {
		if a := b.do("GET", "/api/v2/auth/me", token, ""); a.status != http.StatusUnauthorized || a.code != "UNAUTHENTICATED" {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	b.want(b.do("GET", "/api/v2/auth/nothing", "", ""), http.StatusUnauthorized, "UNAUTHENTICATED")
	b.want(b.do("GET", "/api/v2/auth/nothing", in.access, ""), http.StatusNotFound, "NOT_FOUND")
	// Expired in this second.
	exp := int64(claimsOf(t, in.access)["exp"].(float64))
	b.clock.Set(time.Unix(exp, 0).Add(-time.Millisecond))
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "")
	b.clock.Set(time.Unix(exp, 0))
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
}

// TestBusyHashing verifies that of many concurrent logins those above the limit are
// told to retry, while the other routes are answered.
func TestBusyHashing(t *testing.T) {
	t.Parallel()
	slow, err := password.New(password.Options{Params: password.Params{MemoryKiB: 8 << 10, Time: 3, Threads: 1}, Slots: 1, Queue: 2, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	b := setupWith(t, openSQLite(t), slow)
	in := b.signIn("ada@example.com")
	before := slow.Made()
	statuses := map[int]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			a := b.login(fmt.Sprintf("nobody%d@example.com", i), "wrong")
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
			if a.status == http.StatusServiceUnavailable && (a.code != "UNAVAILABLE" || a.header.Get("Retry-After") != "2") {
				t.Errorf("%s, Retry-After %q", a.body, a.header.Get("Retry-After"))
			}
		})
	}
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "")
	wg.Wait()
	if statuses[401] < 3 || statuses[503] == 0 || statuses[401]+statuses[503] != 40 || int(slow.Made()-before) != statuses[401] {
		t.Errorf("statuses %v, %d hashes", statuses, slow.Made()-before)
	}
}

// TestBrokenStore verifies that a failing store gives 503 with Retry-After, and reveals
// nothing of itself (statements 31 and 32).
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	broken := &brokenStore{Store: openSQLite(t)}
	b := setup(t, broken)
	in := b.signIn("ada@example.com")
	broken.fail.Store(true)
	for _, a := range []answer{
		b.login("ada@example.com", goodPass), b.login("nobody@example.com", goodPass), b.refresh(in.refresh),
		b.do("GET", "/api/v2/auth/me", in.access, ""), b.do("POST", "/api/v2/auth/logout", in.access, ""),
		b.do("GET", "/api/v2/users", in.access, ""),
	} {
		if a.status != http.StatusServiceUnavailable || a.code != "UNAVAILABLE" || a.header.Get("Retry-After") == "" ||
			strings.Contains(a.body, "poison") || strings.Contains(a.body, "db-7") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	sid, _, _ := account.SplitToken(in.refresh)
	if a := b.do("GET", sessions.Path+sid, in.access, ""); a.status != http.StatusServiceUnavailable || strings.Contains(a.body, "poison") {
		t.Errorf("%d %s", a.status, a.body)
	}
	broken.fail.Store(false)
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "")
}

// brokenStore fails its reads on demand.
type brokenStore struct {
	account.Store
	fail atomic.Bool
}

var errPoison = errors.New("poison: dial tcp db-7.internal:27017: user ada@example.com refused")

func (s *brokenStore) UserByEmail(ctx context.Context, key string) (account.User, error) {
	if s.fail.Load() {
		return account.User{}, errPoison
	}
	return s.Store.UserByEmail(ctx, key)
}

func (s *brokenStore) Session(ctx context.Context, id string) (account.Session, error) {
	if s.fail.Load() {
		return account.Session{}, errPoison
	}
	return s.Store.Session(ctx, id)
}

// TestHostileTextInLogs verifies that input cannot break a log line (statement 36).
func TestHostileTextInLogs(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	for _, email := range []string{"a\r\nlevel=ERROR@x", "\x1b[31m@x", "\"}{\"@x"} {
		b.want(b.login(email, "x"), http.StatusUnauthorized, "UNAUTHENTICATED")
	}
	in := b.signIn("ada@example.com")
	b.want(b.do("DELETE", "/api/v2/auth/sessions/%0d%0a%1b", in.access, "", "User-Agent", "\"x\" \t{}"), http.StatusNotFound, "NOT_FOUND")
}

func TestWellKnownDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	var d identity.Discovery
	a := b.do("GET", "/.well-known/openid-configuration", "", "")
	if err := json.Unmarshal([]byte(a.body), &d); err != nil || a.status != http.StatusOK || d.Issuer != issuer || d.JWKSURI != issuer+"/.well-known/jwks.json" ||
		fmt.Sprint(d.IDTokenAlgsSupported) != "[EdDSA]" {
		t.Errorf("%d %s", a.status, a.body)
	}
	a = b.do("GET", "/.well-known/jwks.json", "", "")
	var set identity.JWKS
	if err := json.Unmarshal([]byte(a.body), &set); err != nil || len(set.Keys) != 1 || strings.Contains(a.body, `"d"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") || a.header.Get("Etag") == "" {
		t.Errorf("header %v", a.header)
	}
	// Another process verifies with the published keys.
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: b.base + "/.well-known/jwks.json"})
	v := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: keys, Now: b.clock.Now})
	in := b.signIn("ada@example.com")
	p, err := v.Verify(t.Context(), in.access)
	if err != nil || p.UserID != b.ada.ID || p.Role != identity.Manager || p.Org != "o1" || p.Name != "Ada Lovelace" {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := v.Verify(t.Context(), in.id); apperr.CodeOf(err) != apperr.Unauthenticated {
		t.Errorf("the ID token passes as an access token: %v", err)
	}
}
