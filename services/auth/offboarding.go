package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// The actions of entries on the deletion of an organization. They are in the audit log of the
// system, because that of the organization is deleted with it, and are about no person.
const (
	closeAction  = "organization.close"
	deleteAction = "organization.delete"
)

// Deletion is what the audit log of the system has of the deletion of an organization.
type Deletion struct {
	// Closed is when the organization was closed, after which only its deletion can follow.
	Closed time.Time
	// Deleted is when it was deleted; zero until then.
	Deleted time.Time
}

// Underway reports whether the organization was closed, and is not deleted yet.
func (d Deletion) Underway() bool { return !d.Closed.IsZero() && d.Deleted.IsZero() }

// Deletions returns the deletions of all organizations that are or were being deleted.
func (a *Accounts) Deletions(ctx context.Context) (map[string]Deletion, error) {
	all := map[string]Deletion{}
	for after := int64(0); ; {
		entries, err := a.store.AuditAfter(ctx, account.SystemOrg, after, auditBatch)
		if err != nil || len(entries) == 0 {
			return all, unavailable(err)
		}
		for _, e := range entries {
			after = e.Seq
			d := all[e.Subject]
			switch e.Action {
			case closeAction:
				d.Closed = e.At
			case deleteAction:
				d.Deleted = e.At
			default:
				continue
			}
			all[e.Subject] = d
		}
	}
}

// CloseOrganization records that an organization is being deleted, once.
func (a *Accounts) CloseOrganization(ctx context.Context, org string) error {
	return a.audit(ctx, event{id: closeAction + ":" + org, action: closeAction, subject: org})
}

// OrganizationDeleted records that an organization was deleted, once, with what that removed.
func (a *Accounts) OrganizationDeleted(ctx context.Context, org, removed string) error {
	return a.audit(ctx, event{id: deleteAction + ":" + org, action: deleteAction, subject: org, to: removed})
}

// Offboarding ends the memberships of an organization that is being deleted.
type Offboarding struct {
	accounts *Accounts
	store    account.Store
}

// NewOffboarding returns the Offboarding of accounts that are in a store.
func NewOffboarding(accounts *Accounts, store account.Store) Offboarding {
	return Offboarding{accounts, store}
}

// Departures are what becomes of the members of an organization that is deleted.
type Departures struct {
	// Erased are accounts that have no other organization, Kept those that have.
	Erased, Kept int64
}

// departuresAtOnce is how many members are read at a time.
const departuresAtOnce = 200

// Departures returns what Dismiss would do.
func (o Offboarding) Departures(ctx context.Context, org string) (d Departures, err error) {
	err = o.eachMember(ctx, org, func(u account.User) error {
		others, err := o.elsewhere(ctx, u)
		switch {
		case err != nil || u.Deleted:
			return err
		case len(others) > 0:
			d.Kept++
		default:
			d.Erased++
		}
		return nil
	})
	return d, err
}

// Dismiss ends the memberships of everybody in an organization, the administrators included,
// with their tokens. A person with other memberships keeps the account, its password and its
// sessions, and none of it is of the organization any more; another one is erased. It may be
// repeated, and deletes no document: running servers have yet to learn of the changes, see
// Unannounced.
func (o Offboarding) Dismiss(ctx context.Context, org string) (d Departures, err error) {
	err = o.eachMember(ctx, org, func(u account.User) error {
		kept, changed, err := o.dismiss(ctx, org, u)
		switch {
		case err != nil || !changed:
			return err
		case kept:
			d.Kept++
		default:
			d.Erased++
		}
		return nil
	})
	return d, err
}

// eachMember calls do for all documents of members of an organization.
func (o Offboarding) eachMember(ctx context.Context, org string, do func(account.User) error) error {
	for after := ""; ; {
		users, err := o.store.UsersAfter(ctx, org, after, departuresAtOnce)
		if err != nil || len(users) == 0 {
			return unavailable(err)
		}
		for _, u := range users {
			after = u.ID
			if err := do(u); err != nil {
				return err
			}
		}
	}
}

// elsewhere returns the memberships in other organizations of the person of a membership.
func (o Offboarding) elsewhere(ctx context.Context, u account.User) (others []account.User, err error) {
	p, err := o.accounts.person(ctx, u)
	if apperr.CodeOf(err) == apperr.UserNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	all, err := o.accounts.memberships(ctx, p)
	return slices.DeleteFunc(all, func(m account.User) bool { return m.Org == u.Org }), err
}

// dismiss ends one membership. kept reports that the account remains for other organizations,
// changed that the membership had not ended before.
func (o Offboarding) dismiss(ctx context.Context, org string, u account.User) (kept, changed bool, err error) {
	if u.Person != "" {
		return o.dismissFurther(ctx, org, u)
	}
	_, err = o.dismissed(ctx, org, u.ID, func(u *account.User) error {
		changed = !u.Deleted
		others, err := o.elsewhere(ctx, *u)
		if err != nil || !changed {
			return err
		}
		if kept = len(others) > 0; !kept {
			erase(u)
			u.Former = ""
			return nil
		}
		u.Org, u.Left, u.Disabled = account.SystemOrg, true, true
		u.Invited, u.InviteHash, u.InvitedUntil, u.InviteKey, u.SetupKey, u.Name = false, "", time.Time{}, "", "", ""
		if u.DefaultOrg == "" || u.DefaultOrg == org {
			u.DefaultOrg = others[0].Org
		}
		u.EndTokens()
		return nil
	})
	return kept, changed, err
}

// dismissFurther is dismiss for a membership that is not its person's first.
func (o Offboarding) dismissFurther(ctx context.Context, org string, u account.User) (kept, changed bool, err error) {
	_, err = o.dismissed(ctx, org, u.ID, func(u *account.User) error {
		if changed = !u.Deleted; changed {
			erase(u)
		}
		u.Former = ""
		return nil
	})
	if err != nil {
		return false, false, err
	}
	p, err := o.store.Person(ctx, u.Person)
	if errors.Is(err, account.ErrNotFound) {
		return false, changed, nil
	}
	if err != nil {
		return false, changed, unavailable(err)
	}
	if p.DefaultOrg == org && !p.Deleted {
		if p, err = o.accounts.changePerson(ctx, p.ID, func(p *account.User) error {
			if p.DefaultOrg == org {
				p.DefaultOrg = ""
			}
			return nil
		}, owes()); err != nil && apperr.CodeOf(err) != apperr.UserNotFound {
			return false, changed, err
		}
	}
	if _, err := o.store.DropSessions(ctx, p.Org, u.Person, u.ID); err != nil {
		return false, changed, unavailable(err)
	}
	if err := o.accounts.eraseIfAlone(ctx, u.Person); err != nil {
		return false, changed, err
	}
	p, err = o.store.Person(ctx, u.Person)
	return err == nil && !p.Deleted, changed, unavailable(err)
}

// dismissed changes a user of an organization that is being deleted, unless it is gone.
func (o Offboarding) dismissed(ctx context.Context, org, id string, apply func(*account.User) error) (account.User, error) {
	for range writeAttempts {
		u, err := o.store.User(ctx, org, id)
		if errors.Is(err, account.ErrNotFound) {
			return account.User{}, nil // moved by another run
		}
		if err != nil {
			return account.User{}, unavailable(err)
		}
		before := u
		if err := apply(&u); err != nil || u == before {
			return u, err
		}
		if err := o.accounts.settle(ctx, before); err != nil {
			return account.User{}, err
		}
		u.Rev, u.Mark, u.UpdatedAt = before.Rev+1, account.NewMark(), o.accounts.moment()
		err = o.store.Dismiss(ctx, org, u, before.Rev)
		if errors.Is(err, account.ErrConflict) {
			continue
		}
		if err == nil {
			o.accounts.publishUser(ctx, u)
		}
		return u, unavailable(err)
	}
	return account.User{}, apperr.Overtaken("user")
}

// Unannounced counts the members of an organization, and the persons moved out of one, whose
// changes running servers may not know of yet.
func (o Offboarding) Unannounced(ctx context.Context, org string) (n int, err error) {
	for _, of := range []string{org, account.SystemOrg} {
		err := o.eachMember(ctx, of, func(u account.User) error {
			if u.Mark != "" {
				n++
			}
			return nil
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}
