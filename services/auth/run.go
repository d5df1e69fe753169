package auth

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

const (
	// serveGrace is how long requests may take to finish after the end has been
	// asked for. The grace period of a deployment must be longer.
	serveGrace = 20 * time.Second
	// retryEvery is the pause between attempts to reach the database at start:
	// services and databases may start in any order.
	retryEvery = 500 * time.Millisecond
)

// The databases on a MongoDB server whose address names none, and the embedded
// one in the data directory. Accounts are apart from everything else: nobody but
// this service may read password hashes.
const (
	recordsDatabase  = "ecf"
	accountsDatabase = "ecf_auth"
	databaseFile     = "auth.db"
)

// DatabaseName names the MongoDB database of the accounts: what its address
// names, unless that is the records' own address.
func DatabaseName(s app.Settings) string {
	if s.MongoAuthURI == s.MongoURI {
		return mongox.DatabaseName(s.MongoURI, recordsDatabase) + "_auth"
	}
	return mongox.DatabaseName(s.MongoAuthURI, accountsDatabase)
}

// OpenStore opens the accounts where the settings say they are: on MongoDB, or
// in a file of their own in the data directory. It tries until the database
// answers or ctx ends. The store must be closed.
func OpenStore(ctx context.Context, env app.Env, s app.Settings) (account.Store, func() error, error) {
	if s.MongoAuthURI == "" {
		if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
			return nil, nil, fmt.Errorf("data directory: %w", err)
		}
		db, err := sqlitex.Open(ctx, filepath.Join(s.DataDir, databaseFile), sqlitestore.Schema()...)
		if err != nil {
			return nil, nil, err
		}
		return sqlitestore.New(db), db.Close, nil
	}
	client, err := mongox.Connect(s.MongoAuthURI, mongox.Options{AppName: "ecf-auth", Monitor: mongox.NewMonitor()})
	if err != nil {
		return nil, nil, err
	}
	disconnect := func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return client.Disconnect(ctx)
	}
	store := mongostore.New(client.Database(DatabaseName(s)))
	ticker := time.NewTicker(retryEvery)
	defer ticker.Stop()
	for attempt := 1; ; attempt++ {
		err := store.Prepare(ctx)
		if err == nil {
			return store, disconnect, nil
		}
		if attempt == 1 {
			env.Logger.WarnContext(ctx, "waiting for the accounts database", "error", telemetry.Redact(err.Error()))
		}
		select {
		case <-ctx.Done():
			return nil, nil, errors.Join(ctx.Err(), disconnect())
		case <-ticker.C:
		}
	}
}

// Run runs the service as a process of its own until ctx ends.
func Run(ctx context.Context, env app.Env) (err error) {
	s, err := env.Settings(map[string]string{"ECF_ADDR": "127.0.0.1:8081"})
	if err != nil {
		return err
	}
	keys, err := keyring.Open(keyring.Options{Dir: s.SigningKeysDir, Algorithm: s.SigningAlgorithm, TokenLife: s.AccessTokenTTL})
	if err != nil {
		return err
	}
	var cache redis.UniversalClient
	if s.RedisCacheURL != "" {
		if cache, err = redisx.Open(ctx, s.RedisCacheURL); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, cache.Close()) }()
	}
	// Until the accounts are open the process lives, and is not ready.
	var opened atomic.Pointer[account.Store]
	health := web.NewHealth(time.Now, web.Check{Name: "database", Probe: func(ctx context.Context) error {
		if store := opened.Load(); store != nil {
			return (*store).Ping(ctx)
		}
		return errors.New("not open yet")
	}})
	group := app.NewGroup(ctx)
	if s.DebugAddr != "" {
		group.Go("debug", func(ctx context.Context) error {
			listener, err := app.Listen(ctx, s.DebugAddr)
			if err != nil {
				return err
			}
			return app.ServeDebug(ctx, listener, app.Debug{Metrics: env.Metrics, Ready: health.Ready})
		})
	}
	group.Go("auth", func(ctx context.Context) (err error) {
		store, closeStore, err := OpenStore(ctx, env, s)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, closeStore()) }()
		opened.Store(&store)
		service, err := New(
			Config{
				Issuer: s.Issuer, AccessTokenTTL: s.AccessTokenTTL, RefreshTokenTTL: s.RefreshTokenTTL,
				AccountLimit: ratelimit.Rule{Limit: s.AuthRateLimit.N, Window: s.AuthRateLimit.Per},
			},
			Deps{Store: store, Keys: keys, Cache: cache, Logger: env.Logger, Health: health},
		)
		if err != nil {
			return err
		}
		listener, err := app.Listen(ctx, s.Addr)
		if err != nil {
			return err
		}
		env.Logger.InfoContext(ctx, "serving", "address", listener.Addr().String(), "version", env.Version)
		serving := app.NewGroup(ctx)
		serving.Go("follow changes", service.Follow)
		serving.Go("http", func(ctx context.Context) error {
			return app.Serve(ctx, service.App(), listener, serveGrace, health.Drain)
		})
		return serving.Wait()
	})
	return group.Wait()
}
