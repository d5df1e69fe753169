package auth_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// process runs the service until the end of the test, on a free port unless the
// environment has an address.
func process(t *testing.T, env map[string]string) (base string, e app.Env) {
	t.Helper()
	addr := env["ECF_ADDR"]
	if addr == "" {
		addr = fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
		env["ECF_ADDR"] = addr
	}
	logs := &safeBuffer{}
	e = app.Env{Getenv: func(k string) string { return env[k] }, Stdout: io.Discard, Stderr: io.Discard, Logger: slog.New(slog.NewJSONHandler(logs, nil))}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- auth.Program().Run(ctx, e) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v\n%s", err, logs)
		}
	})
	testkit.Eventually(t, 30*time.Second, func() error {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("Run ended: %v", err)
		default:
		}
		res, err := http.Get("http://" + addr + "/health/ready")
		if err != nil {
			return err
		}
		defer func() { _ = res.Body.Close() }()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("status %d", res.StatusCode)
		}
		return nil
	})
	return "http://" + addr, e
}

// operator opens the accounts of a deployment while its servers run, as a command does,
// and creates a user.
func operator(t *testing.T, e app.Env) *auth.Accounts {
	t.Helper()
	uri := e.Getenv("ECF_MONGODB_AUTH_URI")
	db, disconnect, err := mongodb.Connect("test", uri, mongox.DatabaseName(uri, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = disconnect() })
	store, err := auth.OpenStore(t.Context(), e, db)
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := auth.NewAccounts(auth.AccountsDeps{Store: store, Hasher: testHasher(t), Logger: e.Logger})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := accounts.CreateUser(t.Context(), auth.NewUser{Org: "o1", Email: "ada@example.com", Role: identity.Admin, Password: goodPass}); err != nil {
		t.Fatal(err)
	}
	return accounts
}

// TestRunWithoutACache verifies that without Redis gateways ask the service about each
// session.
func TestRunWithoutACache(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	base, e := process(t, map[string]string{
		"ECF_MONGODB_AUTH_URI": withDatabase(uri, name), "ECF_DATA_DIR": filepath.Join(t.TempDir(), "data"), "ECF_SIGNING_ALGORITHM": "ES256",
	})
	b := &bundle{t: t, base: base}
	accounts := operator(t, e)
	in := b.signIn("ada@example.com")
	token, _, err := jwt.NewParser().ParseUnverified(in.access, jwt.MapClaims{})
	if err != nil || token.Header["alg"] != identity.AlgES256 {
		t.Errorf("%v, %v", token.Header, err)
	}
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "")
	u, err := accounts.UserByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if err := accounts.SetPassword(t.Context(), "o1", u.ID, newPass); err != nil {
		t.Fatal(err)
	}
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
	b.signInWith("ada@example.com", newPass)
}

// TestTwoReplicas verifies that two replicas on MongoDB and Redis share the keys'
// folder: each accepts the other's tokens and follows a rotation without a restart.
func TestTwoReplicas(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	redisURL, _ := testkit.Redis(t)
	keys := filepath.Join(t.TempDir(), "keys")
	env := func() map[string]string {
		return map[string]string{
			"ECF_MONGODB_AUTH_URI": withDatabase(uri, name), "ECF_REDIS_URL": redisURL, "ECF_SIGNING_KEYS_DIR": keys, "ECF_ISSUER": issuer,
		}
	}
	first, e := process(t, env())
	second, _ := process(t, env())
	operator(t, e)
	one, two := &bundle{t: t, base: first}, &bundle{t: t, base: second}
	in := one.signIn("ada@example.com")
	two.want(two.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "")
	r := two.refresh(in.refresh)
	two.want(r, http.StatusOK, "")
	two.want(two.do("POST", "/api/v2/auth/logout", r.text("accessToken"), ""), http.StatusOK, "")
	one.want(one.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
	one.want(one.refresh(in.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")

	ring, err := keyring.Open(keyring.Options{Dir: keys, TokenLife: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	kid, _, err := ring.Rotate(func(string, time.Time) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []*bundle{one, two} {
		testkit.Eventually(t, 20*time.Second, func() error {
			if body := b.do("GET", "/.well-known/jwks.json", "", "").body; !strings.Contains(body, kid) {
				return fmt.Errorf("%s does not publish the next key: %s", b.base, body)
			}
			return nil
		})
	}
}

// withDatabase names a database in a MongoDB address.
func withDatabase(uri, name string) string {
	address, options, _ := strings.Cut(uri, "?")
	return strings.TrimSuffix(address, "/") + "/" + name + "?" + options
}

func TestRunReportsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"ECF_ADDR must be":                                     {"ECF_ACCESS_TOKEN_TTL": "soon", "ECF_ADDR": "nowhere"},
		"ECF_SIGNING_ALGORITHM must be":                        {"ECF_DATA_DIR": t.TempDir(), "ECF_SIGNING_ALGORITHM": "HS256"},
		"ECF_MONGODB_AUTH_URI or ECF_MONGODB_URI is required":  {"ECF_DATA_DIR": t.TempDir()},
		"ECF_MONGODB_AUTH_URI_FILE names a file that is empty": {"ECF_MONGODB_AUTH_URI_FILE": os.DevNull},
		"must not be shorter than ECF_ACCESS_TOKEN_TTL":        {"ECF_MONGODB_URI": "mongodb://127.0.0.1:1", "ECF_REFRESH_TOKEN_TTL": "1m"},
	} {
		e := app.Env{Getenv: func(k string) string { return env[k] }, Logger: slog.New(slog.DiscardHandler)}
		if err := auth.Program().Run(t.Context(), e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// setupFuzz starts a service for fuzzing, without a network.
func setupFuzz(f *testing.F) func(path, body string) (status int, answer string) {
	f.Helper()
	db, err := sqlitex.Open(f.Context(), filepath.Join(f.TempDir(), "auth.db"), sqlitestore.Schema()...)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	keys, err := keyring.Open(keyring.Options{Dir: f.TempDir(), TokenLife: time.Hour})
	if err != nil {
		f.Fatal(err)
	}
	service, err := auth.New(auth.Config{Issuer: issuer, AccessTokenTTL: time.Hour, RefreshTokenTTL: time.Hour}, auth.Deps{
		Store: sqlitestore.New(db), Keys: keys, Hasher: testHasher(f), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		f.Fatal(err)
	}
	return func(path, body string) (int, string) {
		req := httptest.NewRequest(http.MethodPost, "/api/v2/auth/"+path, strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		res, err := service.App().Test(req, -1)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = res.Body.Close() }()
		var text bytes.Buffer
		_, _ = text.ReadFrom(res.Body)
		return res.StatusCode, text.String()
	}
}
