package auth

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// setupTTL is how long a one-time setup token is valid.
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
	u, err = a.changePerson(ctx, u.ID, func(u *account.User) error {
		u.PasswordHash, u.SetupHash, u.SetupUntil = hash, "", time.Time{}
		u.EndSessions("")
		return nil
	}, owes(event{action: "user.password", org: org, subject: id}))
	if err != nil {
		return err
	}
	return a.enter(ctx, u)
}

// personIn reads the person of a membership; for the first one also if the person has
// left it.
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
	p, err = a.changePerson(ctx, p.ID, func(u *account.User) error {
		u.PasswordHash = ""
		setupToken = a.newSetup(u)
		u.EndSessions("")
		return nil
	}, owes(event{action: "user.reset", org: org, subject: id}))
	if err != nil {
		return "", err
	}
	if err := a.enter(ctx, p); err != nil {
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

// setupRefused is the only error for an invalid token.
func setupRefused() error {
	return apperr.New(apperr.Unauthenticated, "The setup token is not valid. Ask for a new one.")
}

// setupUser reads the user of a valid setup token; false if there is none.
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
		return cmp.Or(err, setupRefused())
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
	var before account.User
	u, err = a.changePerson(ctx, u.ID, func(u *account.User) error {
		if !a.opensSetup(*u, secret) {
			return setupRefused() // of two concurrent uses, one succeeds
		}
		before = *u
		u.PasswordHash, u.SetupHash, u.SetupUntil = hash, "", time.Time{}
		u.EndSessions("")
		return nil
	}, owes(event{action: "user.setup", org: u.Org, subject: u.ID}))
	if err != nil {
		return err
	}
	if err := a.withdrawUnlessAlone(ctx, before, hash); err != nil {
		return err
	}
	return a.enter(ctx, u)
}

// withdrawUnlessAlone restores the password of before if the link of an organization has
// replaced it with hash while its person became a member of another one. The membership is
// another document, so a check before the write, which waits for the hash, does not find it.
func (a *Accounts) withdrawUnlessAlone(ctx context.Context, before account.User, hash string) error {
	org, _ := splitSetup(before.SetupHash)
	if org == "" || a.rehearsed {
		return nil
	}
	alone, err := a.alone(ctx, before, org)
	if err == nil && alone {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	_, failed := a.changePerson(ctx, before.ID, func(u *account.User) error {
		if u.PasswordHash == hash {
			u.PasswordHash = before.PasswordHash
			u.EndSessions("")
		}
		return nil
	}, owes())
	refused := a.audit(ctx, event{action: "user.setup", org: before.Org, subject: before.ID, failed: "only the operator may"})
	return errors.Join(err, failed, refused, setupRefused())
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

// setUp is CompleteSetup within the limits of password changes: with one token one hash
// at a time, after logins, from however many addresses it is used. The budget is per
// token, which only its holder has. The token is checked again before hashing, so that
// once it is used further attempts cost no hash. It returns the organization that a
// login to the account must name, which is that of a separate account; also in a dry
// run, because it follows from the token and the request.
func (s *Service) setUp(ctx context.Context, a *Accounts, asked Setup) (names string, err error) {
	u, secret, ok, err := a.setupUser(ctx, asked.Token)
	if err != nil || !ok {
		return "", cmp.Or(err, setupRefused())
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
	return names, a.CompleteSetup(password.LowPriority(ctx, u.Org), asked)
}

// newSetup sets a new one-time secret in a user and returns the token.
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
		return "", nil // it would not be stored
	}
	hash, err := a.hasher.Hash(ctx, newPassword)
	return hash, busy(err)
}
