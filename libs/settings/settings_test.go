package settings_test

import (
	"errors"
	"flag"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/settings"
)

func env(pairs ...string) func(string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return m[name] }
}

// sample has a setting of each kind.
type sample struct {
	Addr, URI, Issuer, Role string
	Demo                    bool
	Workers                 int
	TTL                     time.Duration
	Quotas                  settings.Quotas
	Limit                   settings.RateLimit
	Proxies                 []netip.Prefix
}

func (c *sample) Describe(s *settings.Set) {
	s.Text(&c.Addr, "ECF_ADDR", "127.0.0.1:8080", "address to listen on", settings.CheckAddress)
	s.Text(&c.URI, "ECF_MONGODB_URI", "", "database", func(v string) error {
		if !strings.HasPrefix(v, "mongodb://") {
			return errors.New("must begin with mongodb://")
		}
		return nil
	}).Hide()
	s.URL(&c.Issuer, "ECF_ISSUER", "http://127.0.0.1:8080", "issuer")
	s.TextFlag(&c.Role, "role", "serve", "role", settings.OneOf("serve", "work"))
	s.Bool(&c.Demo, "ECF_DEMO", "false", "demo")
	s.Number(&c.Workers, "ECF_WORKERS", "4", "workers", 1, 1024)
	s.Duration(&c.TTL, "ECF_ACCESS_TOKEN_TTL", "60m", "lifetime", time.Second)
	settings.Parsed(s, &c.Quotas, "ECF_QUOTAS", "free=3,enterprise=unlimited", "quotas", settings.ParseQuotas, settings.Quotas.String)
	settings.Parsed(s, &c.Limit, "ECF_WRITE_RATE_LIMIT", "600/1m", "writes", settings.ParseRateLimit, settings.RateLimit.String)
	settings.Parsed(s, &c.Proxies, "ECF_TRUSTED_PROXIES", "", "proxies", settings.ParseProxies, settings.FormatProxies)
}

func load(args []string, getenv func(string) string) (sample, *settings.Set, error) {
	var c sample
	set := settings.Of(&c)
	set.Positional = true
	err := set.Load(args, getenv)
	return c, set, err
}

func TestDefaultsAndHelp(t *testing.T) {
	t.Parallel()
	_, set, err := load(nil, env())
	if err != nil {
		t.Fatal(err)
	}
	want := `ECF_ADDR=127.0.0.1:8080
ECF_MONGODB_URI=
ECF_ISSUER=http://127.0.0.1:8080
--role=serve
ECF_DEMO=false
ECF_WORKERS=4
ECF_ACCESS_TOKEN_TTL=1h
ECF_QUOTAS=enterprise=unlimited,free=3
ECF_WRITE_RATE_LIMIT=600/1m
ECF_TRUSTED_PROXIES=`
	if got := strings.Join(set.Effective(), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	usage := strings.Join(strings.Fields(set.Usage()), " ")
	for _, want := range []string{"--addr ECF_ADDR address to listen on (default 127.0.0.1:8080)", "--mongodb-uri ECF_MONGODB_URI[_FILE] database", "--role role (default serve)"} {
		if !strings.Contains(usage, want) {
			t.Errorf("the usage does not have %q:\n%s", want, set.Usage())
		}
	}
	for _, want := range []string{"| `ECF_MONGODB_URI`, `ECF_MONGODB_URI_FILE` | `--mongodb-uri` | — | database |", "|  | `--role` | `serve` | role |"} {
		if !strings.Contains(set.Markdown(), want) {
			t.Errorf("the reference does not have %q:\n%s", want, set.Markdown())
		}
	}
}

// TestOneArgument: a command that takes one argument refuses none and several.
func TestOneArgument(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{"a": {"a"}, "-": {"-"}, "name one thing": {}, "name one thing ": {"a", "b"}} {
		var got string
		set := settings.Of(&sample{})
		set.Argument(&got, "name one thing")
		if err := set.Load(args, env()); err != nil {
			got = err.Error()
		}
		if got != strings.TrimSpace(want) {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

func TestEnvironmentAndFlags(t *testing.T) {
	t.Parallel()
	c, set, err := load([]string{"--addr", ":1", "-workers=9", "--demo", "import", "--quotas=a=1,b=unlimited", "--role", "work", "--", "--not-a-flag"}, env(
		"ECF_ADDR", ":2", "ECF_WORKERS", "2", "ECF_MONGODB_URI", "mongodb://ecf:secret@db/ecf",
		"ECF_WRITE_RATE_LIMIT", "5/90s", "ECF_TRUSTED_PROXIES", "10.0.0.0/8, 192.0.2.1,2001:db8::/32", "ECF_ISSUER", "https://ecf.test/",
	))
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != ":1" || c.Workers != 9 || !c.Demo || c.Role != "work" || c.Issuer != "https://ecf.test" {
		t.Errorf("%+v", c)
	}
	if !maps.Equal(c.Quotas, settings.Quotas{"a": 1, "b": settings.Unlimited}) || c.Limit != (settings.RateLimit{N: 5, Per: 90 * time.Second}) {
		t.Errorf("%v %v", c.Quotas, c.Limit)
	}
	if len(c.Proxies) != 3 || c.Proxies[1].String() != "192.0.2.1/32" {
		t.Errorf("%v", c.Proxies)
	}
	if !reflect.DeepEqual(set.Args, []string{"import", "--not-a-flag"}) {
		t.Errorf("args %q", set.Args)
	}
	if shown := strings.Join(set.Effective(), "\n"); strings.Contains(shown, "secret") || !strings.Contains(shown, "ECF_MONGODB_URI=mongodb://****@db") {
		t.Error(shown)
	}
}

func TestOwnDefault(t *testing.T) {
	t.Parallel()
	var c sample
	set := settings.Of(&c)
	set.Default("ECF_ADDR", "127.0.0.1:8082")
	if err := set.Load(nil, env()); err != nil || c.Addr != "127.0.0.1:8082" {
		t.Errorf("%+v %v", c, err)
	}
	if !strings.Contains(set.Usage(), "(default 127.0.0.1:8082)") {
		t.Error(set.Usage())
	}
	if err := set.Load([]string{"stray"}, env()); err == nil || !strings.Contains(err.Error(), `"stray"`) {
		t.Errorf("a stray argument: %v", err)
	}
}

// A setting that two parts of a program describe is given to both; descriptions
// that disagree are a mistake of the program.
func TestSharedSettings(t *testing.T) {
	t.Parallel()
	var one, two string
	set := &settings.Set{}
	set.Text(&one, "ECF_A", "x", "a", nil)
	set.Text(&two, "ECF_A", "x", "a", nil).Require()
	if err := set.Load(nil, env("ECF_A", "y")); err != nil || one != "y" || two != "y" {
		t.Errorf("%q %q %v", one, two, err)
	}
	if n := len(set.All()); n != 1 {
		t.Errorf("%d settings", n)
	}
	defer func() {
		if recover() == nil {
			t.Error("two descriptions that disagree are taken")
		}
	}()
	set.Text(&two, "ECF_A", "z", "a", nil)
}

func TestSecretsByFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, empty := filepath.Join(dir, "uri"), filepath.Join(dir, "empty")
	for name, text := range map[string]string{file: "mongodb://u:hunter2@db\n", empty: "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, _, err := load(nil, env("ECF_MONGODB_URI_FILE", file))
	if err != nil || c.URI != "mongodb://u:hunter2@db" {
		t.Errorf("%q %v", c.URI, err)
	}
	for want, getenv := range map[string]func(string) string{
		"both set":       env("ECF_MONGODB_URI_FILE", file, "ECF_MONGODB_URI", "mongodb://u:hunter2@x"),
		"cannot be read": env("ECF_MONGODB_URI_FILE", filepath.Join(dir, "none")),
		"is empty":       env("ECF_MONGODB_URI_FILE", empty),
	} {
		if _, _, err = load(nil, getenv); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	// Only secrets are read from files.
	if c, _, err = load(nil, env("ECF_ADDR_FILE", file)); err != nil || c.Addr != "127.0.0.1:8080" {
		t.Errorf("%q %v", c.Addr, err)
	}
}

// TestEveryMistakeAtOnce: each value below is wrong, and each is reported once,
// without the secrets among them.
func TestEveryMistakeAtOnce(t *testing.T) {
	t.Parallel()
	wrong := map[string]string{
		"ECF_ADDR":             "localhost",
		"ECF_MONGODB_URI":      "postgres://u:hunter2@h",
		"ECF_ISSUER":           "ecf.test",
		"ECF_DEMO":             "perhaps",
		"ECF_WORKERS":          "0",
		"ECF_ACCESS_TOKEN_TTL": "an hour",
		"ECF_QUOTAS":           "free=many",
		"ECF_WRITE_RATE_LIMIT": "0/1m",
		"ECF_TRUSTED_PROXIES":  "10.0.0.0/99",
	}
	_, _, err := load([]string{"--unknown", "x", "--role"}, func(name string) string { return wrong[name] })
	if err == nil {
		t.Fatal("wrong settings are taken")
	}
	lines := strings.Split(err.Error(), "\n")
	for name := range wrong {
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
	for _, want := range []string{"--unknown is not a setting", "--role has no value"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not reported", want)
		}
	}
	if len(lines) != len(wrong)+2 || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%d lines:\n%v", len(lines), err)
	}
}

func TestFlagMistakes(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--addr :1 --addr :2": "given twice",
		"--workers nine":      "--workers must be",
		"--ADDR :1":           "--ADDR is not a setting: did you mean --addr?",
		"--worker 3":          "did you mean --workers?",
		"--demo=perhaps":      "--demo must be true or false",
		"--role both":         "--role must be serve or work",
	} {
		if _, _, err := load(strings.Fields(args), env()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
	for _, args := range []string{"-h", "--help", "--unknown x --help"} {
		if _, _, err := load(strings.Fields(args), env()); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// A misspelled variable is refused with the name that was probably meant; what
// other programs of the product, or the platform, put into the environment is
// not.
func TestUnknownVariables(t *testing.T) {
	t.Parallel()
	set := settings.Of(&sample{})
	for variable, want := range map[string]string{
		"ECF_TRUSTED_PROXY=10.0.0.0/8": "ECF_TRUSTED_PROXY is not a setting: did you mean ECF_TRUSTED_PROXIES?",
		"ECF_WRITE_RATELIMIT=5/1m":     "did you mean ECF_WRITE_RATE_LIMIT?",
		"ECF_MONGO_URI=x":              "did you mean ECF_MONGODB_URI?",
		"ECF_ISSUER_FILE=x":            "ECF_ISSUER_FILE is not a setting",
		"ECF_ZZZ=x":                    "ECF_ZZZ is not a setting",
		"ECF_ADDR=:1":                  "",
		"ECF_MONGODB_URI_FILE=x":       "",
		"ECF_REDIS_URL=of a sibling":   "",
		"ECF_DEMO_URL=of the demo":     "",
		"ECF_NOTHING=":                 "",
		"OTEL_SERVICE_NAME=x":          "",
		"ECFX=1":                       "",
	} {
		errs := set.CheckNames([]string{"PATH=/bin", variable})
		switch {
		case want == "" && len(errs) > 0:
			t.Errorf("%s: %v", variable, errs)
		case want != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), want)):
			t.Errorf("%s: %v, want %s", variable, errs, want)
		}
	}
	links := []string{"ECF_AUTH_SERVICE_HOST=10.0.0.1", "ECF_AUTH_SERVICE_PORT=8081", "ECF_AUTH_SERVICE_PORT_HTTP=8081", "ECF_AUTH_PORT=tcp://10.0.0.1:8081",
		"ECF_AUTH_PORT_8081_TCP=tcp://10.0.0.1:8081", "ECF_AUTH_PORT_8081_TCP_PROTO=tcp", "ECF_AUTH_PORT_8081_TCP_PORT=8081", "ECF_AUTH_PORT_8081_TCP_ADDR=10.0.0.1"}
	if errs := set.CheckNames(links); len(errs) != 0 {
		t.Errorf("variables of Kubernetes: %v", errs)
	}
	if errs := set.CheckNames([]string{"ECF_DEBUG_SERVICE_PORT=1"}); len(errs) != 1 {
		t.Errorf("a lone port: %v", errs)
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{
		"30/15m": true, "1/1s": true, " 5 / 1h ": true,
		"": false, "/": false, "30/": false, "/15m": false, "-1/1m": false, "1/0s": false, "1/-5m": false, "1/5": false, "1.5/1m": false, "1/1ms": false, "99999999999999999999/1m": false,
	} {
		r, err := settings.ParseRateLimit(in)
		if (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		} else if ok {
			if again, err := settings.ParseRateLimit(r.String()); err != nil || again != r {
				t.Errorf("%q becomes %q: %v", in, r, err)
			}
		}
	}
	for in, ok := range map[string]bool{
		"free=3": true, "free=0,team=unlimited": true, "a=1, b=2": true,
		"": false, "free": false, "=3": false, "free=-1": false, "free=3,free=4": false, "free=3,": false, "free=99999999999": false, "free=1.5": false,
	} {
		q, err := settings.ParseQuotas(in)
		if (err == nil) != ok {
			t.Errorf("%q: %v", in, err)
		} else if ok {
			if again, err := settings.ParseQuotas(q.String()); err != nil || !maps.Equal(again, q) {
				t.Errorf("%q becomes %q: %v", in, q, err)
			}
		}
	}
}
