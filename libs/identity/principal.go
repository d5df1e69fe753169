// Package identity says who is calling. It holds the caller's identity as every
// service sees it and the verification of the access token that proves it.
// Nothing in a request but a verified access token ever names a caller.
package identity

import (
	"fmt"
	"time"
)

// Role orders what a member of an organization may do: a higher role has the
// rights of the lower ones. The zero value has no rights at all, so a route or
// a token that forgot to say a role denies.
type Role int

// The roles of the contract.
const (
	RoleNone Role = iota
	User
	Manager
	Admin
)

var roleNames = [...]string{RoleNone: "none", User: "user", Manager: "manager", Admin: "admin"}

// String returns the name used in tokens and in the API.
func (r Role) String() string {
	if r < RoleNone || r > Admin {
		return fmt.Sprintf("Role(%d)", int(r))
	}
	return roleNames[r]
}

// ParseRole reads a role's name; "none" and unknown names are errors.
func ParseRole(name string) (Role, error) {
	for r := User; r <= Admin; r++ {
		if roleNames[r] == name {
			return r, nil
		}
	}
	return RoleNone, fmt.Errorf("role %q is not one of user, manager, admin", name)
}

// MarshalText writes the role's name.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what MarshalText wrote.
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
	Org     string // the tenant: every read and write is scoped to it
	Role    Role
	Name    string // for histories; may be empty
	Session string // the session the token belongs to (sid)
	TokenID string // the token itself (jti)
	Expires time.Time
}
