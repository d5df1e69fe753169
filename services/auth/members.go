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

// maxMembersAsked bounds how many ids one question names.
const maxMembersAsked = 200

// memberRoles answers a service's question about members of an organization, with the
// access token that the service was sent.
func (s *Service) memberRoles(c *fiber.Ctx) error {
	token, _ := web.BearerToken(c)
	p, err := s.Verify(c.UserContext(), token)
	if err != nil {
		return err
	}
	var ids []string
	for _, id := range c.Context().QueryArgs().PeekMulti("id") {
		if len(ids) < maxMembersAsked {
			ids = append(ids, string(id))
		}
	}
	roles, err := s.Roles(c.UserContext(), p.Org, ids)
	if err != nil {
		return err
	}
	return web.OK(c, roles)
}
