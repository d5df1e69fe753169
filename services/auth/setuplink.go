package auth

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// memberSetup is the prefix of a stored setup token issued by an organization; the
// organization and the hash follow. Such a token is valid only while its person belongs
// to no other organization.
const memberSetup = "member:"

// splitSetup returns the hash of a setup token and the organization that issued it, or
// "" if an operator did.
func splitSetup(stored string) (org, hash string) {
	of, ok := strings.CutPrefix(stored, memberSetup)
	i := strings.LastIndexByte(of, ':')
	if !ok || i < 0 {
		return "", stored
	}
	return of[:i], of[i+1:]
}

// SetupLink returns a one-time token with which a member sets a new password, or an invited
// user accepts the invitation, which is valid for its full time again. The
// current password and sessions remain valid until it is used. It is for persons of that
// organization only; the refusal for others discloses nothing about their memberships.
// Each call counts as an invitation, and refusals are audited, including those of dry
// runs, which disclose the same.
//
// With a key, a link created by the same request is returned again and counted once,
// with a new token that replaces the previous one; once it was used, without a token.
func (a *Accounts) SetupLink(ctx context.Context, org, id, key string, rehearsal bool) (made Invited, err error) {
	u, err := a.User(ctx, org, id)
	if err != nil {
		return Invited{}, err
	}
	asking, _ := callerOf(ctx)
	if asking.actor == u.ID {
		return Invited{}, apperr.New(apperr.InvalidTransition, "You are signed in. Change your own password with the current one (POST /auth/password).")
	}
	if u.Invited {
		return a.inviteAnew(ctx, u, key, rehearsal)
	}
	if !u.Active() {
		return Invited{}, apperr.New(apperr.InvalidTransition, "Only active and invited users can get a link. Enable the user first.").
			With(apperr.Detail{Field: "state", Code: StateOf(u), Message: "The user is " + StateOf(u) + "."})
	}
	p, err := a.person(ctx, u)
	if err != nil {
		return Invited{}, err
	}
	made.User = u
	request := ""
	if key != "" && !rehearsal {
		request = account.InvitationRequest(asking.actor, key, org+"\x00"+id)
		made.Replayed = a.madeLink(p, request)
	}
	if made.Replayed && p.SetupHash == "" {
		return made, nil
	}
	if !made.Replayed {
		if err := a.countInvitation(ctx, org); err != nil {
			return Invited{}, err
		}
	}
	alone, err := a.alone(ctx, p, org)
	if err != nil {
		return Invited{}, err
	}
	if !alone {
		return Invited{}, a.refuse(ctx, event{action: "user.reset", org: org, subject: id, failed: "only the operator may"},
			apperr.New(apperr.Forbidden, "Your organization cannot reset the password of this person. The operator of this server can provide a link."))
	}
	if rehearsal {
		return made, nil
	}
	used := false
	p, err = a.changePerson(ctx, p.ID, func(p *account.User) error {
		used = made.Replayed && p.SetupHash == ""
		if used {
			made.SetupToken = ""
			return nil
		}
		until := p.SetupUntil
		made.SetupToken = a.newSetup(p)
		if made.Replayed {
			p.SetupUntil = until
		}
		p.SetupHash, p.SetupKey = memberSetup+org+":"+p.SetupHash, request
		return nil
	}, owes(event{action: "user.reset", org: org, subject: id}))
	if err != nil || used {
		return made, err
	}
	return made, a.enter(ctx, p)
}

// madeLink reports whether a request has created the last link of a person, and that
// link is still valid.
func (a *Accounts) madeLink(p account.User, request string) bool {
	return request != "" && p.SetupKey == request && (p.SetupHash == "" || a.now().Before(p.SetupUntil))
}

// alone reports whether a person is a member of one organization only.
func (a *Accounts) alone(ctx context.Context, p account.User, org string) (bool, error) {
	all, err := a.memberships(ctx, p)
	return !slices.ContainsFunc(all, func(m account.User) bool { return m.Org != org }), err
}

// setUpBy reports whether a secret can set the password of a person now.
func (a *Accounts) setUpBy(ctx context.Context, u account.User, secret string) (bool, error) {
	if !a.opensSetup(u, secret) {
		return false, nil
	}
	if org, _ := splitSetup(u.SetupHash); org != "" {
		return a.alone(ctx, u, org)
	}
	return true, nil
}

// opensSetup reports whether secret is the valid setup secret of u.
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
	made, err := s.SetupLink(withCaller(c), web.PrincipalOf(c).Org, c.Params("userId"), c.Get(idempotency.Header), rehearsed)
	if err != nil {
		return err
	}
	if made.Replayed {
		c.Set(idempotency.HeaderReplayed, "true")
	}
	out := userOut(made.User)
	out.SetupToken = made.SetupToken
	return web.Created(c, out, "")
}
