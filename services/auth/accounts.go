package auth

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/breaker"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/password"
)

const (
	// maxName is the longest name of a user in characters.
	maxName = 100
	// writeAttempts limits the retries of a change after conflicts.
	writeAttempts = 10
)

// AccountsDeps is what Accounts is made of. Store is required.
type AccountsDeps struct {
	Store  account.Store
	Copy   *sessions.Copy   // as in Deps
	Hasher *password.Hasher // as in Deps
	Logger *slog.Logger
	Now    func() time.Time
}

// Accounts are the operations on users and sessions, for the HTTP service and
// for administrators' commands. They work in a process beside a running server:
// that notices within a quarter of a second. Their errors are *apperr.Error
// where a client may be told.
type Accounts struct {
	store  accountStore
	hasher *password.Hasher
	policy *password.Policy
	copy   *sessions.Copy // nil: none
	log    *slog.Logger
	now    func() time.Time
	cache  *breaker.Breaker // open for a while after a failed write to copy
	// a dry run writes nothing, so it hashes nothing either
	rehearsed bool
	// pending are audit entries that are not stored yet.
	pending pendingAudit
	// refusals are the counts of auditRefused.
	refusals audit.Refusals
}

// NewAccounts makes Accounts.
func NewAccounts(d AccountsDeps) (*Accounts, error) {
	if d.Store == nil {
		return nil, errors.New("auth: a store is required")
	}
	a := &Accounts{store: d.Store, hasher: d.Hasher, policy: password.NewPolicy(), copy: d.Copy, log: d.Logger, now: d.Now}
	if a.hasher == nil {
		var err error
		if a.hasher, err = NewHasher(); err != nil {
			return nil, err
		}
	}
	if a.log == nil {
		a.log = slog.Default()
	}
	if a.now == nil {
		a.now = time.Now
	}
	a.cache = breaker.New(copyPause, a.now)
	return a, nil
}

// NewUser is a user to be created.
type NewUser struct {
	Org   string
	Email string
	Name  string
	Role  identity.Role
	// Service makes the account of a program, whose role must be User.
	Service bool
	// Password may be empty: then a one-time token to set one is made.
	Password string
	// Key is the idempotency key of an invitation; empty for none.
	Key string
}

// MixedScripts is the error code of an address that can pass for another one.
const MixedScripts = "MIXED_SCRIPTS"

// emailFault describes an error of account.CheckEmail.
func emailFault(err error) apperr.Detail {
	d := apperr.Detail{Field: "email", Code: fields.BadFormat, Message: err.Error()}
	if e, ok := errors.AsType[*account.EmailError](err); ok {
		d.Message = e.Message
		if e.Mixed {
			d.Code = MixedScripts
		}
	}
	return d
}

// CreateUser creates an account. Without a password it returns the
// one-time setup token, which is stored as a hash only. EMAIL_TAKEN if the email
// has an account in any organization; VALIDATION_ERROR with all errors.
func (a *Accounts) CreateUser(ctx context.Context, n NewUser) (u account.User, setupToken string, err error) {
	u, err = a.newUser(n)
	if err != nil {
		return account.User{}, "", err
	}
	if err := cmp.Or(a.noSeparate(ctx, u.Org, u.Email), a.noOtherSpelling(ctx, u.Email)); err != nil {
		return account.User{}, "", err
	}
	if n.Password == "" {
		setupToken = a.newSetup(&u)
	} else if u.PasswordHash, err = a.hash(ctx, n.Password); err != nil {
		return account.User{}, "", err
	}
	u.Mark = a.markOf(ctx, created(account.User{}, u))
	switch err := a.store.InsertUser(ctx, u); {
	case errors.Is(err, account.ErrEmailTaken):
		return account.User{}, "", emailTaken()
	case err != nil:
		return account.User{}, "", unavailable(err)
	}
	if err := a.enter(ctx, u); err != nil {
		return account.User{}, "", err
	}
	return u, setupToken, nil
}

// created is owing for a new membership, or one that was restored.
func created(_, u account.User) []event {
	return []event{{action: "user.create", org: u.Org, subject: u.ID, to: KindOf(u)}}
}

// emailTaken is the error for an address that has an account, or an invitation, already.
func emailTaken() error {
	return apperr.New(apperr.EmailTaken, "An account with this email already exists.")
}

// newUser returns the requested user, or VALIDATION_ERROR with every fault.
func (a *Accounts) newUser(n NewUser) (u account.User, err error) {
	var faults []apperr.Detail
	email, err := account.CheckEmail(n.Email)
	if err != nil {
		faults = append(faults, emailFault(err))
	}
	name, fault := checkName(n.Name)
	if fault != nil {
		faults = append(faults, *fault)
	}
	if n.Role == identity.RoleNone || !n.Role.Known() {
		faults = append(faults, apperr.Detail{Field: "role", Code: fields.NotAllowed,
			Message: "role must be one of " + strings.Join(identity.RoleNames(), ", ") + "."})
	} else if n.Service && n.Role != identity.User {
		faults = append(faults, serviceRole())
	}
	if n.Password != "" {
		if f := a.policy.Check(n.Password, email, name); f != nil {
			faults = append(faults, apperr.Detail{Field: "password", Code: f.Code, Message: f.Message})
		}
	}
	if len(faults) > 0 {
		return u, apperr.Invalid(faults...)
	}
	if n.Org == "" {
		return u, errors.New("create user: no organization is given")
	}
	now := a.moment()
	return account.User{
		ID: account.NewID(), Org: n.Org, Email: email, EmailKey: account.EmailKey(email), Name: name, Role: n.Role,
		Service: n.Service, Epoch: 1, Rev: 1, CreatedAt: now, UpdatedAt: now,
	}, nil
}

// serviceRole is the fault of a service account with a role above user.
func serviceRole() apperr.Detail {
	return apperr.Detail{Field: "role", Code: fields.NotAllowed, Message: "role must be user: a service account cannot have another role."}
}

// KindOf describes an account: its role, and whether it is a service account.
func KindOf(u account.User) string {
	if u.Service {
		return u.Role.String() + ", service account"
	}
	return u.Role.String()
}

// User reads a user of an organization that is not deleted; USER_NOT_FOUND.
func (a *Accounts) User(ctx context.Context, org, id string) (account.User, error) {
	u, err := a.store.User(ctx, org, id)
	if errors.Is(err, account.ErrNotFound) || err == nil && !u.Listed() {
		return account.User{}, noSuchUser()
	}
	return u, unavailable(err)
}

func noSuchUser() error { return apperr.New(apperr.UserNotFound, "There is no such user.") }

// Change is a change of a user; nil fields are unchanged.
type Change struct {
	Name     *string
	Role     *identity.Role
	Disabled *bool
}

// UpdateUser changes a user. Disabling permanently revokes the person's tokens for this
// organization, and for a person without another membership all sessions; a change of the
// role keeps sessions, whose tokens have to be refreshed. The last admin
// of an organization cannot be removed: INVALID_TRANSITION.
func (a *Accounts) UpdateUser(ctx context.Context, org, id string, c Change) (account.User, error) {
	if c.Name != nil {
		name, fault := checkName(*c.Name)
		if fault != nil {
			return account.User{}, apperr.Invalid(*fault)
		}
		c.Name = &name
	}
	alone, err := a.aloneIf(ctx, org, id, c.Disabled != nil && *c.Disabled)
	if err != nil {
		return account.User{}, err
	}
	u, err := a.change(ctx, org, id, func(u *account.User) error {
		if c.Name != nil {
			u.Name = *c.Name
		}
		if c.Role != nil {
			if u.Service && *c.Role != identity.User {
				return apperr.Invalid(serviceRole())
			}
			u.Role = *c.Role
		}
		if c.Disabled != nil && u.Invited {
			if *c.Disabled {
				return notAccepted()
			}
		} else if c.Disabled != nil {
			if *c.Disabled && !u.Disabled {
				u.EndTokens()
				if alone {
					u.EndSessions("")
				}
			}
			u.Disabled = *c.Disabled
		}
		return nil
	}, updated)
	if err != nil {
		return account.User{}, err
	}
	return u, a.enter(ctx, u)
}

// updated is owing for UpdateUser.
func updated(before, u account.User) (events []event) {
	if before.Role != u.Role {
		events = append(events, event{action: "user.role", org: u.Org, subject: u.ID, from: before.Role.String(), to: u.Role.String()})
	}
	if before.Disabled != u.Disabled {
		action := "user.enable"
		if u.Disabled {
			action = "user.disable"
		}
		events = append(events, event{action: action, org: u.Org, subject: u.ID})
	}
	return events
}

// notAccepted is the error for an operation that requires an accepted membership.
func notAccepted() error {
	return apperr.New(apperr.InvalidTransition, "This invitation has not been accepted yet.").
		With(apperr.Detail{Field: "state", Code: "INVITED", Message: "The person accepts the invitation by its link; it can be withdrawn (DELETE /users/{userId})."})
}

// aloneIf reports whether a user is a person with no other membership. It looks only if
// asked.
func (a *Accounts) aloneIf(ctx context.Context, org, id string, asked bool) (bool, error) {
	if !asked {
		return false, nil
	}
	u, err := a.User(ctx, org, id)
	if err != nil || u.Person != "" {
		return false, err
	}
	n, err := a.others(ctx, u, id)
	return n == 0, err
}

// DisableUser keeps a user from working in an organization; see UpdateUser.
func (a *Accounts) DisableUser(ctx context.Context, org, id string) error {
	yes := true
	_, err := a.UpdateUser(ctx, org, id, Change{Disabled: &yes})
	return err
}

// EnableUser lets a disabled user work there again.
func (a *Accounts) EnableUser(ctx context.Context, org, id string) error {
	no := false
	_, err := a.UpdateUser(ctx, org, id, Change{Disabled: &no})
	return err
}

// change reads a user, changes it and writes it unless it has changed in between, and
// notifies the gateways. What the change owes to the audit log is stored with it; the caller
// enters it.
func (a *Accounts) change(ctx context.Context, org, id string, apply func(*account.User) error, says owing) (account.User, error) {
	return a.changeRead(ctx, func() (account.User, error) { return a.User(ctx, org, id) }, apply, says)
}

// changeRead is change for a user that a function reads.
func (a *Accounts) changeRead(ctx context.Context, read func() (account.User, error), apply func(*account.User) error, says owing) (account.User, error) {
	for range writeAttempts {
		u, err := read()
		if err != nil {
			return account.User{}, err
		}
		before := u
		if err := apply(&u); err != nil {
			return account.User{}, err
		}
		if u == before {
			return u, nil
		}
		if err := a.settle(ctx, before); err != nil {
			return account.User{}, err
		}
		u.Rev, u.Mark, u.UpdatedAt = before.Rev+1, a.markOf(ctx, says(before, u)), a.moment()
		switch err := a.store.ReplaceUser(ctx, u.Org, u, before.Rev); {
		case errors.Is(err, account.ErrConflict):
			continue
		case errors.Is(err, account.ErrEmailTaken):
			return account.User{}, err
		case errors.Is(err, account.ErrLastAdmin):
			return account.User{}, apperr.New(apperr.InvalidTransition, "The last administrator of an organization cannot be removed.").
				With(apperr.Detail{Code: "LAST_ADMIN", Message: "Give another user the role admin first."})
		case err != nil:
			return account.User{}, unavailable(err)
		}
		a.publishUser(ctx, u)
		return u, nil
	}
	return account.User{}, apperr.Overtaken("user")
}

func checkName(name string) (string, *apperr.Detail) {
	name = norm.NFC.String(strings.TrimSpace(name))
	switch {
	case utf8.RuneCountInString(name) > maxName:
		return "", &apperr.Detail{Field: "name", Code: fields.TooLong, Message: "name may have at most 100 characters."}
	case strings.ContainsAny(name, "\t\r\n"):
		return "", &apperr.Detail{Field: "name", Code: fields.BadFormat, Message: "name must be one line, without tabs."}
	}
	if misleading := fields.Misleading(name); misleading != "" {
		return "", &apperr.Detail{Field: "name", Code: fields.BadFormat, Message: "name must not contain " + misleading + "."}
	}
	return name, nil
}

// moment is the present time with the precision that is stored.
func (a *Accounts) moment() time.Time { return a.now().UTC().Truncate(time.Millisecond) }

// busy converts a full hashing queue into a response.
func busy(err error) error {
	if errors.Is(err, password.ErrBusy) {
		e := apperr.New(apperr.Unavailable, "Too many sign-ins at once. Try again in a moment.")
		e.RetryAfter = 2 * time.Second
		return e
	}
	return err
}

// unavailable converts a failure of the store into a response. An expired context stays
// what it is.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if _, known := errors.AsType[*apperr.Error](err); known {
		return err
	}
	return apperr.New(apperr.Unavailable, "The accounts cannot be read right now.").Because(err)
}
