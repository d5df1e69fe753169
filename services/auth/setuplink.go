package auth

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// memberSetup begins what is stored of a setup token that an organization gave out;
// the organization and the hash follow. Such a token is good only while its person
// belongs to no other organization.
const memberSetup = "member:"

// splitSetup returns the hash of a setup token, and the organization that gave it
// out; none where it was the operator.
func splitSetup(stored string) (org, hash string) {
	of, ok := strings.CutPrefix(stored, memberSetup)
	i := strings.LastIndexByte(of, ':')
	if !ok || i < 0 {
		return "", stored
	}
	return of[:i], of[i+1:]
}

// SetupLink returns a one-time token with which a member sets a password anew. The
// present password and sessions go on until it is used. It is for persons of that
// organization alone; the refusal for others says nothing of what else they belong to.
// Each call counts as an invitation, and is audited where it is refused, a rehearsal
// too: its answer would tell as much.
func (a *Accounts) SetupLink(ctx context.Context, org, id string, rehearsal bool) (u account.User, setupToken string, err error) {
	u, err = a.User(ctx, org, id)
	if err != nil {
		return u, "", err
	}
	if asking, _ := callerOf(ctx); asking.actor == u.ID {
		return u, "", apperr.New(apperr.InvalidTransition, "You are signed in: change your own password with the present one, POST /auth/password.")
	}
	if !u.Active() {
		return u, "", apperr.New(apperr.InvalidTransition, "Only an active member gets a link to set a password. Invite again who was invited, and enable who is disabled.").
			With(apperr.Detail{Field: "state", Code: stateOf(u), Message: "The member is " + stateOf(u) + "."})
	}
	if err := a.countInvitation(ctx, org); err != nil {
		return u, "", err
	}
	p, err := a.person(ctx, u)
	if err != nil {
		return u, "", err
	}
	alone, err := a.alone(ctx, p, org)
	if err != nil {
		return u, "", err
	}
	if !alone {
		if err := a.audit(ctx, event{action: "user.reset", org: org, subject: id, failed: "only the operator may"}); err != nil {
			return u, "", err
		}
		return u, "", apperr.New(apperr.Forbidden, "The password of this person is not your organization's to reset. The operator of this server can give out a link.")
	}
	if rehearsal {
		return u, "", nil
	}
	_, err = a.changePerson(ctx, p.ID, func(p *account.User) error {
		setupToken = a.newSetup(p)
		p.SetupHash = memberSetup + org + ":" + p.SetupHash
		return nil
	})
	if err != nil {
		return u, "", err
	}
	return u, setupToken, a.audit(ctx, event{action: "user.reset", org: org, subject: id})
}

// alone reports whether a person is a member of no organization but one.
func (a *Accounts) alone(ctx context.Context, p account.User, org string) (bool, error) {
	all, err := a.memberships(ctx, p)
	return !slices.ContainsFunc(all, func(m account.User) bool { return m.Org != org }), err
}

// setUpBy reports whether a secret sets the password of a person now.
func (a *Accounts) setUpBy(ctx context.Context, u account.User, secret string) (bool, error) {
	if !a.opensSetup(u, secret) {
		return false, nil
	}
	if org, _ := splitSetup(u.SetupHash); org != "" {
		return a.alone(ctx, u, org)
	}
	return true, nil
}

// opensSetup reports whether secret is the setup secret of u, and still valid.
func (a *Accounts) opensSetup(u account.User, secret string) bool {
	_, hash := splitSetup(u.SetupHash)
	return account.SecretMatches(secret, hash) && a.now().Before(u.SetupUntil) &&
		(!u.Disabled || u.Left) && !u.Deleted && u.Person == "" && !u.IsInvitation()
}

// createSetupLink answers POST /users/{userId}/setup-link.
func (s *Service) createSetupLink(c *fiber.Ctx) error {
	rehearsed, err := web.DryRun(c)
	if err != nil {
		return err
	}
	u, token, err := s.SetupLink(withCaller(c), web.PrincipalOf(c).Org, c.Params("userId"), rehearsed)
	if err != nil {
		return err
	}
	out := userOut(u)
	out.SetupToken = token
	return web.Created(c, out, "")
}
