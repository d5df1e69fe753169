package auth_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	"github.com/eventcarbon/ecf/services/auth/keyring"
	"github.com/eventcarbon/ecf/services/auth/password"
)

const (
	issuer   = "https://ecf.test"
	goodPass = "mellow otter sings twice"
	newPass  = "quiet walrus hums thrice"
)

// engines open an empty store of each engine.
var engines = map[string]func(t *testing.T) account.Store{
	"sqlite": openSQLite,
	"mongodb": func(t *testing.T) account.Store {
		uri, name := testkit.MongoDB(t)
		client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "auth-test"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
		s := mongostore.New(client.Database(name))
		if err := s.Prepare(t.Context()); err != nil {
			t.Fatal(err)
		}
		return untimed{s}
	},
}

// untimed removes the timeout of appends to the audit log, which is not what these
// tests verify on a busy machine.
type untimed struct{ account.Store }

func (s untimed) AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error) {
	return s.Store.AppendAudit(context.WithoutCancel(ctx), e)
}

func openSQLite(t *testing.T) account.Store {
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "auth.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return sqlitestore.New(db)
}

// bundle is an auth service on a real port, with a manager ada, a user bob and an admin
// root in one organization, and an admin eve in another.
type bundle struct {
	t       *testing.T
	clock   *testkit.Clock
	store   account.Store
	hasher  *password.Hasher
	redis   redis.UniversalClient
	server  *testkit.RedisServer
	service *auth.Service
	checker *sessions.Checker // as a gateway has it
	base    string
	client  *http.Client // for requests; nil means http.DefaultClient
	keysDir string
	logs    *safeBuffer
	secrets []string // what no log line may contain
	ada     account.User
	bob     account.User
	root    account.User
	eve     account.User
}

// safeBuffer collects log lines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func testHasher(t testing.TB) *password.Hasher {
	t.Helper()
	h, err := password.New(password.Options{Params: password.Params{MemoryKiB: 64, Time: 1, Threads: 1}, Slots: 4, Queue: 1000, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func setup(t *testing.T, store account.Store) *bundle {
	t.Helper()
	return setupWith(t, store, testHasher(t))
}

func setupWith(t *testing.T, store account.Store, hasher *password.Hasher) *bundle {
	t.Helper()
	return setupBehind(t, store, hasher, func(func() time.Time) *peer.Verifier { return nil })
}

// setupBehind starts the service with a verifier that uses the clock of the test.
func setupBehind(t *testing.T, store account.Store, hasher *password.Hasher, callers func(now func() time.Time) *peer.Verifier) *bundle {
	t.Helper()
	b := &bundle{t: t, store: store, hasher: hasher, logs: &safeBuffer{},
		clock: testkit.NewClock(time.Date(2026, 11, 20, 12, 0, 0, 500_000_000, time.UTC))}
	url, server := testkit.Redis(t)
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries, options.ContextTimeoutEnabled = -1, true
	b.server, b.redis = server, redis.NewClient(options)
	t.Cleanup(func() { _ = b.redis.Close() })
	b.keysDir = filepath.Join(t.TempDir(), "keys")
	keys, err := keyring.Open(keyring.Options{Dir: b.keysDir, TokenLife: time.Hour, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	b.service, err = auth.New(auth.Config{Issuer: issuer, AccessTokenTTL: time.Hour, RefreshTokenTTL: 720 * time.Hour}, auth.Deps{
		Store: store, Keys: keys, Cache: b.redis, Copy: sessions.NewCopy(b.redis), Hasher: b.hasher, Now: b.clock.Now, Callers: callers(b.clock.Now),
		Timeout: 5 * time.Minute, // a busy machine is not what is tested
		Logger:  slog.New(slog.NewJSONHandler(b.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- b.service.App().Listener(listener) }()
	t.Cleanup(func() {
		// Shutdown waits for a connection on which no request was made.
		_ = b.service.App().ShutdownWithTimeout(10 * time.Second)
		_ = listener.Close() // a short test may end before the server knows its listener, and then Shutdown does nothing
		if err := <-served; err != nil {
			t.Error(err)
		}
		b.checkLogs()
	})
	b.base = "http://" + listener.Addr().String()
	b.checker = sessions.NewChecker(sessions.Options{Copy: sessions.NewCopy(b.redis), Authority: sessions.NewRemote(b.base, nil), Now: b.clock.Now})
	b.ada = b.user("o1", "Ada@Example.com", "Ada Lovelace", identity.Manager)
	b.bob = b.user("o1", "bob@example.com", "Bob", identity.User)
	b.root = b.user("o1", "root@example.com", "Root", identity.Admin)
	b.eve = b.user("o2", "eve@example.org", "Eve", identity.Admin)
	return b
}

func (b *bundle) user(org, email, name string, role identity.Role) account.User {
	b.t.Helper()
	u, _, err := b.service.CreateUser(b.t.Context(), auth.NewUser{Org: org, Email: email, Name: name, Role: role, Password: goodPass})
	if err != nil {
		b.t.Fatal(err)
	}
	return u
}

// follow runs the service's background work until the end of the test.
func (b *bundle) follow() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = b.service.Follow(ctx)
	}()
	b.t.Cleanup(func() {
		cancel()
		<-done
	})
}

// shownLog is how many bytes of the log of a service a failed test shows.
const shownLog = 16 << 10

// checkLogs verifies that no line has a token, password or email (statement 16), and
// that every line is one JSON object (statement 36).
func (b *bundle) checkLogs() {
	logs := b.logs.String()
	if b.t.Failed() {
		b.t.Logf("the end of the log of the service:\n%s", logs[max(0, len(logs)-shownLog):])
	}
	emails := regexp.MustCompile(`[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+`)
	tokens := regexp.MustCompile(`eyJ[A-Za-z0-9_-]{10,}`)
	for line := range strings.Lines(logs) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			b.t.Errorf("a log line is not one JSON object: %q", line)
		}
		if found := append(emails.FindAllString(line, -1), tokens.FindAllString(line, -1)...); found != nil {
			b.t.Errorf("%q is in the log line %s", found, line)
		}
		for _, secret := range append(b.secrets, goodPass, newPass, "$argon2id") {
			if strings.Contains(line, secret) {
				b.t.Errorf("the secret %q is in the log line %s", secret, line)
			}
		}
	}
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
	data   map[string]any
	code   string
	fields []string // of the details
}

func (b *bundle) do(method, path, token, body string, headers ...string) answer {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := cmp.Or(b.client, http.DefaultClient).Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header, body: string(text)}
	var envelope struct {
		Success bool
		Data    map[string]any
		Error   struct {
			Code    string
			Details []struct{ Field string }
		}
	}
	if strings.HasPrefix(path, "/api/") && res.StatusCode != http.StatusNotModified {
		if err := json.Unmarshal(text, &envelope); err != nil || envelope.Success != (a.status < 300) {
			b.t.Fatalf("%s %s: %d %s: %v", method, path, a.status, text, err)
		}
	}
	a.data, a.code = envelope.Data, envelope.Error.Code
	for _, d := range envelope.Error.Details {
		a.fields = append(a.fields, d.Field)
	}
	return a
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func (b *bundle) login(email, pass string) answer {
	b.t.Helper()
	return b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":`+quoted(pass)+`}`)
}

func (b *bundle) refresh(token string) answer {
	b.t.Helper()
	return b.do("POST", "/api/v2/auth/refresh", "", `{"refreshToken":`+quoted(token)+`}`)
}

// tokens are the tokens of a login.
type tokens struct{ access, id, refresh string }

func (b *bundle) signIn(email string) tokens { return b.signInWith(email, goodPass) }

func (b *bundle) signInWith(email, pass string) tokens {
	b.t.Helper()
	a := b.login(email, pass)
	b.want(a, http.StatusOK, "")
	t := tokens{a.text("accessToken"), a.text("idToken"), a.text("refreshToken")}
	b.secrets = append(b.secrets, t.access, t.id, t.refresh)
	return t
}

func (a answer) text(name string) string {
	s, _ := a.data[name].(string)
	return s
}

func (b *bundle) want(a answer, status int, code string) {
	b.t.Helper()
	if a.status != status || a.code != code {
		b.t.Fatalf("%d %s, want %d %s: %s", a.status, a.code, status, code, a.body)
	}
}

// admits asks a gateway's checker about a token, after cached answers have expired.
func (b *bundle) admits(token string) bool {
	b.t.Helper()
	verifier := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: b.service.Keys(), Now: b.clock.Now})
	p, err := verifier.Verify(b.t.Context(), token)
	if err != nil {
		b.t.Fatal(err)
	}
	b.clock.Advance(time.Second - sessions.PollEvery)
	s, err := b.checker.Check(identity.WithToken(b.t.Context(), token), p.Session)
	if err != nil {
		b.t.Fatal(err)
	}
	return s.Admits(p)
}

// onBothEngines runs a test on each engine.
func onBothEngines(t *testing.T, test func(t *testing.T, b *bundle)) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, setup(t, open(t)))
		})
	}
}
