package gateway

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
)

// target is who answers a route.
type target int

const (
	self target = iota
	auth
	records
	review
	calculation
)

// String gives the name of the service; it is what health shows.
func (t target) String() string {
	return [...]string{self: "gateway", auth: "auth", records: "records", review: "review", calculation: "calculation"}[t]
}

// route is one line of the public table: what is not in it cannot be reached
// from outside.
type route struct {
	method string
	// path is the pattern below the base path, as in the OpenAPI document.
	path string
	to   target
	// public routes need no token.
	public bool
	// limit is the policy of a public route; a route with a token is counted by
	// the policy of writes when it is one.
	limit limitClass
	// timeout bounds the whole request; 0: Deps.Timeout.
	timeout time.Duration
	// bodyLimit is the largest body in bytes; 0: that of all routes.
	bodyLimit int
	// root: the path is at the root of the host.
	root bool
	// undocumented: a part of a page, not an operation of the API.
	undocumented bool

	// parts are the segments of path; newRouter splits them, once.
	parts []string
}

type limitClass int

const (
	unlimited limitClass = iota
	// signIn: one budget per client address for login and refresh together.
	signIn
	// setup: as much again for the one-time setup of accounts, which must not
	// use up what colleagues behind the same address need to sign in.
	setup
)

// table is the one list of public routes.
func table() []route {
	const (
		event  = "/events/{eventId}"
		sub    = event + "/{type}"
		item   = sub + "/{recordId}"
		get    = http.MethodGet
		post   = http.MethodPost
		patch  = http.MethodPatch
		remove = http.MethodDelete
		// slow is for what reads all counted records of an event together.
		slow = 30 * time.Second
	)
	return []route{
		{method: get, path: "/health", public: true},
		{method: get, path: "/health/live", public: true},
		{method: get, path: "/health/ready", public: true},
		{method: get, path: "/docs", public: true},
		{method: get, path: "/docs/{asset}", public: true, undocumented: true},
		{method: get, path: "/openapi.json", public: true},

		{method: post, path: "/auth/login", to: auth, public: true, limit: signIn},
		{method: post, path: "/auth/refresh", to: auth, public: true, limit: signIn},
		{method: post, path: "/auth/setup", to: auth, public: true, limit: setup},
		{method: post, path: "/auth/logout", to: auth},
		{method: get, path: "/auth/me", to: auth},
		{method: post, path: "/auth/password", to: auth},
		{method: get, path: "/auth/sessions", to: auth},
		{method: remove, path: "/auth/sessions/{sessionId}", to: auth},
		{method: get, path: "/users", to: auth},
		{method: post, path: "/users", to: auth},
		{method: get, path: "/users/{userId}", to: auth},
		{method: patch, path: "/users/{userId}", to: auth},
		{method: remove, path: "/users/{userId}", to: auth},
		{method: get, path: "/.well-known/openid-configuration", to: auth, public: true, root: true},
		{method: get, path: "/.well-known/jwks.json", to: auth, public: true, root: true},

		{method: get, path: "/organization", to: records},
		{method: get, path: "/organization/audit", to: auth},
		{method: patch, path: "/organization", to: records},
		{method: get, path: "/record-types", to: records},
		{method: get, path: "/record-types/{type}", to: records},
		{method: get, path: "/record-types/{type}/template", to: records},
		{method: get, path: "/locations/index", to: records},
		{method: get, path: "/locations/{code}", to: records},
		{method: get, path: "/events", to: records},
		{method: post, path: "/events", to: records},
		{method: get, path: event, to: records},
		{method: patch, path: event, to: records},
		{method: remove, path: event, to: records},
		{method: get, path: event + "/export", to: records, timeout: time.Minute},
		{method: get, path: sub, to: records},
		{method: post, path: sub, to: records},
		{method: post, path: sub + "/batch", to: records},
		{method: post, path: sub + "/submit", to: records},
		{method: post, path: sub + "/import", to: records, timeout: 30 * time.Second, bodyLimit: 16 << 20},
		{method: get, path: event + "/imports/{importId}", to: records},
		{method: get, path: item, to: records},
		{method: patch, path: item, to: records},
		{method: remove, path: item, to: records},
		{method: get, path: item + "/history", to: records},
		{method: post, path: item + "/submit", to: records},
		{method: post, path: item + "/withdraw", to: records},

		{method: get, path: "/review", to: calculation},
		{method: get, path: event + "/review", to: calculation},
		{method: post, path: event + "/review/approve", to: review},
		{method: post, path: item + "/review", to: review},
		{method: post, path: item + "/approve", to: review},
		{method: post, path: item + "/request-changes", to: review},
		{method: post, path: item + "/reject", to: review},
		{method: post, path: item + "/reopen", to: review},

		{method: get, path: event + "/results", to: calculation},
		{method: get, path: event + "/results/history", to: calculation},
		{method: get, path: event + "/results/explain", to: calculation},
		{method: get, path: event + "/results/report", to: calculation, timeout: slow},
		{method: get, path: event + "/results/preview", to: calculation, timeout: slow},
		{method: get, path: event + "/results/{revision}", to: calculation},
		{method: get, path: event + "/results/{revision}/diff/{other}", to: calculation, timeout: slow},
		{method: get, path: "/factor-sets", to: calculation},
		{method: get, path: "/factor-sets/{setId}", to: calculation},
		{method: post, path: event + "/factor-set", to: calculation, timeout: slow},
		{method: get, path: "/.well-known/report-keys.json", to: calculation, public: true, root: true},
	}
}

// reserved reports whether a word is never a type and never the id of an event
// or record: what follows it is another service's, now or later.
func reserved(word string) bool {
	switch word {
	case "results", "review", "factor-set", "imports", "batch", "import", "export":
		return true
	}
	return false
}

// segments splits the path of a route or a request; a slash at the end does
// not count.
func segments(path string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
}

// isParam reports whether a segment of a pattern stands for any value.
func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }

// matches reports whether a path, already decoded and split, is of this route.
// A reserved word never stands for a type or an id.
func (r route) matches(path []string) bool {
	if len(r.parts) != len(path) {
		return false
	}
	for i, p := range r.parts {
		switch p {
		case "{eventId}", "{type}", "{recordId}":
			if path[i] == "" || reserved(path[i]) {
				return false
			}
		default:
			if isParam(p) && path[i] == "" || !isParam(p) && p != path[i] {
				return false
			}
		}
	}
	return true
}

// moreSpecific orders routes so that of two that match a path the one with the
// earlier literal segment comes first. Literals are ordered among themselves
// too: were they all alike, the order would not be one that can be sorted by.
func moreSpecific(a, b route) int {
	x, y := a.parts, b.parts
	for i := range min(len(x), len(y)) {
		p, q := isParam(x[i]), isParam(y[i])
		switch {
		case p && !q:
			return 1
		case q && !p:
			return -1
		case p && q:
			continue // whatever they are called, they stand for the same
		}
		if c := strings.Compare(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// router finds routes. It is made once and does not change.
type router struct{ routes []route }

func newRouter() router {
	routes := table()
	for i := range routes {
		routes[i].parts = segments(routes[i].path)
	}
	slices.SortStableFunc(routes, moreSpecific)
	return router{routes}
}

// find gives the routes of a path, one for each method it takes; they are all
// of the one most specific pattern. None: there is no such path.
func (r router) find(path []string, root bool) []route {
	var found []route
	for _, candidate := range r.routes {
		if candidate.root != root || !candidate.matches(path) {
			continue
		}
		if len(found) == 0 || found[0].path == candidate.path {
			found = append(found, candidate)
		}
	}
	return found
}

// methods gives what to say in Allow.
func methods(routes []route) []string {
	var list []string
	for _, r := range routes {
		list = append(list, r.method)
		if r.method == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	slices.Sort(list)
	return list
}
