package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// InvitationsPerDay is how many invitations an organization may make in 24 hours.
const InvitationsPerDay = 20

// invitationWindow is the window of InvitationsPerDay.
const invitationWindow = 24 * time.Hour

// Invite creates an invitation: a membership that has to be accepted with the token,
// which is stored as a hash only. Work and response are the same whether or not
// the address has an account elsewhere. EMAIL_TAKEN if the address is a member of
// this organization or has a pending invitation.
//
// With a key of n, an invitation created by the same request is returned again, with
// a new token that replaces the previous one, until it is accepted; then without a token.
func (a *Accounts) Invite(ctx context.Context, n NewUser) (made Invited, err error) {
	u, err := a.newUser(n)
	if err != nil {
		return Invited{}, err
	}
	if n.Key != "" {
		asking, _ := callerOf(ctx)
		u.InviteKey = account.InvitationRequest(asking.actor, n.Key, fmt.Sprintf("%s\x00%s\x00%v", u.Name, u.Role, u.Service))
	}
	u.Epoch, u.Invited, u.Disabled = 1, true, true
	counted := false
	for range writeAttempts {
		before, err := a.inOrganization(ctx, u.Org, u.Email)
		if err != nil {
			return Invited{}, unavailable(err)
		}
		if u.InviteKey != "" && before.ID != "" && before.Listed() && sameKey(before.InviteKey, u.InviteKey) {
			if made, err = a.inviteAgain(ctx, before, u); errors.Is(err, account.ErrConflict) {
				continue
			}
			return made, err
		}
		if before.ID != "" && before.Listed() && (!before.Invited || a.now().Before(before.InvitedUntil)) {
			return Invited{}, emailTaken()
		}
		if !counted {
			if err := a.countInvitation(ctx, u.Org); err != nil {
				return Invited{}, err
			}
			counted = true
		}
		made.User, err = a.invite(ctx, before, u, &made.SetupToken)
		if errors.Is(err, account.ErrEmailTaken) || errors.Is(err, account.ErrConflict) {
			continue // another request was faster; the next read finds its membership
		}
		if err != nil {
			return Invited{}, unavailable(err)
		}
		return made, a.enter(ctx, made.User)
	}
	return Invited{}, apperr.Overtaken("user")
}

// Invited is the result of an invitation.
type Invited struct {
	User account.User
	// SetupToken is what the invitation is accepted with; empty for one that was
	// accepted before its request was repeated.
	SetupToken string
	// Replayed reports whether an earlier request with the same key made it.
	Replayed bool
}

// sameKey reports whether two requests of the same person had the same key.
func sameKey(stored, asked string) bool {
	key, _, _ := strings.Cut(asked, ".")
	return strings.HasPrefix(stored, key+".")
}

// inviteAgain answers a repeated request that has created an invitation. The token is
// not stored, so an invitation that can still be accepted gets a new one; its expiry
// does not change.
func (a *Accounts) inviteAgain(ctx context.Context, before, u account.User) (Invited, error) {
	if before.InviteKey != u.InviteKey {
		return Invited{}, apperr.New(apperr.IdempotencyKeyReused,
			"This %s was used with another request. Use a new key for each request, and reuse a key only to repeat the same request unchanged.", idempotency.Header).
			With(apperr.Detail{Field: idempotency.Header, Code: "KEY_REUSED", Message: "The address is the same, but the rest of the body differs."})
	}
	made := Invited{User: before, Replayed: true}
	if !before.Invited {
		return made, nil
	}
	read := func() (account.User, error) {
		now, err := a.store.User(ctx, before.Org, before.ID)
		if err == nil && (!now.Invited || now.InviteKey != u.InviteKey) {
			err = account.ErrConflict // accepted or removed meanwhile
		}
		return now, err
	}
	var err error
	made.User, err = a.changeRead(ctx, read, func(u *account.User) error {
		until := u.InvitedUntil
		made.SetupToken = a.newInvitation(u)
		if a.now().Before(until) {
			u.InvitedUntil = until
		}
		return nil
	}, invitedAgain)
	if errors.Is(err, account.ErrConflict) {
		return Invited{}, err
	}
	if err != nil {
		return Invited{}, unavailable(err)
	}
	return made, a.enter(ctx, made.User)
}

// inviteAnew gives an invitation, expired or not, a new token in place of the previous one. It counts
// as an invitation; a request that is repeated with its key is counted once, and does not prolong it again.
func (a *Accounts) inviteAnew(ctx context.Context, before account.User, key string, rehearsal bool) (Invited, error) {
	asking, _ := callerOf(ctx)
	request := ""
	if key != "" && !rehearsal {
		request = account.InvitationRequest(asking.actor, key, before.Org+"\x00"+before.ID)
	}
	made := Invited{User: before, Replayed: request != "" && before.InviteKey == request && a.now().Before(before.InvitedUntil)}
	if !made.Replayed {
		if err := a.countInvitation(ctx, before.Org); err != nil {
			return Invited{}, err
		}
	}
	if rehearsal {
		return made, nil
	}
	read := func() (account.User, error) {
		now, err := a.store.User(ctx, before.Org, before.ID)
		if err == nil && (now.Deleted || !now.Invited) {
			err = apperr.New(apperr.InvalidTransition, "The invitation has been accepted or removed meanwhile.")
		}
		return now, err
	}
	var err error
	made.User, err = a.changeRead(ctx, read, func(u *account.User) error {
		until := u.InvitedUntil
		made.SetupToken = a.newInvitation(u)
		if made.Replayed {
			u.InvitedUntil = until
		}
		u.InviteKey = request
		return nil
	}, invitedAgain)
	if err != nil {
		return Invited{}, unavailable(err)
	}
	return made, a.enter(ctx, made.User)
}

// inOrganization returns what an organization has for an address: a member, an
// invitation, or a removed membership; the zero User for none. It makes the same reads
// whether or not the address has an account.
func (a *Accounts) inOrganization(ctx context.Context, org, email string) (account.User, error) {
	var all []account.User
	for _, key := range account.EmailKeys(email) {
		found, err := a.underKey(ctx, org, key)
		if err != nil {
			return account.User{}, err
		}
		all = append(all, found...)
	}
	all = slices.DeleteFunc(all, func(u account.User) bool { return u.ID == "" || u.Org != org })
	if i := slices.IndexFunc(all, account.User.Listed); i >= 0 {
		return all[i], nil
	}
	if len(all) > 0 {
		return all[0], nil
	}
	return account.User{}, nil
}

// underKey returns what there is under one key of an address: the person, the invitation and the
// removed membership of an organization, or zero Users, and the further memberships of the person.
func (a *Accounts) underKey(ctx context.Context, org, emailKey string) ([]account.User, error) {
	p, err := a.store.UserByEmail(ctx, emailKey)
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return nil, err
	}
	further, err := a.store.Memberships(ctx, cmp.Or(p.ID, account.NewID()))
	if err != nil {
		return nil, err
	}
	invited, err := a.store.UserByEmail(ctx, account.InvitationKey(org, emailKey))
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return nil, err
	}
	former, err := a.store.Former(ctx, org, account.FormerKey(org, emailKey))
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return nil, err
	}
	return append([]account.User{p, invited, former}, further...), nil
}

// countInvitation counts an invitation against the organization's limit.
func (a *Accounts) countInvitation(ctx context.Context, org string) error {
	now := a.moment()
	ok, err := a.store.TakeInvitation(ctx, org, now, now.Add(-invitationWindow), InvitationsPerDay)
	if err != nil {
		return unavailable(err)
	}
	if ok {
		return nil
	}
	if err := a.auditRefused(ctx, event{action: "user.create", org: org, failed: "too many invitations"}); err != nil {
		return err
	}
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Hour,
		Message: "An organization may invite at most 20 people in 24 hours. The operator of this server can add more."}
}

// invite stores an invitation, replacing what the organization has for the address.
func (a *Accounts) invite(ctx context.Context, before, u account.User, token *string) (account.User, error) {
	if before.ID == "" || before.Service != u.Service {
		*token = a.newInvitation(&u)
		u.EmailKey = u.StoredEmailKey()
		u.Mark = a.markOf(ctx, created(before, u))
		return u, a.store.InsertUser(ctx, u)
	}
	return a.changeRead(ctx, func() (account.User, error) {
		now, err := a.store.User(ctx, before.Org, before.ID)
		if err == nil && now.Rev != before.Rev {
			err = account.ErrConflict
		}
		return now, err
	}, func(now *account.User) error {
		now.Deleted, now.Disabled, now.Invited = false, true, true
		now.Name, now.Role, now.InviteKey = u.Name, u.Role, u.InviteKey
		if !now.Left {
			now.Email = u.Email
		}
		now.EndTokens()
		*token = a.newInvitation(now)
		return nil
	}, created)
}

// newInvitation sets a new secret in an invitation and returns the token.
func (a *Accounts) newInvitation(u *account.User) (token string) {
	secret, hash := account.NewSecret()
	u.InviteHash, u.InvitedUntil = hash, a.moment().Add(setupTTL)
	return account.JoinToken(u.Org+"."+u.ID, secret)
}

// opens reports whether a secret opens an invitation now.
func (a *Accounts) opens(u account.User, secret string) bool {
	return u.Invited && !u.Deleted && account.SecretMatches(secret, u.InviteHash) && a.now().Before(u.InvitedUntil)
}

// accepted turns an invitation into a membership.
func accepted(u *account.User) {
	u.Invited, u.Disabled, u.Left = false, false, false
	u.InviteHash, u.InvitedUntil, u.Former = "", time.Time{}, ""
	u.EndTokens()
}

// tokenUser reads the user of a setup token; the zero User if there is none.
func (a *Accounts) tokenUser(ctx context.Context, token string) (u account.User, secret string, err error) {
	path, secret, ok := account.SplitToken(token)
	dot := strings.LastIndexByte(path, '.')
	if !ok || dot < 1 {
		return account.User{}, "", nil
	}
	u, err = a.store.User(ctx, path[:dot], path[dot+1:])
	if errors.Is(err, account.ErrNotFound) {
		return account.User{}, "", nil
	}
	return u, secret, unavailable(err)
}

// noSuchInvitation is the only error for a token that opens nothing the caller may
// accept.
func noSuchInvitation() error {
	return apperr.New(apperr.NotFound, "The invitation is not valid. Ask for a new one.").
		With(apperr.Detail{Field: "token", Code: "UNKNOWN_INVITATION", Message: "token must belong to an invitation to your own address that has not been used yet and is at most 72 hours old."})
}

// AcceptInvitation makes an invitation a membership of the person behind a user, whose
// address it must be for. NOT_FOUND, always the same, for any other token.
func (a *Accounts) AcceptInvitation(ctx context.Context, org, id, token string) (account.User, error) {
	p, err := a.personOf(ctx, org, id)
	if err != nil {
		return account.User{}, err
	}
	u, secret, err := a.tokenUser(ctx, token)
	if err != nil {
		return account.User{}, err
	}
	mine := func(u account.User) bool {
		return a.opens(u, secret) && account.EmailKey(u.Email) == account.EmailKey(p.Email) && !u.Service && !p.Service && !p.Separate()
	}
	if !mine(u) {
		return account.User{}, errors.Join(a.auditRefused(ctx, event{action: "user.accept", org: org, actor: id, failed: "no such invitation"}), noSuchInvitation())
	}
	m, err := a.changeRead(ctx, func() (account.User, error) { return a.User(ctx, u.Org, u.ID) }, func(u *account.User) error {
		if !mine(*u) {
			return noSuchInvitation() // of two concurrent uses, one succeeds
		}
		if u.ID != p.ID {
			u.Person, u.Email = p.ID, p.Email
		}
		accepted(u)
		return nil
	}, func(_, m account.User) []event {
		return []event{{action: "user.accept", org: m.Org, actor: m.ID, subject: m.ID, to: KindOf(m)}}
	})
	if errors.Is(err, account.ErrEmailTaken) {
		// The person has become a member in another way meanwhile.
		return account.User{}, apperr.New(apperr.EmailTaken, "You are already a member of this organization.")
	}
	if err != nil {
		return account.User{}, unavailable(err)
	}
	if _, err := a.personByID(ctx, p.ID); err != nil && !a.rehearsed {
		// The person was erased meanwhile, because no membership was found.
		return account.User{}, errors.Join(err, a.DeleteUser(ctx, m.Org, m.ID))
	}
	return m, a.enter(ctx, m)
}

// FreeAddress releases the address of a person, so that another one can have it: a
// wrongly registered address prevents its owner from setting up an account. The
// person gets the address to, or none if that is empty, and has to sign in again;
// an invitation to the released address can be used at once.
func (a *Accounts) FreeAddress(ctx context.Context, email, to string) error {
	p, err := a.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	if to != "" {
		if to, err = account.CheckEmail(to); err != nil {
			return apperr.Invalid(emailFault(err))
		}
		if err := a.noOtherSpelling(ctx, to); err != nil && account.EmailKey(to) != account.EmailKey(p.Email) {
			return err
		}
	}
	p, err = a.changePerson(ctx, p.ID, func(p *account.User) error {
		p.Email, p.EmailKey = to, account.EmailKey(to)
		if to == "" {
			p.EmailKey, p.PasswordHash, p.SetupHash = p.ID, "", "" // an id is never an address
		}
		p.EndSessions("")
		return nil
	}, owes(event{action: "user.address", org: p.Org, subject: p.ID}))
	if errors.Is(err, account.ErrEmailTaken) {
		return apperr.New(apperr.EmailTaken, "An account with the new email already exists.")
	}
	if err != nil {
		return unavailable(err)
	}
	return a.enter(ctx, p)
}

// acceptInvitation answers POST /auth/invitations/accept.
func (s *Service) acceptInvitation(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("token")
	token := secretField(r, "token")
	if err := web.Finish(c, r); err != nil {
		return err
	}
	accounts, _, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	p := web.PrincipalOf(c)
	m, err := accounts.AcceptInvitation(withCaller(c), p.Org, p.UserID, token)
	if err != nil {
		return err
	}
	return web.OK(c, membershipsOut([]account.User{m})[0])
}
