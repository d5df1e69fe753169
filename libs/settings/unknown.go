package settings

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/spelling"
)

// Names are all environment variables of the programs of the product. Several programs often share an environment, so
// a variable that only another program reads is not an error. A test compares the list with the descriptions of all
// programs.
var Names = []string{
	"ECF_ACCESS_TOKEN_TTL",
	"ECF_ADDR",
	"ECF_AUTH_RATE_LIMIT",
	"ECF_AUTH_URL",
	"ECF_CALCULATION_URL",
	"ECF_CORS_ORIGINS",
	"ECF_DATA_DIR",
	"ECF_DEBUG_ADDR",
	"ECF_DEMO",
	"ECF_DEMO_PASSWORD",
	"ECF_DEMO_PASSWORD_FILE",
	"ECF_ISSUER",
	"ECF_LOG_LEVEL",
	"ECF_MIGRATE_ACCOUNTS_TO",
	"ECF_MIGRATE_ACCOUNTS_TO_FILE",
	"ECF_MIGRATE_TO",
	"ECF_MIGRATE_TO_FILE",
	"ECF_MONGODB_AUTH_URI",
	"ECF_MONGODB_AUTH_URI_FILE",
	"ECF_MONGODB_URI",
	"ECF_MONGODB_URI_FILE",
	"ECF_PEER_SECRET",
	"ECF_PEER_SECRET_FILE",
	"ECF_PEER_UNSIGNED",
	"ECF_PLAN_LIMITS",
	"ECF_QUOTAS",
	"ECF_RECORDS_URL",
	"ECF_REDIS_CACHE_URL",
	"ECF_REDIS_CACHE_URL_FILE",
	"ECF_REDIS_URL",
	"ECF_REDIS_URL_FILE",
	"ECF_REFRESH_TOKEN_TTL",
	"ECF_REQUEST_TIMEOUT",
	"ECF_RESULT_RETENTION",
	"ECF_REVIEW_URL",
	"ECF_SIGNING_ALGORITHM",
	"ECF_SIGNING_KEYS_DIR",
	"ECF_STORED_RATE_LIMIT",
	"ECF_SWEEP_INTERVAL",
	"ECF_TLS_CA",
	"ECF_TLS_CERT",
	"ECF_TLS_KEY",
	"ECF_TRUSTED_CALLERS",
	"ECF_TRUSTED_PROXIES",
	"ECF_WORKERS",
	"ECF_WRITE_RATE_LIMIT",
}

// clientNames are the variables of the examples and the demo, which call a
// server and are often run in the shell that starts one.
var clientNames = []string{"ECF_URL", "ECF_EMAIL", "ECF_PASSWORD", "ECF_DEMO_URL", "ECF_DEMO_CREDENTIALS"}

// serviceLink matches the variables that Kubernetes and container links derive from the name of a service: for
// ecf-auth, ECF_AUTH_SERVICE_HOST, ECF_AUTH_PORT and ECF_AUTH_PORT_8081_TCP_ADDR.
var serviceLink = regexp.MustCompile(`^(ECF(?:_[A-Z0-9]+)*?)_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT|PORT_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$`)

// CheckNames returns an error for each variable of an environment (NAME=value) that looks like a setting of the
// product but is not one, with the one that was probably meant. A variable without a value is ignored.
func (s *Set) CheckNames(environ []string) []error {
	given := map[string]bool{}
	for _, line := range environ {
		if name, value, ok := strings.Cut(line, "="); ok && strings.HasPrefix(name, prefix) && value != "" {
			given[name] = true
		}
	}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	var errs []error
	for _, name := range names {
		if s.knows(name) || slices.Contains(Names, name) || slices.Contains(clientNames, name) || isServiceLink(name, given) {
			continue
		}
		errs = append(errs, fmt.Errorf("%s is not a setting%s", name, s.similarVariable(name)))
	}
	return errs
}

func (s *Set) knows(name string) bool {
	return slices.ContainsFunc(s.list, func(e *Setting) bool {
		return e.Env == name || e.Secret && e.Env+fileSuffix == name
	})
}

// isServiceLink reports whether a variable comes from a link to a service: then the one with the host of the same
// service exists too.
func isServiceLink(name string, given map[string]bool) bool {
	m := serviceLink.FindStringSubmatch(name)
	return m != nil && given[m[1]+"_SERVICE_HOST"]
}

// similarVariable and similarFlag return ": did you mean NAME?", or nothing.
func (s *Set) similarVariable(name string) string {
	candidates := make([]string, 0, 2*len(s.list))
	add := func(env string) { candidates = append(candidates, strings.TrimPrefix(env, prefix)) }
	for _, e := range s.list { // its own first, so that they are preferred
		if e.Env != "" {
			add(e.Env)
		}
		if e.Secret {
			add(e.Env + fileSuffix)
		}
	}
	for _, n := range Names {
		add(n)
	}
	if near := spelling.Nearest(strings.TrimPrefix(name, prefix), candidates, 1); len(near) > 0 {
		return ": did you mean " + prefix + near[0] + "?"
	}
	return ""
}

func (s *Set) similarFlag(name string) string {
	candidates := make([]string, len(s.list))
	for i, e := range s.list {
		candidates[i] = e.Flag
	}
	if near := spelling.Nearest(name, candidates, 1); len(near) > 0 {
		return ": did you mean --" + near[0] + "?"
	}
	return ""
}
