package standalone

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

const usage = `usage: ecf COMMAND [settings]

  serve                                  run everything in this process
  bootstrap     --name N --plan P --email E
                                         make an organization and its administrator, and
                                         print the administrator's setup link; run again
                                         it completes what is missing
  org create    --name N --plan P        make an organization; prints its id
  user create   --org ID --email E --role user|manager|admin [--name N] [--setup-link]
  user create   --org ID --email E --service [--name N] [--setup-link]
                                         the account of a program, with the role user
  user password --email E [--setup-link] set a password
  user disable  --email E                end a user's sessions for good
  keys rotate                            add the next signing key; servers follow
  audit verify                           check the audit logs and the histories of all records
  verify        BUNDLE.json [--key K]    recompute an exported report, without a network
  version                                print the version

A password is read from standard input (one line); an empty one is generated
and printed. With --setup-link none is read: a link is printed with which the
user sets one, once, within 72 hours. The commands beside serve work while a server is running.
Settings are the same for all commands: ecf serve --help lists them.
`

// command is one command of ecf: its own flags and what it does.
type command struct {
	words []string
	flags []string // required ones first
	needs int      // how many of flags are required
	args  bool     // whether it takes arguments beside flags, in Settings.Args
	// switches are flags without a value.
	switches []string
	run      func(ctx context.Context, env app.Env, s app.Settings, values map[string]string) error
}

func commands() []command {
	return []command{
		{words: []string{"serve"}, run: serve},
		{words: []string{"bootstrap"}, flags: []string{"name", "plan", "email"}, needs: 3, run: bootstrap},
		{words: []string{"org", "create"}, flags: []string{"name", "plan"}, needs: 2, run: orgCreate},
		{words: []string{"user", "create"}, flags: []string{"org", "email", "role", "name"}, needs: 2, switches: []string{"service", "setup-link"}, run: userCreate},
		{words: []string{"user", "password"}, flags: []string{"email"}, needs: 1, switches: []string{"setup-link"}, run: userPassword},
		{words: []string{"user", "disable"}, flags: []string{"email"}, needs: 1, run: userDisable},
		{words: []string{"keys", "rotate"}, run: keysRotate},
		{words: []string{"audit", "verify"}, run: auditVerify},
		{words: []string{"verify"}, flags: []string{"key"}, args: true, run: verify},
		{words: []string{"version"}, run: func(_ context.Context, env app.Env, _ app.Settings, _ map[string]string) error {
			_, err := fmt.Fprintln(env.Stdout, env.Version)
			return err
		}},
	}
}

// Run runs the command that the arguments name.
func Run(ctx context.Context, env app.Env) error {
	for _, c := range commands() {
		if len(env.Args) < len(c.words) || !slices.Equal(env.Args[:len(c.words)], c.words) {
			continue
		}
		values, rest, err := takeFlags(env.Args[len(c.words):], c.flags, c.switches)
		if err != nil {
			return err
		}
		env.Args = rest
		settings, err := env.Settings()
		if err != nil {
			return err
		}
		if len(settings.Args) > 0 && !c.args {
			return fmt.Errorf("ecf %s does not take %q", strings.Join(c.words, " "), settings.Args)
		}
		for _, name := range c.flags[:c.needs] {
			if values[name] == "" {
				err = errors.Join(err, fmt.Errorf("--%s is required", name))
			}
		}
		if err != nil {
			return err
		}
		return c.run(ctx, env, settings, values)
	}
	if len(env.Args) == 0 || slices.Contains([]string{"help", "-h", "--help"}, env.Args[0]) {
		_, err := io.WriteString(env.Stdout, usage)
		return err
	}
	return fmt.Errorf("there is no command %q\n%s", strings.Join(env.Args, " "), usage)
}

// takeFlags takes the command's own flags out of the arguments and leaves the
// settings. A switch has the value "true".
func takeFlags(args, names, switches []string) (values map[string]string, rest []string, err error) {
	values = map[string]string{}
	for i := 0; i < len(args); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		if strings.HasPrefix(args[i], "-") && !given && slices.Contains(switches, name) {
			values[name] = "true"
			continue
		}
		if !strings.HasPrefix(args[i], "-") || !slices.Contains(names, name) {
			rest = append(rest, args[i])
			continue
		}
		if !given {
			if i++; i == len(args) {
				return nil, nil, fmt.Errorf("--%s needs a value", name)
			}
			value = args[i]
		}
		values[name] = value
	}
	return values, rest, nil
}

func serve(ctx context.Context, env app.Env, s app.Settings, _ map[string]string) error {
	return Serve(ctx, Options{Settings: s, Logger: env.Logger, Out: env.Stdout, Version: env.Version, Debug: app.Debug{Metrics: env.Metrics}})
}

func orgCreate(ctx context.Context, env app.Env, s app.Settings, v map[string]string) error {
	o, err := CreateOrganization(ctx, s, env.Logger, v["name"], v["plan"])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(env.Stdout, o.ID)
	return err
}

func userCreate(ctx context.Context, env app.Env, s app.Settings, v map[string]string) error {
	n := NewUser{Org: v["org"], Email: v["email"], Name: v["name"], Service: v["service"] != ""}
	switch {
	case v["role"] != "":
		var err error
		if n.Role, err = identity.ParseRole(v["role"]); err != nil {
			return fmt.Errorf("--role: %w", err)
		}
	case n.Service:
		n.Role = identity.User
	default:
		return errors.New("--role is required")
	}
	generated := false
	if v["setup-link"] == "" {
		var err error
		if n.Password, generated, err = readPassword(env); err != nil {
			return err
		}
	}
	u, token, err := CreateUser(ctx, s, env.Logger, n)
	if err != nil {
		return describe(err)
	}
	if _, err := fmt.Fprintln(env.Stdout, u.ID); err != nil {
		return err
	}
	if token != "" {
		return tellSetup(env, s, token)
	}
	return tellPassword(env, n.Password, generated)
}

func userPassword(ctx context.Context, env app.Env, s app.Settings, v map[string]string) error {
	if v["setup-link"] != "" {
		token, err := ResetPassword(ctx, s, env.Logger, v["email"])
		if err != nil {
			return describe(err)
		}
		return tellSetup(env, s, token)
	}
	password, generated, err := readPassword(env)
	if err != nil {
		return err
	}
	if err := SetPassword(ctx, s, env.Logger, v["email"], password); err != nil {
		return describe(err)
	}
	return tellPassword(env, password, generated)
}

func userDisable(ctx context.Context, env app.Env, s app.Settings, v map[string]string) error {
	return describe(DisableUser(ctx, s, env.Logger, v["email"]))
}

// readPassword reads one line of standard input, or makes a password when it
// is empty.
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

func tellPassword(env app.Env, password string, generated bool) error {
	if !generated {
		return nil
	}
	_, err := fmt.Fprintf(env.Stdout, "password %s\n", password)
	return err
}

// tellSetup prints the link of a one-time setup token. The token is in the part
// of an address that browsers keep to themselves, so no log of a server has it.
func tellSetup(env app.Env, s app.Settings, token string) error {
	_, err := fmt.Fprintf(env.Stdout, "%s%s/auth/setup#%s\n", s.Issuer, web.BasePath, token)
	return err
}

// describe writes the faults of a refused operation out, one per line.
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
