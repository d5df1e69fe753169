// Package identity authenticates callers. It defines the identity of a caller as every service
// sees it, and verifies the access token that proves it. Nothing else in a request identifies a
// caller.
package identity

import (
	"fmt"
	"strings"
	"time"
)

// Role is what a member of an organization may do. A role includes the permissions of those it
// holds (see Holds). The zero value has no permissions at all, so a route or token without a
// role denies.
//
// The numbers are stored (SQLite stores accounts with them), so they never change, and they do
// not define the order: roles must be compared by Holds only.
type Role int

// The roles of the contract. Viewer is negative, so that an older program, which compared the
// numbers, treats it as lower than any role.
const (
	Viewer   Role = -1
	RoleNone Role = 0
	User     Role = 1
	Manager  Role = 2
	Admin    Role = 3
)

// Roles returns all roles but RoleNone, the lowest first.
func Roles() []Role { return []Role{Viewer, User, Manager, Admin} }

// RoleNames returns the names of Roles, for messages and lists of choices.
func RoleNames() []string {
	names := make([]string, 0, len(Roles()))
	for _, r := range Roles() {
		names = append(names, r.String())
	}
	return names
}

// rank returns the position of a role in the order, or false for an invalid role.
func (r Role) rank() (int, bool) {
	switch r {
	case RoleNone:
		return 0, true
	case Viewer:
		return 1, true
	case User:
		return 2, true
	case Manager:
		return 3, true
	case Admin:
		return 4, true
	}
	return 0, false
}

// Known reports whether r is RoleNone or one of Roles.
func (r Role) Known() bool {
	_, ok := r.rank()
	return ok
}

// Holds reports whether r includes the permissions of least. An invalid role includes none.
func (r Role) Holds(least Role) bool {
	own, known := r.rank()
	wanted, exists := least.rank()
	return known && exists && own >= wanted
}

// String returns the name used in tokens and in the API.
func (r Role) String() string {
	switch r {
	case RoleNone:
		return "none"
	case Viewer:
		return "viewer"
	case User:
		return "user"
	case Manager:
		return "manager"
	case Admin:
		return "admin"
	}
	return fmt.Sprintf("Role(%d)", int(r))
}

// ParseRole reads a role's name; "none" and unknown names are errors.
func ParseRole(name string) (Role, error) {
	for _, r := range Roles() {
		if r.String() == name {
			return r, nil
		}
	}
	return RoleNone, fmt.Errorf("role %q is not one of %s", name, strings.Join(RoleNames(), ", "))
}

// MarshalText writes the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the format of MarshalText.
func (r *Role) UnmarshalText(text []byte) error {
	parsed, err := ParseRole(string(text))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}

// Principal is the verified caller of a request.
type Principal struct {
	UserID  string
	Org     string // the tenant: every read and write is restricted to it
	Role    Role
	Name    string // for histories; may be empty
	Session string // the session the token belongs to (sid)
	Expires time.Time
}
