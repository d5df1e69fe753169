package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
)

// bundle is an application with its log.
type bundle struct {
	t   *testing.T
	app *fiber.App
	log *logBuffer
	ln  func() *fasthttputil.InmemoryListener
}

func setup(t *testing.T, change ...func(*web.Options)) *bundle {
	t.Helper()
	log := &logBuffer{}
	o := web.Options{Service: "test", Logger: telemetry.Logger(log, "test", slog.LevelDebug)}
	for _, c := range change {
		c(&o)
	}
	b := &bundle{t: t, app: web.New(o), log: log}
	b.ln = sync.OnceValue(b.listen)
	return b
}

// listen starts the server with the first request, when all routes are registered. It is a real
// server on in-memory connections.
func (b *bundle) listen() *fasthttputil.InmemoryListener {
	ln := fasthttputil.NewInmemoryListener()
	go func() { _ = b.app.Listener(ln) }()
	b.t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// in returns the same application for another test.
func (b *bundle) in(t *testing.T) *bundle {
	c := *b
	c.t = t
	return &c
}

func (b *bundle) get(path string, headers ...string) *answer {
	b.t.Helper()
	return b.do(http.MethodGet, path, "", headers...)
}

// do sends a request; headers are alternating names and values.
func (b *bundle) do(method, path, body string, headers ...string) *answer {
	b.t.Helper()
	req := httptest.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(body))
	if body == "" {
		req.Body = http.NoBody // otherwise it would be chunked
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	var raw bytes.Buffer
	if err := req.Write(&raw); err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	return b.raw(req, raw.String())
}

// raw sends text unchanged; req describes the request.
func (b *bundle) raw(req *http.Request, text string) *answer {
	b.t.Helper()
	conn, err := b.ln().Dial()
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	// A server may answer before it has read everything.
	go func() { _, _ = io.WriteString(conn, text) }()
	res, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		b.t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatalf("%s %s: %v", req.Method, req.URL, err)
	}
	return &answer{t: b.t, status: res.StatusCode, header: res.Header, body: string(body)}
}

type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   string
}

// envelope is any response of the API.
type envelope struct {
	Success bool             `json:"success"`
	Data    json.RawMessage  `json:"data"`
	Error   *web.ErrorBody   `json:"error"`
	Extra   *json.RawMessage `json:"-"`
}

// fails checks that the response is a complete error envelope.
func (a *answer) fails(status int, code string) web.ErrorBody {
	a.t.Helper()
	var e envelope
	dec := json.NewDecoder(strings.NewReader(a.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		a.t.Fatalf("body %q is not an envelope: %v", a.body, err)
	}
	if a.status != status || e.Success || e.Error == nil || string(e.Error.Code) != code {
		a.t.Fatalf("got %d %s, want %d %s", a.status, a.body, status, code)
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		a.t.Errorf("Content-Type = %q", got)
	}
	if id := a.header.Get("X-Request-Id"); id == "" || id != e.Error.RequestID {
		a.t.Errorf("X-Request-Id = %q, requestId = %q", id, e.Error.RequestID)
	}
	if e.Error.Message == "" {
		a.t.Error("the error has no message")
	}
	want := "/api/v2/docs#error-" + strings.ReplaceAll(strings.ToLower(code), "_", "-")
	if e.Error.Docs != want {
		a.t.Errorf("docs = %q, want %q", e.Error.Docs, want)
	}
	return *e.Error
}

func (a *answer) ok(status int) {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("got %d %s, want %d", a.status, a.body, status)
	}
}

// logBuffer collects log lines; tests read it while handlers may write.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) lines(t *testing.T) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range strings.Lines(l.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("log line %q is not JSON: %v", line, err)
		}
		lines = append(lines, m)
	}
	return lines
}

// tokens is a verifier of a fixed set of tokens.
type tokens map[string]identity.Principal

var errBadToken = errors.New("signature is invalid: poisoned-detail")

func (v tokens) Verify(_ context.Context, token string) (identity.Principal, error) {
	p, ok := v[token]
	if !ok {
		return identity.Principal{}, errBadToken
	}
	return p, nil
}

// served is an operation of a test and its handler.
type served struct {
	Method, Path string
	Role         identity.Role // RoleNone: without a token
	Resolve      func(*fiber.Ctx) error
	Timeout      time.Duration
	BodyLimit    int
	Handler      fiber.Handler
}

// register registers the operations as a table.
func register(app *fiber.App, prefix string, v web.TokenVerifier, list []served, afterAuth ...func(*fiber.Ctx) error) error {
	var table api.Table
	var routes []web.Route
	for _, s := range list {
		id := s.Method + " " + s.Path
		table = append(table, api.Operation{ID: id, Method: s.Method, Path: s.Path, Least: s.Role, Timeout: s.Timeout, BodyLimit: s.BodyLimit})
		routes = append(routes, web.Route{Operation: id, Resolve: s.Resolve, Handler: s.Handler})
	}
	return web.Register(app, prefix, v, table, routes, afterAuth...)
}

func members() tokens {
	return tokens{
		"user-a":    {UserID: "u1", Org: "org-a", Role: identity.User},
		"manager-a": {UserID: "m1", Org: "org-a", Role: identity.Manager},
		"admin-b":   {UserID: "a2", Org: "org-b", Role: identity.Admin},
		"broken":    {UserID: "u9", Org: "org-a"},
	}
}
