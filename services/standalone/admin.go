package standalone

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const maxOrganizationName = 200

// newOrganization returns an organization with a plan that must be in quotas.
func newOrganization(id record.OrgID, name, plan string, quotas settings.Quotas, now time.Time) (record.Organization, error) {
	name = strings.TrimSpace(name)
	var faults []error
	if n := utf8.RuneCountInString(name); n < 1 || n > maxOrganizationName {
		faults = append(faults, fmt.Errorf("--name must have 1 to %d characters", maxOrganizationName))
	}
	faults = append(faults, checkPlan(plan, quotas))
	o := record.Organization{ID: id, Name: name, CreatedAt: now.UTC().Truncate(time.Millisecond)}
	putOn(&o, plan)
	return o, errors.Join(faults...)
}

// checkPlan returns an error if the quotas have no such plan.
func checkPlan(plan string, quotas settings.Quotas) error {
	if _, ok := quotas[plan]; ok {
		return nil
	}
	return fmt.Errorf("--plan must be one of %s (see ECF_QUOTAS), not %q", strings.Join(slices.Sorted(maps.Keys(quotas)), ", "), plan)
}

// ChangePlan changes the plan of an organization. It may run while a server runs.
func ChangePlan(ctx context.Context, d Data, quotas settings.Quotas, log *slog.Logger, org, plan string) (err error) {
	if err := checkPlan(plan, quotas); err != nil {
		return err
	}
	return withAccounts(ctx, d, log, func(stores *stores, accounts *auth.Accounts) error {
		for {
			o, err := openOrganization(ctx, stores, accounts, org)
			if err != nil || o.Plan == plan {
				return err
			}
			before := o.Rev
			putOn(&o, plan)
			err = stores.records.ReplaceOrganization(ctx, o, before)
			if err == nil {
				err = enterPlan(ctx, o, accounts.PlanSet)
			}
			if !errors.Is(err, record.ErrConflict) {
				return err
			}
		}
	})
}

// CreateOrganization creates an organization with one of the plans. It may run while a server runs.
func CreateOrganization(ctx context.Context, d Data, quotas settings.Quotas, log *slog.Logger, name, plan string) (o record.Organization, err error) {
	if o, err = newOrganization(record.OrgID(record.NewID()), name, plan, quotas, time.Now()); err != nil {
		return record.Organization{}, err
	}
	return o, withNewAccounts(ctx, d, log, func(stores *stores, accounts *auth.Accounts) error {
		if err := stores.records.InsertOrganization(ctx, o); err != nil {
			return err
		}
		return enterPlan(ctx, o, accounts.PlanSet)
	})
}

// putOn puts an organization on a plan as its next revision. The organization remembers that: the
// audit log does not have it before enterPlan has succeeded.
func putOn(o *record.Organization, plan string) {
	was := o.Plan
	o.Plan, o.Rev = plan, o.Rev+1
	o.Owe(record.OwedChange{Action: auth.PlanAction, Rev: o.Rev, Before: was, After: plan})
}

// enterFirstPlan is enterPlan for an organization that is new, or that a killed process of an earlier
// release has made, which did not remember the change.
func enterFirstPlan(ctx context.Context, o record.Organization, enter func(ctx context.Context, org string, rev int64, before, plan string) error) error {
	if _, ok := o.OwedBy(auth.PlanAction); !ok {
		return enter(ctx, string(o.ID), o.Rev, "", o.Plan)
	}
	return enterPlan(ctx, o, enter)
}

// enterPlan enters the last change of the plan of an organization into its audit log by a function
// that does nothing if it is there.
func enterPlan(ctx context.Context, o record.Organization, enter func(ctx context.Context, org string, rev int64, before, plan string) error) error {
	owed, ok := o.OwedBy(auth.PlanAction)
	if !ok {
		return nil
	}
	return enter(ctx, string(o.ID), owed.Rev, owed.Before, owed.After)
}

// NewUser is an account to be created.
type NewUser struct {
	Org      string
	Email    string
	Name     string
	Role     identity.Role
	Service  bool   // the account of a program; its role must be User
	Password string // empty: create a one-time setup token
}

// CreateUser creates an account in an existing organization. Without a password it returns the
// one-time setup token. It may run while a server runs.
func CreateUser(ctx context.Context, d Data, log *slog.Logger, n NewUser) (u account.User, setupToken string, err error) {
	err = withAccounts(ctx, d, log, func(stores *stores, accounts *auth.Accounts) error {
		if _, err := openOrganization(ctx, stores, accounts, n.Org); err != nil {
			return err
		}
		u, setupToken, err = accounts.CreateUser(ctx, auth.NewUser{
			Org: n.Org, Email: n.Email, Name: n.Name, Role: n.Role, Service: n.Service, Password: n.Password,
		})
		return err
	})
	return u, setupToken, err
}

// openOrganization reads an organization that exists and is not being deleted. What a killed
// command has left of its last change is completed.
func openOrganization(ctx context.Context, stores *stores, accounts *auth.Accounts, org string) (record.Organization, error) {
	if err := neverDeleted(ctx, accounts, org); err != nil {
		return record.Organization{}, err
	}
	o, err := stores.records.Organization(ctx, record.OrgID(org))
	if errors.Is(err, record.ErrNotFound) {
		return o, noSuchOrganization(org)
	}
	if err != nil {
		return o, err
	}
	return o, enterPlan(ctx, o, accounts.PlanOwed)
}

// neverDeleted returns an error for an organization that is being deleted, or was: its id is not
// used again.
func neverDeleted(ctx context.Context, accounts *auth.Accounts, org string) error {
	deletions, err := accounts.Deletions(ctx)
	if err != nil {
		return err
	}
	switch d := deletions[org]; {
	case d.Underway():
		return fmt.Errorf("the organization %q is being deleted since %s; complete that with: ecf org delete --org %s", org, d.Closed.Format(time.RFC3339), org)
	case !d.Deleted.IsZero():
		return fmt.Errorf("the organization %q was deleted at %s; make another one with: ecf org create", org, d.Deleted.Format(time.RFC3339))
	}
	return nil
}

func noSuchOrganization(org string) error {
	return fmt.Errorf("there is no organization %q; make one with: ecf org create", org)
}

// JoinUser makes a person who has an account a member of another existing organization. It may
// run beside a server.
func JoinUser(ctx context.Context, d Data, log *slog.Logger, n NewUser) (u account.User, err error) {
	err = withAccounts(ctx, d, log, func(stores *stores, accounts *auth.Accounts) error {
		if _, err := openOrganization(ctx, stores, accounts, n.Org); err != nil {
			return err
		}
		u, err = accounts.Join(ctx, n.Email, n.Org, n.Name, n.Role)
		return err
	})
	return u, err
}

// DisableUser prevents a person from signing in to any organization and ends the person's
// sessions, in a running server too.
func DisableUser(ctx context.Context, d Data, log *slog.Logger, email string) error {
	return withAccounts(ctx, d, log, func(_ *stores, accounts *auth.Accounts) error {
		return accounts.DisablePerson(ctx, email)
	})
}

// FreeAddress takes an email address from its person, who gets another one or none, in a
// running server too.
func FreeAddress(ctx context.Context, d Data, log *slog.Logger, email, to string) error {
	return withAccounts(ctx, d, log, func(_ *stores, accounts *auth.Accounts) error {
		return accounts.FreeAddress(ctx, email, to)
	})
}

// SetPassword sets the password of a user and ends the user's sessions, in a running server
// too.
func SetPassword(ctx context.Context, d Data, log *slog.Logger, email, password string) error {
	return withAccounts(ctx, d, log, func(_ *stores, accounts *auth.Accounts) error {
		u, err := accounts.UserByEmail(ctx, email)
		if err != nil {
			return err
		}
		return accounts.SetPassword(ctx, u.Org, u.ID, password)
	})
}

// ResetPassword removes the password of a user, ends the user's sessions, in a running server
// too, and returns a one-time token to set a new one.
func ResetPassword(ctx context.Context, d Data, log *slog.Logger, email string) (setupToken string, err error) {
	err = withAccounts(ctx, d, log, func(_ *stores, accounts *auth.Accounts) error {
		u, err := accounts.UserByEmail(ctx, email)
		if err != nil {
			return err
		}
		setupToken, err = accounts.ResetPassword(ctx, u.Org, u.ID)
		return err
	})
	return setupToken, err
}

// withAccounts opens the stores of a system that exists, for an operation on accounts. It does
// not update the copy of sessions: a running server notices the change by itself.
func withAccounts(ctx context.Context, d Data, log *slog.Logger, do func(*stores, *auth.Accounts) error) error {
	if err := d.mustExist(); err != nil {
		return err
	}
	return withNewAccounts(ctx, d, log, do)
}

// withNewAccounts is withAccounts, and begins a system where there is none.
func withNewAccounts(ctx context.Context, d Data, log *slog.Logger, do func(*stores, *auth.Accounts) error) (err error) {
	stores, err := openStores(ctx, app.Env{Logger: log}, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	accounts, err := auth.NewAccounts(auth.AccountsDeps{Store: stores.accounts, Logger: log})
	if err != nil {
		return err
	}
	return do(stores, accounts)
}
