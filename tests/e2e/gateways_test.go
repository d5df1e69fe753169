package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// gateways are two gateways, auth and records, as separate processes, with one database
// and one Redis.
type gateways struct {
	t    *testing.T
	urls [2]string
	// behind are the addresses of the services behind the gateways.
	behind []string
	env    []string
	procs  []*testkit.Proc
	redis  *testkit.RedisServer
	// ecf runs an operator's command and returns the first line of its output.
	ecf func(input string, args ...string) string
	org string
}

func startGateways(t *testing.T, env ...string) *gateways {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	redis, server := testkit.Redis(t)
	address := func() string { return fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)) }
	first, second, auth, records := address(), address(), address(), address()
	documents, accounts := withDatabase(uri, database), withDatabase(uri, database+"_auth")
	env = append([]string{
		"ECF_MONGODB_URI=" + documents, "ECF_MONGODB_AUTH_URI=" + accounts, "ECF_REDIS_URL=" + redis,
		"ECF_AUTH_URL=http://" + auth, "ECF_RECORDS_URL=http://" + records, "ECF_ISSUER=http://" + first,
		"ECF_SIGNING_KEYS_DIR=" + filepath.Join(t.TempDir(), "keys"), "ECF_TRUSTED_PROXIES=127.0.0.0/8", "ECF_REQUEST_TIMEOUT=1m",
		"ECF_PEER_SECRET=" + peerSecret,
	}, env...)
	g := &gateways{t: t, urls: [2]string{"http://" + first, "http://" + second}, redis: server, behind: []string{"http://" + records}, env: env}
	g.ecf = func(input string, args ...string) string {
		t.Helper()
		patient := append(slices.Clone(env), "ECF_MONGODB_URI="+testkit.LongLimits(documents), "ECF_MONGODB_AUTH_URI="+testkit.LongLimits(accounts))
		return command(t, testkit.Binary(t, "services/standalone/cmd/ecf"), patient, input, args...)
	}
	g.org = g.ecf("", "org", "create", "--name", "Two Doors Ltd", "--plan", "team")
	for _, p := range [][2]string{{"auth", auth}, {"records", records}, {"gateway", first}, {"gateway", second}} {
		proc := testkit.Process(t, testkit.Binary(t, "services/"+p[0]+"/cmd/"+p[0]), nil, append([]string{"ECF_ADDR=" + p[1]}, env...))
		g.procs = append(g.procs, proc)
		// The gateway waits for services that this test does not start.
		proc.WaitHTTP("http://" + p[1] + map[bool]string{true: "/health/live", false: "/health/ready"}[p[0] == "gateway"])
	}
	return g
}

// peerSecret is the secret by which the services recognize each other.
const peerSecret = "a-secret-of-the-services-of-a-test"

// start runs another service behind the gateways.
func (g *gateways) start(service string) {
	g.t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(g.t))
	process := testkit.Process(g.t, testkit.Binary(g.t, "services/"+service+"/cmd/"+service), nil, append([]string{"ECF_ADDR=" + address}, g.env...))
	process.WaitHTTP("http://" + address + "/health/ready")
	g.behind = append(g.behind, "http://"+address)
}

// account makes a user and returns its id.
func (g *gateways) account(email, role string) string {
	g.t.Helper()
	return g.ecf(password+"\n", "user", "create", "--org", g.org, "--email", email, "--role", role)
}

// at returns a caller of one of the gateways, with a token if there is one.
func (g *gateways) at(n int, token string) *caller {
	return &caller{t: g.t, url: g.urls[n], token: token}
}

// served repeats a request while it is answered with 503 or 504: on a busy machine the
// look-ups behind it time out.
func (g *gateways) served(ask func() *answer) *answer {
	g.t.Helper()
	var a *answer
	testkit.Eventually(g.t, time.Minute, func() error {
		if a = ask(); a.status == http.StatusServiceUnavailable || a.status == http.StatusGatewayTimeout {
			return fmt.Errorf("%s: %d %s", a.what, a.status, a.body)
		}
		return nil
	})
	return a
}

// signIn logs in at a gateway, from the given address.
func (g *gateways) signIn(n int, email, address string) (access, refresh string) {
	g.t.Helper()
	a := g.served(func() *answer {
		return g.at(n, "").do(http.MethodPost, "/auth/login", map[string]any{"email": email, "password": password}, map[string]string{"X-Forwarded-For": address})
	})
	a.want(http.StatusOK)
	return a.str("accessToken"), a.str("refreshToken")
}

// everywhere returns requests to each gateway and each service for an object that does
// not exist: 404 if the token is admitted, 401 if it is not.
func (g *gateways) everywhere(token string) map[string]func() *answer {
	asks := map[string]func() *answer{}
	for _, url := range append(g.urls[:], g.behind...) {
		asks[url] = func() *answer { return (&caller{t: g.t, url: url, token: token}).get("/nothing") }
	}
	return asks
}

// endsWithinASecond verifies that no gateway or service admits the token in a request
// that begins more than a second after the response just received.
func (g *gateways) endsWithinASecond(what, token string) {
	g.t.Helper()
	answered := time.Now()
	for url, ask := range g.everywhere(token) {
		testkit.Eventually(g.t, 30*time.Second, func() error {
			began := time.Now()
			switch a := ask(); {
			case a.status == http.StatusUnauthorized:
				return nil
			case began.Sub(answered) > time.Second:
				g.t.Fatalf("%s: %v later %s answers %d", what, began.Sub(answered), url, a.status)
			}
			return fmt.Errorf("%s: %s still admits", what, url)
		})
	}
}

// TestSessionsEndAtBothGatewaysWithinASecond verifies with real processes that logout,
// a password change, disabling, another role and deletion, each requested at one
// gateway, take effect at both and at every service behind them within a second,
// although all have just admitted the token and cached that (statement 15).
func TestSessionsEndAtBothGatewaysWithinASecond(t *testing.T) {
	t.Parallel()
	g := startGateways(t, "ECF_AUTH_RATE_LIMIT=1000/15m")
	g.start("review")
	g.start("calculation")
	g.account("admin@apart.test", "admin")
	admin, _ := g.signIn(0, "admin@apart.test", "192.0.2.1")
	const next = "quite another long password"
	for what, c := range map[string]struct {
		end  func(access, id, email string) *answer
		kept bool // the refresh token remains valid
	}{
		"logout": {func(access, _, _ string) *answer { return g.at(0, access).post("/auth/logout", nil) }, false},
		"a password change in another session": {func(_, _, email string) *answer {
			other, _ := g.signIn(1, email, "192.0.2.2")
			g.at(0, other).get("/events").want(http.StatusOK)
			a := g.at(0, other).post("/auth/password", map[string]any{"currentPassword": password, "newPassword": next})
			for n := range g.urls { // the session in which it was made continues
				g.at(n, other).get("/events").want(http.StatusOK)
			}
			return a
		}, false},
		"disabling": {func(_, id, _ string) *answer {
			return g.at(0, admin).do(http.MethodPatch, "/users/"+id, map[string]any{"disabled": true}, nil)
		}, false},
		"another role": {func(_, id, _ string) *answer {
			return g.at(0, admin).do(http.MethodPatch, "/users/"+id, map[string]any{"role": "user"}, nil)
		}, true},
		"deletion": {func(_, id, _ string) *answer { return g.at(0, admin).do(http.MethodDelete, "/users/"+id, nil, nil) }, false},
	} {
		email := strings.ReplaceAll(what, " ", "-") + "@apart.test"
		id := g.account(email, "manager")
		access, refresh := g.signIn(1, email, "192.0.2.3")
		for _, ask := range g.everywhere(access) {
			ask().want(http.StatusNotFound)
		}
		c.end(access, id, email).want(http.StatusOK)
		g.endsWithinASecond(what, access)
		again := g.at(1, "").post("/auth/refresh", map[string]any{"refreshToken": refresh})
		if !c.kept {
			again.wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
			continue
		}
		// Demoted from manager, the account has no rights of a manager left.
		fresh := again.want(http.StatusOK).str("accessToken")
		for n := range g.urls {
			g.at(n, fresh).get("/events").want(http.StatusOK)
			g.at(n, fresh).post("/events", map[string]any{"title": "No longer"}).wantError(http.StatusForbidden, "FORBIDDEN")
		}
	}
	g.endsInOneOrganization()
}

// endsInOneOrganization invites an account into a second organization and disables it
// there: within a second that applies everywhere, and no session of the first
// organization ends.
func (g *gateways) endsInOneOrganization() {
	g.t.Helper()
	g.account("both@apart.test", "manager")
	other := g.ecf("", "org", "create", "--name", "Second Ltd", "--plan", "team")
	g.ecf(password+"\n", "user", "create", "--org", other, "--email", "boss@second.test", "--role", "admin")
	boss, _ := g.signIn(0, "boss@second.test", "192.0.2.1")
	first, refresh := g.signIn(1, "both@apart.test", "192.0.2.3")
	invited := g.at(0, boss).post("/users", map[string]any{"email": "both@apart.test", "role": "user"}).want(http.StatusCreated)
	g.at(1, first).post("/auth/invitations/accept", map[string]any{"token": invited.str("setupToken")}).want(http.StatusOK)
	second := g.at(0, "").post("/auth/refresh", map[string]any{"refreshToken": refresh, "organization": other}).want(http.StatusOK).str("accessToken")
	for _, token := range []string{first, second} {
		for _, ask := range g.everywhere(token) {
			ask().want(http.StatusNotFound)
		}
	}
	g.at(1, boss).do(http.MethodPatch, "/users/"+invited.str("_id"), map[string]any{"disabled": true}, nil).want(http.StatusOK)
	g.endsWithinASecond("disabling in one organization", second)
	for _, ask := range g.everywhere(first) {
		ask().want(http.StatusNotFound)
	}
	g.at(0, "").post("/auth/refresh", map[string]any{"refreshToken": refresh}).want(http.StatusOK)
	g.at(0, "").post("/auth/refresh", map[string]any{"refreshToken": refresh, "organization": other}).wantError(http.StatusNotFound, "NOT_FOUND")
}

// load reads through both gateways until it is stopped.
type load struct {
	stop  func()
	reads atomic.Int64 // answered 200
	late  atomic.Int64 // answered 503 or 504: the machine is busy
}

func (g *gateways) load(token string, readers int) *load {
	g.t.Helper()
	l := &load{}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	l.stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	g.t.Cleanup(l.stop)
	for i := range readers {
		wg.Go(func() {
			for ctx.Err() == nil {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, g.urls[i%2]+"/api/v2/events", nil)
				if err != nil {
					g.t.Error(err)
					return
				}
				req.Header.Set("Authorization", "Bearer "+token)
				res, err := http.DefaultClient.Do(req)
				if ctx.Err() != nil {
					return
				}
				if err != nil {
					g.t.Errorf("a read: %v", err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
				switch res.StatusCode {
				case http.StatusOK:
					l.reads.Add(1)
				case http.StatusServiceUnavailable, http.StatusGatewayTimeout:
					l.late.Add(1)
				default:
					g.t.Errorf("a read with a good token: %d", res.StatusCode)
					return
				}
			}
		})
	}
	return l
}

// more waits until n more reads were answered.
func (l *load) more(t *testing.T, what string, n int64) {
	t.Helper()
	from := l.reads.Load()
	testkit.Eventually(t, 5*time.Minute, func() error {
		if got := l.reads.Load() - from; got < n {
			return fmt.Errorf("%s: %d reads answered, %d unavailable", what, got, l.late.Load())
		}
		return nil
	})
}

// TestRedisAwayUnderLoad suspends and then kills a real Redis while clients read: reads
// with a valid token continue; each gateway limits logins alone, as strictly as before,
// and a correct password still logs in; once Redis is back, everything is as before
// (statement 32).
func TestRedisAwayUnderLoad(t *testing.T) {
	t.Parallel()
	g := startGateways(t)
	if !g.redis.Real() {
		t.Skip("only a real server can be suspended")
	}
	g.account("manager@apart.test", "manager")
	token, refresh := g.signIn(0, "manager@apart.test", "192.0.2.1")
	l := g.load(token, 6)
	l.more(t, "with Redis", 200)

	// guess tries to log in from an address and returns how many attempts reached the
	// password check.
	tried := 0
	guess := func(n, times int, address string) (through int) {
		t.Helper()
		for range times {
			tried++
			a := g.at(n, "").do(http.MethodPost, "/auth/login", map[string]any{"email": fmt.Sprintf("nobody%d@apart.test", tried), "password": "wrong"},
				map[string]string{"X-Forwarded-For": address})
			switch {
			case a.status == http.StatusTooManyRequests && a.header.Get("Retry-After") != "":
			case a.status == http.StatusUnauthorized, a.status == http.StatusServiceUnavailable, a.status == http.StatusGatewayTimeout:
				through++
			default:
				t.Fatalf("%d %s", a.status, a.body)
			}
		}
		return through
	}
	if through := guess(0, 10, "203.0.113.1"); through != 10 {
		t.Fatalf("%d of ten", through)
	}
	for _, phase := range []struct {
		what    string
		begin   func()
		address string
		most    int
	}{
		{"Redis stands still", g.redis.Pause, "203.0.113.1", 20}, // ten were before, by this gateway
		{"Redis is dead", g.redis.Kill, "203.0.113.2", 30},
	} {
		phase.begin()
		l.more(t, phase.what, 100)
		if through := guess(0, 35, phase.address); through != phase.most {
			t.Errorf("%s: %d logins let through, want %d", phase.what, through, phase.most)
		}
		l.more(t, phase.what, 100)
		if a := g.served(func() *answer {
			return g.at(1, "").do(http.MethodPost, "/auth/refresh", map[string]any{"refreshToken": refresh}, map[string]string{"X-Forwarded-For": "192.0.2.1"})
		}); a.status != http.StatusOK {
			t.Errorf("%s: a refresh is answered %d %s", phase.what, a.status, a.body)
		}
		g.signIn(1, "manager@apart.test", "192.0.2.1")
		a := g.served(func() *answer { return g.at(1, token).post("/events", map[string]any{"title": phase.what}) })
		if a.want(http.StatusCreated); a.header.Get("RateLimit") != "" {
			t.Errorf("%s: the response states a limit that is not counted: %s", phase.what, a.header.Get("RateLimit"))
		}
	}

	g.redis.Start()
	for n := range g.urls {
		testkit.Eventually(t, 2*time.Minute, func() error {
			a := g.served(func() *answer { return g.at(n, token).post("/events", map[string]any{"title": "Back"}) })
			if a.want(http.StatusCreated); a.header.Get("RateLimit") == "" {
				return fmt.Errorf("gateway %d does not count again", n)
			}
			return nil
		})
	}
	// Both gateways share one budget again.
	if through := guess(0, 20, "203.0.113.3") + guess(1, 20, "203.0.113.3"); through != 30 {
		t.Errorf("%d of 40 logins over both gateways, want 30", through)
	}
	l.stop()
	g.at(0, token).post("/auth/logout", nil).want(http.StatusOK)
	g.endsWithinASecond("logout after Redis was away", token)
	t.Logf("%d reads answered, %d unavailable", l.reads.Load(), l.late.Load())
	if l.late.Load() > l.reads.Load()/10 {
		t.Errorf("%d reads of %d were not answered", l.late.Load(), l.reads.Load())
	}
}
