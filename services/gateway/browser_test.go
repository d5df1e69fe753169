package gateway

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/ratelimit"
)

// fromConsole returns the header of a request that the console of s makes.
func (s *stack) fromConsole(change map[string]string) map[string]string {
	h := map[string]string{
		"Sec-Fetch-Site": "same-origin", "X-ECF-Console": "1", "Origin": s.url, "Cookie": s.cookies(alice, "rt_alice"),
	}
	for k, v := range change {
		if v == "" {
			delete(h, k)
		} else {
			h[k] = v
		}
	}
	return h
}

func (s *stack) port() string { return s.url[strings.LastIndex(s.url, ":")+1:] }

func (s *stack) cookies(access, refresh string) string {
	return fmt.Sprintf("ecf-%s-access=%s; ecf-%s-refresh=%s", s.port(), access, s.port(), refresh)
}

const signedIn = `{"success":true,"data":{"accessToken":"at-new","idToken":"it-new","refreshToken":"rt-new","expiresIn":3600,"tokenType":"Bearer"}}`

func answering(status int, body string) func(*fasthttp.RequestCtx) {
	return func(ctx *fasthttp.RequestCtx) {
		ctx.SetStatusCode(status)
		ctx.SetContentType("application/json")
		ctx.SetBodyString(body)
	}
}

func TestConsoleReachesTheAPI(t *testing.T) {
	s := start(t)
	a := s.do(request{method: "POST", path: "/session/api/events/e1/flights?x=1", body: `{}`, header: s.fromConsole(nil)})
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	asked := s.services[api.Records].last(t)
	if got := string(asked.RequestURI()); !strings.HasSuffix(got, "/api/v2/events/e1/flights?x=1") {
		t.Errorf("the service was asked %s", got)
	}
	if got := string(asked.Header.Peek("Authorization")); got != "Bearer "+alice {
		t.Errorf("Authorization %q", got)
	}
	for _, name := range []string{"Cookie", "X-Ecf-Console"} {
		if got := string(asked.Header.Peek(name)); got != "" {
			t.Errorf("%s reached the service: %q", name, got)
		}
	}
	// Rate limit fields of a read and a write are as for other clients.
	if a.header.Get("RateLimit-Policy") == "" {
		t.Error("the answer has no RateLimit-Policy")
	}
}

// TestSessionRefusesBypasses sends one request for each thing that must be rejected, and the same
// request without the fault.
func TestSessionRefusesBypasses(t *testing.T) {
	s := start(t)
	refusals := map[string]struct {
		path   string
		header map[string]string
		method string
		code   string
	}{
		"no Sec-Fetch-Site":           {header: map[string]string{"Sec-Fetch-Site": ""}},
		"from another site":           {header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"from another port":           {header: map[string]string{"Sec-Fetch-Site": "same-site"}},
		"typed into the address bar":  {header: map[string]string{"Sec-Fetch-Site": "none"}},
		"no X-ECF-Console":            {header: map[string]string{"X-ECF-Console": ""}},
		"another X-ECF-Console":       {header: map[string]string{"X-ECF-Console": "0"}},
		"a write without Origin":      {header: map[string]string{"Origin": ""}},
		"a write of another Origin":   {header: map[string]string{"Origin": "http://127.0.0.1:1"}},
		"a write of a longer Origin":  {header: map[string]string{"Origin": "http://evil-" + strings.TrimPrefix(s.url, "http://")}},
		"a write of another scheme":   {header: map[string]string{"Origin": "https://" + strings.TrimPrefix(s.url, "http://")}},
		"a write of a null Origin":    {header: map[string]string{"Origin": "null"}},
		"with Authorization":          {header: map[string]string{"Authorization": "Bearer " + alice}},
		"a download of a write":       {path: "/session/api/events/e1/results/report", header: map[string]string{"X-ECF-Console": "", "Sec-Fetch-Dest": "document"}},
		"a list as a download":        {method: "GET", path: "/session/api/events", header: map[string]string{"X-ECF-Console": "", "Sec-Fetch-Dest": "empty"}},
		"a report as an image":        {method: "GET", path: "/session/api/events/e1/results/report", header: map[string]string{"X-ECF-Console": "", "Sec-Fetch-Dest": "image"}},
		"a report for nothing":        {method: "GET", path: "/session/api/events/e1/results/report", header: map[string]string{"X-ECF-Console": ""}},
		"a report of another site":    {method: "GET", path: "/session/api/events/e1/results/report", header: map[string]string{"X-ECF-Console": "", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"}},
		"records as a download":       {method: "GET", path: "/session/api/events/e1/flights", header: map[string]string{"X-ECF-Console": "", "Sec-Fetch-Dest": "document"}},
		"a result as a download":      {method: "GET", path: "/session/api/events/e1/results/history", header: map[string]string{"X-ECF-Console": "", "Sec-Fetch-Dest": "document"}},
		"http at an address":          {header: map[string]string{"Host": "192.0.2.7", "Origin": "http://192.0.2.7"}},
		"http at an IPv6 address":     {header: map[string]string{"Host": "[2001:db8::1]:8080", "Origin": "http://[2001:db8::1]:8080"}},
		"http at a name like ours":    {header: map[string]string{"Host": "localhost.example", "Origin": "http://localhost.example"}},
		"http elsewhere":              {header: map[string]string{"Host": "ecf.example", "Origin": "http://ecf.example"}},
		"http where localhost ends":   {header: map[string]string{"Host": "evil-localhost", "Origin": "http://evil-localhost"}},
		"http in a private network":   {header: map[string]string{"Host": "192.168.1.5", "Origin": "http://192.168.1.5"}},
		"https only claimed":          {header: map[string]string{"Host": "ecf.example", "Origin": "https://ecf.example", "X-Forwarded-Proto": "https"}},
		"sign-in without its mark":    {path: "/session/sign-in", header: map[string]string{"X-ECF-Console": ""}},
		"sign-in from another site":   {path: "/session/sign-in", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"sign-in with another Origin": {path: "/session/sign-in", header: map[string]string{"Origin": "http://evil.example"}},
		"refresh from another site":   {path: "/session/refresh", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"sign-out from another site":  {path: "/session/sign-out", header: map[string]string{"Sec-Fetch-Site": "cross-site"}},
		"log in past the session":     {path: "/session/api/auth/login", code: "NOT_FOUND"},
		"the same, encoded":           {path: "/session/api/auth/log%69n", code: "NOT_FOUND"},
		"the same, with a slash":      {path: "/session/api/auth/login/", code: "NOT_FOUND"},
		"refresh past the session":    {path: "/session/api/auth/refresh", code: "NOT_FOUND"},
		"log out past the session":    {path: "/session/api/auth/logout", code: "NOT_FOUND"},
		"a cookie alone on the API":   {path: "/api/v2/events", code: "UNAUTHENTICATED"},
	}
	for name, r := range refusals {
		t.Run(name, func(t *testing.T) {
			if r.path == "" {
				r.path = "/session/api/events"
			}
			if r.method == "" {
				r.method = "POST"
			}
			if r.code == "" {
				r.code = "FORBIDDEN"
			}
			before := s.services[api.Records].count() + s.services[api.Auth].count() + s.services[api.Calculation].count()
			a := s.raw(t, request{method: r.method, path: r.path, body: `{}`, header: s.fromConsole(r.header)})
			if got := a.code(t); got != r.code {
				t.Errorf("%d %s", a.status, a.body)
			}
			if a.header.Get("Set-Cookie") != "" {
				t.Errorf("a refusal sets a cookie: %v", a.header)
			}
			if after := s.services[api.Records].count() + s.services[api.Auth].count() + s.services[api.Calculation].count(); after != before {
				t.Error("a service was asked")
			}
		})
	}
	for _, r := range []request{
		{method: "POST", path: "/session/api/events", body: `{}`, header: s.fromConsole(nil)},
		{method: "GET", path: "/session/api/events", header: s.fromConsole(map[string]string{"Origin": ""})},
		{method: "GET", path: "/session/api/events/e1/results/report", header: s.fromConsole(map[string]string{"X-ECF-Console": "", "Origin": "", "Sec-Fetch-Dest": "iframe"})},
		{method: "GET", path: "/session/api/events/e1/export", header: s.fromConsole(map[string]string{"X-ECF-Console": "", "Origin": "", "Sec-Fetch-Dest": "document"})},
	} {
		if a := s.do(r); a.status != http.StatusOK {
			t.Errorf("%s %s: %d %s", r.method, r.path, a.status, a.body)
		}
	}
}

// raw sends a request whose Host may be set as a header field.
func (s *stack) raw(t *testing.T, r request) answer {
	t.Helper()
	host := r.header["Host"]
	if host == "" {
		return send(t, s.url, r)
	}
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(s.url + r.path)
	req.Header.SetMethod(r.method)
	req.UseHostHeader = true
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	req.Header.SetContentType("application/json")
	req.SetBodyString(r.body)
	if err := fasthttp.Do(req, resp); err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	for k, v := range resp.Header.All() {
		h.Add(string(k), string(v))
	}
	return answer{resp.StatusCode(), h, string(resp.Body())}
}

func TestSignInKeepsTokensInCookies(t *testing.T) {
	s := start(t)
	s.services[api.Auth].set(answering(http.StatusOK, signedIn))
	header := s.fromConsole(map[string]string{"Cookie": ""})
	a := s.do(request{method: "POST", path: "/session/sign-in", body: `{"email":"a@b.c","password":"p"}`, header: header})
	if a.status != http.StatusOK || a.body != `{"success":true,"data":{"expiresIn":3600}}` {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for _, token := range []string{"at-new", "rt-new", "it-new"} {
		if strings.Contains(a.body, token) {
			t.Errorf("%s is in the answer", token)
		}
	}
	asked := s.services[api.Auth].last(t)
	if string(asked.URI().Path()) != "/api/v2/auth/login" || string(asked.Body()) != `{"email":"a@b.c","password":"p"}` {
		t.Errorf("auth was asked %s %s", asked.URI().Path(), asked.Body())
	}
	holdCookies(t, a.header, "ecf-"+s.port()+"-", false)

	// Over https, as stated by a trusted proxy, the names are bound to the host.
	behind := start(t, trust("127.0.0.0/8"))
	behind.services[api.Auth].set(answering(http.StatusOK, signedIn))
	a = behind.raw(t, request{method: "POST", path: "/session/sign-in", body: `{}`, header: behind.fromConsole(map[string]string{
		"Host": "ecf.example", "Origin": "https://ecf.example", "X-Forwarded-Proto": "https",
	})})
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	holdCookies(t, a.header, "__Host-ecf-", true)
}

func holdCookies(t *testing.T, h http.Header, prefix string, secure bool) {
	t.Helper()
	cookies := (&http.Response{Header: h}).Cookies()
	if len(cookies) != 2 {
		t.Fatalf("%d cookies: %v", len(cookies), h)
	}
	for _, c := range cookies {
		if !strings.HasPrefix(c.Name, prefix) || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure != secure || c.Path != "/" || c.Domain != "" || c.Value == "" {
			t.Errorf("%s", c.Raw)
		}
	}
}

func TestRefreshTakesTheCookie(t *testing.T) {
	s := start(t)
	s.services[api.Auth].set(answering(http.StatusOK, strings.Replace(signedIn, `"refreshToken":"rt-new",`, "", 1)))
	a := s.do(request{method: "POST", path: "/session/refresh", header: s.fromConsole(nil)})
	if a.status != http.StatusOK || strings.Contains(a.body, "at-new") {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if got := string(s.services[api.Auth].last(t).Body()); got != `{"refreshToken":"rt_alice"}` {
		t.Errorf("auth was sent %s", got)
	}
	if cookies := (&http.Response{Header: a.header}).Cookies(); len(cookies) != 1 || cookies[0].Value != "at-new" {
		t.Errorf("cookies %v", cookies)
	}

	// It keeps the organization of the old token, and switches if asked to.
	old := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":1,"org":"o2"}`)) + ".s"
	in2 := s.fromConsole(map[string]string{"Cookie": s.cookies(old, "rt_alice")})
	for body, want := range map[string]string{"": "o2", `{"organization":"o3"}`: "o3"} {
		if a := s.do(request{method: "POST", path: "/session/refresh", body: body, header: in2}); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
		if got := string(s.services[api.Auth].last(t).Body()); got != `{"organization":"`+want+`","refreshToken":"rt_alice"}` {
			t.Errorf("%s: auth was sent %s", body, got)
		}
	}
	if a := s.do(request{method: "POST", path: "/session/refresh", body: "o3", header: in2}); a.status != http.StatusBadRequest {
		t.Errorf("a body that is not JSON: %d %s", a.status, a.body)
	}
	// A compressed body is not decompressed: a few bytes may be gigabytes.
	packed := s.fromConsole(map[string]string{"Cookie": s.cookies(old, "rt_alice"), "Content-Encoding": "gzip"})
	if a := s.do(request{method: "POST", path: "/session/refresh", body: string(fasthttp.AppendGzipBytes(nil, []byte(`{"organization":"o3"}`))), header: packed}); a.status != http.StatusBadRequest {
		t.Errorf("a compressed body: %d %s", a.status, a.body)
	}
	// The end of a membership clears the cookies; a foreign organization leaves the session
	// unchanged.
	s.services[api.Auth].set(answering(http.StatusNotFound, `{"success":false,"error":{"code":"NOT_FOUND","message":"m","requestId":"r","docs":"d"}}`))
	if a := s.do(request{method: "POST", path: "/session/refresh", header: in2}); a.status != http.StatusUnauthorized || !cleared(a.header) {
		t.Errorf("%d, cookies %v", a.status, a.header["Set-Cookie"])
	}
	if a := s.do(request{method: "POST", path: "/session/refresh", body: `{"organization":"o3"}`, header: in2}); a.status != http.StatusNotFound || a.header.Get("Set-Cookie") != "" {
		t.Errorf("%d, cookies %v", a.status, a.header["Set-Cookie"])
	}

	// The end of the session clears the cookies.
	s.services[api.Auth].set(answering(http.StatusUnauthorized, `{"success":false,"error":{"code":"UNAUTHENTICATED","message":"m","requestId":"r","docs":"d"}}`))
	a = s.do(request{method: "POST", path: "/session/refresh", header: s.fromConsole(nil)})
	if a.status != http.StatusUnauthorized || !cleared(a.header) {
		t.Errorf("%d, cookies %v", a.status, a.header["Set-Cookie"])
	}
	// An unavailable auth service does not.
	s.services[api.Auth].set(answering(http.StatusServiceUnavailable, `{"success":false,"error":{"code":"UNAVAILABLE","message":"m","requestId":"r","docs":"d"}}`))
	a = s.do(request{method: "POST", path: "/session/refresh", header: s.fromConsole(nil)})
	if a.status != http.StatusServiceUnavailable || a.header.Get("Set-Cookie") != "" {
		t.Errorf("%d, cookies %v", a.status, a.header["Set-Cookie"])
	}
	// If a cookie is duplicated, neither value counts.
	twice := s.cookies(alice, "rt_alice") + "; " + s.cookies(bob, "rt_bob")
	if a = s.do(request{method: "POST", path: "/session/refresh", header: s.fromConsole(map[string]string{"Cookie": twice})}); a.status != http.StatusUnauthorized {
		t.Errorf("two cookies of one name: %d %s", a.status, a.body)
	}
}

// cleared reports whether a response clears both cookies.
func cleared(h http.Header) bool {
	n := 0
	for _, c := range (&http.Response{Header: h}).Cookies() {
		if c.Value == "" && c.Expires.Unix() == 1 {
			n++
		}
	}
	return n == 2
}

func TestSignOut(t *testing.T) {
	live := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":99999999999}`)) + ".s"
	old := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"exp":1}`)) + ".s"
	for name, c := range map[string]struct {
		access string
		auth   func(*fasthttp.RequestCtx)
		ended  bool
		asked  string
	}{
		"live":                {live, answering(http.StatusOK, `{"success":true,"data":{}}`), true, "/api/v2/auth/logout"},
		"auth fails":          {live, answering(http.StatusServiceUnavailable, `{}`), false, "/api/v2/auth/logout"},
		"expired and ended":   {old, answering(http.StatusUnauthorized, `{}`), true, "/api/v2/auth/refresh"},
		"expired, auth fails": {old, answering(http.StatusServiceUnavailable, `{}`), false, "/api/v2/auth/refresh"},
		"expired, a gateway that is not believed": {old, func(ctx *fasthttp.RequestCtx) {
			ctx.Response.Header.Set(peer.Refused, "true")
			answering(http.StatusUnauthorized, `{}`)(ctx)
		}, false, "/api/v2/auth/refresh"},
		"expired": {old, func(ctx *fasthttp.RequestCtx) {
			if strings.HasSuffix(string(ctx.Path()), "/refresh") {
				answering(http.StatusOK, strings.ReplaceAll(signedIn, "at-new", live))(ctx)
				return
			}
			answering(http.StatusOK, `{"success":true,"data":{}}`)(ctx)
		}, true, "/api/v2/auth/logout"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, func(d *Deps) {
				known := principals()
				known[live] = known[alice]
				d.Tokens = known
			})
			s.services[api.Auth].set(c.auth)
			a := s.do(request{method: "POST", path: "/session/sign-out", header: s.fromConsole(map[string]string{"Cookie": s.cookies(c.access, "rt_alice")})})
			if want := fmt.Sprintf(`{"success":true,"data":{"sessionEnded":%v}}`, c.ended); a.status != http.StatusOK || a.body != want {
				t.Errorf("%d %s, want %s", a.status, a.body, want)
			}
			if !cleared(a.header) {
				t.Errorf("the cookies stay: %v", a.header["Set-Cookie"])
			}
			if got := string(s.services[api.Auth].last(t).URI().Path()); got != c.asked {
				t.Errorf("auth was asked %s last", got)
			}
		})
	}
}

// TestSessionSharesTheLimitOfSignIns verifies that the sign-in limit is shared between the
// console and the API.
func TestSessionSharesTheLimitOfSignIns(t *testing.T) {
	s := start(t, func(d *Deps) { d.SignInLimit = ratelimit.Rule{Limit: 3, Window: d.SignInLimit.Window} })
	s.services[api.Auth].set(answering(http.StatusOK, signedIn))
	for _, r := range []request{
		{method: "POST", path: "/session/sign-in", body: `{}`, header: s.fromConsole(nil)},
		{method: "POST", path: "/api/v2/auth/login", body: `{}`},
		{method: "POST", path: "/session/refresh", header: s.fromConsole(nil)},
	} {
		if a := s.do(r); a.status != http.StatusOK {
			t.Fatalf("%s: %d %s", r.path, a.status, a.body)
		}
	}
	for _, r := range []request{
		{method: "POST", path: "/session/sign-in", body: `{}`, header: s.fromConsole(nil)},
		{method: "POST", path: "/session/refresh", header: s.fromConsole(nil)},
		{method: "POST", path: "/api/v2/auth/login", body: `{}`},
	} {
		if a := s.do(r); a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" || a.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %d %v", r.path, a.status, a.header)
		}
	}
}

func TestReportMayBeFramedBelowTheSessionOnly(t *testing.T) {
	s := start(t)
	s.services[api.Calculation].set(func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("text/html; charset=utf-8")
		ctx.Response.Header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		ctx.SetBodyString("<p>report")
	})
	below := s.do(request{method: "GET", path: "/session/api/events/e1/results/report", header: s.fromConsole(nil)})
	if got := below.header.Get("Content-Security-Policy"); got != "default-src 'none'; frame-ancestors 'self'" || below.header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("below the session: %v", below.header)
	}
	api := s.do(request{method: "GET", path: "/api/v2/events/e1/results/report", token: alice})
	if got := api.header.Get("Content-Security-Policy"); got != "default-src 'none'; frame-ancestors 'none'" || api.header.Get("X-Frame-Options") != "DENY" {
		t.Errorf("on the API: %v", api.header)
	}
}

// TestReportOpenedByItsAddress verifies that a person who cannot see a report in a window is
// redirected to the console, and a program gets the usual response.
func TestReportOpenedByItsAddress(t *testing.T) {
	s := start(t)
	const address, page = "/session/api/events/e1/results/7/report", "/events/e1/report"
	window := map[string]string{"X-ECF-Console": "", "Origin": "", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
	open := func(t *testing.T, change map[string]string) answer {
		t.Helper()
		header := maps.Clone(window)
		maps.Copy(header, change)
		return s.raw(t, request{method: "GET", path: address, header: s.fromConsole(header)})
	}
	shown := func(status int) {
		s.services[api.Calculation].set(func(ctx *fasthttp.RequestCtx) {
			ctx.SetStatusCode(status)
			ctx.SetContentType("text/html; charset=utf-8")
			ctx.Response.Header.Set("ETag", `"1"`)
			ctx.SetBodyString("<p>answer")
		})
	}
	shown(http.StatusOK)
	if a := open(t, nil); a.status != http.StatusOK || a.body != "<p>answer" {
		t.Errorf("the report: %d %s", a.status, a.body)
	}
	sent := func(t *testing.T, a answer) {
		t.Helper()
		if a.status != http.StatusSeeOther || a.header.Get("Location") != page || len(a.body) > 0 || a.header.Get("ETag") != "" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}
	}
	for name, change := range map[string]map[string]string{
		"not signed in":     {"Cookie": ""},
		"from another site": {"Sec-Fetch-Site": "cross-site"},
		"typed":             {"Sec-Fetch-Site": "none"},
	} {
		t.Run(name, func(t *testing.T) { sent(t, open(t, change)) })
	}
	for _, status := range []int{http.StatusForbidden, http.StatusNotFound, http.StatusServiceUnavailable} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			shown(status)
			sent(t, open(t, nil))
		})
	}
	for name, change := range map[string]map[string]string{
		"in a frame":   {"Sec-Fetch-Dest": "iframe"},
		"by a program": {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
	} {
		t.Run(name, func(t *testing.T) {
			if a := open(t, change); a.status != http.StatusServiceUnavailable || a.body != "<p>answer" {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}

// TestSessionHasTheBodyLimitsOfTheAPI verifies that the body limit of a route applies below both prefixes.
func TestSessionHasTheBodyLimitsOfTheAPI(t *testing.T) {
	s := start(t)
	body := `"` + strings.Repeat("x", 2<<20) + `"`
	if a := s.do(request{method: "POST", path: "/session/api/events/e1/flights/import", body: body, header: s.fromConsole(nil)}); a.status != http.StatusOK {
		t.Errorf("import: %d %.200s", a.status, a.body)
	}
	if a := s.do(request{method: "POST", path: "/session/api/events/e1/flights", body: body, header: s.fromConsole(nil)}); a.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a record: %d %.200s", a.status, a.body)
	}
}

func TestPageForBrowsers(t *testing.T) {
	s := start(t)
	html := map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
	first := s.do(request{method: "GET", path: "/", header: html})
	second := s.do(request{method: "GET", path: "/events/abc/sheet", header: html})
	for _, a := range []answer{first, second} {
		policy := a.header.Get("Content-Security-Policy")
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "text/html; charset=utf-8" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v", a.status, a.header)
		}
		if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "nonce-") || strings.Contains(policy+a.body, "__NONCE__") {
			t.Errorf("policy %q", policy)
		}
		if !strings.Contains(a.body, `<meta name="version" content="v1&lt;2" />`) {
			t.Errorf("the page does not name its version: %.600s", a.body)
		}
	}
	if first.header.Get("Content-Security-Policy") == second.header.Get("Content-Security-Policy") {
		t.Error("two answers have the same nonce")
	}
	if a := s.do(request{method: "HEAD", path: "/", header: html}); a.status != http.StatusOK || a.body != "" {
		t.Errorf("HEAD: %d %q", a.status, a.body)
	}
	for name, r := range map[string]request{
		"a program":           {method: "GET", path: "/", header: map[string]string{"Accept": "*/*"}},
		"no Accept":           {method: "GET", path: "/"},
		"html refused":        {method: "GET", path: "/", header: map[string]string{"Accept": "text/html;q=0"}},
		"a write":             {method: "POST", path: "/", header: html},
		"a missing asset":     {method: "GET", path: "/assets/none.js", header: html},
		"the session":         {method: "GET", path: "/session", header: html},
		"below the session":   {method: "GET", path: "/session/sign-in", header: html},
		"docs, for a program": {method: "GET", path: "/docs", header: map[string]string{"Accept": "*/*"}},
		"a well-known path":   {method: "GET", path: "/.well-known/none", header: html},
		"an unknown health":   {method: "GET", path: "/health/none", header: html},
		"the API, signed in":  {method: "GET", path: "/api/v2/none", token: alice, header: html},
	} {
		a := s.do(r)
		if got := a.code(t); a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed || got == "" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	// The gateway's own pages are unchanged.
	for _, path := range []string{"/methodology", "/api/v2/docs"} {
		a := s.do(request{method: "GET", path: path, header: html})
		if a.status != http.StatusOK || strings.Contains(a.header.Get("Content-Security-Policy"), "nonce-") {
			t.Errorf("%s: %d %v", path, a.status, a.header)
		}
	}
	if a := s.do(request{method: "GET", path: "/api/v2/events", header: html}); a.status != http.StatusUnauthorized {
		t.Errorf("the API without a token: %d", a.status)
	}
}

// TestMissingDocumentation verifies that a person gets a page and a program the error, both with 404.
func TestMissingDocumentation(t *testing.T) {
	s := start(t)
	html := map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
	for _, path := range []string{"/docs", "/docs/unknown", "/api/v2/docs/unknown", "/methodology/unknown"} {
		a := s.do(request{method: "GET", path: path, header: html})
		if a.status != http.StatusNotFound || a.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(a.body, `<a href="/api/v2/docs">`) {
			t.Errorf("%s in a browser: %d %v %.300s", path, a.status, a.header, a.body)
		}
		if p := a.header.Get("Content-Security-Policy"); p != docsPolicy || a.header.Get("Cache-Control") != "no-store" || a.header.Get("Vary") != "Accept" {
			t.Errorf("%s in a browser: %v", path, a.header)
		}
		a = s.do(request{method: "GET", path: path, header: map[string]string{"Accept": "application/json"}})
		if a.status != http.StatusNotFound || a.code(t) != "NOT_FOUND" {
			t.Errorf("%s in a program: %d %.300s", path, a.status, a.body)
		}
	}
	for _, path := range []string{"/api/v2/docsx", "/api/v2/docs/docs.css", "/docsx"} {
		if a := s.do(request{method: "GET", path: path, header: html}); strings.Contains(a.body, "Page not found") {
			t.Errorf("%s: %d %.300s", path, a.status, a.body)
		}
	}
}

// TestCookiesReachNoService: neither by the fast path of reads nor by the middleware.
func TestCookiesReachNoService(t *testing.T) {
	s := start(t)
	cookie := map[string]string{"Cookie": s.fromConsole(nil)["Cookie"]}
	for method, body := range map[string]string{"GET": "", "POST": "{}"} {
		s.do(request{method: method, path: "/api/v2/events", token: alice, header: cookie, body: body})
		got := s.services[api.Records].last(t)
		if sent := got.Header.Peek("Cookie"); len(sent) > 0 || string(got.Header.Method()) != method {
			t.Errorf("%s: the service was sent %s with %q", method, got.Header.Method(), sent)
		}
	}
}

// TestStrictTransport verifies that only responses to https requests, including errors, have
// Strict-Transport-Security.
func TestStrictTransport(t *testing.T) {
	t.Parallel()
	direct, behind := start(t), start(t, trust("127.0.0.0/8"))
	for name, c := range map[string]struct {
		s     *stack
		path  string
		proto string
		want  string
	}{
		"https":             {behind, "/api/v2/events", "https", "max-age=31536000"},
		"https, refused":    {behind, "/api/v2/nothing", "https", "max-age=31536000"},
		"https, the pages":  {behind, "/", "https", "max-age=31536000"},
		"http by the proxy": {behind, "/api/v2/events", "http", ""},
		"only claimed":      {direct, "/api/v2/events", "https", ""},
	} {
		req := request{method: http.MethodGet, path: c.path, header: map[string]string{"X-Forwarded-Proto": c.proto, "Accept": "text/html"}}
		if got := c.s.do(req).header.Get("Strict-Transport-Security"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
