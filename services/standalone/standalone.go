// Package standalone runs the whole system in one process: the same services, whose handlers
// are called directly or over in-memory listeners, on the embedded engines unless the settings
// name others.
package standalone

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/infra/cache"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/infra/taskqueue"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/gateway"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/review"
)

// Options are the options of a server besides its settings.
type Options struct {
	Config Config
	Logger *slog.Logger
	// Out is where the address and the demo accounts are printed; nil: nowhere.
	Out     io.Writer
	Version string
	// Ready, if set, is called once with the address on which the gateway listens.
	Ready func(address string)
	// Metrics, if set, is served on the debug address.
	Metrics http.Handler
	// Now is the clock of everything except the embedded engines. Default: time.Now.
	Now func() time.Time
}

// Serve runs the system until ctx ends.
func Serve(ctx context.Context, o Options) error {
	if o.Config.Data.Records.URI == "" {
		unlock, err := lockDataDir(o.Config.Data.Dir.Path)
		if err != nil {
			return err
		}
		defer unlock()
		runBesideCommits(os.Getenv("GOMAXPROCS"))
	}
	env := app.Env{Logger: o.Logger, Version: o.Version, Metrics: o.Metrics, Now: o.Now}
	return app.Serve(ctx, env, "ecf", o.Config.Listen, func(ctx context.Context, p *app.Process) (app.Service, error) {
		in, err := openInfrastructure(ctx, p, o.Config)
		if err != nil {
			return app.Service{}, err
		}
		return start(ctx, p, in, o)
	})
}

// infrastructure are the shared dependencies of the services.
type infrastructure struct {
	*stores
	queue *taskqueue.Queue
	// notifier carries interactive notifications: Direct or, with a Redis of its own and
	// workers of other processes, the queue.
	notifier notify.CheckedNotifier
	direct   *notify.Direct
	limits   ratelimit.Log
	auth     auth.Deps
	reports  *bundle.Keys
}

func openInfrastructure(ctx context.Context, p *app.Process, c Config) (in infrastructure, err error) {
	c.Data.waits = true
	if in.stores, err = openStores(ctx, p.Env, c.Data); err != nil {
		return in, err
	}
	p.OnClose(in.stores.close)
	removeLeftScratch()
	if in.system != "" && !in.fresh {
		p.Logger.InfoContext(ctx, in.system)
	}
	queueURL, cacheURL, err := openRedis(ctx, p, c)
	if err != nil {
		return in, err
	}
	if in.queue, err = taskqueue.Open(p, queueURL); err != nil {
		return in, err
	}
	in.notifier = in.queue.Interactive
	if c.QueueURL == "" {
		in.direct = notify.NewDirect(in.queue.Interactive, p.Now)
		in.notifier = in.direct
	}
	in.auth.Store = in.stores.accounts
	if in.auth.Cache, err = cache.Open(p, cacheURL); err != nil {
		return in, err
	}
	// With SQLite the accounts are in this process. A copy costs as much to read, and
	// its timeout passes while the processors are busy.
	if c.Data.Records.URI != "" {
		in.auth.Copy = sessions.NewCopy(in.auth.Cache)
	}
	in.countLimits(c, p.Now)
	if in.auth.Keys, err = c.Keys.Open(p.Now); err != nil {
		return in, err
	}
	in.reports, err = bundle.OpenKeys(calculation.ReportKeysDir(c.Keys.Folder.Path), true)
	return in, c.Keys.Folder.Unusable(err)
}

// start creates every service, runs those behind the gateway, and returns the gateway, which
// the process serves.
func start(ctx context.Context, p *app.Process, in infrastructure, o Options) (app.Service, error) {
	c := o.Config
	insight, err := in.queue.Insight(p)
	if err != nil {
		return app.Service{}, err
	}
	p.Health.Add(in.check)
	inside := p.Inside(web.NewHealth(p.Now, in.check))
	accounts, authService, err := auth.Start(inside, c.Auth, in.auth)
	if err != nil {
		return app.Service{}, err
	}
	demo, err := prepareDemo(ctx, c, in.stores, accounts, in.notifier, p.Now)
	if err != nil {
		return app.Service{}, err
	}
	tokens := identity.NewVerifier(identity.VerifierOptions{Issuer: c.Auth.Issuer, Keys: accounts.Keys(), Now: p.Now})
	checker := sessions.NewChecker(sessions.Options{Copy: in.auth.Copy, Authority: accounts, Now: p.Now})
	verifier := identity.ActiveTokens{Tokens: tokens, Sessions: checker}
	recordsService, err := records.Start(inside, c.Records, records.Deps{Store: in.records, Notifier: in.notifier, Verifier: verifier, Members: accounts, Audit: accounts})
	if err != nil {
		return app.Service{}, err
	}
	reviewService, err := review.Start(inside, review.Deps{Store: in.records, Notifier: in.notifier, Verifier: verifier})
	if err != nil {
		return app.Service{}, err
	}
	calculationService, err := calculation.Start(inside, calculation.Deps{
		Records: in.records, Results: in.results, Notifier: in.notifier, Bulk: in.queue.Bulk, Keys: in.reports, Verifier: verifier, Audit: accounts,
	})
	if err != nil {
		return app.Service{}, err
	}
	worker := calculation.StartWorker(inside, c.Work, resulttree.WorkerDeps{
		Records: in.records, Results: in.results, Queue: in.queue.Connection, Notifier: in.notifier, Direct: in.direct, Insight: insight,
	})
	organizations, err := in.records.OrganizationIDs(ctx, "", 1)
	begun := len(organizations) > 0 || err != nil // where that is not known, nothing is recommended
	c.warnOfGuessedIssuer(ctx, p.Logger)
	if len(c.Gateway.TrustedProxies) == 0 {
		keys.WarnUnlessServed(ctx, p.Logger, c.Auth.Issuer, c.Addr)
	}
	edge, err := gateway.Start(p, c.Gateway, gateway.Deps{
		Auth: reached(p, authService), Records: reached(p, recordsService), Review: reached(p, reviewService), Calculation: reached(p, calculationService),
		Tokens: tokens, Sessions: checker,
		Limits: in.limits,
		Audit:  accounts,
	})
	edge.Tasks = append(edge.Tasks, worker.Tasks...)
	edge.Status = worker.Status
	edge.Serving = func(address string) { announce(o, address, in.system, begun, demo) }
	return edge, err
}

// warnOfGuessedIssuer warns that tokens are valid at this server only although others may share
// its database.
func (c *Config) warnOfGuessedIssuer(ctx context.Context, log *slog.Logger) {
	if c.issuerGuessed && c.Data.Records.URI != "" {
		log.WarnContext(ctx, "ECF_ISSUER is not set, so that tokens are of the address listened at: another server on the same MongoDB refuses them unless both have the same ECF_ISSUER, and the same keys in ECF_SIGNING_KEYS_DIR",
			"issuer", c.Auth.Issuer)
	}
}

// reached serves a service on an in-memory listener and returns how the gateway reaches it.
func reached(p *app.Process, s app.Service) upstream.Config {
	listener := fasthttputil.NewInmemoryListener()
	s.App.Handler() // builds the route tree, as serving would
	handler := s.App.Server().Handler
	p.Go(s, listener)
	return upstream.Config{URL: "http://" + s.Name, Dial: upstream.DialListener(listener), Handler: handler, Recall: s.Recall}
}

// announce prints the address of the server and how to sign in. Where a system has begun, it
// has organizations, whose accounts are not known here.
func announce(o Options, address, system string, begun bool, demo *demoAccounts) {
	host, port, err := net.SplitHostPort(address)
	if err == nil && (host == "::" || host == "0.0.0.0") {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	if o.Out != nil {
		fmt.Fprintf(o.Out, "\nEvent Carbon Footprint Service %s\n\n  Console http://%s/\n  API     http://%s%s\n  Docs    http://%s%s/docs\n  Health  http://%s%s/health\n",
			o.Version, address, address, web.BasePath, address, web.BasePath, address, web.BasePath)
		if system != "" {
			fmt.Fprintf(o.Out, "  Data    %s\n", system)
		}
		switch {
		case demo == nil && begun:
		case demo == nil:
			fmt.Fprint(o.Out, "\n  Create an organization and its administrator with ecf bootstrap.\n")
		case demo.Fresh:
			fmt.Fprintf(o.Out, "\n  Sign in as %s, %s or %s\n  Password  %s   (shown once; kept in %s)\n", demo.Admin, demo.Manager, demo.User, demo.Password, demo.File)
		default:
			fmt.Fprintf(o.Out, "\n  Sign in as %s, %s or %s\n  The password is in %s.\n", demo.Admin, demo.Manager, demo.User, demo.File)
			if demo.Ignored {
				fmt.Fprint(o.Out, "  ECF_DEMO_PASSWORD is another one: it only applies to the first start.\n")
			}
		}
		fmt.Fprintln(o.Out)
	}
	if o.Ready != nil {
		o.Ready(address)
	}
}
