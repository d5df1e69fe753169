// Command demo plays the example conference against a running server and compares its
// footprint with the expected one. It exits with 0 only if every figure is equal to the
// last digit.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/tests/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

type settings struct {
	url, email, password  string
	credentials, example  string
	parallel              int
	patience, resultLimit time.Duration
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.StringVar(&s.url, "url", "", "address of the server (default: that of the credentials, else http://127.0.0.1:8080)")
	flags.StringVar(&s.email, "email", "", "play both roles with this account, a manager's, instead of the two of the credentials")
	flags.StringVar(&s.password, "password", "", "password of -email (default: the variable ECF_DEMO_PASSWORD)")
	flags.StringVar(&s.credentials, "credentials", ".data/demo-credentials", "file with the address and the demo accounts")
	flags.StringVar(&s.example, "example", "", "folder of the example (default: examples/london-conference, here or above)")
	flags.IntVar(&s.parallel, "parallel", 5, "records under way at once")
	flags.DurationVar(&s.patience, "patience", 2*time.Minute, "how long to wait in all for a server that is away, for each request")
	flags.DurationVar(&s.resultLimit, "deadline", time.Minute, "how long to wait for the result after the last approval")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var mu sync.Mutex // called by concurrent requests
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(out, format+"\n", args...) // output that cannot be written is ignored
	}

	ex, err := loadExample(s.example)
	if err != nil {
		return err
	}
	user, manager, err := s.logIn(ctx, say)
	if err != nil {
		return err
	}
	player := &demo.Player{User: user, Manager: manager, Key: "demo-" + rand.Text(), Parallel: s.parallel, Deadline: s.resultLimit, Log: say}
	outcome, err := player.Play(ctx, ex)
	if err != nil {
		if client.CodeOf(err) == client.CodeQuotaExceeded {
			return fmt.Errorf("%w\nEach run creates an event; start with a fresh data folder or raise the quota", err)
		}
		return err
	}
	if err := outcome.Report(out, ex); err != nil {
		return err
	}
	differences := outcome.Compare(ex.Expected)
	for _, d := range differences {
		say("DIFFERENT %s", d)
	}
	if len(differences) > 0 {
		return fmt.Errorf("%d figures differ from the expected ones", len(differences))
	}
	say("\nEqual: the total is the expected %s kg CO2e, and so is every record and part.", ex.Expected.Total())
	return nil
}

func loadExample(folder string) (*demo.Example, error) {
	if folder == "" {
		var err error
		if folder, err = demo.FindExample("."); err != nil {
			return nil, err
		}
	}
	return demo.LoadExample(folder)
}

// logIn logs in with each account.
func (s settings) logIn(ctx context.Context, say func(string, ...any)) (user, manager *client.Client, err error) {
	credentials, err := demo.ReadCredentials(s.credentials)
	if err != nil && s.email == "" {
		return nil, nil, fmt.Errorf("%w\nStart the server with make run first, or name an account with -email and -password", err)
	}
	url := cmp.Or(s.url, credentials.URL, "http://127.0.0.1:8080")
	say("server %s", url)
	logIn := func(a demo.Account) (*client.Client, error) {
		c, err := client.New(url, client.Options{
			Patience:  cmp.Or(s.patience, -1), // negative disables retries
			UserAgent: "ecf-demo",
			Repeating: func(request string, after error, pause time.Duration) {
				say("%s: %v; again in %s", request, after, pause)
			},
		})
		if err != nil {
			return nil, err
		}
		if err := c.Login(ctx, a.Email, a.Password); err != nil {
			return nil, fmt.Errorf("log in as %s: %w", a.Email, err)
		}
		say("logged in as %s", a.Email)
		return c, nil
	}
	if s.email != "" {
		manager, err = logIn(demo.Account{Email: s.email, Password: cmp.Or(s.password, os.Getenv("ECF_DEMO_PASSWORD"))})
		return manager, manager, err
	}
	for _, role := range []string{"user", "manager"} {
		if _, ok := credentials.Accounts[role]; !ok {
			return nil, nil, fmt.Errorf("%s has no line for the %s", s.credentials, role)
		}
	}
	if user, err = logIn(credentials.Accounts["user"]); err != nil {
		return nil, nil, err
	}
	manager, err = logIn(credentials.Accounts["manager"])
	return user, manager, err
}
