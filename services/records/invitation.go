package records

import (
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// maxSetupToken is the maximum length of a setup token.
const maxSetupToken = 1024

// invitationView is what the holder of an invitation learns before accepting it: what the
// organization is called, and what the invitation is to. Whoever accepts it learns that and
// more, and without accepting there is no other way to know whom a password is set for.
type invitationView struct {
	Organization     record.OrgID  `json:"organization"`
	OrganizationName string        `json:"organizationName"`
	Role             identity.Role `json:"role"`
}

// invitation answers with what the setup token of an invitation offers. It is here and not in
// auth because the names of organizations are here.
func (s *server) invitation(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("token")
	token, _ := r.String("token", 1, maxSetupToken)
	if err := web.Finish(c, r); err != nil {
		return err
	}
	found, err := s.Members.Invitation(c.UserContext(), token)
	if errors.Is(err, members.ErrNoInvitation) {
		return apperr.New(apperr.NotFound, "The invitation is not valid. Ask for a new one.").
			With(apperr.Detail{Field: "token", Code: "UNKNOWN_INVITATION", Message: "token must belong to an invitation that has not been used yet and is at most 72 hours old."})
	}
	if err != nil {
		return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
			Message: "The invitation cannot be read right now. Please try again in a moment."}).Because(err)
	}
	o, err := s.Store.Organization(c.UserContext(), record.OrgID(found.Organization))
	if err != nil && !errors.Is(err, record.ErrNotFound) {
		return err
	}
	return web.OK(c, invitationView{Organization: record.OrgID(found.Organization), OrganizationName: o.Name, Role: found.Role})
}
