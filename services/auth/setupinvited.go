package auth

import (
	"context"
	"errors"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// setUpInvited turns an invitation into the first membership of a new person, who takes
// the address or, if separate, has an account of that organization only, whoever has
// the address. A dry run ends before the address is looked up: whether it has an
// account is revealed only where the refusal is recorded, by using an invitation to it.
func (a *Accounts) setUpInvited(ctx context.Context, u account.User, secret string, s Setup) error {
	if a.rehearsed {
		return nil
	}
	p, err := a.person(ctx, u)
	if err != nil && apperr.CodeOf(err) != apperr.UserNotFound {
		return err
	}
	if u.Left || u.Person != "" && err == nil && p.ID != "" {
		return a.addressTaken(ctx, u)
	}
	key, done := account.EmailKey(u.Email), event{action: "user.setup", org: u.Org, subject: u.ID}
	if s.Separate {
		if err := a.noMember(ctx, u); err != nil {
			return err
		}
		key, done.to = account.InvitationKey(u.Org, key), "separate account"
	} else if err := a.noOtherSpelling(ctx, u.Email); err != nil {
		if apperr.CodeOf(err) == apperr.EmailTaken {
			err = a.addressTaken(ctx, u)
		}
		return err
	}
	hash, err := a.hash(ctx, s.Password)
	if err != nil {
		return err
	}
	made, err := a.changeRead(ctx, func() (account.User, error) { return a.User(ctx, u.Org, u.ID) }, func(u *account.User) error {
		if !a.opens(*u, secret) {
			return setupRefused() // of two concurrent uses, one succeeds
		}
		u.PasswordHash, u.Person, u.EmailKey = hash, "", key
		accepted(u)
		u.EndSessions("")
		return nil
	}, owes(done))
	if errors.Is(err, account.ErrEmailTaken) {
		return a.addressTaken(ctx, u)
	}
	if err != nil {
		return unavailable(err)
	}
	return a.enter(ctx, made)
}

// addressTaken refuses to set up an account for an address that has one. Only the
// holder of an invitation gets this error. It is recorded in the log of the inviting
// organization and in that of the whole system, where the operator sees whose account
// it is; not in that of the account's organization, which must not learn of the other.
func (a *Accounts) addressTaken(ctx context.Context, u account.User) error {
	const why = "the address has an account"
	var holder account.User
	holders, err := a.holders(ctx, u.Email)
	if err != nil {
		return err
	}
	if len(holders) > 0 {
		holder = holders[0]
	}
	return errors.Join(
		a.auditRefused(ctx, event{action: "user.setup", org: u.Org, subject: u.ID, failed: why}),
		a.auditRefused(ctx, event{action: "user.setup", subject: holder.ID, failed: why, from: u.Org}),
		apperr.New(apperr.EmailTaken, "An account with this email already exists. Sign in to it and accept the invitation there or, if it is not yours, set up a separate account.").
			With(apperr.Detail{Field: "setupToken", Code: "ACCEPT_INVITATION", Message: "The link is good for either (POST /auth/invitations/accept, or POST /auth/setup with separateAccount)."}),
	)
}

// noMember refuses a separate account for the address of a member: no one may have two
// ids in an organization, and approve their own records with the second.
func (a *Accounts) noMember(ctx context.Context, u account.User) error {
	holders, err := a.holders(ctx, u.Email)
	for _, p := range holders {
		all, err := a.memberships(ctx, p)
		if err == nil && slices.ContainsFunc(all, func(m account.User) bool { return m.Org == u.Org }) {
			err = a.addressTaken(ctx, u)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// separateIn reports whether an address has a separate account of an organization.
func (a *Accounts) separateIn(ctx context.Context, org, email string) (bool, error) {
	for _, key := range account.EmailKeys(email) {
		u, err := a.store.UserByEmail(ctx, account.InvitationKey(org, key))
		if err == nil && u.Separate() {
			return true, nil
		}
		if err != nil && !errors.Is(err, account.ErrNotFound) {
			return false, unavailable(err)
		}
	}
	return false, nil
}

// noSeparate refuses a further membership for an address that has a separate account in
// the organization; see noMember.
func (a *Accounts) noSeparate(ctx context.Context, org, email string) error {
	separate, err := a.separateIn(ctx, org, email)
	if separate {
		return emailTaken()
	}
	return err
}
