// Package mongodb opens the MongoDB databases of a process.
package mongodb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/infra/factorpacks"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/web"
)

// The databases to use if the address names none.
const (
	recordsDatabase  = "ecf"
	accountsDatabase = "ecf_auth"
)

// closeLimit bounds how long the end of a process waits for its connections.
const closeLimit = 5 * time.Second

// Records is where the database of organizations, events, records and results
// is.
type Records struct{ URI string }

// Describe implements settings.Config.
func (c *Records) Describe(s *settings.Set) { c.describe(s).Require() }

func (c *Records) describe(s *settings.Set) *settings.Setting {
	return s.Text(&c.URI, "ECF_MONGODB_URI", "", "MongoDB of organizations, events, records and results", mongox.Check).Hide()
}

// Database returns the name of the database.
func (c *Records) Database() string { return mongox.DatabaseName(c.URI, recordsDatabase) }

// Optional is Records if another engine is used without an address.
type Optional struct{ Records }

// Describe implements settings.Config.
func (c *Optional) Describe(s *settings.Set) { c.describe(s) }

// Accounts is the database of the accounts. It is separate from everything else: only the auth service may read
// password hashes.
type Accounts struct {
	URI string
	// records is the fallback.
	records Records
}

// Describe implements settings.Config.
func (c *Accounts) Describe(s *settings.Set) {
	s.Text(&c.URI, "ECF_MONGODB_AUTH_URI", "", "MongoDB of the accounts; ECF_MONGODB_URI when empty", mongox.Check).Hide()
	c.records.describe(s)
	s.After(func() error {
		if c.URI == "" {
			c.URI = c.records.URI
		}
		return nil
	})
}

// Database returns the name of the database: that in the address, unless that is the address of the records.
func (c *Accounts) Database() string {
	if c.URI == c.records.URI {
		return c.records.Database() + "_auth"
	}
	return mongox.DatabaseName(c.URI, accountsDatabase)
}

// Open prepares the connection to a database, as Dial does, and closes it with the process. The
// process is not ready while the server does not answer.
func Open(ctx context.Context, p *app.Process, appName, uri, database string) (*mongo.Database, error) {
	db, disconnect, err := Dial(ctx, p.Env, appName, uri, database)
	if err != nil {
		return nil, err
	}
	p.OnClose(disconnect)
	p.Health.Add(Check(db))
	return db, nil
}

// Check returns the check that a database answers.
func Check(db *mongo.Database) web.Check {
	return web.Check{Name: "database", Probe: func(ctx context.Context) error { return mongox.Ping(ctx, db.Client()) }}
}

// Dial prepares the connection to a database. It waits for a name server that knows the
// address, and not for the server: Await does.
func Dial(ctx context.Context, env app.Env, appName, uri, database string) (db *mongo.Database, disconnect func() error, err error) {
	db, err = await(ctx, env, "address of the database", func(context.Context) (db *mongo.Database, err error) {
		db, disconnect, err = Connect(appName, uri, database)
		return db, err
	}, func(err error) bool { return !mongox.IsUnresolved(err) })
	return db, disconnect, err
}

// Connect is Dial without waiting.
func Connect(appName, uri, database string) (db *mongo.Database, disconnect func() error, err error) {
	client, err := mongox.Connect(uri, mongox.Options{AppName: appName, Monitor: mongox.NewMonitor()})
	if err != nil {
		return nil, nil, err
	}
	return client.Database(database), func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		return client.Disconnect(ctx)
	}, nil
}

// Await waits until open succeeds on a database. A server that cannot be reached is waited for
// only so long: its address may be wrong, or its certificate.
func Await[T any](ctx context.Context, env app.Env, what string, open func(context.Context) (T, error)) (T, error) {
	return await(ctx, env, what, open, mongox.IsPermanent)
}

func await[T any](ctx context.Context, env app.Env, what string, open func(context.Context) (T, error), permanent func(error) bool) (T, error) {
	unreached := waiting{now: env.Now}
	if unreached.now == nil {
		unreached.now = time.Now
	}
	return app.Await(ctx, env.Logger, what, func(ctx context.Context) (T, error) {
		opened, err := open(ctx)
		return opened, unreached.check(err)
	}, func(err error) bool { return errors.Is(err, errUnreached) || permanent(err) })
}

// unreachedLimit is how long a process waits at its start for a server that cannot be reached. It is
// longer than the ten minutes after which Kubernetes restarts a container without delay.
const unreachedLimit = 15 * time.Minute

// errUnreached means that a server could not be reached for so long.
var errUnreached = errors.New("it could not be reached")

// waiting measures how long a server has not been reached. A server that answers is not
// measured: it may wait for a migration, which takes hours.
type waiting struct {
	now   func() time.Time
	since time.Time
}

// check returns err, and errUnreached with it once the limit has passed.
func (w *waiting) check(err error) error {
	if err == nil || !mongox.IsUnreached(err) {
		w.since = time.Time{}
		return err
	}
	now := w.now()
	if w.since.IsZero() {
		w.since = now
	}
	if now.Sub(w.since) < unreachedLimit {
		return err
	}
	return fmt.Errorf("%w for %s; check its address, the name server, the network and the certificate: %w", errUnreached, unreachedLimit, err)
}

// OpenRecords opens the store of organizations, events and records of a process, and waits for it.
func OpenRecords(ctx context.Context, p *app.Process, appName string, c Records) (*mongo.Database, record.Store, error) {
	db, err := Open(ctx, p, appName, c.URI, c.Database())
	if err != nil {
		return nil, nil, err
	}
	store, err := Await(ctx, p.Env, "records database", func(ctx context.Context) (record.Store, error) {
		store, slow, err := mongostore.Serve(ctx, db)
		WarnSlow(ctx, p.Env, slow)
		return store, err
	})
	if err != nil {
		return nil, nil, err
	}
	stop := factors.Follow(factorpacks.Source(store))
	p.OnClose(func() error {
		stop()
		return nil
	})
	return db, store, nil
}

// WarnSlow logs which indexes are missing without which a process is slow.
func WarnSlow(ctx context.Context, env app.Env, slow []string) {
	if len(slow) > 0 {
		env.Logger.WarnContext(ctx, "the database lacks indexes, so requests are slow; run: ecf schema up", "indexes", slow)
	}
}

// At returns the places of the two databases on the server of an address.
func At(uri string) (Optional, Accounts) {
	r := Records{URI: uri}
	return Optional{r}, Accounts{URI: uri, records: r}
}
