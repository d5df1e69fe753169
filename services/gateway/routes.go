package gateway

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
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
	// operation is the id in the table of permissions.
	operation string
	to        target
	// limit is the policy of a public route; a route with a token is counted by
	// the policy of writes when it is one.
	limit limitClass
	// timeout bounds the whole request; 0: Deps.Timeout.
	timeout time.Duration
	// bodyLimit is the largest body in bytes; 0: that of all routes.
	bodyLimit int

	// What the table of permissions says; newRouter looks it up, once.
	method string
	// path is the pattern below the base path, or below the root of the host.
	path string
	root bool
	// public routes need no token.
	public bool
	// parts are the segments of path.
	parts []string
}

// Pages and parts of pages, which are no operations of the API.
const (
	docsAsset = "docsAsset"
	setupPage = "setupPage"
)

// permitted is the table of permissions as it holds at this door: which role an
// operation needs is the service's to say, for that its object or type does not
// exist is told before it (404, then 403).
func permitted() api.Table {
	return append(api.Operations().SignedIn(),
		api.Operation{ID: docsAsset, Method: http.MethodGet, Path: "/docs/{asset}"},
		api.Operation{ID: setupPage, Method: http.MethodGet, Path: "/auth/setup"})
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

// table is the one list of public routes: who answers each operation.
func table() []route {
	// slow is for what reads all counted records of an event together.
	const slow = 30 * time.Second
	return []route{
		{operation: "health"},
		{operation: "healthLive"},
		{operation: "healthReady"},
		{operation: "docs"},
		{operation: docsAsset},
		{operation: "openapi"},

		{operation: "login", to: auth, limit: signIn},
		{operation: "refresh", to: auth, limit: signIn},
		{operation: setupPage},
		{operation: "setUpAccount", to: auth, limit: setup},
		{operation: "logout", to: auth},
		{operation: "me", to: auth},
		{operation: "changePassword", to: auth},
		{operation: "listSessions", to: auth},
		{operation: "endSession", to: auth},
		{operation: "listUsers", to: auth},
		{operation: "createUser", to: auth},
		{operation: "getUser", to: auth},
		{operation: "updateUser", to: auth},
		{operation: "deleteUser", to: auth},
		{operation: "openidConfiguration", to: auth},
		{operation: "jwks", to: auth},

		{operation: "getOrganization", to: records},
		{operation: "listAuditLog", to: auth},
		{operation: "updateOrganization", to: records},
		{operation: "listRecordTypes", to: records},
		{operation: "getRecordType", to: records},
		{operation: "getRecordTypeTemplate", to: records},
		{operation: "getLocationIndex", to: records},
		{operation: "getLocation", to: records},
		{operation: "listEvents", to: records},
		{operation: "createEvent", to: records},
		{operation: "getEvent", to: records},
		{operation: "updateEvent", to: records},
		{operation: "deleteEvent", to: records},
		{operation: "exportRecords", to: records, timeout: time.Minute},
		{operation: "listRecords", to: records},
		{operation: "createRecord", to: records},
		{operation: "createRecords", to: records},
		{operation: "submitRecords", to: records},
		{operation: "importRecords", to: records, timeout: 30 * time.Second, bodyLimit: 16 << 20},
		{operation: "getImport", to: records},
		{operation: "getRecord", to: records},
		{operation: "updateRecord", to: records},
		{operation: "deleteRecord", to: records},
		{operation: "getRecordHistory", to: records},
		{operation: "submitRecord", to: records},
		{operation: "withdrawRecord", to: records},

		{operation: "listReviewQueue", to: calculation},
		{operation: "listEventReviewQueue", to: calculation},
		{operation: "approveRecords", to: review},
		{operation: "claimRecord", to: review},
		{operation: "approveRecord", to: review},
		{operation: "requestChanges", to: review},
		{operation: "rejectRecord", to: review},
		{operation: "reopenRecord", to: review},

		{operation: "getResult", to: calculation},
		{operation: "listResultHistory", to: calculation},
		{operation: "explainResult", to: calculation},
		{operation: "getReport", to: calculation, timeout: slow},
		{operation: "previewResult", to: calculation, timeout: slow},
		{operation: "getResultRevision", to: calculation},
		{operation: "compareResults", to: calculation, timeout: slow},
		{operation: "listFactorSets", to: calculation},
		{operation: "getFactorSet", to: calculation},
		{operation: "adoptFactorSet", to: calculation, timeout: 2 * time.Minute},
		{operation: "reportKeys", to: calculation},
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

// newRouter finds the routes of the table in the table of permissions. It fails
// when one has what the other has not.
func newRouter() (router, error) {
	var faults []error
	routes, allowed := table(), permitted()
	for i := range routes {
		r := &routes[i]
		o, ok := allowed.Find(r.operation)
		if !ok {
			faults = append(faults, fmt.Errorf("gateway: route %q is not in the table of permissions", r.operation))
		}
		r.method, r.path, r.root, r.public, r.parts = o.Method, o.Path, o.Root, o.Public(), segments(o.Path)
	}
	for _, o := range allowed {
		if !slices.ContainsFunc(routes, func(r route) bool { return r.operation == o.ID }) {
			faults = append(faults, fmt.Errorf("gateway: nobody answers the operation %s", o.ID))
		}
	}
	slices.SortStableFunc(routes, moreSpecific)
	return router{routes}, errors.Join(faults...)
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
