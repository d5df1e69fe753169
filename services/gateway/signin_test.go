package gateway

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
)

// TestSignInWithoutTokens verifies that a successful response of auth that lacks a token signs nobody in, and that
// nothing of it reaches the browser.
func TestSignInWithoutTokens(t *testing.T) {
	s := start(t)
	for name, c := range map[string]struct{ path, body string }{
		"nothing":                  {"sign-in", `{"success":true,"data":{}}`},
		"no refresh token":         {"sign-in", strings.Replace(signedIn, `"refreshToken":"rt-new",`, "", 1)},
		"no access token":          {"sign-in", strings.Replace(signedIn, `"accessToken":"at-new",`, "", 1)},
		"no JSON":                  {"sign-in", "at-new rt-new"},
		"no access token, renewed": {"refresh", strings.Replace(signedIn, `"accessToken":"at-new",`, "", 1)},
	} {
		s.services[api.Auth].set(answering(http.StatusOK, c.body))
		a := s.do(request{method: "POST", path: "/session/" + c.path, header: s.fromConsole(nil)})
		if got := a.code(t); got != "UNAVAILABLE" || a.status != http.StatusServiceUnavailable || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %s, cookies %v", name, a.status, a.body, a.header["Set-Cookie"])
		}
		if strings.Contains(a.body, "at-new") || strings.Contains(a.body, "rt-new") {
			t.Errorf("%s: a token is in the answer: %s", name, a.body)
		}
	}
}

// TestSessionsAreNotRehearsed verifies that signing in and out have their effect although a dry run is asked for, and
// that a sign-out passes nothing on but the token.
func TestSessionsAreNotRehearsed(t *testing.T) {
	live := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":99999999999}`)) + ".s"
	s := start(t, func(d *Deps) {
		known := principals()
		known[live] = known[alice]
		d.Tokens = known
	})
	for path, body := range map[string]string{"sign-in": `{"email":"a@b.c"}`, "sign-out": ""} {
		s.services[api.Auth].set(answering(http.StatusOK, signedIn))
		a := s.do(request{method: "POST", path: "/session/" + path, body: `{"email":"a@b.c"}`, header: s.fromConsole(map[string]string{
			"X-Dry-Run": "true", "Cookie": s.cookies(live, "rt_alice")})})
		asked := s.services[api.Auth].last(t)
		if a.status != http.StatusOK || len(asked.Header.Peek("X-Dry-Run")) > 0 || string(asked.Body()) != body {
			t.Errorf("%s: %d %s; auth was sent %s %q", path, a.status, a.body, asked.Header.Peek("X-Dry-Run"), asked.Body())
		}
	}
}

// TestSignOutOfNobody verifies that the cookies are cleared of who is not signed in, without asking auth.
func TestSignOutOfNobody(t *testing.T) {
	s := start(t)
	a := s.do(request{method: "POST", path: "/session/sign-out", header: s.fromConsole(map[string]string{"Cookie": ""})})
	if a.status != http.StatusOK || a.body != `{"success":true,"data":{"sessionEnded":true}}` || !cleared(a.header) || s.services[api.Auth].count() != 0 {
		t.Errorf("%d %s, cookies %v, auth was asked %d times", a.status, a.body, a.header["Set-Cookie"], s.services[api.Auth].count())
	}
}
