package e2e

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/records/imports"
	"github.com/eventcarbon/ecf/services/review"
)

// pair is the two services that write records, as in one process, with a store that the
// test controls.
type pair struct {
	t        *testing.T
	apps     []*fiber.App
	notifier *countingNotifier
	importer *imports.Importer
}

// spoken accepts tokens of the form "org/user/role" without a signature.
type spoken struct{}

func (spoken) Verify(_ context.Context, token string) (identity.Principal, error) {
	token = strings.Clone(token) // Fiber reuses the buffer that holds it
	parts := strings.Split(token, "/")
	if len(parts) != 3 {
		return identity.Principal{}, errors.New("no token")
	}
	role, err := identity.ParseRole(parts[2])
	return identity.Principal{Org: parts[0], UserID: parts[1], Name: parts[1], Role: role}, err
}

type countingNotifier struct{ rings atomic.Int64 }

func (b *countingNotifier) Notify(context.Context, record.OrgID, record.EventID) { b.rings.Add(1) }

// movable is a manual clock.
type movable struct{ ms atomic.Int64 }

func newMovable() *movable {
	c := &movable{}
	c.ms.Store(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *movable) now() time.Time { return time.UnixMilli(c.ms.Load()) }

func newPair(t *testing.T, store record.Store, c *movable) *pair {
	t.Helper()
	p := &pair{t: t, notifier: &countingNotifier{}}
	logger := slog.New(slog.DiscardHandler)
	limits, err := settings.ParsePlanLimits("bounded.rowsPerImport=6,bounded.openImports=1,bounded.recordsPerEvent=5,bounded.recordsPerOrganization=8")
	if err != nil {
		t.Fatal(err)
	}
	p.importer = imports.New(store, logger, c.now)
	recordsApp, err := records.New(records.Deps{
		Store: store, Notifier: p.notifier, Members: managers{}, Verifier: spoken{}, Quotas: settings.Quotas{"free": 1, "small": 10, "team": 50, "bounded": 50},
		Limits: limits, Importer: p.importer, Logger: logger, Now: c.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	reviewApp, err := review.New(review.Deps{Store: store, Notifier: p.notifier, Verifier: spoken{}, Logger: logger, Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	p.apps = []*fiber.App{recordsApp, reviewApp}
	return p
}

// toReview reports whether the gateway routes a request to review.
func toReview(method, path string) bool {
	last := path[strings.LastIndex(path, "/")+1:]
	if strings.Contains(path, "/imports/") || strings.HasPrefix(path, "/supplier-factors/") {
		return false
	}
	switch last {
	case "review", "approve", "request-changes", "reject", "reopen":
		return true
	}
	return method == http.MethodGet && last == "review"
}

// ask sends a request as "org/user/role".
func (p *pair) ask(as, method, path, body string, header ...string) *answer {
	p.t.Helper()
	app := p.apps[0]
	if toReview(method, path) {
		app = p.apps[1]
	}
	r := httptest.NewRequest(method, web.BasePath+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+as)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := app.Test(r, -1)
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		p.t.Fatal(err)
	}
	return &answer{t: p.t, what: method + " " + path, status: response.StatusCode, header: response.Header, body: text}
}

// onBothStores runs a test on each engine, with a function that opens one more store on
// the same database.
func onBothStores(t *testing.T, test func(t *testing.T, open func() record.Store)) {
	t.Helper()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "records.db")
		test(t, func() record.Store {
			db, err := sqlitex.Open(t.Context(), path, sqlitestore.Schema()...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			return sqlitestore.New(db)
		})
	})
	t.Run("mongodb", func(t *testing.T) {
		t.Parallel()
		uri, database := testkit.MongoDB(t)
		test(t, func() record.Store {
			client, err := mongox.Connect(uri, mongox.Options{AppName: "e2e"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
			store, err := mongostore.New(t.Context(), client.Database(database))
			if err != nil {
				t.Fatal(err)
			}
			return store
		})
	})
}

// mortal is the store of a process that dies at its n-th write: before it, in the
// middle of it if it writes many records, or after it. From then on nothing reaches the
// database.
type mortal struct {
	record.Store
	mu     sync.Mutex
	left   int // writes before the fatal one
	how    death
	dead   bool
	writes int
}

type death int

const (
	before death = iota
	halfway
	after
)

var errDead = errors.New("this process is dead")

// write reports whether a write reaches the database and whether its outcome reaches
// the process.
func (m *mortal) write() (reaches, returns bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false, false
	}
	m.writes++
	if m.left--; m.left >= 0 {
		return true, true
	}
	m.dead = true
	return m.how != before, false
}

func living[T any](m *mortal, do func() (T, error)) (T, error) {
	var none T
	reaches, returns := m.write()
	if !reaches {
		return none, errDead
	}
	value, err := do()
	if !returns {
		return none, errDead
	}
	return value, err
}

func (m *mortal) alone(do func() error) error {
	_, err := living(m, func() (struct{}, error) { return struct{}{}, do() })
	return err
}

func (m *mortal) InsertEvent(ctx context.Context, org record.OrgID, e record.Event, quota int64) (record.Event, error) {
	return living(m, func() (record.Event, error) { return m.Store.InsertEvent(ctx, org, e, quota) })
}

func (m *mortal) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	return m.alone(func() error { return m.Store.ReplaceEvent(ctx, org, e, prevRev) })
}

func (m *mortal) ReplaceOrganization(ctx context.Context, o record.Organization, prevRev int64) error {
	return m.alone(func() error { return m.Store.ReplaceOrganization(ctx, o, prevRev) })
}

func (m *mortal) InsertSupplierFactor(ctx context.Context, org record.OrgID, f record.SupplierFactor) error {
	return m.alone(func() error { return m.Store.InsertSupplierFactor(ctx, org, f) })
}

func (m *mortal) ReplaceSupplierFactor(ctx context.Context, org record.OrgID, f record.SupplierFactor, prevRev int64) error {
	return m.alone(func() error { return m.Store.ReplaceSupplierFactor(ctx, org, f, prevRev) })
}

func (m *mortal) InsertRecord(ctx context.Context, org record.OrgID, r record.Record) (record.Record, error) {
	return living(m, func() (record.Record, error) { return m.Store.InsertRecord(ctx, org, r) })
}

func (m *mortal) InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, all []record.Record) (stored []record.Record, refused []error, err error) {
	err = m.alone(func() error {
		if m.how == halfway && m.dead {
			all = all[:len(all)/2]
		}
		var err error
		stored, refused, err = m.Store.InsertRecords(ctx, org, sub, all)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return stored, refused, nil
}

func (m *mortal) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	return m.alone(func() error { return m.Store.ReplaceRecord(ctx, org, r, prevRev) })
}

func (m *mortal) InsertEntry(ctx context.Context, org record.OrgID, event record.EventID, id record.ID, e record.Entry) error {
	return m.alone(func() error { return m.Store.InsertEntry(ctx, org, event, id, e) })
}

func (m *mortal) InsertKey(ctx context.Context, org record.OrgID, e record.KeyEntry) (stored record.KeyEntry, inserted bool, err error) {
	err = m.alone(func() error {
		var err error
		stored, inserted, err = m.Store.InsertKey(ctx, org, e)
		return err
	})
	return stored, inserted, err
}

func (m *mortal) ReplaceKey(ctx context.Context, org record.OrgID, e record.KeyEntry, lease string) (bool, error) {
	return living(m, func() (bool, error) { return m.Store.ReplaceKey(ctx, org, e, lease) })
}

func (m *mortal) InsertImport(ctx context.Context, org record.OrgID, i record.Import) error {
	return m.alone(func() error { return m.Store.InsertImport(ctx, org, i) })
}

func (m *mortal) ReplaceImport(ctx context.Context, org record.OrgID, i record.Import, prevRev int64) error {
	return m.alone(func() error { return m.Store.ReplaceImport(ctx, org, i, prevRev) })
}

func (m *mortal) PutImportPart(ctx context.Context, org record.OrgID, id string, n int64, part []byte) error {
	return m.alone(func() error { return m.Store.PutImportPart(ctx, org, id, n, part) })
}

func (m *mortal) DropImportParts(ctx context.Context, org record.OrgID, id string) error {
	return m.alone(func() error { return m.Store.DropImportParts(ctx, org, id) })
}

func (m *mortal) DeleteKey(ctx context.Context, org record.OrgID, id, lease string) error {
	return m.alone(func() error { return m.Store.DeleteKey(ctx, org, id, lease) })
}
