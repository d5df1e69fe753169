package auth

import (
	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// meJSON is the caller's account: the membership of the token, and all memberships of
// the person.
type meJSON struct {
	userJSON
	Organization string               `json:"organization"`
	Default      string               `json:"defaultOrganization"`
	Memberships  []members.Membership `json:"memberships"`
	// Separate: the account is of that organization alone, which a login to it names.
	Separate bool `json:"separateAccount"`
}

// The states of a membership.
const (
	stateActive   = "active"
	stateInvited  = "invited"
	stateDisabled = "disabled"
)

// StateOf returns the state of a membership: active, invited or disabled.
func StateOf(m account.User) string {
	switch {
	case m.Active():
		return stateActive
	case m.Invited:
		return stateInvited
	}
	return stateDisabled
}

// me answers GET /auth/me.
func (s *Service) me(c *fiber.Ctx) error {
	out, err := s.meOf(c)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}

func (s *Service) meOf(c *fiber.Ctx) (meJSON, error) {
	caller := web.PrincipalOf(c)
	u, err := s.User(c.UserContext(), caller.Org, caller.UserID)
	if err != nil {
		return meJSON{}, err
	}
	p, err := s.person(c.UserContext(), u)
	if err != nil {
		return meJSON{}, err
	}
	all, err := s.memberships(c.UserContext(), p)
	if err != nil {
		return meJSON{}, err
	}
	return meJSON{userJSON: userOut(u), Organization: u.Org, Separate: p.Separate(), Default: defaultOrg(p), Memberships: membershipsOut(all)}, nil
}

// patchMe answers PATCH /auth/me.
func (s *Service) patchMe(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("defaultOrganization")
	org, _ := r.String("defaultOrganization", 1, maxOrganization)
	if err := web.Finish(c, r); err != nil {
		return err
	}
	accounts, rehearsed, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	caller := web.PrincipalOf(c)
	if err := accounts.SetDefault(withCaller(c), caller.Org, caller.UserID, org); err != nil {
		if apperr.CodeOf(err) == apperr.NotFound {
			err = noSuchDefault()
		}
		return err
	}
	out, err := s.meOf(c)
	if err != nil {
		return err
	}
	if rehearsed {
		out.Default = org
	}
	return web.OK(c, out)
}

func noSuchDefault() error {
	return apperr.New(apperr.NotFound, "You are not a member of such an organization.").
		With(apperr.Detail{Field: "defaultOrganization", Code: "UNKNOWN_ORGANIZATION", Message: "defaultOrganization must be an organization in which you are an active member (GET /auth/me lists them)."})
}
