// Package e2e tests the whole system over HTTP: in one process on the embedded
// engines, in one process on MongoDB and Redis, and as separate processes.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

const password = "a long enough password"

// system is a running server with one organization of three accounts.
type system struct {
	url      string
	settings standalone.Config
	log      *lockedBuffer
	org      string
	redis    *testkit.RedisServer // nil on the embedded engines
	stop     func()
}

// engines are the two ways to run the system in one process.
var engines = map[string]func(t *testing.T, env map[string]string) *testkit.RedisServer{
	"embedded": func(*testing.T, map[string]string) *testkit.RedisServer { return nil },
	"mongodb": func(t *testing.T, env map[string]string) *testkit.RedisServer {
		uri, database := testkit.MongoDB(t)
		url, server := testkit.Redis(t)
		env["ECF_MONGODB_URI"], env["ECF_REDIS_URL"] = withDatabase(uri, database), url
		return server
	},
}

// withDatabase puts the database's name into the path of a MongoDB URI.
func withDatabase(uri, database string) string {
	address, query, _ := strings.Cut(uri, "?")
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	out := scheme + "://" + host + "/" + database
	if query != "" {
		out += "?" + query
	}
	if strings.Contains(rest, "@") && !strings.Contains(query, "authSource") {
		// The server's accounts are in the database that its URI named.
		separator := "?"
		if query != "" {
			separator = "&"
		}
		out += separator + "authSource=admin"
	}
	return out
}

// onBothEngines runs a test on each of them.
func onBothEngines(t *testing.T, env map[string]string, test func(t *testing.T, s *system)) {
	for name, prepare := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			own := map[string]string{}
			maps.Copy(own, env)
			server := prepare(t, own)
			s := start(t, own)
			s.redis = server
			test(t, s)
		})
	}
}

// start runs the system in this process until the test ends.
func start(t *testing.T, env map[string]string) *system {
	t.Helper()
	defaults := map[string]string{
		"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_AUTH_RATE_LIMIT": "10000/1m", "ECF_WRITE_RATE_LIMIT": "100000/1m",
		"ECF_SWEEP_INTERVAL": "100ms", "ECF_REQUEST_TIMEOUT": "1m",
	}
	maps.Copy(defaults, env)
	settings, err := standalone.Load(nil, func(name string) string { return defaults[name] })
	if err != nil {
		t.Fatal(err)
	}
	s := &system{settings: settings, log: &lockedBuffer{}}
	s.run(t)
	s.org = s.organization(t, "Example Ltd", "team")
	for _, role := range []identity.Role{identity.User, identity.Manager, identity.Admin} {
		s.account(t, s.org, role.String()+"@example.test", role)
	}
	return s
}

// run serves until the test ends or stop is called.
func (s *system) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- standalone.Serve(ctx, standalone.Options{
			Config: s.settings, Logger: slog.New(slog.NewJSONHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			Version: "test", Ready: func(address string) { ready <- address },
		})
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("server: %v", err)
			}
		case <-time.After(60 * time.Second):
			t.Error("the server did not stop")
		}
	})
	t.Cleanup(func() {
		s.stop()
		s.checkLog(t)
		if t.Failed() {
			t.Logf("server's log:\n%s", s.log.tail(15))
		}
	})
	select {
	case address := <-ready:
		s.url = "http://" + address
	case err := <-done:
		done <- nil
		t.Fatalf("server: %v", err)
	case <-time.After(60 * time.Second):
		t.Fatal("the server did not start")
	}
}

// checkLog verifies that the log of the server during the test, at level debug, has no
// password, no token and no email (statement 16).
func (s *system) checkLog(t *testing.T) {
	t.Helper()
	for line := range strings.SplitSeq(s.log.String(), "\n") {
		for _, secret := range []string{password, "eyJ", "Bearer ", "@example.test", "@small.test", "@other.test"} {
			if strings.Contains(line, secret) {
				t.Errorf("the log shows %q: %s", secret, line)
			}
		}
	}
}

// organization and account are created as by the command line, while the server runs.
func (s *system) organization(t *testing.T, name, plan string) string {
	t.Helper()
	o, err := standalone.CreateOrganization(t.Context(), s.settings.Data, s.settings.Records.Quotas, discard(), name, plan)
	if err != nil {
		t.Fatal(err)
	}
	return string(o.ID)
}

func (s *system) account(t *testing.T, org, email string, role identity.Role) {
	t.Helper()
	_, _, err := standalone.CreateUser(t.Context(), s.settings.Data, discard(), standalone.NewUser{Org: org, Email: email, Role: role, Name: email, Password: password})
	if err != nil {
		t.Fatal(err)
	}
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// caller calls the API with one token, and checks what every response must have.
type caller struct {
	t     *testing.T
	url   string
	token string
	// refresh is the refresh token of the session.
	refresh string
	// inside means that url is that of a service, whose responses tell the gateway what
	// to cache.
	inside bool
}

// anonymous returns a caller without a token.
func (s *system) anonymous(t *testing.T) *caller { return &caller{t: t, url: s.url} }

// as logs in.
func (s *system) as(t *testing.T, email string) *caller {
	t.Helper()
	c := s.anonymous(t)
	a := c.post("/auth/login", map[string]any{"email": email, "password": password}).want(http.StatusOK)
	c.token, c.refresh = a.str("accessToken"), a.str("refreshToken")
	return c
}

func (s *system) user(t *testing.T) *caller    { return s.as(t, "user@example.test") }
func (s *system) manager(t *testing.T) *caller { return s.as(t, "manager@example.test") }

// answer is a response.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   []byte
}

func (c *caller) get(path string) *answer            { return c.do(http.MethodGet, path, nil, nil) }
func (c *caller) post(path string, body any) *answer { return c.do(http.MethodPost, path, body, nil) }

func (c *caller) do(method, path string, body any, header map[string]string) *answer {
	c.t.Helper()
	var content io.Reader
	if body != nil {
		text, ok := body.(string)
		if !ok {
			marshalled, err := json.Marshal(body)
			if err != nil {
				c.t.Fatal(err)
			}
			text = string(marshalled)
		}
		content = strings.NewReader(text)
	}
	if !strings.HasPrefix(path, "//") {
		path = "/api/v2" + path
	} else {
		path = path[1:]
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, content)
	if err != nil {
		c.t.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	for k, v := range header {
		request.Header.Set(k, v)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	a := &answer{t: c.t, what: method + " " + path, status: response.StatusCode, header: response.Header, body: text}
	shown := response.Header
	if c.inside {
		shown = shown.Clone()
		shown.Del("X-Ecf-Peer-Refused")
	}
	checkContract(c.t, request, response.StatusCode, shown, text)
	if response.Header.Get("X-Request-Id") == "" {
		c.t.Errorf("%s: no X-Request-Id", a.what)
	}
	return a
}

// want checks the status and its envelope.
func (a *answer) want(status int) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.what, a.status, status, a.body)
	}
	if status == http.StatusNotModified {
		if len(a.body) != 0 {
			a.t.Fatalf("%s: 304 with a body", a.what)
		}
		return a
	}
	var envelope struct {
		Success *bool
		Data    json.RawMessage
		Error   *struct {
			Code, Message, RequestID, Docs string
		}
	}
	if err := json.Unmarshal(a.body, &envelope); err != nil || envelope.Success == nil {
		a.t.Fatalf("%s: not the envelope: %s", a.what, a.body)
	}
	if good := status < 400; *envelope.Success != good || (len(envelope.Data) > 0) != good || (envelope.Error == nil) != good {
		a.t.Fatalf("%s: envelope of a %d: %s", a.what, status, a.body)
	}
	if e := envelope.Error; e != nil && (e.Code == "" || e.Message == "" || e.Docs == "" || e.RequestID != a.header.Get("X-Request-Id")) {
		a.t.Fatalf("%s: error of a %d: %s", a.what, status, a.body)
	}
	return a
}

// wantError checks the status and the code.
func (a *answer) wantError(status int, code string) *answer {
	a.t.Helper()
	a.want(status)
	if got := a.at("error", "code"); got != code {
		a.t.Fatalf("%s: code %v, want %s: %s", a.what, got, code, a.body)
	}
	return a
}

// at returns an element of the body by names of objects and indexes of arrays.
func (a *answer) at(path ...any) any {
	a.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		a.t.Fatalf("%s: %v: %s", a.what, err, a.body)
	}
	for _, step := range path {
		switch key := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				a.t.Fatalf("%s: no element %v of %v: %s", a.what, key, path, a.body)
			}
			v = list[key]
		}
	}
	return v
}

// data returns an element of the data of the envelope.
func (a *answer) data(path ...any) any {
	a.t.Helper()
	return a.at(append([]any{"data"}, path...)...)
}

func (a *answer) str(path ...any) string {
	a.t.Helper()
	s, ok := a.data(path...).(string)
	if !ok {
		a.t.Fatalf("%s: no string at %v: %s", a.what, path, a.body)
	}
	return s
}

func (a *answer) number(path ...any) string {
	a.t.Helper()
	n, ok := a.data(path...).(json.Number)
	if !ok {
		a.t.Fatalf("%s: no number at %v: %s", a.what, path, a.body)
	}
	return n.String()
}

// result waits until the event's result is current and counts the given number of
// records.
func (c *caller) result(event string, approved int) *answer {
	c.t.Helper()
	var a *answer
	testkit.Eventually(c.t, 30*time.Second, func() error {
		a = c.get("/events/" + event + "/results")
		if a.status != http.StatusOK {
			return fmt.Errorf("status %d: %s", a.status, a.body)
		}
		if a.str("status") != "current" || a.number("counts", "approved") != fmt.Sprint(approved) {
			return fmt.Errorf("not yet: %s", a.body)
		}
		return nil
	})
	return a.want(http.StatusOK)
}

// approved creates a record and brings it to approved.
func approved(user, manager *caller, event, typ string, body any) string {
	user.t.Helper()
	id := user.post("/events/"+event+"/"+typ, body).want(http.StatusCreated).str("_id")
	user.post("/events/"+event+"/"+typ+"/"+id+"/submit", nil).want(http.StatusOK)
	manager.post("/events/"+event+"/"+typ+"/"+id+"/approve", nil).want(http.StatusOK)
	return id
}

// lockedBuffer is a log that is written and read concurrently.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func (b *lockedBuffer) tail(lines int) string {
	all := strings.Split(strings.TrimSpace(b.String()), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
