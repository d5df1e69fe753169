package auth

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/password"
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

// Setup is what a one-time token is used with.
type Setup struct {
	Token    string
	Password string
	// Separate makes of an invitation an account of its organization alone.
	Separate bool
}

// setupRefused is the one answer for a token that is not good (any more).
func setupRefused() error {
	return apperr.New(apperr.Unauthenticated, "The setup token is not valid. Ask for a new one.")
}

// setupUser reads the user that a setup token opens now; false for none.
func (a *Accounts) setupUser(ctx context.Context, token string) (u account.User, secret string, ok bool, err error) {
	u, secret, err = a.tokenUser(ctx, token)
	if err != nil || a.opens(u, secret) {
		return u, secret, err == nil, err
	}
	ok, err = a.setUpBy(ctx, u, secret)
	return u, secret, ok, err
}

// CompleteSetup sets the password that a one-time token is for, and uses the
// token up. UNAUTHENTICATED if the token is not good (any more).
func (a *Accounts) CompleteSetup(ctx context.Context, s Setup) error {
	u, secret, ok, err := a.setupUser(ctx, s.Token)
	if err != nil || !ok {
		return orErr(err, setupRefused())
	}
	if err := a.checkPassword("password", s.Password, u); err != nil {
		return err
	}
	if a.opens(u, secret) {
		return a.setUpInvited(ctx, u, secret, s)
	}
	hash, err := a.hash(ctx, s.Password)
	if err != nil {
		return err
	}
	_, err = a.changePerson(ctx, u.ID, func(u *account.User) error {
		if !a.opensSetup(*u, secret) {
			return setupRefused() // of two uses at once, one
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

// setup answers POST /auth/setup.
func (s *Service) setup(c *fiber.Ctx) error {
	r, err := web.Fields(c)
	if err != nil {
		return err
	}
	r.Require("setupToken", "password")
	asked := Setup{Token: secretField(r, "setupToken"), Password: secretField(r, "password")}
	asked.Separate, _ = r.Bool("separateAccount")
	if err := web.Finish(c, r); err != nil {
		return err
	}
	accounts, _, err := s.accountsFor(c)
	if err != nil {
		return err
	}
	names, err := s.setUp(withCaller(c), accounts, asked)
	if err != nil {
		return err
	}
	return web.OK(c, setupOut{names})
}

// setupOut is the answer of POST /auth/setup.
type setupOut struct {
	// Organization is the organization that a login has to name; empty if none. It discloses
	// nothing, because the token contains it in an opaque form.
	Organization string `json:"organization,omitempty"`
}

// setUp is CompleteSetup within the bounds of changes of passwords: with one token one
// hash at a time, behind the sign-ins, from however many addresses it is used. Its
// budget is the token's, which no stranger has. The token is looked at again when it is
// its turn, so that what the first use has spent costs the others no hash. It returns
// the organization that a login to the account has to name, which is that of a separate
// one; rehearsed, too, as it follows from the token and what is asked.
func (s *Service) setUp(ctx context.Context, a *Accounts, asked Setup) (names string, err error) {
	u, secret, ok, err := a.setupUser(ctx, asked.Token)
	if err != nil || !ok {
		return "", orErr(err, setupRefused())
	}
	end, err := s.changes.begin(ctx, u.Org, "setup:"+u.ID, "")
	if err != nil {
		return "", err
	}
	defer end()
	if a.rehearsed {
		if err := s.auditRefused(ctx, event{action: "user.setup", org: u.Org, subject: u.ID, failed: "only rehearsed"}); err != nil {
			return "", err
		}
	}
	if u.Separate() || asked.Separate && a.opens(u, secret) {
		names = u.Org
	}
	return names, a.CompleteSetup(password.Behind(ctx, u.Org), asked)
}

// newSetup puts a fresh one-time secret into a user and returns the token.
func (a *Accounts) newSetup(u *account.User) (token string) {
	secret, hash := account.NewSecret()
	u.SetupHash, u.SetupUntil, u.SetupKey = hash, a.moment().Add(setupTTL), ""
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
