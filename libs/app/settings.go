package app

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/redisx"
)

// Settings is everything the services can be told from outside. Each service
// reads the ones it needs; names and defaults are the same for all of them.
type Settings struct {
	// Addr is where the service listens.
	Addr string
	// DebugAddr is where metrics, profiles and health are served, apart from
	// the API; empty: nowhere.
	DebugAddr string
	// DataDir is where the embedded engines and generated secrets are kept.
	DataDir string
	// Demo makes a demo organization on the first start.
	Demo bool
	// DemoPassword is the demo accounts' password; empty: one is generated.
	DemoPassword string
	// MongoURI is the database of organizations, events, records and results;
	// empty: the embedded engine.
	MongoURI string
	// MongoAuthURI is the database of accounts, with credentials of its own.
	// Default: MongoURI.
	MongoAuthURI string
	// RedisURL is the queue; empty: the embedded one. RedisCacheURL is the
	// cache of sessions and limits. Default: RedisURL.
	RedisURL      string
	RedisCacheURL string
	// AuthRateLimit is the budget of sign-ins and refreshes of a client
	// address, WriteRateLimit that of a user's writes.
	AuthRateLimit  RateLimit
	WriteRateLimit RateLimit
	// How long tokens live.
	AccessTokenTTL  time.Duration
	RefreshTokenTTL time.Duration
	// Quotas is the number of events of each plan.
	Quotas Quotas
	// Issuer is the iss of tokens: the address clients reach the service at.
	Issuer string
	// TrustedProxies may say who the client is in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// SigningKeysDir holds the keys tokens are signed with. Default: the
	// folder keys of DataDir.
	SigningKeysDir string
	// SigningAlgorithm is that of signing keys made from now on: EdDSA or ES256.
	SigningAlgorithm string
	// Where the services are: upstreams of the gateway, and AuthURL also where
	// the others fetch the keys that verify tokens. Without a slash at the end.
	AuthURL        string
	RecordsURL     string
	ReviewURL      string
	CalculationURL string
	// SweepInterval is how often lost recalculations are looked for.
	SweepInterval time.Duration
	// Workers is how many recalculations run at once in one process.
	Workers int
	// LogLevel is debug, info, warn or error.
	LogLevel string

	// Args is what was left after the flags.
	Args []string
}

// setting ties one field to its name. The flag of ECF_DATA_DIR is --data-dir.
type setting struct {
	env    string
	def    string
	secret bool // masked when shown, and can be given by file
	isBool bool
	usage  string
	parse  func(value string) error
	show   func() string
}

func (s setting) flag() string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s.env, "ECF_")), "_", "-")
}

// table is the one list of settings.
func (s *Settings) table() []setting {
	return []setting{
		text("ECF_ADDR", "127.0.0.1:8080", "address to listen on", &s.Addr, checkAddr),
		text("ECF_DEBUG_ADDR", "", "address for metrics, profiles and health; off when empty", &s.DebugAddr, checkAddr),
		text("ECF_DATA_DIR", "./.data", "folder of the embedded engines and generated secrets", &s.DataDir, nil),
		boolean("ECF_DEMO", "false", "make a demo organization on the first start", &s.Demo),
		hidden(text("ECF_DEMO_PASSWORD", "", "password of the demo accounts; generated when empty", &s.DemoPassword, nil)),
		hidden(text("ECF_MONGODB_URI", "", "MongoDB of the service; the embedded engine when empty", &s.MongoURI, checkMongo)),
		hidden(text("ECF_MONGODB_AUTH_URI", "", "MongoDB of the accounts; ECF_MONGODB_URI when empty", &s.MongoAuthURI, checkMongo)),
		hidden(text("ECF_REDIS_URL", "", "Redis of the queue; the embedded one when empty", &s.RedisURL, redisx.Check)),
		hidden(text("ECF_REDIS_CACHE_URL", "", "Redis of the cache; ECF_REDIS_URL when empty", &s.RedisCacheURL, redisx.Check)),
		parsed("ECF_AUTH_RATE_LIMIT", "30/15m", "sign-ins and refreshes of one client address", &s.AuthRateLimit, ParseRateLimit),
		parsed("ECF_WRITE_RATE_LIMIT", "600/1m", "writes of one user", &s.WriteRateLimit, ParseRateLimit),
		duration("ECF_ACCESS_TOKEN_TTL", "60m", "lifetime of an access token", &s.AccessTokenTTL, time.Second),
		duration("ECF_REFRESH_TOKEN_TTL", "720h", "lifetime of a refresh token", &s.RefreshTokenTTL, time.Second),
		parsed("ECF_QUOTAS", "free=3,team=50,enterprise=unlimited", "events of each plan", &s.Quotas, ParseQuotas),
		text("ECF_ISSUER", "http://127.0.0.1:8080", "address that clients reach the service at; the issuer of tokens", &s.Issuer, checkHTTP),
		{env: "ECF_TRUSTED_PROXIES", usage: "proxies that may say who the client is", parse: func(v string) (err error) {
			s.TrustedProxies, err = parseProxies(v)
			return err
		}, show: func() string { return joinPrefixes(s.TrustedProxies) }},
		text("ECF_SIGNING_KEYS_DIR", "", "folder of the signing keys; keys below ECF_DATA_DIR when empty", &s.SigningKeysDir, nil),
		text("ECF_SIGNING_ALGORITHM", "EdDSA", "algorithm of new signing keys: EdDSA or ES256", &s.SigningAlgorithm, func(v string) error {
			if v != "EdDSA" && v != "ES256" {
				return errors.New("must be EdDSA or ES256")
			}
			return nil
		}),
		text("ECF_AUTH_URL", "http://127.0.0.1:8081", "where the service auth is", &s.AuthURL, checkHTTP),
		text("ECF_RECORDS_URL", "http://127.0.0.1:8082", "where the service records is", &s.RecordsURL, checkHTTP),
		text("ECF_REVIEW_URL", "http://127.0.0.1:8083", "where the service review is", &s.ReviewURL, checkHTTP),
		text("ECF_CALCULATION_URL", "http://127.0.0.1:8084", "where the service calculation is", &s.CalculationURL, checkHTTP),
		duration("ECF_SWEEP_INTERVAL", "1s", "how often lost recalculations are looked for", &s.SweepInterval, 10*time.Millisecond),
		number("ECF_WORKERS", "4", "recalculations at once in one process", &s.Workers, 1, 1024),
		text("ECF_LOG_LEVEL", "info", "debug, info, warn or error", &s.LogLevel, func(v string) error {
			_, err := parseLevel(v)
			return err
		}),
	}
}

// Load reads the settings from the environment, then from flags, which win.
// A value may also be given by file for secrets: ECF_MONGODB_URI_FILE names a
// file that holds it. Everything is checked, and the error names every fault.
// An empty value is as good as none. Other defaults than the usual ones are
// given by name: {"ECF_ADDR": "127.0.0.1:8082"}. When the flags ask for help
// the error is flag.ErrHelp.
func Load(args []string, getenv func(string) string, defaults ...map[string]string) (Settings, error) {
	var s Settings
	table := s.table()
	for _, d := range defaults {
		for i := range table {
			if value, ok := d[table[i].env]; ok {
				table[i].def = value
			}
		}
	}
	flags, rest, faults := parseFlags(args, table)
	if slices.Contains(faults, flag.ErrHelp) {
		return Settings{}, flag.ErrHelp
	}
	for _, entry := range table {
		value, name, err := entry.value(flags, getenv)
		if err == nil {
			err = entry.set(value)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s %w", name, err))
		}
	}
	s.Args = rest
	if s.MongoAuthURI == "" {
		s.MongoAuthURI = s.MongoURI
	}
	if s.RedisCacheURL == "" {
		s.RedisCacheURL = s.RedisURL
	}
	if s.SigningKeysDir == "" {
		s.SigningKeysDir = filepath.Join(s.DataDir, "keys")
	}
	for _, u := range []*string{&s.Issuer, &s.AuthURL, &s.RecordsURL, &s.ReviewURL, &s.CalculationURL} {
		*u = strings.TrimRight(*u, "/")
	}
	if s.RefreshTokenTTL > 0 && s.RefreshTokenTTL < s.AccessTokenTTL {
		faults = append(faults, errors.New("ECF_REFRESH_TOKEN_TTL must not be shorter than ECF_ACCESS_TOKEN_TTL"))
	}
	if len(faults) > 0 {
		return Settings{}, errors.Join(faults...)
	}
	return s, nil
}

// value finds where a setting is given: flag, environment, file, default.
func (s setting) value(flags map[string]string, getenv func(string) string) (value, name string, err error) {
	if v, ok := flags[s.flag()]; ok {
		return v, "--" + s.flag(), nil
	}
	v, file := getenv(s.env), ""
	if s.secret {
		file = getenv(s.env + "_FILE")
	}
	switch {
	case v != "" && file != "":
		return "", s.env, fmt.Errorf("and %s_FILE are both set", s.env)
	case file != "":
		content, err := os.ReadFile(file) //nolint:gosec // the operator names the file
		if err != nil {
			return "", s.env + "_FILE", fmt.Errorf("names a file that cannot be read: %w", err)
		}
		return strings.TrimRight(string(content), "\r\n"), s.env + "_FILE", nil
	case v != "":
		return v, s.env, nil
	}
	return s.def, s.env, nil
}

func (s setting) set(value string) error {
	if value == "" {
		value = s.def
	}
	return s.parse(value)
}

// parseFlags reads --name value, --name=value and, for booleans, --name. One
// dash is as good as two. What follows -- or is no flag is left over.
func parseFlags(args []string, table []setting) (flags map[string]string, rest []string, faults []error) {
	flags = map[string]string{}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(rest, args[i+1:]...), faults
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		at := slices.IndexFunc(table, func(e setting) bool { return e.flag() == name })
		switch {
		case name == "h" || name == "help":
			faults = append(faults, flag.ErrHelp)
			continue
		case at < 0:
			faults = append(faults, fmt.Errorf("--%s is not a setting", name))
			// The value of an unknown flag is not to be taken for an argument.
			if !given && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
				i++
			}
			continue
		case given:
		case table[at].isBool:
			value = "true"
		case i+1 < len(args):
			i++
			value = args[i]
		default:
			faults = append(faults, fmt.Errorf("--%s has no value", name))
			continue
		}
		if _, twice := flags[name]; twice {
			faults = append(faults, fmt.Errorf("--%s is given twice", name))
		}
		flags[name] = value
	}
	return flags, rest, faults
}

// Effective gives every setting as NAME=value in the order of the
// documentation, secrets masked.
func (s Settings) Effective() []string {
	table := s.table()
	lines := make([]string, len(table))
	for i, e := range table {
		value := e.show()
		if e.secret && value != "" {
			value = mask(value)
		}
		lines[i] = e.env + "=" + value
	}
	return lines
}

// Usage describes every setting for people, one per line.
func Usage() string {
	var b strings.Builder
	for _, e := range new(Settings).table() {
		fmt.Fprintf(&b, "  --%-20s %-24s %s", e.flag(), e.env, e.usage)
		if e.def != "" {
			fmt.Fprintf(&b, " (%s)", e.def)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// mask keeps of a secret only the scheme and host of an address.
func mask(secret string) string {
	u, err := url.Parse(secret)
	if err != nil || u.Host == "" {
		return "****"
	}
	masked := u.Scheme + "://"
	if u.User != nil {
		masked += "****@"
	}
	return masked + u.Host
}

func text(env, def, usage string, field *string, check func(string) error) setting {
	return setting{env: env, def: def, usage: usage, show: func() string { return *field }, parse: func(v string) error {
		if v != "" && check != nil {
			if err := check(v); err != nil {
				return err
			}
		}
		*field = v
		return nil
	}}
}

func hidden(e setting) setting {
	e.secret = true
	return e
}

func boolean(env, def, usage string, field *bool) setting {
	return setting{env: env, def: def, usage: usage, isBool: true, show: func() string { return strconv.FormatBool(*field) }, parse: func(v string) error {
		switch strings.ToLower(v) {
		case "1", "true", "on", "yes":
			*field = true
		case "0", "false", "off", "no":
			*field = false
		default:
			return errors.New("must be true or false")
		}
		return nil
	}}
}

func parsed[T fmt.Stringer](env, def, usage string, field *T, read func(string) (T, error)) setting {
	return setting{env: env, def: def, usage: usage, show: func() string { return (*field).String() }, parse: func(v string) (err error) {
		*field, err = read(v)
		return err
	}}
}

func duration(env, def, usage string, field *time.Duration, least time.Duration) setting {
	return setting{env: env, def: def, usage: usage, show: func() string { return shortDuration(*field) }, parse: func(v string) error {
		d, err := time.ParseDuration(v)
		if err != nil {
			return errors.New("must be a duration, such as 90s, 15m or 720h")
		}
		if d < least {
			return fmt.Errorf("must be %s or more", least)
		}
		*field = d
		return nil
	}}
}

func number(env, def, usage string, field *int, least, most int) setting {
	return setting{env: env, def: def, usage: usage, show: func() string { return strconv.Itoa(*field) }, parse: func(v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < least || n > most {
			return fmt.Errorf("must be a number from %d to %d", least, most)
		}
		*field = n
		return nil
	}}
}

func checkAddr(v string) error {
	_, port, err := net.SplitHostPort(v)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return errors.New("must be host:port, such as 127.0.0.1:8080 or :8080")
	}
	return nil
}

func checkHTTP(v string) error {
	u, err := url.Parse(v)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("must be an http or https address without user, query and fragment")
	}
	return nil
}

// checkMongo never quotes the value: it has a password in it.
func checkMongo(v string) error {
	if !strings.HasPrefix(v, "mongodb://") && !strings.HasPrefix(v, "mongodb+srv://") {
		return errors.New("must begin with mongodb:// or mongodb+srv://")
	}
	return nil
}
