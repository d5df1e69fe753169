package standalone

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/password"
)

const (
	demoOrg  record.OrgID = "demo"
	demoPlan string       = "team"
	// credentialsFile is the file of the demo accounts in the data directory.
	credentialsFile string = "demo-credentials"
)

// demoRoles are the roles of the demo organization's accounts.
var demoRoles = [...]identity.Role{identity.Admin, identity.Manager, identity.User}

func demoEmail(role identity.Role) string { return role.String() + "@demo.test" }

func demoName(role identity.Role) string { return "Demo " + role.String() }

// checkDemoPassword returns why the demo accounts cannot have a password.
func checkDemoPassword(text string) error {
	policy := password.NewPolicy()
	for _, role := range demoRoles {
		if fault := policy.Check(text, demoEmail(role), demoName(role)); fault != nil {
			return fmt.Errorf("is refused: %w", fault)
		}
	}
	return nil
}

// demoAccounts are the accounts of the demo organization.
type demoAccounts struct {
	Admin, Manager, User string
	Password             string
	File                 string
	// Fresh reports that the password has just been generated.
	Fresh bool
	// Ignored reports that another password is configured than the accounts were created with.
	Ignored bool
}

// prepareDemo creates the demo organization with its accounts and example event as far as they
// do not exist, or returns nil if no demo is configured. Each step can be repeated, so an
// interrupted start is completed by the next.
func prepareDemo(ctx context.Context, c Config, stores *stores, accounts *auth.Service, notifier notify.Notifier, now func() time.Time) (*demoAccounts, error) {
	if !c.Demo {
		return nil, nil //nolint:nilnil // the demo is optional
	}
	deletions, err := accounts.Deletions(ctx)
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if _, deleted := deletions[string(demoOrg)]; deleted {
		return nil, nil //nolint:nilnil // the demo is optional, and not made again
	}
	d := &demoAccounts{
		Admin: demoEmail(identity.Admin), Manager: demoEmail(identity.Manager), User: demoEmail(identity.User),
		File: filepath.Join(c.Data.Dir.Path, credentialsFile),
	}
	// The file comes first: an account with an unknown password would be worse than a file
	// without accounts.
	if err := d.readOrMake(c); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	o, err := newOrganization(demoOrg, "Demo organization", demoPlan, c.Records.Quotas, now())
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	o.Policy.RequireReason = true
	o, err = stores.insertOrRead(ctx, o)
	if err == nil {
		if _, err = accounts.UserByEmail(ctx, d.Admin); apperr.CodeOf(err) == apperr.UserNotFound {
			err = enterFirstPlan(ctx, o, accounts.PlanSet)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	actors := map[identity.Role]record.Actor{}
	for _, role := range demoRoles {
		u, err := d.account(ctx, accounts, role)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		actors[role] = record.Actor{ID: u.ID, Name: u.Name, Role: role}
	}
	if err := makeExample(ctx, stores.records, notifier, demoOrg, actors[identity.User], actors[identity.Manager], now); err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	return d, nil
}

func (d *demoAccounts) account(ctx context.Context, accounts *auth.Service, role identity.Role) (account.User, error) {
	email := demoEmail(role)
	u, _, err := accounts.CreateUser(ctx, auth.NewUser{Org: string(demoOrg), Email: email, Name: demoName(role), Role: role, Password: d.Password})
	if apperr.CodeOf(err) == apperr.EmailTaken {
		return accounts.UserByEmail(ctx, email)
	}
	return u, err
}

// readOrMake reads the password from the credentials file, or creates both.
func (d *demoAccounts) readOrMake(c Config) error {
	if err := makeDataDir(c.Data.Dir.Path); err != nil {
		return err
	}
	text, err := os.ReadFile(d.File)
	if err == nil {
		for line := range strings.SplitSeq(string(text), "\n") {
			// A password may contain spaces.
			if parts := strings.SplitN(strings.TrimRight(line, "\r"), " ", 3); len(parts) == 3 && parts[1] == d.Manager {
				d.Password = parts[2]
				d.Ignored = c.DemoPassword != "" && c.DemoPassword != d.Password
				return nil
			}
		}
		return fmt.Errorf("%s has no line for %s; delete the file and the data directory to start again", d.File, d.Manager)
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// A given password is known already, and is not logged.
	d.Fresh, d.Password = c.DemoPassword == "", c.DemoPassword
	if d.Fresh {
		d.Password = rand.Text()
	}
	content := fmt.Sprintf("url http://%s\nadmin %s %s\nmanager %s %s\nuser %s %s\n",
		c.Addr, d.Admin, d.Password, d.Manager, d.Password, d.User, d.Password)
	// Written atomically.
	temporary := d.File + ".new"
	if err := removeAll(temporary); err != nil {
		return err
	}
	if err := durable.Create(temporary, []byte(content)); err != nil {
		return err
	}
	return os.Rename(temporary, d.File)
}
