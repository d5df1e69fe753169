package gateway

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/infra/peer"
)

// TestWhatAuthIsAskedIsSigned verifies that every request to auth, and to no other service, is
// signed and states the client address, which a client cannot do.
func TestWhatAuthIsAskedIsSigned(t *testing.T) {
	t.Parallel()
	secret := peer.Secrets{"a-secret-of-services-that-is-long-enough"}
	s := start(t, func(d *Deps) { d.Auth.Signer = peer.NewSigner("gateway", secret, time.Now) })
	verifier := peer.NewVerifier(secret, false, time.Now)
	made := map[string]string{peer.Header: "1 gateway 1 x y", "X-Forwarded-For": "8.8.8.8"}
	for _, r := range []request{
		{method: "POST", path: "/api/v2/auth/login", body: `{"email":"a@b.c","password":"x"}`, header: made},
		{method: "POST", path: "/api/v2/auth/refresh", body: `{"refreshToken":"x"}`},
		{method: "POST", path: "/api/v2/auth/setup", body: `{"setupToken":"x","password":"` + strings.Repeat("p", 20_000) + `"}`},
		{method: "POST", path: "/api/v2/auth/logout", token: alice},
		{method: "GET", path: "/api/v2/auth/me", token: alice, header: made},
		{method: "HEAD", path: "/api/v2/auth/me?a=b&a=%20c", token: alice},
		{method: "GET", path: "/api/v2/organization/members?page=2", token: alice},
		// The session is refreshed to end it, without a request by the client.
		{method: "POST", path: "/session/sign-out", header: s.fromConsole(map[string]string{"Cookie": s.cookies("h.eyJleHAiOjF9.s", "rt_alice")})},
	} {
		a := s.do(r)
		last := s.services[api.Auth].last(t)
		claim, err := verifier.Admit(&last.Header)
		if err == nil {
			err = claim.Body(last.Body())
		}
		if err != nil || !claim.Signed() || string(last.Header.Peek("X-Forwarded-For")) != "127.0.0.1" {
			t.Errorf("%s %s (%d) is asked as %s: %v", r.method, r.path, a.status, &last.Header, err)
		}
	}
	s.do(request{method: "GET", path: "/api/v2/events", token: alice, header: made})
	if last := s.services[api.Records].last(t); len(last.Header.Peek(peer.Header)) > 0 {
		t.Errorf("records is told %s", &last.Header)
	}
}

// TestAGatewayThatIsNotBelieved verifies that different secrets give 503 with Retry-After, so
// that users stay signed in.
func TestAGatewayThatIsNotBelieved(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.services[api.Auth].set(func(ctx *fasthttp.RequestCtx) {
		ctx.SetStatusCode(fasthttp.StatusUnauthorized)
		if strings.HasSuffix(string(ctx.Path()), "/refresh") {
			ctx.Response.Header.Set(peer.Refused, "true")
		}
		ctx.SetBodyString(`{"success":false,"error":{"code":"UNAUTHENTICATED"}}`)
	})
	refresh := request{method: "POST", path: "/api/v2/auth/refresh", body: `{"refreshToken":"x"}`}
	if a := s.do(refresh); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" || a.header.Get(peer.Refused) != "" {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	if a := s.do(request{method: "GET", path: "/api/v2/auth/me", token: alice}); a.status != http.StatusUnauthorized {
		t.Errorf("a token that auth refuses: %d %s", a.status, a.body)
	}
}
