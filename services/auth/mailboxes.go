package auth

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/services/auth/account"
)

// UserByEmail finds a person, of whichever organization; USER_NOT_FOUND.
func (a *Accounts) UserByEmail(ctx context.Context, email string) (account.User, error) {
	holders, err := a.holders(ctx, email)
	if err != nil {
		return account.User{}, err
	}
	holders = slices.DeleteFunc(holders, account.User.IsInvitation)
	if len(holders) == 0 {
		return account.User{}, noSuchUser()
	}
	asWritten := slices.IndexFunc(holders, func(u account.User) bool { return strings.EqualFold(u.Email, strings.TrimSpace(email)) })
	return holders[max(0, asWritten)], nil
}

// holders returns the persons with the mailbox of an address: one at most, but for those whom
// release 2.0 gave an account for each spelling of the domain.
func (a *Accounts) holders(ctx context.Context, email string) (all []account.User, err error) {
	for _, key := range account.EmailKeys(email) {
		u, err := a.store.UserByEmail(ctx, key)
		switch {
		case err == nil:
			all = append(all, u)
		case !errors.Is(err, account.ErrNotFound):
			return nil, unavailable(err)
		}
	}
	return all, nil
}

// noOtherSpelling refuses a further account for a mailbox that has one under the other spelling
// of its domain, which the unique key does not find.
func (a *Accounts) noOtherSpelling(ctx context.Context, email string) error {
	for _, key := range account.EmailKeys(email)[1:] {
		_, err := a.store.UserByEmail(ctx, key)
		if err == nil {
			return emailTaken()
		}
		if !errors.Is(err, account.ErrNotFound) {
			return unavailable(err)
		}
	}
	return nil
}
