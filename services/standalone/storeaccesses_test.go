package standalone_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/identity"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
	accountmongo "github.com/eventcarbon/ecf/services/auth/account/mongostore"
	accountsqlite "github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
	"github.com/eventcarbon/ecf/services/auth/keyring"
	"github.com/eventcarbon/ecf/services/calculation"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/review"
)

// engine is a storage engine with a count of its accesses.
type engine struct {
	records  record.Store
	results  resulttree.Store
	accounts account.Store
	asked    func() roundTrips
	// writeElsewhere makes an unrelated write, which invalidates caches that depend on the version of the data.
	writeElsewhere func() error
}

// roundTrips are accesses to an engine: reads, read transactions and durable writes of SQLite, commands of MongoDB.
type roundTrips struct{ reads, transactions, writes, commands int64 }

func (r roundTrips) since(earlier roundTrips) roundTrips {
	return roundTrips{r.reads - earlier.reads, r.transactions - earlier.transactions, r.writes - earlier.writes, r.commands - earlier.commands}
}

func sqliteEngine(t *testing.T) engine {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"),
		slices.Concat(recordsqlite.Schema(), resultsqlite.Schema(), accountsqlite.Schema())...)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	must(t, db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `CREATE TABLE elsewhere (n INTEGER)`)
		return err
	}))
	return engine{recordsqlite.New(db), resultsqlite.New(db), accountsqlite.New(db), func() roundTrips {
		now := db.Traffic()
		return roundTrips{reads: now.Reads, transactions: now.Transactions, writes: now.Writes}
	}, func() error {
		return db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO elsewhere VALUES (1)`)
			return err
		})
	}}
}

// metered opens the stores of a new database of MongoDB, all commands to which are counted.
func metered(t *testing.T) (*mongo.Database, *meter, *recordmongo.Store, *resultmongo.Store) {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	m := &meter{}
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "counted", Monitor: m.monitor()})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	db := client.Database(database)
	stored, err := recordmongo.New(t.Context(), db)
	must(t, err)
	results, err := resultmongo.New(t.Context(), db)
	must(t, err)
	return db, m, stored, results
}

func mongoEngine(t *testing.T) engine {
	t.Helper()
	db, m, stored, results := metered(t)
	accounts := accountmongo.New(db)
	must(t, accounts.Prepare(t.Context()))
	return engine{stored, results, accounts, func() roundTrips {
		m.mu.Lock()
		defer m.mu.Unlock()
		return roundTrips{commands: int64(len(m.cost.commands))}
	}, func() error { return nil }} // it does not cache by version
}

// counted is the product over an engine, without its sockets: an organization with an
// event, of which a record was approved and counted.
type counted struct {
	engine
	t      *testing.T
	apps   map[api.Service]*fiber.App
	worker resulttree.Recalculator
	event  record.Event
	// access and refresh are the tokens of a session, user and session its ids.
	access, refresh, user, session string
}

const countedPassword = "mellow otter sings twice"

func newCounted(t *testing.T, e engine) *counted {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	c := &counted{engine: e, t: t, worker: resulttree.NewRecalculator(e.records, e.results, time.Now), apps: map[api.Service]*fiber.App{}}
	var err error
	c.apps[api.Records], err = records.New(records.Deps{Store: e.records, Notifier: nobody{}, Verifier: webtest.Tokens{}, Quotas: settings.Quotas{"team": record.Unlimited}, Logger: log, Now: time.Now})
	must(t, err)
	c.apps[api.Review], err = review.New(review.Deps{Store: e.records, Notifier: nobody{}, Verifier: webtest.Tokens{}, Logger: log, Now: time.Now})
	must(t, err)
	c.apps[api.Calculation], err = calculation.New(calculation.Deps{Records: e.records, Results: e.results, Notifier: nobody{}, Verifier: webtest.Tokens{}, Logger: log, Now: time.Now})
	must(t, err)
	keys, err := keyring.Open(keyring.Options{Dir: t.TempDir(), TokenLife: time.Hour})
	must(t, err)
	service, err := auth.New(auth.Config{Issuer: "https://ecf.test", AccessTokenTTL: time.Hour, RefreshTokenTTL: time.Hour},
		auth.Deps{Store: e.accounts, Keys: keys, Logger: log})
	must(t, err)
	c.apps[api.Auth] = service.App()

	must(t, e.records.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1, CreatedAt: time.Now()}))
	small := record.Policy{AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(1_000_000), By: record.Actor{ID: "root", Name: "Root", Role: identity.Admin}}}
	must(t, e.records.InsertOrganization(t.Context(), record.Organization{ID: "automatic", Name: "Automatic", Plan: "team", Policy: small, Rev: 1, CreatedAt: time.Now()}))
	user, _, err := service.CreateUser(t.Context(), auth.NewUser{Org: "org", Email: "root@example.test", Name: "Root", Role: identity.Admin, Password: countedPassword})
	must(t, err)
	c.user = user.ID
	var session struct{ AccessToken, RefreshToken string }
	c.send(api.Auth, "", http.MethodPost, "/auth/login", `{"email":"root@example.test","password":"`+countedPassword+`"}`, &session)
	c.access, c.refresh = session.AccessToken, session.RefreshToken
	var sessions struct {
		Items []struct {
			ID string `json:"_id"`
		}
	}
	c.send(api.Auth, c.access, http.MethodGet, "/auth/sessions", "", &sessions)
	c.session = sessions.Items[0].ID
	c.event = c.newEvent("org", "ours")
	return c
}

// send makes a request that must succeed, and decodes the data of its response.
func (c *counted) send(service api.Service, token, method, path, body string, into any, header ...string) {
	c.t.Helper()
	a := webtest.Send(c.t, c.apps[service], token, method, web.BasePath+path, body, header...)
	if a.Status >= http.StatusMultipleChoices {
		c.t.Fatalf("%s %s: %d %.600s", method, path, a.Status, a.Body)
	}
	if into != nil {
		must(c.t, json.Unmarshal(a.Body, &struct{ Data any }{into}))
	}
}

func (c *counted) newEvent(org record.OrgID, reference string) record.Event {
	c.t.Helper()
	ev := record.NewEvent(org, record.EventID(record.NewID()), record.Event{Title: "Fair", Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026",
		Reference: reference}, record.Actor{ID: "max", Role: identity.Manager}, time.Now())
	ev, err := c.records.InsertEvent(c.t.Context(), org, ev, record.Unlimited)
	must(c.t, err)
	return ev
}

// record stores a record of an event in a state, and returns its id.
func (c *counted) record(ev record.Event, state record.Status, reference string) string {
	c.t.Helper()
	r := approved(c.t, ev, 0)
	r.ID, r.Status, r.Reference = record.ID(record.NewID()), state, reference
	if state == record.Unsubmitted {
		r.SubmittedAt, r.SubmittedBy = nil, nil
	}
	_, err := c.records.InsertRecord(c.t.Context(), ev.Org, r)
	must(c.t, err)
	return string(r.ID)
}

// approve creates a record and approves it as a client does.
func (c *counted) approve() {
	c.t.Helper()
	path := fmt.Sprintf("/events/%s/waste/%s/approve", c.event.ID, c.record(c.event, record.Submitted, ""))
	c.send(api.Review, "org.max.manager", http.MethodPost, path, "", nil)
}

// settle has the event recalculated, its records counted, and its facts derived.
func (c *counted) settle() {
	c.t.Helper()
	must(c.t, c.worker.Recalculate(c.t.Context(), "org", c.event.ID))
	c.send(api.Calculation, "org.max.manager", http.MethodGet, fmt.Sprintf("/events/%s/results", c.event.ID), "", nil)
}

// count returns the accesses to the engine for a request.
func (c *counted) count(r countedRoute, o api.Operation, path, body string) roundTrips {
	c.t.Helper()
	token := "org.max.manager"
	switch {
	case o.Service == api.Auth:
		token = c.access
	case r.org != "":
		token = r.org + ".max.manager"
	}
	if !r.unchanged {
		must(c.t, c.writeElsewhere())
	}
	before := c.asked()
	a := webtest.Send(c.t, c.apps[o.Service], token, o.Method, path, body, r.header...)
	asked := c.asked().since(before)
	if a.Status >= http.StatusBadRequest {
		c.t.Errorf("%s: %d %.600s", r, a.Status, a.Body)
	}
	if text := string(a.Body); strings.Contains(text, `"failed":`) && !strings.Contains(text, `"failed":0`) {
		c.t.Errorf("%s: %.600s", r, text)
	}
	return asked
}
