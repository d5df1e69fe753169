// Package api holds who may call what: one table of every operation of
// the API with the least role that may call it and whose objects it reaches.
// Routes are registered by the ids of this table and take their method, path
// and role from it (web.Register); the OpenAPI document shows it, and the
// end-to-end tests walk its cells.
package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Reach says whose objects an operation reads and changes. What is beyond it is
// answered as what does not exist.
type Reach int

const (
	// Common is what is the same for every caller: reference data, and what
	// needs no token. It is the zero value: an operation that names an object
	// and forgot its reach is a fault (Check).
	Common Reach = iota
	// Organization is what belongs to the caller's organization.
	Organization
	// Account is the caller's own account and sessions, whatever the role.
	Account
)

var reachNames = [...]string{Common: "the same for all", Organization: "own organization", Account: "own account"}

// String gives the words of the documentation.
func (r Reach) String() string {
	if r < Common || r > Account {
		return fmt.Sprintf("Reach(%d)", int(r))
	}
	return reachNames[r]
}

// Operation is one row of the table.
type Operation struct {
	// ID is the operationId of the OpenAPI document.
	ID string
	// Method and Path are as in that document: "/events/{eventId}".
	Method, Path string
	// Root paths are at the root of the host, the others below the base path.
	Root bool
	// Least is the least role that may call it; RoleNone: no token is needed.
	Least identity.Role
	Reach Reach
	// Others is the least role that may do it to a record somebody else has
	// created; below it one's own records remain. RoleNone: there is no such
	// rule.
	Others identity.Role
}

// Public reports whether the operation needs no token.
func (o Operation) Public() bool { return o.Least == identity.RoleNone }

// Params gives the names of the parameters in the path.
func (o Operation) Params() []string {
	var names []string
	for segment := range strings.SplitSeq(o.Path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			names = append(names, strings.TrimSuffix(name, "}"))
		}
	}
	return names
}

// Table is a list of operations, each id once.
type Table []Operation

// Find gives the operation of an id.
func (t Table) Find(id string) (Operation, bool) {
	i := slices.IndexFunc(t, func(o Operation) bool { return o.ID == id })
	if i < 0 {
		return Operation{}, false
	}
	return t[i], true
}

// SignedIn gives the table of a door that only asks for a token and leaves the
// role to whoever answers: every operation that needs a token is every
// member's.
func (t Table) SignedIn() Table {
	open := slices.Clone(t)
	for i := range open {
		open[i].Least = min(open[i].Least, identity.User)
	}
	return open
}

// Check gives all faults of the table together.
func (t Table) Check() error {
	var faults []error
	fault := func(o Operation, why string) {
		faults = append(faults, fmt.Errorf("operation %s (%s %s) %s", o.ID, o.Method, o.Path, why))
	}
	ids, routes := map[string]bool{}, map[string]bool{}
	for _, o := range t {
		route := o.Method + " " + o.Path
		switch {
		case o.ID == "" || o.Method == "" || !strings.HasPrefix(o.Path, "/"):
			fault(o, "lacks its id, its method or the slash of its path")
		case ids[o.ID]:
			fault(o, "has an id that another one has")
		case routes[route]:
			fault(o, "has the method and path of another one")
		}
		ids[o.ID], routes[route] = true, true
		switch {
		case o.Least < identity.RoleNone || o.Least > identity.Admin || o.Others < identity.RoleNone || o.Others > identity.Admin:
			fault(o, "has a role that does not exist")
		case o.Public() && o.Reach != Common:
			fault(o, "needs no token and so cannot know whose objects it reaches")
		case o.Others != identity.RoleNone && (o.Others <= o.Least || o.Reach != Organization):
			fault(o, "has a rule about the records of others that changes nothing")
		}
	}
	return errors.Join(faults...)
}
