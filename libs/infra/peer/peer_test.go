package peer_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/testkit"
)

const (
	former  = "the former secret, of 32 letters or more"
	present = "the present secret, of 32 letters or more"
	next    = "the next secret, of 32 letters or more"
)

func signIn() *fasthttp.Request {
	req := &fasthttp.Request{}
	req.Header.SetMethod("POST")
	req.SetRequestURI("/api/v2/auth/login?lang=de")
	req.Header.Set("Authorization", "Bearer a.b.c")
	req.Header.Set("X-Forwarded-For", "203.0.113.7")
	req.Header.Set("User-Agent", "browser")
	req.SetBodyString(`{"email":"ada@example.com"}`)
	return req
}

// admitted asks a verifier about a request, its body included.
func admitted(d *peer.Verifier, req *fasthttp.Request) (peer.Claim, error) {
	claim, err := d.Admit(&req.Header)
	if err == nil {
		err = claim.Body(req.Body())
	}
	return claim, err
}

// TestACredentialIsOfOneRequest: what a service has signed is taken, and nothing that differs
// from it in what is done, for whom, from where or when.
func TestACredentialIsOfOneRequest(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC))
	gateway := peer.NewSigner("gateway", peer.Secrets{present}, clock.Now)
	verifier := peer.NewVerifier(peer.Secrets{present}, false, clock.Now)
	field := func(change func(parts []string)) func(*fasthttp.Request) {
		return func(r *fasthttp.Request) {
			parts := strings.Split(string(r.Header.Peek(peer.Header)), " ")
			change(parts)
			r.Header.Set(peer.Header, strings.Join(parts, " "))
		}
	}
	same := func(*fasthttp.Request) {}
	for name, c := range map[string]struct {
		change func(*fasthttp.Request)
		later  time.Duration
		taken  bool
	}{
		"as it was signed":              {change: same, taken: true},
		"with what is not bound":        {change: func(r *fasthttp.Request) { r.Header.Set("User-Agent", "another") }, taken: true},
		"half a minute later":           {change: same, later: 30 * time.Second, taken: true},
		"by a clock half a minute back": {change: same, later: -30 * time.Second, taken: true},
		"replayed":                      {change: same, later: 31 * time.Second},
		"ahead of time":                 {change: same, later: -31 * time.Second},
		"without a credential":          {change: func(r *fasthttp.Request) { r.Header.Del(peer.Header) }},
		"with an empty one":             {change: func(r *fasthttp.Request) { r.Header.Set(peer.Header, "") }},
		"with two":                      {change: func(r *fasthttp.Request) { r.Header.Add(peer.Header, string(r.Header.Peek(peer.Header))) }},
		"another method":                {change: func(r *fasthttp.Request) { r.Header.SetMethod("PATCH") }},
		"another path":                  {change: func(r *fasthttp.Request) { r.SetRequestURI("/internal/audit?lang=de") }},
		"another query":                 {change: func(r *fasthttp.Request) { r.SetRequestURI("/api/v2/auth/login?lang=en") }},
		"another address":               {change: func(r *fasthttp.Request) { r.Header.Set("X-Forwarded-For", "203.0.113.8") }},
		"no address":                    {change: func(r *fasthttp.Request) { r.Header.Del("X-Forwarded-For") }},
		"another token":                 {change: func(r *fasthttp.Request) { r.Header.Set("Authorization", "Bearer d.e.f") }},
		"another body":                  {change: func(r *fasthttp.Request) { r.SetBodyString(`{"email":"bob@example.com"}`) }},
		"no body":                       {change: func(r *fasthttp.Request) { r.ResetBody() }},
		"another service":               {change: field(func(p []string) { p[1] = "records" })},
		"another time":                  {change: field(func(p []string) { p[2] = "1" + p[2][1:len(p[2])-1] + "1" })},
		"another hash":                  {change: field(func(p []string) { p[3] = p[4] })},
		"another body and its hash": {change: func(r *fasthttp.Request) {
			r.SetBodyString("{}")
			sum := sha256.Sum256(r.Body())
			field(func(p []string) { p[3] = base64.RawURLEncoding.EncodeToString(sum[:]) })(r)
		}},
		"another code":               {change: field(func(p []string) { p[4] = p[3] })},
		"a code that ends otherwise": {change: field(func(p []string) { p[4] = p[4][:42] + "_" })},
		"a short code":               {change: field(func(p []string) { p[4] = p[4][:42] })},
		"another version":            {change: field(func(p []string) { p[0] = "2" })},
		"a time that is none":        {change: field(func(p []string) { p[2] = "now" })},
	} {
		req := signIn()
		gateway.Sign(req)
		c.change(req)
		clock.Advance(c.later)
		if claim, err := admitted(verifier, req); (err == nil) != c.taken || c.taken && !claim.Proven {
			t.Errorf("%s: %+v, %v", name, claim, err)
		}
		clock.Advance(-c.later)
	}
}

// TestPartsCannotBeMoved: no bytes can be moved between adjacent parts of a credential.
func TestPartsCannotBeMoved(t *testing.T) {
	t.Parallel()
	verifier := peer.NewVerifier(peer.Secrets{present}, false, time.Now)
	req := signIn()
	req.Header.Set("X-Forwarded-For", "203.0.113.71")
	peer.NewSigner("gateway", peer.Secrets{present}, time.Now).Sign(req)
	req.Header.Set("Authorization", "Bearer a.b.c203.0.113.7")
	req.Header.Set("X-Forwarded-For", "1")
	if claim, err := admitted(verifier, req); err == nil {
		t.Errorf("taken: %+v", claim)
	}
}

// TestSecretsAreReplaced: while a secret is replaced, credentials of both are taken, and of no
// other; afterwards those of the former are not.
func TestSecretsAreReplaced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verifier, signer peer.Secrets
		taken            bool
	}{
		{peer.Secrets{former}, peer.Secrets{former}, true},
		{peer.Secrets{former, next}, peer.Secrets{former}, true},
		{peer.Secrets{former, next}, peer.Secrets{former, next}, true},
		{peer.Secrets{former, next}, peer.Secrets{next, former}, true},
		{peer.Secrets{next, former}, peer.Secrets{former, next}, true},
		{peer.Secrets{next, former}, peer.Secrets{next}, true},
		{peer.Secrets{next}, peer.Secrets{next, former}, true},
		{peer.Secrets{next}, peer.Secrets{former}, false},
		{peer.Secrets{former}, peer.Secrets{next, former}, false},
	} {
		req := signIn()
		peer.NewSigner("gateway", c.signer, time.Now).Sign(req)
		if _, err := admitted(peer.NewVerifier(c.verifier, false, time.Now), req); (err == nil) != c.taken {
			t.Errorf("a verifier with %v, a credential by %v: %v", c.verifier, c.signer, err)
		}
	}
}

// TestRequestsWithoutProof: who is believed where there is nothing to know services by, or where services of
// the release before are there.
func TestRequestsWithoutProof(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verifier       *peer.Verifier
		secret         peer.Secrets
		proven, refuse bool
	}{
		"in one process or by certificates":     {proven: true},
		"without a secret":                      {verifier: peer.NewVerifier(nil, false, time.Now)},
		"a credential there":                    {verifier: peer.NewVerifier(nil, false, time.Now), secret: peer.Secrets{present}},
		"with one, unsigned":                    {verifier: peer.NewVerifier(peer.Secrets{present}, false, time.Now), refuse: true},
		"during an upgrade, unsigned":           {verifier: peer.NewVerifier(peer.Secrets{present}, true, time.Now), proven: true},
		"during an upgrade, signed":             {verifier: peer.NewVerifier(peer.Secrets{present}, true, time.Now), secret: peer.Secrets{present}, proven: true},
		"during an upgrade, of another secret":  {verifier: peer.NewVerifier(peer.Secrets{present}, true, time.Now), secret: peer.Secrets{next}, refuse: true},
		"with one, and a signer without secret": {verifier: peer.NewVerifier(peer.Secrets{present}, false, time.Now), secret: peer.Secrets{}, refuse: true},
	} {
		req := signIn()
		peer.NewSigner("gateway", c.secret, time.Now).Sign(req)
		if claim, err := admitted(c.verifier, req); claim.Proven != c.proven || (err != nil) != c.refuse {
			t.Errorf("%s: %+v, %v", name, claim, err)
		}
	}
}

// TestTransport: what goes over net/http is signed as it arrives, and the caller's request is
// left as it was.
func TestTransport(t *testing.T) {
	t.Parallel()
	verifier := peer.NewVerifier(peer.Secrets{present}, false, time.Now)
	var refused error
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		req := &fasthttp.Request{}
		req.Header.SetMethod(r.Method)
		req.SetRequestURI(r.RequestURI)
		for name, values := range r.Header {
			for _, v := range values {
				req.Header.Add(name, v)
			}
		}
		body, _ := io.ReadAll(r.Body)
		req.SetBody(body)
		_, refused = admitted(verifier, req)
	}))
	t.Cleanup(server.Close)
	client := &http.Client{Transport: peer.NewSigner("records", peer.Secrets{present}, time.Now).Transport(http.DefaultTransport)}
	for _, c := range []struct{ method, path, body string }{
		{"GET", "/internal/members?id=a&id=b%2Fc", ""}, {"GET", "/internal/sessions/a%2Fb", ""}, {"", "/", ""}, {"POST", "/internal/audit", `{"action":"x"}`},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer a.b.c")
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if refused != nil || req.Header.Get(peer.Header) != "" {
			t.Errorf("%s %s: %v, %v", c.method, c.path, refused, req.Header)
		}
	}
	// A body that can be read once is not sent with the hash of another one.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, io.MultiReader(strings.NewReader("once")))
	if err != nil {
		t.Fatal(err)
	}
	if res, err := client.Do(req); err == nil {
		_ = res.Body.Close()
		t.Error("sent")
	}
	if next := http.DefaultTransport; peer.NewSigner("records", nil, time.Now).Transport(next) != next {
		t.Error("without a secret there is another transport")
	}
}

func TestSecretsOfSettings(t *testing.T) {
	t.Parallel()
	for value, ok := range map[string]bool{
		"": true, "change-me": false, strings.Repeat("a", 31): false, strings.Repeat("a", 32): true,
		strings.Repeat("a", 32) + "\n" + strings.Repeat("b", 32): true, strings.Repeat("a", 32) + " b": false,
		strings.Repeat("a", 32) + " " + strings.Repeat("b", 32) + " " + strings.Repeat("c", 32): false,
	} {
		var secrets peer.Secrets
		set := settings.Of(&secrets)
		err := set.Load(nil, func(name string) string { return map[string]string{"ECF_PEER_SECRET": value}[name] })
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "aaaa") {
			t.Errorf("%q: %v", value, err)
		}
		if shown := strings.Join(set.Effective(), " "); strings.Contains(shown, "aaaa") {
			t.Errorf("shown as %s", shown)
		}
	}
}

func BenchmarkCredential(b *testing.B) {
	gateway := peer.NewSigner("gateway", peer.Secrets{present}, time.Now)
	verifier := peer.NewVerifier(peer.Secrets{present}, false, time.Now)
	req := signIn()
	req.Header.Set("Authorization", "Bearer "+strings.Repeat("t", 1000))
	b.Run("sign", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			gateway.Sign(req)
		}
	})
	b.Run("admit", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := admitted(verifier, req); err != nil {
				b.Fatal(err)
			}
		}
	})
}
