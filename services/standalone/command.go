package standalone

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/records"
)

const notes = `
Passwords are read from standard input (one line); if the line is empty, a password
is generated and printed. With --setup-link no password is read: a link is printed
with which the user sets one, once, within 72 hours. All commands except serve can be
used while a server is running, unless their description says otherwise. The exit code is
0 if the command did what it says, 2 if it was called wrongly, and otherwise 1.
`

// Program returns the program ecf: the server, and the commands of an operator.
func Program() app.Program {
	return app.Program{Name: "ecf", Summary: "the whole Event Carbon Footprint Service in one process, and its administration", Notes: notes, Commands: []app.Command{
		app.NewCommand("serve", "run all services in one process", serve),
		app.NewCommand("bootstrap", "create an organization and its administrator, and print the administrator's setup link; can be repeated to complete what is missing", bootstrap).Taking("--name N --plan P --email E"),
		app.NewCommand("org create", "create an organization; prints its id", orgCreate).Taking("--name N --plan P"),
		app.NewCommand("org list", "list the organizations: id, plan, events created, members, age and name", orgList),
		app.NewCommand("org plan", "change the plan of an organization; takes effect at once", orgPlan).Taking("--org ID --plan P"),
		app.NewCommand("org delete", "delete an organization with everything of it, in running servers too; can be interrupted and repeated", orgDelete).Taking("--org ID --name N [--dry-run]"),
		app.NewCommand("user create", "create an account, or with --service a service account; prints its id", userCreate).Taking("--org ID --email E --role R"),
		app.NewCommand("user join", "add an existing account to another organization; prints the id of the membership", userJoin).Taking("--org ID --email E --role R"),
		app.NewCommand("user list", "list the members of an organization: id, role, state, email address and name", userList).Taking("--org ID"),
		app.NewCommand("user password", "set a password", userPassword).Taking("--email E"),
		app.NewCommand("user disable", "disable an account in all its organizations and end its sessions", userDisable).Taking("--email E"),
		app.NewCommand("user free", "release an address that someone else registered, end the sessions, and give the account another address or none", userFree).Taking("--email E [--to F]"),
		app.NewCommand("keys rotate", "add the next signing key; running servers pick it up", keysRotate),
		app.NewCommand("factors list", "list the factor sets", factorsList),
		app.NewCommand("factors check", "check a factor pack, row by row, without adding it", factorsCheck).Taking("FILE"),
		app.NewCommand("factors export", "print a built-in factor set as a pack, as a starting point for another edition", factorsExport).Taking("SET --name NAME"),
		app.NewCommand("factors sign", "print a factor pack with a signature by the report key", factorsSign).Taking("FILE"),
		app.NewCommand("factors add", "add a factor pack; running servers use it at once", factorsAdd).Taking("FILE"),
		app.NewCommand("audit verify", "verify the audit logs and all histories, and recalculate all figures", auditVerify),
		app.NewCommand("audit export", "export the signed heads of all audit logs and histories; audit verify --heads compares with the file", auditExport).Taking("--to FILE"),
		app.NewCommand("schema status", "show the schema versions of the data; fails when steps are missing", showSchema),
		app.NewCommand("schema up", "migrate the schema of the data to the newest version", upgradeSchema),
		app.NewCommand("schema contract", "apply the schema steps that exclude the previous release, once none of its processes runs", contractSchema),
		app.NewCommand("results prune", "delete revisions of results older than ECF_RESULT_RETENTION, except signed ones", pruneResults).Taking("[--dry-run]"),
		app.NewCommand("backup", "make an online backup of all data, and verify it", backup).Taking("--to DIR"),
		app.NewCommand("backup verify", "restore a backup, or the newest in a directory of backups, into a temporary database and compare everything with its manifest", backupVerify).Taking("DIR"),
		app.NewCommand("restore", "restore a backup into an empty data directory or empty databases", restore).Taking("--from DIR"),
		app.NewCommand("migrate", "copy the embedded database of a stopped server to MongoDB, and compare everything; can be interrupted and repeated", migrate).Taking("--to mongodb://…"),
		app.NewCommand("verify", "recompute an exported report, without a network", verify).Taking("BUNDLE.json"),
	}}
}

// Run runs the command in the arguments.
func Run(ctx context.Context, env app.Env) error { return Program().Run(ctx, env) }

func serve(ctx context.Context, env app.Env, c *Config) error {
	return Serve(ctx, Options{Config: *c, Logger: env.Logger, Out: env.Stdout, Version: env.Version, Metrics: env.Metrics})
}

// orgSettings are the settings of org create.
type orgSettings struct {
	Data
	records.Config
	Name, Plan string
}

// Describe implements settings.Config.
func (c *orgSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Name, "name", "", "name of the organization", nil).Require()
	s.TextFlag(&c.Plan, "plan", "", "one of the plans of ECF_QUOTAS", nil).Require()
	c.Config.Describe(s)
	c.Data.Describe(s)
}

func orgCreate(ctx context.Context, env app.Env, c *orgSettings) error {
	o, err := CreateOrganization(ctx, c.Data, c.Quotas, env.Logger, c.Name, c.Plan)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.Stdout, o.ID)
	return err
}

// planSettings are the settings of org plan.
type planSettings struct {
	Data
	records.Config
	Org, Plan string
}

// Describe implements settings.Config.
func (c *planSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Org, "org", "", "id of the organization", nil).Require()
	s.TextFlag(&c.Plan, "plan", "", "one of the plans of ECF_QUOTAS", nil).Require()
	c.Config.Describe(s)
	c.Data.Describe(s)
}

func orgPlan(ctx context.Context, env app.Env, c *planSettings) error {
	return ChangePlan(ctx, c.Data, c.Quotas, env.Logger, c.Org, c.Plan)
}

// userSettings are the settings of the commands on accounts.
type userSettings struct {
	Data
	links     linked
	Email     string
	SetupLink bool
}

// Describe implements settings.Config.
func (c *userSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Email, "email", "", "email address of the account", nil).Require()
	s.BoolFlag(&c.SetupLink, "setup-link", "print a link to set a password, instead of reading one")
	c.links.Describe(s)
	c.Data.Describe(s)
}

// newUserSettings are the settings of user create.
type newUserSettings struct {
	userSettings
	Org, Name, Role string
	Service         bool
}

// Describe implements settings.Config.
func (c *newUserSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Org, "org", "", "id of the organization", nil).Require()
	s.TextFlag(&c.Role, "role", "", strings.Join(identity.RoleNames(), ", "), settings.OneOf(identity.RoleNames()...))
	s.TextFlag(&c.Name, "name", "", "name of the user", nil)
	s.BoolFlag(&c.Service, "service", "create a service account, with the role user")
	s.After(func() error {
		if c.Role == "" && !c.Service {
			return errors.New("--role is required: one of " + strings.Join(identity.RoleNames(), ", "))
		}
		return nil
	})
	c.userSettings.Describe(s)
}

func userCreate(ctx context.Context, env app.Env, c *newUserSettings) (err error) {
	n := NewUser{Org: c.Org, Email: c.Email, Name: c.Name, Service: c.Service, Role: identity.User}
	if c.Role != "" {
		if n.Role, err = identity.ParseRole(c.Role); err != nil {
			return fmt.Errorf("--role: %w", err)
		}
	}
	generated := false
	if !c.SetupLink {
		if n.Password, generated, err = readPassword(env); err != nil {
			return err
		}
	}
	u, token, err := CreateUser(ctx, c.Data, env.Logger, n)
	if err != nil {
		return describe(err)
	}
	if _, err := fmt.Fprintln(env.Stdout, u.ID); err != nil {
		return err
	}
	if err := warnOfLookAlikes(env, u.Email); err != nil {
		return err
	}
	if token != "" {
		return printSetupLink(env, &c.links, token)
	}
	return printPassword(env, n.Password, generated)
}

// warnOfLookAlikes names the characters of an address that may look like others.
func warnOfLookAlikes(env app.Env, email string) error {
	found := account.LookAlikes(email)
	if found == "" {
		return nil
	}
	_, err := fmt.Fprintf(env.Stderr, "The address has characters that may look like others: %s. Make sure that it is the one you mean.\n", found)
	return err
}

// joinSettings are the settings of user join.
type joinSettings struct {
	Data
	Org, Email, Name, Role string
}

// Describe implements settings.Config.
func (c *joinSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Org, "org", "", "id of the organization", nil).Require()
	s.TextFlag(&c.Email, "email", "", "email address of the account", nil).Require()
	s.TextFlag(&c.Role, "role", "", strings.Join(identity.RoleNames(), ", "), settings.OneOf(identity.RoleNames()...)).Require()
	s.TextFlag(&c.Name, "name", "", "name of the user there", nil)
	c.Data.Describe(s)
}

func userJoin(ctx context.Context, env app.Env, c *joinSettings) error {
	role, err := identity.ParseRole(c.Role)
	if err != nil {
		return fmt.Errorf("--role: %w", err)
	}
	u, err := JoinUser(ctx, c.Data, env.Logger, NewUser{Org: c.Org, Email: c.Email, Name: c.Name, Role: role})
	if err != nil {
		return describe(err)
	}
	_, err = fmt.Fprintln(env.Stdout, u.ID)
	return err
}

func userPassword(ctx context.Context, env app.Env, c *userSettings) error {
	if c.SetupLink {
		token, err := ResetPassword(ctx, c.Data, env.Logger, c.Email)
		if err != nil {
			return describe(err)
		}
		return printSetupLink(env, &c.links, token)
	}
	password, generated, err := readPassword(env)
	if err != nil {
		return err
	}
	if err := SetPassword(ctx, c.Data, env.Logger, c.Email, password); err != nil {
		return describe(err)
	}
	return printPassword(env, password, generated)
}

// disableSettings are the settings of user disable.
type disableSettings struct {
	Data
	Email string
}

// Describe implements settings.Config.
func (c *disableSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Email, "email", "", "email address of the account", nil).Require()
	c.Data.Describe(s)
}

func userDisable(ctx context.Context, env app.Env, c *disableSettings) error {
	return describe(DisableUser(ctx, c.Data, env.Logger, c.Email))
}

// freeSettings are the settings of user free.
type freeSettings struct {
	Data
	Email, To string
}

// Describe implements settings.Config.
func (c *freeSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.Email, "email", "", "email address to release", nil).Require()
	s.TextFlag(&c.To, "to", "", "new address for the account that has it; without one nobody can sign in to that account", nil)
	c.Data.Describe(s)
}

func userFree(ctx context.Context, env app.Env, c *freeSettings) error {
	return describe(FreeAddress(ctx, c.Data, env.Logger, c.Email, c.To))
}

// readPassword reads one line of standard input, or generates a password if the line is empty.
func readPassword(env app.Env) (password string, generated bool, err error) {
	line, err := bufio.NewReader(io.LimitReader(env.Stdin, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, fmt.Errorf("read the password from standard input: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line != "" {
		return line, false, nil
	}
	return rand.Text(), true, nil
}

func printPassword(env app.Env, password string, generated bool) error {
	if !generated {
		return nil
	}
	_, err := fmt.Fprintf(env.Stdout, "password %s\n", password)
	return err
}

// printSetupLink prints the link of a one-time setup token. The token is in the fragment of the
// URL, which browsers do not send, so no server logs it.
func printSetupLink(env app.Env, links *linked, token string) error {
	if links.guessed {
		if _, err := fmt.Fprintf(env.Stderr, "The link names the server as %s, because ECF_ISSUER is not set. If the server has another ECF_ISSUER or ECF_ADDR, set the same here and ask for a new link.\n", links.issuer.URL); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(env.Stdout, "%s%s/auth/setup#%s\n", links.issuer.URL, web.BasePath, token)
	return err
}

// describe returns the message of a rejected operation and its details, one per line.
func describe(err error) error {
	var e *apperr.Error
	if !errors.As(err, &e) || e.Cause != nil {
		return err
	}
	lines := []string{e.Message}
	for _, d := range e.Details {
		lines = append(lines, d.Message)
	}
	return errors.New(strings.Join(lines, "\n"))
}
