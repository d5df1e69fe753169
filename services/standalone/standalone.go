// Package standalone runs the whole system in one process: the same services,
// joined by listeners in memory, on the embedded engines unless the settings
// name real ones.
package standalone

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/keyring"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/gateway"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/review"
)

const (
	// serveGrace is how long requests, and workGrace how long recalculations,
	// may take to finish after the end has been asked for.
	serveGrace = 20 * time.Second
	workGrace  = 25 * time.Second
)

// Options is what a server is started with beside its settings.
type Options struct {
	Settings app.Settings
	Logger   *slog.Logger
	// Out is where the address and the demo accounts are told. Default: nowhere.
	Out     io.Writer
	Version string
	// Ready, if set, is called once with the address the gateway listens on.
	Ready func(address string)
	// Debug, if set, is served on the settings' debug address.
	Debug app.Debug
	// Now is the clock of everything but the embedded engines. Default: time.Now.
	Now func() time.Time
}

// Serve runs the system until ctx ends.
func Serve(ctx context.Context, o Options) (err error) {
	s := o.Settings
	if o.Now == nil {
		o.Now = time.Now
	}
	if s.MongoURI == "" {
		unlock, err := lockDataDir(s.DataDir)
		if err != nil {
			return err
		}
		defer unlock()
	}
	stores, err := openStores(ctx, s, o.Logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	redis, err := openRedis(ctx, s)
	if err != nil {
		return err
	}
	defer redis.close()
	notifier := notify.NewQueue(redis.queue, notify.QueueInteractive, o.Logger, o.Now)
	defer func() { _ = notifier.Close() }()
	bulk := notify.NewQueue(redis.queue, notify.QueueBulk, o.Logger, o.Now)
	defer func() { _ = bulk.Close() }()
	insight, err := notify.NewInsight(redis.queue, nil, o.Now)
	if err != nil {
		return err
	}
	defer func() { _ = insight.Close() }()

	health := web.NewHealth(o.Now, web.Check{Name: "database", Probe: stores.ping})
	accounts, err := newAuth(s, stores, redis, health, o.Logger, o.Now)
	if err != nil {
		return err
	}
	demo, err := prepareDemo(ctx, s, stores, accounts, notifier, o.Now)
	if err != nil {
		return err
	}

	group := app.NewGroup(ctx)
	inner := &listeners{group: group}
	verifier := identity.NewVerifier(identity.VerifierOptions{Issuer: s.Issuer, Keys: accounts.Keys(), Now: o.Now})
	importer := records.NewImporter(stores.records, o.Logger, o.Now)
	recordsApp, err := records.New(records.Deps{Store: stores.records, Notifier: notifier, Verifier: verifier, Quotas: s.Quotas, Logger: o.Logger, Health: health, Now: o.Now, Importer: importer})
	if err != nil {
		return err
	}
	reviewApp, err := review.New(review.Deps{Store: stores.records, Notifier: notifier, Verifier: verifier, Logger: o.Logger, Health: health, Now: o.Now})
	if err != nil {
		return err
	}
	reportKeys, err := bundle.OpenKeys(calculation.ReportKeysDir(s.SigningKeysDir), true)
	if err != nil {
		return err
	}
	calculationApp, err := calculation.New(calculation.Deps{Records: stores.records, Results: stores.results, Notifier: notifier, Bulk: bulk, Keys: reportKeys,
		Verifier: verifier, Logger: o.Logger, Health: health, Now: o.Now})
	if err != nil {
		return err
	}
	edge, err := gateway.New(gateway.Deps{
		Auth:        inner.serve("auth", accounts.App()),
		Records:     inner.serve("records", recordsApp),
		Review:      inner.serve("review", reviewApp),
		Calculation: inner.serve("calculation", calculationApp),
		Tokens:      verifier,
		Sessions:    sessions.NewChecker(sessions.Options{Copy: sessions.NewCopy(redis.cache), Authority: accounts, Now: o.Now}),
		Limits:      ratelimit.NewRedis(redis.cache, gateway.LimitPrefix, nil),
		SignInLimit: ratelimit.Rule{Limit: s.AuthRateLimit.N, Window: s.AuthRateLimit.Per},
		WriteLimit:  ratelimit.Rule{Limit: s.WriteRateLimit.N, Window: s.WriteRateLimit.Per},
		Audit:       accounts,

		TrustedProxies: s.TrustedProxies,
		Logger:         o.Logger,
		Now:            o.Now,
	})
	if err != nil {
		return err
	}
	defer edge.Close()

	group.Go("auth follows changes", accounts.Follow)
	group.Go("imports", importer.Run)
	group.Go("work", func(ctx context.Context) error {
		return resulttree.Work(ctx, resulttree.WorkerDeps{
			Records: stores.records, Results: stores.results, Queue: redis.queue, Notifier: notifier, Workers: s.Workers,
			Sweep: s.SweepInterval, Grace: workGrace, Insight: insight, Logger: o.Logger, Now: o.Now,
		})
	})
	if s.DebugAddr != "" {
		group.Go("debug", func(ctx context.Context) error {
			listener, err := app.Listen(ctx, s.DebugAddr)
			if err != nil {
				return err
			}
			debug := o.Debug
			debug.Ready, debug.Status = edge.Health.Ready, insight
			return app.ServeDebug(ctx, listener, debug)
		})
	}
	group.Go("gateway", func(ctx context.Context) error {
		listener, err := app.Listen(ctx, s.Addr)
		if err != nil {
			return err
		}
		announce(o, listener.Addr().String(), demo)
		return app.Serve(ctx, edge.App, gateway.Linger(listener), serveGrace, edge.Health.Drain)
	})
	return group.Wait()
}

// listeners joins the gateway and the services without a network.
type listeners struct{ group *app.Group }

// serve runs a service on a listener in memory and gives the gateway's way to it.
func (l *listeners) serve(name string, service *fiber.App) gateway.Upstream {
	listener := fasthttputil.NewInmemoryListener()
	l.group.Go(name, func(ctx context.Context) error {
		return app.Serve(ctx, service, listener, serveGrace)
	})
	return gateway.Upstream{URL: "http://" + name, Dial: gateway.DialListener(listener)}
}

// announce tells where the server is and how to sign in.
func announce(o Options, address string, demo *demoAccounts) {
	host, port, err := net.SplitHostPort(address)
	if err == nil && (host == "::" || host == "0.0.0.0") {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	o.Logger.Info("serving", "address", address, "version", o.Version)
	if o.Out != nil {
		fmt.Fprintf(o.Out, "\nEvent Carbon Footprint Service %s\n\n  API    http://%s%s\n  Docs   http://%s%s/docs\n  Health http://%s%s/health\n",
			o.Version, address, web.BasePath, address, web.BasePath, address, web.BasePath)
		if demo != nil {
			fmt.Fprintf(o.Out, "\n  Sign in as %s, %s or %s\n", demo.Admin, demo.Manager, demo.User)
			if demo.Fresh {
				fmt.Fprintf(o.Out, "  Password   %s   (shown once; kept in %s)\n", demo.Password, demo.File)
			} else {
				fmt.Fprintf(o.Out, "  The password is in %s\n", demo.File)
			}
		}
		fmt.Fprintln(o.Out)
	}
	if o.Ready != nil {
		o.Ready(address)
	}
}

// newAuth makes the service auth over the stores.
func newAuth(s app.Settings, stores *stores, redis *redisRoles, health *web.Health, log *slog.Logger, now func() time.Time) (*auth.Service, error) {
	keys, err := keyring.Open(keyring.Options{Dir: s.SigningKeysDir, Algorithm: s.SigningAlgorithm, TokenLife: s.AccessTokenTTL, Now: now})
	if err != nil {
		return nil, err
	}
	return auth.New(
		auth.Config{
			Issuer: s.Issuer, AccessTokenTTL: s.AccessTokenTTL, RefreshTokenTTL: s.RefreshTokenTTL,
			AccountLimit: ratelimit.Rule{Limit: s.AuthRateLimit.N, Window: s.AuthRateLimit.Per},
		},
		auth.Deps{Store: stores.accounts, Keys: keys, Cache: redis.cache, Logger: log, Health: health, Now: now},
	)
}
