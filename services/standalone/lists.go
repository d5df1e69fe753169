package standalone

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth"
)

// orgList prints a line for each organization, by id: its id, plan, events so far as its plan
// counts them, members, the time at which it was created, and its name.
func orgList(ctx context.Context, env app.Env, d *Data) (err error) {
	stores, err := openExisting(ctx, env, *d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	for at := record.OrgID(""); ; {
		orgs, err := stores.records.OrganizationIDs(ctx, at, organizationsAtOnce)
		if err != nil || len(orgs) == 0 {
			return err
		}
		for _, org := range orgs {
			at = org
			if err := printOrganization(ctx, env, stores, org); err != nil {
				return fmt.Errorf("%s: %w", org, err)
			}
		}
	}
}

func printOrganization(ctx context.Context, env app.Env, stores *stores, org record.OrgID) error {
	o, err := stores.records.Organization(ctx, org)
	if err != nil {
		return err
	}
	events, err := stores.records.UsedSlots(ctx, org)
	if err != nil {
		return err
	}
	_, members, err := stores.accounts.UsersPage(ctx, string(org), 0, 1)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s\t%s\tevents: %d\tmembers: %d\tsince %s\t%s\n", o.ID, o.Plan, events, members, o.CreatedAt.Format(time.RFC3339), o.Name)
	return err
}

// userListSettings are the settings of user list.
type userListSettings struct {
	Data
	Org string
}

// Describe implements settings.Config.
func (c *userListSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Org, "org", "", "id of the organization", nil).Require()
	c.Data.Describe(s)
}

// usersAtOnce is the page size of lists of users.
const usersAtOnce = 256

// userList prints a line for each member of an organization, by id: the id of the
// membership, its role and state, the email address, and the name.
func userList(ctx context.Context, env app.Env, c *userListSettings) (err error) {
	stores, err := openExisting(ctx, env, c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	if _, err := stores.records.Organization(ctx, record.OrgID(c.Org)); errors.Is(err, record.ErrNotFound) {
		return noSuchOrganization(c.Org)
	} else if err != nil {
		return err
	}
	for after := ""; ; {
		users, err := stores.accounts.UsersAfter(ctx, c.Org, after, usersAtOnce)
		if err != nil || len(users) == 0 {
			return err
		}
		for _, u := range users {
			after = u.ID
			if !u.Listed() {
				continue
			}
			if _, err := fmt.Fprintf(env.Stdout, "%s\t%s\t%s\t%s\t%s\n", u.ID, auth.KindOf(u), auth.StateOf(u), u.Email, u.Name); err != nil {
				return err
			}
		}
	}
}
