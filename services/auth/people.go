package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// person reads the person of a membership.
func (a *Accounts) person(ctx context.Context, u account.User) (account.User, error) {
	if u.Person == "" {
		return u, nil
	}
	return a.personByID(ctx, u.Person)
}

// personByID reads a person who is not deleted, or returns USER_NOT_FOUND.
func (a *Accounts) personByID(ctx context.Context, id string) (account.User, error) {
	p, err := a.store.Person(ctx, id)
	if errors.Is(err, account.ErrNotFound) || err == nil && p.Deleted {
		return account.User{}, noSuchUser()
	}
	return p, unavailable(err)
}

// personOf reads the person of a user of an organization.
func (a *Accounts) personOf(ctx context.Context, org, id string) (account.User, error) {
	u, err := a.User(ctx, org, id)
	if err != nil {
		return account.User{}, err
	}
	return a.person(ctx, u)
}

// memberships reads all memberships of a person that were not removed, the first one
// first.
func (a *Accounts) memberships(ctx context.Context, p account.User) ([]account.User, error) {
	further, err := a.store.Memberships(ctx, p.ID)
	if err != nil {
		return nil, unavailable(err)
	}
	all := append([]account.User{p}, further...)
	return slices.DeleteFunc(all, func(m account.User) bool { return m.Deleted || m.Left || m.Invited }), nil
}

// active returns the active membership of a person in an organization. It does the same
// work if there is none or no such organization.
func (a *Accounts) active(ctx context.Context, p account.User, org string) (m account.User, ok bool, err error) {
	all, err := a.memberships(ctx, p)
	i := slices.IndexFunc(all, func(m account.User) bool { return m.Org == org && m.Active() })
	if err != nil || i < 0 {
		return account.User{}, false, err
	}
	return all[i], true, nil
}

// defaultOrg returns the organization of a login that names none.
func defaultOrg(p account.User) string {
	if p.DefaultOrg != "" {
		return p.DefaultOrg
	}
	return p.Org
}

// noSuchOrganization is the only error for an organization that does not exist and for
// one in which the person has no active membership.
func noSuchOrganization() error {
	return apperr.New(apperr.NotFound, "You are not a member of such an organization.").
		With(apperr.Detail{Field: "organization", Code: "UNKNOWN_ORGANIZATION", Message: "organization must be one in which you are an active member (GET /auth/me lists them)."})
}

// SetDefault sets the organization of sign-ins that name none. NOT_FOUND unless the
// person is an active member there.
func (a *Accounts) SetDefault(ctx context.Context, org, id, to string) error {
	p, err := a.personOf(ctx, org, id)
	if err != nil {
		return err
	}
	if _, ok, err := a.active(ctx, p, to); err != nil || !ok {
		if err == nil {
			err = noSuchOrganization()
		}
		return err
	}
	p, err = a.changePerson(ctx, p.ID, func(p *account.User) error {
		p.DefaultOrg = to
		return nil
	}, owes(event{action: "user.default", org: org, subject: id}))
	if err != nil {
		return err
	}
	return a.enter(ctx, p)
}

// Join adds a person with an account to another organization. A
// former membership there is restored, so that nobody gets a second id
// to approve their own records with. EMAIL_TAKEN if the person is a member.
func (a *Accounts) Join(ctx context.Context, email, org, name string, role identity.Role) (account.User, error) {
	if role == identity.RoleNone || !role.Known() || org == "" {
		return account.User{}, errors.New("join: no organization or no role is given")
	}
	for range writeAttempts {
		p, err := a.UserByEmail(ctx, email)
		if err != nil {
			return account.User{}, err
		}
		if p.Service {
			return account.User{}, apperr.Invalid(apperr.Detail{Field: "email", Code: "NOT_ALLOWED", Message: "The account of a program can only belong to one organization."})
		}
		if err := a.noSeparate(ctx, org, email); err != nil {
			return account.User{}, err
		}
		m, err := a.join(ctx, p, org, name, role)
		if errors.Is(err, account.ErrEmailTaken) {
			continue // another request was faster; the next read finds its membership
		}
		if err != nil {
			return account.User{}, unavailable(err)
		}
		if _, err := a.personByID(ctx, p.ID); err != nil {
			// The person was erased meanwhile, because no membership was found.
			return account.User{}, errors.Join(err, a.DeleteUser(ctx, m.Org, m.ID))
		}
		return m, a.enter(ctx, m)
	}
	return account.User{}, apperr.Overtaken("user")
}

// join inserts or revives the membership of a person.
func (a *Accounts) join(ctx context.Context, p account.User, org, name string, role identity.Role) (account.User, error) {
	further, err := a.store.Memberships(ctx, p.ID)
	if err != nil {
		return account.User{}, err
	}
	here := slices.IndexFunc(further, func(m account.User) bool { return m.Org == org })
	switch {
	case p.Org == org && !p.Left, here >= 0 && !further[here].Deleted && !further[here].Invited:
		return account.User{}, emailTaken()
	case p.Org == org:
		return a.changeRead(ctx, func() (account.User, error) { return a.personByID(ctx, p.ID) }, func(u *account.User) error {
			accepted(u)
			u.Role = role
			return nil
		}, created)
	case here >= 0:
		id := further[here].ID
		return a.changeRead(ctx, func() (account.User, error) {
			u, err := a.store.User(ctx, org, id)
			return u, unavailable(err)
		}, func(u *account.User) error {
			accepted(u)
			u.Deleted, u.Role, u.Name, u.Email = false, role, name, p.Email
			return nil
		}, created)
	}
	now := a.moment()
	m := account.User{ID: account.NewID(), Org: org, Person: p.ID, Email: p.Email, Name: name, Role: role, Epoch: 1, Rev: 1, CreatedAt: now, UpdatedAt: now}
	m.EmailKey = m.StoredEmailKey()
	m.Mark = a.markOf(ctx, created(account.User{}, m))
	return m, a.store.InsertUser(ctx, m)
}

// DisablePerson ends all sessions of a person and disables every membership.
func (a *Accounts) DisablePerson(ctx context.Context, email string) error {
	p, err := a.UserByEmail(ctx, email)
	if err != nil {
		return err
	}
	if _, err := a.changePerson(ctx, p.ID, func(p *account.User) error { p.EndSessions(""); return nil }, owes()); err != nil {
		return err
	}
	all, err := a.memberships(ctx, p)
	for _, m := range all {
		err = errors.Join(err, a.DisableUser(ctx, m.Org, m.ID))
	}
	return err
}

// DeleteUser removes a membership. With the last one of a person the email is free
// again, and nothing but the id and the organization is kept.
func (a *Accounts) DeleteUser(ctx context.Context, org, id string) error {
	u, err := a.User(ctx, org, id)
	if err != nil {
		return err
	}
	p, err := a.person(ctx, u)
	if err != nil && apperr.CodeOf(err) != apperr.UserNotFound {
		return err
	}
	others := 0
	if err == nil {
		if others, err = a.others(ctx, p, id); err != nil {
			return err
		}
	}
	u, err = a.change(ctx, org, id, func(u *account.User) error {
		if u.Person == "" && others > 0 {
			u.Left, u.Disabled, u.Invited, u.InviteHash, u.InviteKey = true, true, false, "", ""
			u.EndTokens()
			return nil
		}
		erase(u)
		return nil
	}, owes(event{action: "user.delete", org: org, subject: id}))
	if err != nil {
		return err
	}
	if u.Deleted && u.Person == "" {
		err = a.dropSessions(ctx, u)
	}
	if err = errors.Join(err, a.eraseIfAlone(ctx, p.ID)); err != nil {
		return err
	}
	return a.enter(ctx, u)
}

// dropSessions removes the sessions of an erased user: they have addresses and browsers. The tokens were ended with the
// user.
func (a *Accounts) dropSessions(ctx context.Context, u account.User) error {
	_, err := a.store.DropSessions(ctx, u.Org, u.ID, "")
	return unavailable(err)
}

// erase removes all personal data of a user. It keeps the id, the organization and what
// finds the id if the address is invited again.
func erase(u *account.User) {
	if !u.Invited && u.Email != "" {
		u.Former = account.FormerKey(u.Org, account.EmailKey(u.Email))
	}
	u.Invited, u.InviteHash, u.InvitedUntil, u.InviteKey, u.SetupKey = false, "", time.Time{}, "", ""
	u.Deleted, u.Email, u.EmailKey, u.Name, u.PasswordHash, u.SetupHash = true, "", "", "", "", ""
	u.EndSessions("")
	u.EndTokens()
}

// others counts the other memberships of a person.
func (a *Accounts) others(ctx context.Context, p account.User, id string) (int, error) {
	all, err := a.memberships(ctx, p)
	return len(slices.DeleteFunc(all, func(m account.User) bool { return m.ID == id })), err
}

// eraseIfAlone erases a person who has left and has no membership left. It checks after
// the write that removed one, so that of two concurrent removals one finds none.
func (a *Accounts) eraseIfAlone(ctx context.Context, id string) error {
	p, err := a.store.Person(ctx, id)
	if errors.Is(err, account.ErrNotFound) || err == nil && (p.Deleted || !p.Left) {
		return nil
	}
	if err != nil {
		return unavailable(err)
	}
	all, err := a.memberships(ctx, p)
	if err != nil || len(all) > 0 {
		return err
	}
	p, err = a.changePerson(ctx, id, func(p *account.User) error {
		if p.Left {
			erase(p)
		}
		return nil
	}, owes())
	if err != nil || !p.Deleted {
		return err
	}
	return a.dropSessions(ctx, p)
}

// changePerson changes the document of a person, who may have left the organization
// of the first membership.
func (a *Accounts) changePerson(ctx context.Context, id string, apply func(*account.User) error, says owing) (account.User, error) {
	return a.changeRead(ctx, func() (account.User, error) { return a.personByID(ctx, id) }, apply, says)
}
