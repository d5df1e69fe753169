// Package api is the table of the operations of the API: for each its method
// and path, who may call it and whose objects it reaches, which service answers
// it, and its limits. The gateway routes by the table, the services register
// their handlers by its ids (web.Register), the OpenAPI document shows it, and
// the end-to-end tests walk its cells.
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

// Reach says whose objects an operation reads and changes. What is beyond it is
// answered as what does not exist.
type Reach int

const (
	// Common is what is the same for every caller: reference data, and what
	// needs no token. It is the zero value: an operation that names an object
	// and lacks its reach is an error (Check).
	Common Reach = iota
	// Organization is what belongs to the caller's organization.
	Organization
	// Account is the caller's own account and sessions, whatever the role.
	Account
)

var reachNames = [...]string{Common: "the same for all", Organization: "own organization", Account: "own account"}

// String returns the words of the documentation.
func (r Reach) String() string {
	if r < Common || r > Account {
		return fmt.Sprintf("Reach(%d)", int(r))
	}
	return reachNames[r]
}

// Service is the name of a service, as health shows it.
type Service string

// The services that answer operations.
const (
	Gateway     Service = "gateway"
	Auth        Service = "auth"
	Records     Service = "records"
	Review      Service = "review"
	Calculation Service = "calculation"
)

// Backends returns the services behind the gateway.
func Backends() []Service { return []Service{Auth, Records, Review, Calculation} }

// Limit is the budget that a request without a token is counted against, per
// address of the client. Requests with a token are counted per user.
type Limit int

const (
	// Unlimited requests are not counted.
	Unlimited Limit = iota
	// SignIn is one budget for login and refresh together.
	SignIn
	// Setup is as much again for the one-time setup of accounts, which must not
	// use up what colleagues behind the same address need to sign in.
	Setup
)

// Cost is what an operation takes, compared with others. Operations that need a token
// are scheduled by it so that no organization takes a service away from the others.
type Cost int

const (
	// Unscheduled operations are not scheduled where this is their cost: at the gateway
	// what the services schedule, and in auth what waits for a hash and has turns there.
	Unscheduled Cost = -1
	// Light operations are writes. Of one organization some are worked on at a time
	// while another one has any too; they may be delayed.
	Light Cost = 0
	// Page is one page of a list, or any other read, or a write that calculates a page of
	// records: it may be delayed, and is never refused.
	Page Cost = 1
	// Part reads much of an event. Beyond what an organization may have waiting
	// it is refused.
	Part Cost = 2
	// Whole reads all of an event, and is refused like Part.
	Whole Cost = 4
)

// Expensive reports whether an operation may be refused for its cost.
func (c Cost) Expensive() bool { return c > Page }

// Decision says who in the team of an event an operation is for.
type Decision int

const (
	// NoDecision is for the members whose role allows it, and for administrators.
	NoDecision Decision = iota
	// Reviewers is for reviewers of the team alone, administrators or not.
	Reviewers
	// ReviewersAndTeam is for reviewers and, where it is about the team itself, for
	// administrators.
	ReviewersAndTeam
)

// InTeam returns who may call an operation on an event that has a team, as the
// documentation shows it; empty where it names no event.
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

// TeamRole returns the least role in the team of an event that an operation on it
// needs: the team's word for the least role in the organization.
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
	// Method and Path are as in that document: "/events/{eventId}".
	Method, Path string
	// Root paths are at the root of the host, the others below the base path.
	Root bool
	// Service answers the operation.
	Service Service
	// Least is the least role that may call it; RoleNone: no token is needed.
	Least identity.Role
	Reach Reach
	// Others is the least role that may do it to a record somebody else has
	// created; below it one's own records remain. RoleNone: there is no such
	// rule.
	Others identity.Role
	// Decides says whose decisions on an event with a team these are.
	Decides Decision
	// Limit applies to operations that need no token.
	Limit Limit
	// Timeout bounds the whole request; 0: the default of whoever serves it.
	Timeout time.Duration
	// BodyLimit is the largest request body in bytes; 0: the default of all.
	BodyLimit int
	// Cost says how the service schedules the operation among organizations.
	Cost Cost
	// RehearsalCost is what a rehearsal of a write (X-Dry-Run) costs that reads so much of an
	// event as the write itself does not, and for which its handler waits (web.BeginRehearsal);
	// 0: as much as the write.
	RehearsalCost Cost
	// Streamed bodies are passed on by the gateway as they come in.
	Streamed bool
}

// Public reports whether the operation needs no token.
func (o Operation) Public() bool { return o.Least == identity.RoleNone }

// StrangersBody is the largest body, in bytes, of a request that needs no token: whoever it is
// from, it costs memory, and a processor to read it, before it is known whether it is worth that. The
// longest fields of a sign-in take 6 KiB, and three times that where each character is escaped.
const StrangersBody = 16 << 10

// MaxBody returns the largest body of a request in bytes, where byDefault is that of
// operations with a token that name none.
func (o Operation) MaxBody(byDefault int) int {
	switch {
	case o.Public():
		return min(StrangersBody, byDefault)
	case o.BodyLimit > 0:
		return o.BodyLimit
	}
	return byDefault
}

// Params returns the names of the parameters in the path.
func (o Operation) Params() []string {
	var names []string
	for segment := range strings.SplitSeq(o.Path, "/") {
		if isParam(segment) {
			names = append(names, strings.Trim(segment, "{}"))
		}
	}
	return names
}

// String returns how error messages name the operation.
func (o Operation) String() string { return fmt.Sprintf("%s (%s %s)", o.ID, o.Method, o.Path) }

// Table is a list of operations, each id once.
type Table []Operation

// Find returns the operation with an id and reports whether there is one.
func (t Table) Find(id string) (Operation, bool) {
	i := slices.IndexFunc(t, func(o Operation) bool { return o.ID == id })
	if i < 0 {
		return Operation{}, false
	}
	return t[i], true
}

// Of returns the operations that one service answers.
func (t Table) Of(s Service) Table {
	return slices.DeleteFunc(slices.Clone(t), func(o Operation) bool { return o.Service != s })
}

// SignedIn returns the table of a server that only asks for a token and leaves
// the role to the service behind it: every operation that needs a token is open
// to every member. The service schedules them, too.
func (t Table) SignedIn() Table {
	open := slices.Clone(t)
	for i := range open {
		if !open[i].Public() {
			open[i].Least = identity.Viewer // the least of all roles
		}
		open[i].Cost = Unscheduled
	}
	return open
}

// Check returns all errors of the table together: a row that is incomplete or
// contradicts itself, and a row that no request could reach.
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

// segment is what a literal segment of a path may look like: nothing that needs
// to be encoded, and no dot segment.
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

// unreachable finds operations whose requests another one answers. Of two
// patterns that match a path the one with the earlier literal segment is taken,
// whatever the order of registration; a parameter stands for any value, so that
// literals can never use all of them up. What remains are patterns that differ
// in nothing but the names of their parameters.
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

// shape returns a path without the names of its parameters.
func shape(path string) string {
	parts := segments(path)
	for i, p := range parts {
		if isParam(p) {
			parts[i] = "{}"
		}
	}
	return strings.Join(parts, "/")
}
