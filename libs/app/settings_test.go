package app_test

import (
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

// TestDefaults holds the names and defaults of the contract, written a second
// time.
func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := app.Load(nil, env())
	if err != nil {
		t.Fatal(err)
	}
	want := `ECF_ADDR=127.0.0.1:8080
ECF_DEBUG_ADDR=
ECF_DATA_DIR=./.data
ECF_DEMO=false
ECF_DEMO_PASSWORD=
ECF_MONGODB_URI=
ECF_MONGODB_AUTH_URI=
ECF_REDIS_URL=
ECF_REDIS_CACHE_URL=
ECF_AUTH_RATE_LIMIT=30/15m
ECF_WRITE_RATE_LIMIT=600/1m
ECF_ACCESS_TOKEN_TTL=1h
ECF_REFRESH_TOKEN_TTL=720h
ECF_QUOTAS=enterprise=unlimited,free=3,team=50
ECF_ISSUER=http://127.0.0.1:8080
ECF_TRUSTED_PROXIES=
ECF_SIGNING_KEYS_DIR=.data/keys
ECF_SIGNING_ALGORITHM=EdDSA
ECF_AUTH_URL=http://127.0.0.1:8081
ECF_RECORDS_URL=http://127.0.0.1:8082
ECF_REVIEW_URL=http://127.0.0.1:8083
ECF_CALCULATION_URL=http://127.0.0.1:8084
ECF_SWEEP_INTERVAL=1s
ECF_WORKERS=4
ECF_LOG_LEVEL=info`
	if got := strings.Join(s.Effective(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for line := range strings.SplitSeq(want, "\n") {
		name, _, _ := strings.Cut(line, "=")
		if !strings.Contains(app.Usage(), " "+name+" ") {
			t.Errorf("the usage does not tell of %s", name)
		}
	}
}

func TestEnvironmentAndFlags(t *testing.T) {
	t.Parallel()
	s, err := app.Load([]string{"--addr", ":1", "-workers=9", "--demo", "import", "--quotas=a=1,b=unlimited", "--", "--not-a-flag"}, env(
		"ECF_ADDR", ":2", "ECF_DATA_DIR", "/var/lib/ecf", "ECF_WORKERS", "2",
		"ECF_MONGODB_URI", "mongodb://ecf:secret@db/ecf", "ECF_REDIS_URL", "redis://:secret@queue:6379/1",
		"ECF_AUTH_RATE_LIMIT", "5/90s", "ECF_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.1,2001:db8::/32",
		"ECF_AUTH_URL", "https://auth.test/", "ECF_ISSUER", "https://ecf.test",
	))
	if err != nil {
		t.Fatal(err)
	}
	if s.Addr != ":1" || s.Workers != 9 || !s.Demo || s.DataDir != "/var/lib/ecf" || s.SigningKeysDir != "/var/lib/ecf/keys" || s.AuthURL != "https://auth.test" {
		t.Errorf("%+v", s)
	}
	if !maps.Equal(s.Quotas, app.Quotas{"a": 1, "b": app.Unlimited}) || s.AuthRateLimit != (app.RateLimit{N: 5, Per: 90 * time.Second}) {
		t.Errorf("%v %v", s.Quotas, s.AuthRateLimit)
	}
	if len(s.TrustedProxies) != 3 || s.TrustedProxies[1].String() != "192.0.2.1/32" {
		t.Errorf("%v", s.TrustedProxies)
	}
	if s.MongoAuthURI != s.MongoURI || s.RedisCacheURL != s.RedisURL {
		t.Error("the fallbacks are not taken")
	}
	if !reflect.DeepEqual(s.Args, []string{"import", "--not-a-flag"}) {
		t.Errorf("args %q", s.Args)
	}
	if shown := strings.Join(s.Effective(), "\n"); strings.Contains(shown, "secret") || !strings.Contains(shown, "ECF_MONGODB_URI=mongodb://****@db") {
		t.Error(shown)
	}
}

func TestOwnDefaults(t *testing.T) {
	t.Parallel()
	own := map[string]string{"ECF_ADDR": "127.0.0.1:8082", "ECF_DEMO": "true"}
	s, err := app.Load(nil, env(), own)
	if err != nil || s.Addr != "127.0.0.1:8082" || !s.Demo {
		t.Errorf("%+v %v", s, err)
	}
	if s, err = app.Load([]string{"--demo=off"}, env("ECF_ADDR", ":9"), own); err != nil || s.Addr != ":9" || s.Demo {
		t.Errorf("%+v %v", s, err)
	}
}

func TestSecretsByFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "uri")
	if err := os.WriteFile(file, []byte("mongodb://u:hunter2@db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := app.Load(nil, env("ECF_MONGODB_URI_FILE", file))
	if err != nil || s.MongoURI != "mongodb://u:hunter2@db" {
		t.Errorf("%q %v", s.MongoURI, err)
	}
	_, err = app.Load(nil, env("ECF_MONGODB_URI_FILE", file, "ECF_MONGODB_URI", "mongodb://u:hunter2@x", "ECF_REDIS_URL_FILE", filepath.Join(dir, "none")))
	if err == nil || !strings.Contains(err.Error(), "both set") || !strings.Contains(err.Error(), "ECF_REDIS_URL_FILE") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err = %v", err)
	}
	// Only secrets are read from files.
	if s, err = app.Load(nil, env("ECF_ADDR_FILE", file)); err != nil || s.Addr != "127.0.0.1:8080" {
		t.Errorf("%q %v", s.Addr, err)
	}
}

// TestAllFaultsAtOnce: each name below is wrong, and each is reported, without
// the secrets among them.
func TestAllFaultsAtOnce(t *testing.T) {
	t.Parallel()
	faulty := map[string]string{
		"ECF_ADDR":              "localhost",
		"ECF_DEBUG_ADDR":        ":99999",
		"ECF_DEMO":              "perhaps",
		"ECF_MONGODB_URI":       "postgres://u:hunter2@h",
		"ECF_MONGODB_AUTH_URI":  "hunter2",
		"ECF_REDIS_URL":         "redis://u:hunter2@h:x",
		"ECF_REDIS_CACHE_URL":   "http://u:hunter2@h",
		"ECF_AUTH_RATE_LIMIT":   "30",
		"ECF_WRITE_RATE_LIMIT":  "0/1m",
		"ECF_ACCESS_TOKEN_TTL":  "an hour",
		"ECF_REFRESH_TOKEN_TTL": "-1h",
		"ECF_QUOTAS":            "free=many",
		"ECF_ISSUER":            "ecf.test",
		"ECF_TRUSTED_PROXIES":   "10.0.0.0/99",
		"ECF_SIGNING_ALGORITHM": "HS256",
		"ECF_AUTH_URL":          "ftp://x",
		"ECF_RECORDS_URL":       "http://u:hunter2@h",
		"ECF_REVIEW_URL":        "http://h?x=1",
		"ECF_CALCULATION_URL":   "://",
		"ECF_SWEEP_INTERVAL":    "1ms",
		"ECF_WORKERS":           "0",
		"ECF_LOG_LEVEL":         "loud",
	}
	_, err := app.Load([]string{"--unknown", "x", "--data-dir"}, func(name string) string { return faulty[name] })
	if err == nil {
		t.Fatal("a heap of faults is taken")
	}
	lines := strings.Split(err.Error(), "\n")
	for name := range faulty {
		n := 0
		for _, line := range lines {
			if strings.HasPrefix(line, name+" ") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is reported %d times", name, n)
		}
	}
	for _, want := range []string{"--unknown is not a setting", "--data-dir has no value"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not reported", want)
		}
	}
	if len(lines) != len(faulty)+2 || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%d lines:\n%v", len(lines), err)
	}
}

func TestFlagFaults(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--addr :1 --addr :2":     "given twice",
		"--workers nine":          "--workers must be",
		"--ADDR :1":               "--ADDR is not a setting",
		"--access-token-ttl 800h": "ECF_REFRESH_TOKEN_TTL must not be shorter",
		"--demo=perhaps":          "--demo must be true or false",
	} {
		if _, err := app.Load(strings.Fields(args), env()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, args := range []string{"-h", "--help", "--unknown x --help"} {
		if _, err := app.Load(strings.Fields(args), env()); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{
		"30/15m": true, "1/1s": true, " 5 / 1h ": true,
		"": false, "/": false, "30/": false, "/15m": false, "-1/1m": false, "1/0s": false, "1/-5m": false, "1/5": false, "1.5/1m": false, "1/1ms": false, "99999999999999999999/1m": false,
	} {
		r, err := app.ParseRateLimit(in)
		if (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		} else if ok {
			if again, err := app.ParseRateLimit(r.String()); err != nil || again != r {
				t.Errorf("%q becomes %q: %v", in, r, err)
			}
		}
	}
	for in, ok := range map[string]bool{
		"free=3": true, "free=0,team=unlimited": true, "a=1, b=2": true,
		"": false, "free": false, "=3": false, "free=-1": false, "free=3,free=4": false, "free=3,": false, "free=99999999999": false, "free=1.5": false,
	} {
		q, err := app.ParseQuotas(in)
		if (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		} else if ok {
			if again, err := app.ParseQuotas(q.String()); err != nil || !maps.Equal(again, q) {
				t.Errorf("%q becomes %q: %v", in, q, err)
			}
		}
	}
}
