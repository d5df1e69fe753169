package standalone

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/backend"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
	accountmongo "github.com/eventcarbon/ecf/services/auth/account/mongostore"
	accountsqlite "github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// DatabaseFile is the embedded database's name in the data directory.
const DatabaseFile = "ecf.db"

// recordsDatabase is the database on a MongoDB server whose address names none.
const recordsDatabase = "ecf"

// stores is where the three owners of data keep theirs.
type stores struct {
	records  record.Store
	results  resulttree.Store
	accounts account.Store
	// ping reports whether the engine answers.
	ping  func(context.Context) error
	close func() error
}

// openStores opens the engine the settings choose: MongoDB where an address is
// given, else the embedded one in the data directory.
func openStores(ctx context.Context, s app.Settings, log *slog.Logger) (*stores, error) {
	if s.MongoURI != "" {
		return openMongo(ctx, s, log)
	}
	if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	schema := slices.Concat(recordsqlite.Schema(), resultsqlite.Schema(), accountsqlite.Schema())
	db, err := sqlitex.Open(ctx, filepath.Join(s.DataDir, DatabaseFile), schema...)
	if err != nil {
		return nil, err
	}
	return &stores{
		records: recordsqlite.New(db), results: resultsqlite.New(db), accounts: accountsqlite.New(db),
		ping: db.Ping, close: db.Close,
	}, nil
}

func openMongo(ctx context.Context, s app.Settings, log *slog.Logger) (*stores, error) {
	monitor := mongox.NewMonitor()
	client, err := mongox.Connect(s.MongoURI, mongox.Options{AppName: "ecf", Monitor: monitor})
	if err != nil {
		return nil, err
	}
	authClient, err := mongox.Connect(s.MongoAuthURI, mongox.Options{AppName: "ecf-auth", Monitor: monitor})
	if err != nil {
		return nil, errors.Join(err, client.Disconnect(ctx))
	}
	disconnect := func() error {
		ctx := context.WithoutCancel(ctx)
		return errors.Join(client.Disconnect(ctx), authClient.Disconnect(ctx))
	}
	opened, err := backend.Await(ctx, log, "database", func(ctx context.Context) (*stores, error) {
		db := client.Database(mongox.DatabaseName(s.MongoURI, recordsDatabase))
		records, err := recordmongo.New(ctx, db)
		if err != nil {
			return nil, err
		}
		results, err := resultmongo.New(ctx, db)
		if err != nil {
			return nil, err
		}
		accounts := accountmongo.New(authClient.Database(auth.DatabaseName(s)))
		if err := accounts.Prepare(ctx); err != nil {
			return nil, err
		}
		return &stores{
			records: records, results: results, accounts: accounts,
			ping:  func(ctx context.Context) error { return mongox.Ping(ctx, client) },
			close: disconnect,
		}, nil
	})
	if err != nil {
		return nil, errors.Join(err, disconnect())
	}
	return opened, nil
}

// redisRoles is the two uses of Redis.
type redisRoles struct {
	cache redis.UniversalClient
	queue asynq.RedisConnOpt
	close func()
}

// openRedis connects to the servers the settings name, or starts the embedded
// one. It may be empty after each start: nothing is only there.
func openRedis(ctx context.Context, s app.Settings) (*redisRoles, error) {
	queueURL, cacheURL, stop := s.RedisURL, s.RedisCacheURL, func() {}
	if queueURL == "" {
		url, stopEmbedded, err := redisx.StartEmbedded(ctx)
		if err != nil {
			return nil, fmt.Errorf("embedded queue: %w", err)
		}
		queueURL, stop = url, stopEmbedded
		if cacheURL == "" {
			cacheURL = url
		}
	}
	cache, err := redisx.Open(ctx, cacheURL)
	if err != nil {
		stop()
		return nil, err
	}
	queue, err := redisx.AsynqOpt(queueURL)
	if err != nil {
		_ = cache.Close()
		stop()
		return nil, err
	}
	return &redisRoles{cache: cache, queue: queue, close: func() {
		_ = cache.Close()
		stop()
	}}, nil
}
