package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

func TestMain(m *testing.M) {
	otel.SetTextMapPropagator(propagation.TraceContext{})
	otel.SetTracerProvider(noop.NewTracerProvider())
	m.Run()
}

// publishedKeys is what a stub of auth publishes: the key of RFC 8037, appendix A.
const publishedKeys = `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"stub","use":"sig","alg":"EdDSA"}]}`

// stub is a service behind the gateway: it records requests and sends configured responses.
type stub struct {
	mu     sync.Mutex
	asked  []*fasthttp.Request
	answer func(*fasthttp.RequestCtx)
}

func (s *stub) serve(ctx *fasthttp.RequestCtx) {
	kept := &fasthttp.Request{}
	ctx.Request.CopyTo(kept)
	s.mu.Lock()
	s.asked = append(s.asked, kept)
	answer := s.answer
	s.mu.Unlock()
	if answer != nil {
		answer(ctx)
		return
	}
	ctx.SetContentType("application/json")
	if string(ctx.Path()) == keys.Path {
		ctx.SetBodyString(publishedKeys)
		return
	}
	ctx.SetBodyString(`{"success":true,"data":{}}`)
}

func (s *stub) set(answer func(*fasthttp.RequestCtx)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *stub) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

func (s *stub) last(t *testing.T) *fasthttp.Request {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		t.Fatal("the service was not asked")
	}
	return s.asked[len(s.asked)-1]
}

// quiet discards log messages: a closed in-memory connection is not worth reporting.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

// tokens are the tokens of a test by their text.
type tokens map[string]identity.Principal

func (k tokens) Verify(_ context.Context, token string) (identity.Principal, error) {
	if p, ok := k[token]; ok {
		return p, nil
	}
	return identity.Principal{}, errors.New("no such token")
}

// lives is the state of sessions: active by default.
type lives struct {
	mu     sync.Mutex
	states map[string]identity.State
	err    error
}

func (l *lives) Check(ctx context.Context, sid string) (identity.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return identity.State{}, ctx.Err()
	}
	return l.states[sid], l.err
}

func (l *lives) set(sid string, s identity.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.states[sid] = s
}

func (l *lives) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// stack is a gateway with four stubs behind it.
type stack struct {
	t        *testing.T
	url      string
	services map[api.Service]*stub
	sessions *lives
}

const (
	alice = "alice-token" // a user of organization one
	bob   = "bob-token"   // a manager of organization one
	carol = "carol-token" // a user of organization two
	twin  = "twin-token"  // a user of organization two with the id of alice
)

func principals() tokens {
	later := time.Now().Add(time.Hour)
	return tokens{
		alice: {UserID: "alice", Org: "one", Role: identity.User, Session: "s-alice", Expires: later},
		bob:   {UserID: "bob", Org: "one", Role: identity.Manager, Session: "s-bob", Expires: later},
		twin:  {UserID: "alice", Org: "two", Role: identity.User, Session: "s-twin", Expires: later},
		carol: {UserID: "carol", Org: "two", Role: identity.User, Session: "s-carol", Expires: later},
	}
}

// start serves a gateway over TCP; change may modify its dependencies.
func start(t *testing.T, change ...func(*Deps)) *stack {
	t.Helper()
	s, d := prepare(t, change...)
	s.url = serve(t, d)
	return s
}

// prepare starts the services behind a gateway, and returns its dependencies.
func prepare(t *testing.T, change ...func(*Deps)) (*stack, Deps) {
	t.Helper()
	s := &stack{t: t, services: map[api.Service]*stub{}, sessions: &lives{states: map[string]identity.State{}}}
	for token := range maps.Values(principals()) {
		s.sessions.states[token.Session] = identity.State{Active: true, UserID: token.UserID, Org: token.Org, Role: token.Role}
	}
	d := Deps{
		Version: "v1<2",
		Tokens:  principals(), Sessions: s.sessions, Limits: ratelimit.NewLocal(time.Now, 0),
		SignInLimit: ratelimit.Rule{Limit: 30, Window: 15 * time.Minute},
		WriteLimit:  ratelimit.Rule{Limit: 600, Window: time.Minute},
		Logger:      slog.New(slog.DiscardHandler),
	}
	for who, u := range map[api.Service]*upstream.Config{api.Auth: &d.Auth, api.Records: &d.Records, api.Review: &d.Review, api.Calculation: &d.Calculation} {
		service := &stub{}
		s.services[who] = service
		ln := fasthttputil.NewInmemoryListener()
		server := &fasthttp.Server{Handler: service.serve, NoDefaultServerHeader: true, Logger: quiet{}, MaxRequestBodySize: 32 << 20}
		go func() { _ = server.Serve(ln) }()
		t.Cleanup(func() { _ = ln.Close() })
		*u = upstream.Config{URL: "http://" + string(who), Dial: upstream.DialListener(ln)}
	}
	for _, c := range change {
		c(&d)
	}
	return s, d
}

func serve(t *testing.T, d Deps) (address string) {
	t.Helper()
	_, address = serveGateway(t, d)
	return address
}

func serveGateway(t *testing.T, d Deps) (g *Gateway, address string) {
	t.Helper()
	g, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = g.App.Listener(g.Listener(ln)); close(done) }()
	t.Cleanup(func() {
		_ = g.App.ShutdownWithTimeout(5 * time.Second)
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		<-done
	})
	return g, "http://" + ln.Addr().String()
}

// request is one request of a table.
type request struct {
	method, path, token, body string
	header                    map[string]string
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (s *stack) do(r request) answer { s.t.Helper(); return send(s.t, s.url, r) }

func send(t *testing.T, url string, r request) answer {
	t.Helper()
	var body io.Reader
	if r.body != "" {
		body = strings.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(t.Context(), r.method, url+r.path, body)
	if err != nil {
		t.Fatal(err)
	}
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	for k, v := range r.header {
		req.Header.Set(k, v)
	}
	// No shared client: idle connections must not outlive the test, and redirects and
	// compression must be visible.
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res.StatusCode, res.Header, string(text)}
}

// code returns the error code of a response and validates the envelope.
func (a answer) code(t *testing.T) string {
	t.Helper()
	var envelope struct {
		Success *bool `json:"success"`
		Error   struct {
			Code      string `json:"code"`
			Message   string `json:"message"`
			RequestID string `json:"requestId"`
			Docs      string `json:"docs"`
		} `json:"error"`
	}
	if err := json.Unmarshal([]byte(a.body), &envelope); err != nil {
		t.Fatalf("%d: the body is no JSON: %q", a.status, a.body)
	}
	e := envelope.Error
	if envelope.Success == nil || *envelope.Success || e.Message == "" || e.RequestID == "" || !strings.HasPrefix(e.Docs, "/api/v2/docs#error-") {
		t.Errorf("%d: not the envelope of an error: %s", a.status, a.body)
	}
	if a.header.Get("X-Request-Id") != e.RequestID || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("%d: X-Request-Id %q, Content-Type %q in %s", a.status, a.header.Get("X-Request-Id"), a.header.Get("Content-Type"), a.body)
	}
	return e.Code
}

func trust(networks ...string) func(*Deps) {
	return func(d *Deps) {
		for _, n := range networks {
			d.TrustedProxies = append(d.TrustedProxies, netip.MustParsePrefix(n))
		}
	}
}
