package standalone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/infra/factorpacks"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/redisx/embedded"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
	accountmongo "github.com/eventcarbon/ecf/services/auth/account/mongostore"
	accountsqlite "github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
	"github.com/eventcarbon/ecf/services/gateway"
)

// DatabaseFile is the name of the embedded database in the data directory.
const DatabaseFile = "ecf.db"

// stores are the stores of the three owners of data.
type stores struct {
	records  record.Store
	results  resulttree.Store
	accounts account.Store
	// owned returns what each of their databases has of an organization.
	owned func(org string) []owned
	// check is the readiness check of the engine.
	check web.Check
	close func() error
	// system identifies the system of the embedded engine; fresh reports that it is new.
	system string
	fresh  bool
	// damage returns what is wrong with the database file; nil with MongoDB.
	damage func(context.Context) ([]string, error)
}

// openStores opens the engine selected by the settings: MongoDB if there is a URL, otherwise
// the embedded one in the data directory. While they are open the process knows their factor
// packs.
func openStores(ctx context.Context, env app.Env, d Data) (*stores, error) {
	opened, err := openEngine(ctx, env, d)
	if err != nil {
		return nil, err
	}
	stop, closeEngine := factors.Follow(factorpacks.Source(opened.records)), opened.close
	opened.close = func() error {
		stop()
		return closeEngine()
	}
	return opened, nil
}

// openExisting is openStores, but never begins a new system.
func openExisting(ctx context.Context, env app.Env, d Data) (*stores, error) {
	if err := d.mustExist(); err != nil {
		return nil, err
	}
	return openStores(ctx, env, d)
}

func openEngine(ctx context.Context, env app.Env, d Data) (*stores, error) {
	if d.Records.URI != "" {
		return openMongo(ctx, env, d)
	}
	if err := makeDataDir(d.Dir.Path); err != nil {
		return nil, err
	}
	path := filepath.Join(d.Dir.Path, DatabaseFile)
	_, err := os.Stat(path)
	fresh := errors.Is(err, fs.ErrNotExist)
	if fresh {
		if err := d.mustNotBeRestored(); err != nil {
			return nil, err
		}
		if err := makeDatabase(path); err != nil {
			return nil, unusable(d.Dir.Path, err)
		}
	}
	reportDamagedLog(ctx, env, path)
	db, err := sqlitex.Open(ctx, path, sqliteSchema()...)
	if err != nil {
		return nil, unusable(d.Dir.Path, err)
	}
	records := recordsqlite.New(db)
	system, err := found(ctx, d.Dir.Path, fresh, records)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if fresh && env.Logger != nil {
		env.Logger.InfoContext(ctx, system)
	}
	return &stores{
		records: records, results: resultsqlite.New(db), accounts: accountsqlite.New(db), owned: rowsOf(db),
		check: web.Check{Name: "database", Probe: db.Ping}, close: db.Close, system: system, fresh: fresh, damage: db.Damage,
	}, nil
}

func openMongo(ctx context.Context, env app.Env, d Data) (_ *stores, err error) {
	db, disconnect, err := mongodb.Dial(ctx, env, "ecf", d.Records.URI, d.Records.Database())
	if err != nil {
		return nil, err
	}
	accountsDB, disconnectAccounts, err := mongodb.Dial(ctx, env, "ecf-auth", d.Accounts.URI, d.Accounts.Database())
	if err != nil {
		return nil, errors.Join(err, disconnect())
	}
	opened := &stores{owned: documentsOf(db, accountsDB), check: mongodb.Check(db), close: func() error { return errors.Join(disconnect(), disconnectAccounts()) }}
	if !d.filled {
		err = mustBeWhole(ctx, env, db, accountsDB)
	}
	if err == nil && !d.filled && !d.waits {
		err = mustBeCurrent(ctx, env, db, accountsDB)
	}
	if err == nil {
		opened.records, err = mongodb.Await(ctx, env, "records database", func(ctx context.Context) (record.Store, error) {
			return recordmongo.New(ctx, db)
		})
	}
	if err == nil {
		opened.results, err = mongodb.Await(ctx, env, "results database", func(ctx context.Context) (resulttree.Store, error) {
			return resultmongo.New(ctx, db)
		})
	}
	switch {
	case err != nil:
	case d.filled:
		opened.accounts, err = mongodb.Await(ctx, env, "accounts database", func(ctx context.Context) (account.Store, error) {
			accounts := accountmongo.New(accountsDB)
			return accounts, accounts.Prepare(ctx)
		})
	default:
		opened.accounts, err = auth.OpenStore(ctx, env, accountsDB)
	}
	if err != nil {
		return nil, errors.Join(err, opened.close())
	}
	return opened, nil
}

// openRedis returns the URLs of the queue and the cache: those of the settings, or that of an
// embedded server, which ends with the process. It may be empty after each start, because Redis
// never holds the only copy of anything.
func openRedis(ctx context.Context, p *app.Process, c Config) (queueURL, cacheURL string, err error) {
	queueURL, cacheURL = c.QueueURL, c.Cache.URL
	if queueURL == "" {
		address, stop, err := embedded.Start(ctx)
		if err != nil {
			return "", "", fmt.Errorf("embedded queue: %w", err)
		}
		p.OnClose(func() error {
			stop()
			return nil
		})
		queueURL = address
		if cacheURL == "" {
			cacheURL = address
		}
	}
	return queueURL, cacheURL, nil
}

// countLimits opens the store of the rate limits: the Redis of the settings, which other
// processes share, or one of this process. The embedded server would interpret a script for
// each request, for counts that nobody shares and that end with the process anyway.
func (in *infrastructure) countLimits(c Config, now func() time.Time) {
	if c.QueueURL == "" && c.Cache.URL == "" {
		in.limits = ratelimit.NewLocal(now, 0)
		return
	}
	in.limits = ratelimit.NewRedis(in.auth.Cache, gateway.LimitPrefix, nil)
}
