package auth

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

var _ members.Directory = (*Accounts)(nil)

// Roles implements members.Directory.
func (a *Accounts) Roles(ctx context.Context, org string, ids []string) (map[string]identity.Role, error) {
	roles := make(map[string]identity.Role, len(ids))
	for _, id := range ids {
		u, err := a.store.User(ctx, org, id)
		if err != nil && !errors.Is(err, account.ErrNotFound) {
			return nil, unavailable(err)
		}
		if err == nil && u.Active() {
			roles[id] = u.Role
		}
	}
	return roles, nil
}

// Own implements members.Directory.
func (a *Accounts) Own(ctx context.Context, org, user string) ([]members.Membership, error) {
	p, err := a.personOf(ctx, org, user)
	if err != nil {
		return nil, err
	}
	all, err := a.memberships(ctx, p)
	if err != nil {
		return nil, err
	}
	return membershipsOut(all), nil
}

// Invitation implements members.Directory. It writes nothing, so that a link can be opened
// as often as its holder likes.
func (a *Accounts) Invitation(ctx context.Context, setupToken string) (members.Invitation, error) {
	u, secret, err := a.tokenUser(ctx, setupToken)
	if err != nil {
		return members.Invitation{}, err
	}
	if !a.opens(u, secret) {
		return members.Invitation{}, members.ErrNoInvitation
	}
	return members.Invitation{Organization: u.Org, Role: u.Role}, nil
}

func membershipsOut(all []account.User) []members.Membership {
	out := make([]members.Membership, len(all))
	for i, m := range all {
		out[i] = members.Membership{ID: m.ID, Organization: m.Org, Role: m.Role, State: StateOf(m)}
	}
	return out
}

// ownMemberships answers a service's request for the memberships of the person whose
// access token the service received.
func (s *Service) ownMemberships(c *fiber.Ctx) error {
	token, _ := web.BearerToken(c)
	p, err := s.Verify(c.UserContext(), token)
	if err != nil {
		return err
	}
	own, err := s.Own(c.UserContext(), p.Org, p.UserID)
	if err != nil {
		return err
	}
	return web.OK(c, own)
}

// invitation answers a service's request for the invitation behind the setup token that
// the service received.
func (s *Service) invitation(c *fiber.Ctx) error {
	token, _ := web.BearerToken(c)
	found, err := s.Invitation(c.UserContext(), token)
	if errors.Is(err, members.ErrNoInvitation) {
		return noSuchInvitation()
	}
	if err != nil {
		return err
	}
	return web.OK(c, found)
}

// memberJSON is what every member of an organization may read of the others.
type memberJSON struct {
	ID    string        `json:"_id"`
	Name  string        `json:"name"`
	Role  identity.Role `json:"role"`
	State string        `json:"state"`
}

// listMembers answers GET /organization/members.
func (s *Service) listMembers(c *fiber.Ctx) error {
	return answerUsers(s, c, func(u account.User) memberJSON {
		return memberJSON{ID: u.ID, Name: u.Name, Role: u.Role, State: StateOf(u)}
	})
}

// maxMembersAsked limits the ids in one request.
const maxMembersAsked = 200

// memberRoles answers a service's request about members of an organization, with the
// access token that the service received or, for background work, with the id of the
// organization. The latter is for services alone, as their credential proves; in an
// installation without such credentials it tells the role to any caller who knows both
// ids and reaches this port.
func (s *Service) memberRoles(c *fiber.Ctx) error {
	org := string(c.Context().QueryArgs().Peek(members.Organization))
	if org == "" || c.Get(fiber.HeaderAuthorization) != "" {
		token, _ := web.BearerToken(c)
		p, err := s.Verify(c.UserContext(), token)
		if err != nil {
			return err
		}
		org = p.Org
	}
	var ids []string
	for _, id := range c.Context().QueryArgs().PeekMulti("id") {
		if len(ids) < maxMembersAsked {
			ids = append(ids, string(id))
		}
	}
	roles, err := s.Roles(c.UserContext(), org, ids)
	if err != nil {
		return err
	}
	return web.OK(c, roles)
}
