// Package backend is what a service that runs as a process of its own stands
// on: the shared MongoDB and Redis, the keys that verify tokens, and the ports
// it serves. The program that runs everything in one process does without it.
package backend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// defaultDatabase is used when the address names none.
	defaultDatabase = "ecf"
	// retryEvery is the pause between attempts to reach the database at start:
	// services and databases may start in any order.
	retryEvery = 500 * time.Millisecond
	// ServeGrace is how long requests may take to finish after the end has been
	// asked for. The grace period of a deployment must be longer.
	ServeGrace = 20 * time.Second
)

// Backend holds the connections of one service.
type Backend struct {
	Env      app.Env
	Settings app.Settings
	Logger   *slog.Logger
	DB       *mongo.Database
	// Redis serves health checks; the queue has connections of its own.
	Redis redis.UniversalClient
	Queue asynq.RedisConnOpt

	name     string
	client   *mongo.Client
	notifier *notify.Queue
	bulk     *notify.Queue
}

// Open reads the settings and prepares the connections. It does not wait for
// the servers.
func Open(ctx context.Context, env app.Env, name string) (*Backend, error) {
	settings, err := env.Settings(map[string]string{"ECF_ADDR": defaultAddr(name)})
	if err != nil {
		return nil, err
	}
	var missing []error
	if settings.MongoURI == "" {
		missing = append(missing, errors.New("ECF_MONGODB_URI is required: a service of its own shares its database with the others"))
	}
	if settings.RedisURL == "" {
		missing = append(missing, errors.New("ECF_REDIS_URL is required: a service of its own shares its queue with the others"))
	}
	if len(missing) > 0 {
		return nil, errors.Join(missing...)
	}
	b := &Backend{Env: env, Settings: settings, Logger: env.Logger, name: name}
	if b.client, err = mongox.Connect(settings.MongoURI, mongox.Options{AppName: "ecf-" + name, Monitor: mongox.NewMonitor()}); err != nil {
		return nil, err
	}
	b.DB = b.client.Database(mongox.DatabaseName(settings.MongoURI, defaultDatabase))
	if b.Redis, err = redisx.Open(ctx, settings.RedisURL); err != nil {
		return nil, err
	}
	if b.Queue, err = redisx.AsynqOpt(settings.RedisURL); err != nil {
		return nil, err
	}
	b.notifier = notify.NewQueue(b.Queue, notify.QueueInteractive, b.Logger, time.Now)
	b.bulk = notify.NewQueue(b.Queue, notify.QueueBulk, b.Logger, time.Now)
	return b, nil
}

// defaultAddr is where a service listens when nothing else is said: where the
// others look for it by default.
func defaultAddr(name string) string {
	ports := map[string]string{"auth": "8081", "records": "8082", "review": "8083", "calculation": "8084"}
	return "127.0.0.1:" + ports[name]
}

// Close ends the connections.
func (b *Backend) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := errors.Join(b.notifier.Close(), b.bulk.Close(), b.Redis.Close(), b.client.Disconnect(ctx))
	if err != nil {
		b.Logger.Warn("close connections", "error", err.Error())
	}
}

// Notifier gives the notifier that asks for recalculation.
func (b *Backend) Notifier() notify.CheckedNotifier { return b.notifier }

// Bulk gives the notifier for work that nobody is to wait for.
func (b *Backend) Bulk() notify.Notifier { return b.bulk }

// Verifier verifies access tokens with the keys that auth publishes.
func (b *Backend) Verifier() *identity.Verifier {
	keys := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: b.Settings.AuthURL + "/.well-known/jwks.json"})
	return identity.NewVerifier(identity.VerifierOptions{Issuer: b.Settings.Issuer, Keys: keys})
}

// Health checks the database, without which the service can do nothing. Redis
// is not among the checks: without it writes are still accepted, and the
// sweeper makes up for the rings.
func (b *Backend) Health() *web.Health {
	return web.NewHealth(time.Now, web.Check{Name: "database", Probe: func(ctx context.Context) error {
		return mongox.Ping(ctx, b.client)
	}})
}

// Records opens the store of organizations, events and records.
func (b *Backend) Records(ctx context.Context) (record.Store, error) {
	return Await(ctx, b.Logger, "records database", func(ctx context.Context) (record.Store, error) {
		return mongostore.New(ctx, b.DB)
	})
}

// Await calls open until it succeeds or ctx ends.
func Await[T any](ctx context.Context, log *slog.Logger, what string, open func(context.Context) (T, error)) (T, error) {
	ticker := time.NewTicker(retryEvery)
	defer ticker.Stop()
	for attempt := 1; ; attempt++ {
		opened, err := open(ctx)
		if err == nil {
			return opened, nil
		}
		if attempt == 1 || attempt%20 == 0 {
			log.WarnContext(ctx, "waiting", "for", what, "attempt", attempt, "error", telemetry.Redact(err.Error()))
		}
		select {
		case <-ctx.Done():
			return opened, fmt.Errorf("wait for %s: %w", what, ctx.Err())
		case <-ticker.C:
		}
	}
}

// Serve serves the debug port at once and the application as soon as build has
// made it, until ctx ends.
func (b *Backend) Serve(ctx context.Context, health *web.Health, build func(ctx context.Context) (*fiber.App, error)) error {
	group := app.NewGroup(ctx)
	b.Debug(group, health, nil)
	group.Go(b.name, func(ctx context.Context) error {
		httpApp, err := build(ctx)
		if err != nil {
			return err
		}
		listener, err := app.Listen(ctx, b.Settings.Addr)
		if err != nil {
			return err
		}
		b.Logger.InfoContext(ctx, "serving", "address", listener.Addr().String(), "version", b.Env.Version)
		return app.Serve(ctx, httpApp, listener, ServeGrace, health.Drain)
	})
	return group.Wait()
}

// Debug adds the debug port, where one is configured, to a group. Status is its
// page for people; it may be nil.
func (b *Backend) Debug(group *app.Group, health *web.Health, status http.Handler) {
	if b.Settings.DebugAddr == "" {
		return
	}
	group.Go("debug", func(ctx context.Context) error {
		listener, err := app.Listen(ctx, b.Settings.DebugAddr)
		if err != nil {
			return err
		}
		return app.ServeDebug(ctx, listener, app.Debug{Metrics: b.Env.Metrics, Status: status, Ready: health.Ready})
	})
}
