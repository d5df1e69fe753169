package auth

import (
	"context"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// setupTTL is how long a one-time setup token is good.
const setupTTL = 72 * time.Hour

// SetPassword sets a new password of a user and ends all sessions of the user.
func (a *Accounts) SetPassword(ctx context.Context, org, id, newPassword string) error {
	u, err := a.personIn(ctx, org, id)
	if err != nil {
		return err
	}
	if err := a.checkPassword("password", newPassword, u); err != nil {
		return err
	}
	hash, err := a.hash(ctx, newPassword)
	if err != nil {
		return err
	}
	_, err = a.changePerson(ctx, u.ID, func(u *account.User) error {
		u.PasswordHash, u.SetupHash, u.SetupUntil = hash, "", time.Time{}
		u.EndSessions("")
		return nil
	})
	if err != nil {
		return err
	}
	return a.audit(ctx, event{action: "user.password", org: org, subject: id})
}

// personIn reads the person behind a membership; of the first one also where the
// person has left it.
func (a *Accounts) personIn(ctx context.Context, org, id string) (account.User, error) {
	u, err := a.store.User(ctx, org, id)
	if errors.Is(err, account.ErrNotFound) || err == nil && (u.Deleted || u.IsInvitation()) {
		return account.User{}, noSuchUser()
	}
	if err != nil {
		return account.User{}, unavailable(err)
	}
	return a.person(ctx, u)
}

// ResetPassword takes the person's password away, ends all sessions, and returns a
// one-time token to set a new one.
func (a *Accounts) ResetPassword(ctx context.Context, org, id string) (setupToken string, err error) {
	p, err := a.personIn(ctx, org, id)
	if err != nil {
		return "", err
	}
	_, err = a.changePerson(ctx, p.ID, func(u *account.User) error {
		u.PasswordHash = ""
		setupToken = a.newSetup(u)
		u.EndSessions("")
		return nil
	})
	if err != nil {
		return "", err
	}
	if err := a.audit(ctx, event{action: "user.reset", org: org, subject: id}); err != nil {
		return "", err
	}
	return setupToken, nil
}

// CompleteSetup sets the password that a one-time token is for, and uses the
// token up. UNAUTHENTICATED if the token is not good (any more).
func (a *Accounts) CompleteSetup(ctx context.Context, token, newPassword string) error {
	refused := apperr.New(apperr.Unauthenticated, "The setup token is not valid. Ask for a new one.")
	u, secret, err := a.tokenUser(ctx, token)
	if err != nil {
		return err
	}
	if a.opens(u, secret) {
		return a.setUpInvited(ctx, u, secret, newPassword, refused)
	}
	if ok, err := a.setUpBy(ctx, u, secret); err != nil || !ok {
		return orErr(err, refused)
	}
	if err := a.checkPassword("password", newPassword, u); err != nil {
		return err
	}
	hash, err := a.hash(ctx, newPassword)
	if err != nil {
		return err
	}
	_, err = a.changePerson(ctx, u.ID, func(u *account.User) error {
		if !a.opensSetup(*u, secret) {
			return refused // of two uses at once, one
		}
		u.PasswordHash, u.SetupHash, u.SetupUntil = hash, "", time.Time{}
		u.EndSessions("")
		return nil
	})
	if err != nil {
		return err
	}
	return a.audit(ctx, event{action: "user.setup", org: u.Org, subject: u.ID})
}

// newSetup puts a fresh one-time secret into a user and returns the token.
func (a *Accounts) newSetup(u *account.User) (token string) {
	secret, hash := account.NewSecret()
	u.SetupHash, u.SetupUntil = hash, a.moment().Add(setupTTL)
	return account.JoinToken(u.Org+"."+u.ID, secret)
}

func (a *Accounts) checkPassword(field, newPassword string, u account.User) error {
	if f := a.policy.Check(newPassword, u.Email, u.Name); f != nil {
		return apperr.Invalid(apperr.Detail{Field: field, Code: f.Code, Message: f.Message})
	}
	return nil
}

func (a *Accounts) hash(ctx context.Context, newPassword string) (string, error) {
	if a.rehearsed {
		return "", nil // it would be stored nowhere
	}
	hash, err := a.hasher.Hash(ctx, newPassword)
	return hash, busy(err)
}
