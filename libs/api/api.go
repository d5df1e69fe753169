// Package api is the table of operations of the API. For each one it has the method and path,
// who may call it and whose objects it accesses, the service that handles it, and its limits.
// The gateway routes by the table, the services register handlers by its ids (web.Register),
// the OpenAPI document shows it, and the end-to-end tests cover all of its cells.
package api

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Reach is the scope of the objects that an operation reads and changes. Objects outside of it
// are answered as if they did not exist.
type Reach int

const (
	// Common is what is the same for every caller: reference data, and operations without a
	// token. It is the zero value: an operation that names an object and has no other reach is
	// an error (Check).
	Common Reach = iota
	// Organization is the caller's organization.
	Organization
	// Account is the caller's own account and sessions, whatever the role.
	Account
)

var reachNames = [...]string{Common: "the same for all", Organization: "own organization", Account: "own account"}

// String returns the name used in the documentation.
func (r Reach) String() string {
	if r < Common || r > Account {
		return fmt.Sprintf("Reach(%d)", int(r))
	}
	return reachNames[r]
}

// Service is the name of a service, as health shows it.
type Service string

// The services that handle operations.
const (
	Gateway     Service = "gateway"
	Auth        Service = "auth"
	Records     Service = "records"
	Review      Service = "review"
	Calculation Service = "calculation"
)

// Backends returns the services behind the gateway.
func Backends() []Service { return []Service{Auth, Records, Review, Calculation} }

// Limit is the rate limit of a request without a token, counted per client address. Requests
// with a token are counted per user.
type Limit int

const (
	// Unlimited requests are not counted.
	Unlimited Limit = iota
	// SignIn limits login and refresh together.
	SignIn
	// Setup has the same size as SignIn, separately for the one-time setup of accounts, so that
	// it cannot use up the sign-ins of colleagues behind the same address.
	Setup
)

// Cost is the cost of an operation relative to others. Operations that need a token are
// scheduled by it, so that no organization monopolizes a service.
type Cost int

const (
	// Unscheduled operations are not scheduled: at the gateway those that the services
	// schedule, and in auth those that are scheduled by their password hash.
	Unscheduled Cost = -1
	// Light operations are writes. While another organization has writes too, the concurrency
	// of one organization is limited; they may be delayed.
	Light Cost = 0
	// Page is a page of a list, any other read, or a write that calculates a page of records:
	// it may be delayed, but is never rejected.
	Page Cost = 1
	// Part reads a large part of an event. It is rejected if its organization has too much
	// waiting.
	Part Cost = 2
	// Whole reads a whole event, and may be rejected like Part.
	Whole Cost = 4
)

// Expensive reports whether an operation may be rejected for its cost.
func (c Cost) Expensive() bool { return c > Page }

// Decision is the group of an event's team that may call an operation.
type Decision int

const (
	// NoDecision allows the members whose role permits it, and administrators.
	NoDecision Decision = iota
	// Reviewers allows only reviewers of the team, whether or not they are administrators.
	Reviewers
	// ReviewersAndTeam allows reviewers and, for operations on the team itself, administrators.
	ReviewersAndTeam
)

// InTeam returns who may call an operation on an event with a team, as shown in the
// documentation, or the empty string if it names no event.
func (o Operation) InTeam() string {
	if !strings.HasPrefix(o.Path, "/events/") {
		return ""
	}
	role := o.TeamRole()
	switch o.Decides {
	case Reviewers:
		return role
	case ReviewersAndTeam:
		return role + "; an admin about the team"
	}
	return role + " or admin"
}

// TeamRole returns the minimum role in the team of an event for an operation on it: the team's
// name for the minimum role in the organization.
func (o Operation) TeamRole() string {
	switch o.Least {
	case identity.Viewer:
		return "viewer"
	case identity.User:
		return "contributor"
	}
	return "reviewer"
}

// Operation is one row of the table.
type Operation struct {
	// ID is the operationId of the OpenAPI document.
	ID string
	// Method and Path are those of that document, such as "/events/{eventId}".
	Method, Path string
	// Root paths are at the root of the host, the others below the base path.
	Root bool
	// Service handles the operation.
	Service Service
	// Least is the minimum role of the caller; RoleNone: no token is needed.
	Least identity.Role
	Reach Reach
	// Others is the minimum role for records created by others; a lower role may access its own
	// only. RoleNone: no such rule.
	Others identity.Role
	// Decides restricts the operation on an event with a team.
	Decides Decision
	// Limit applies to operations that need no token.
	Limit Limit
	// Timeout bounds the whole request; 0: the default of the server.
	Timeout time.Duration
	// BodyLimit is the maximum size of the request body in bytes; 0: the default.
	BodyLimit int
	// Cost determines how the service schedules the operation.
	Cost Cost
	// RehearsalCost is the cost of the dry run (X-Dry-Run) of a write if it reads more of an
	// event than the write itself, so that its handler acquires another slot
	// (web.BeginRehearsal); 0: that of the write.
	RehearsalCost Cost
	// Streamed bodies are forwarded by the gateway while they are received.
	Streamed bool
}

// Public reports whether the operation needs no token.
func (o Operation) Public() bool { return o.Least == identity.RoleNone }

// StrangersBody is the maximum body size, in bytes, of a request that needs no token: it costs
// memory and CPU time before it is known whether it is legitimate. The longest fields of a
// sign-in take 6 KiB, and three times that if each character is escaped.
const StrangersBody = 16 << 10

// MaxBody returns the maximum body size in bytes; byDefault is that of operations with a token
// that define none.
func (o Operation) MaxBody(byDefault int) int {
	switch {
	case o.Public():
		return min(StrangersBody, byDefault)
	case o.BodyLimit > 0:
		return o.BodyLimit
	}
	return byDefault
}

// Params returns the names of the path parameters.
func (o Operation) Params() []string {
	var names []string
	for segment := range strings.SplitSeq(o.Path, "/") {
		if isParam(segment) {
			names = append(names, strings.Trim(segment, "{}"))
		}
	}
	return names
}

// String returns the operation as named in error messages.
func (o Operation) String() string { return fmt.Sprintf("%s (%s %s)", o.ID, o.Method, o.Path) }

// Table is a list of operations with unique ids.
type Table []Operation

// Find returns the operation with an id, and reports whether it exists.
func (t Table) Find(id string) (Operation, bool) {
	i := slices.IndexFunc(t, func(o Operation) bool { return o.ID == id })
	if i < 0 {
		return Operation{}, false
	}
	return t[i], true
}

// Of returns the operations of a service.
func (t Table) Of(s Service) Table {
	return slices.DeleteFunc(slices.Clone(t), func(o Operation) bool { return o.Service != s })
}

// SignedIn returns the table of a server that requires a token but leaves the role to the
// service behind it: every member may call every operation that needs a token. The service
// schedules them, too.
func (t Table) SignedIn() Table {
	open := slices.Clone(t)
	for i := range open {
		if !open[i].Public() {
			open[i].Least = identity.Viewer // the lowest role
		}
		open[i].Cost = Unscheduled
	}
	return open
}

// Check returns all errors of the table together: rows that are incomplete or contradictory,
// and rows that no request can reach.
func (t Table) Check() error {
	errs := make([]error, 0, len(t))
	ids := map[string]bool{}
	for _, o := range t {
		if ids[o.ID] && o.ID != "" {
			errs = append(errs, fmt.Errorf("operation %s has the id of another one", o))
		} else if err := o.check(); err != nil {
			errs = append(errs, fmt.Errorf("operation %s %w", o, err))
		}
		ids[o.ID] = true
	}
	return errors.Join(append(errs, t.unreachable()...)...)
}

// segment matches a valid literal path segment: it needs no encoding and is not a dot segment.
var (
	literal   = regexp.MustCompile(`^\.?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	parameter = regexp.MustCompile(`^\{[A-Za-z][A-Za-z0-9]*\}$`)
)

func (o Operation) check() error {
	if o.ID == "" || o.Method == "" || !strings.HasPrefix(o.Path, "/") {
		return errors.New("lacks its id, its method or the slash of its path")
	}
	for _, s := range segments(o.Path) {
		if !literal.MatchString(s) && !parameter.MatchString(s) {
			return fmt.Errorf("can never be reached: no request has the segment %q", s)
		}
	}
	switch {
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, o.Method):
		return errors.New("has a method that is not served; HEAD is served with GET")
	case !o.Least.Known() || !o.Others.Known():
		return errors.New("has a role that does not exist")
	case o.Public() && o.Reach != Common:
		return errors.New("needs no token and so cannot know whose objects it reaches")
	case o.Others != identity.RoleNone && (o.Least.Holds(o.Others) || o.Reach != Organization):
		return errors.New("has a rule about the records of others that changes nothing")
	case !o.Public() && o.Limit != Unlimited:
		return errors.New("needs a token and has a limit for requests without one")
	case o.Cost > Light && o.Public():
		return errors.New("needs no token and so cannot be scheduled by organization")
	case o.RehearsalCost != Light && (!o.RehearsalCost.Expensive() || o.RehearsalCost <= o.Cost || o.Method == http.MethodGet || o.Public()):
		return errors.New("has a cost of its rehearsal that changes nothing")
	case o.Timeout < 0 || o.BodyLimit < 0 || o.Cost < Unscheduled:
		return errors.New("has a timeout, body limit or cost below zero")
	}
	return nil
}

// unreachable finds operations whose requests another one receives. Of two patterns that match
// a path the one with the earlier literal segment is used, whatever the order of registration;
// a parameter matches any value, so literals never cover all of them. What remains are patterns
// that differ only in the names of their parameters.
func (t Table) unreachable() []error {
	var errs []error
	for i, o := range t {
		for _, before := range t[:i] {
			if o.Root != before.Root || shape(o.Path) != shape(before.Path) {
				continue
			}
			if o.Method == before.Method {
				errs = append(errs, fmt.Errorf("operation %s can never be reached: %s has the same method and matches the same paths", o, before))
			} else if o.Path != before.Path {
				errs = append(errs, fmt.Errorf("operation %s can never be reached: %s matches the same paths with other names for its parameters", o, before))
			}
		}
	}
	return errs
}

// shape returns a path without parameter names.
func shape(path string) string {
	parts := segments(path)
	for i, p := range parts {
		if isParam(p) {
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "/")
}
