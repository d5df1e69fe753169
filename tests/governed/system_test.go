package governed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/review"
	"github.com/eventcarbon/ecf/tests/conformance"
)

const (
	org   record.OrgID   = "org1"
	event record.EventID = "gala"
)

// people are the actors, by their tokens.
var people = map[string]identity.Role{
	"ursula": identity.User, "uwe": identity.User, "mia": identity.Manager, "max": identity.Manager,
	"ada": identity.Admin, "alan": identity.Admin,
}

type tokens struct{}

func (tokens) Verify(_ context.Context, token string) (identity.Principal, error) {
	token = strings.Clone(token) // Fiber reuses the buffer that holds it
	role, ok := people[token]
	if !ok {
		return identity.Principal{}, errors.New("no such token")
	}
	return identity.Principal{UserID: token, Name: strings.ToUpper(token), Org: string(org), Role: role}, nil
}

// directory is that of the people.
type directory struct{ members.Directory }

func (directory) Roles(_ context.Context, _ string, ids []string) (map[string]identity.Role, error) {
	roles := map[string]identity.Role{}
	for _, id := range ids {
		if role, ok := people[id]; ok {
			roles[id] = role
		}
	}
	return roles, nil
}

// system runs the services on one database. Its process may die; the database remains.
type system struct {
	t       *testing.T
	records record.Store
	results resulttree.Store
	keys    *bundle.Keys
	clock   *atomic.Int64 // shared by the replicas

	// entered has the entries of the audit log, by id.
	enteredMu sync.Mutex
	entered   map[string]audit.Note

	process                         *process
	recordsApp, reviewApp, countApp *fiber.App
}

func (s *system) now() time.Time { return time.UnixMilli(s.clock.Add(1)).UTC() }

// Record implements audit.Recorder for the running process.
func (s mortalLog) Record(_ context.Context, _ string, r audit.Report) error {
	return s.p.write(func() error {
		s.enteredMu.Lock()
		defer s.enteredMu.Unlock()
		s.entered[r.ID] = r.Note
		return nil
	})
}

// mortalLog is the audit log, likewise.
type mortalLog struct {
	*system
	p *process
}

// Notify implements notify.Notifier: the test is the worker.
func (s *system) Notify(context.Context, record.OrgID, record.EventID) {}

// engines returns functions that open an empty database of each engine.
func engines() map[string]func(t *testing.T) (record.Store, resulttree.Store) {
	return map[string]func(t *testing.T) (record.Store, resulttree.Store){
		"sqlite": func(t *testing.T) (record.Store, resulttree.Store) {
			t.Helper()
			db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordsqlite.Schema(), resultsqlite.Schema())...)
			must(t, err)
			t.Cleanup(func() { _ = db.Close() })
			return recordsqlite.New(db), resultsqlite.New(db)
		},
		"mongodb": func(t *testing.T) (record.Store, resulttree.Store) {
			t.Helper()
			uri, database := testkit.MongoDB(t)
			client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "governed-test"})
			must(t, err)
			t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
			r, err := recordmongo.New(t.Context(), client.Database(database))
			must(t, err)
			n, err := resultmongo.New(t.Context(), client.Database(database))
			must(t, err)
			return r, n
		},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// found starts a system with an organization and an event.
func found(t *testing.T, open func(t *testing.T) (record.Store, resulttree.Store)) *system {
	t.Helper()
	s := &system{t: t, clock: new(atomic.Int64), entered: map[string]audit.Note{}}
	s.clock.Store(time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC).UnixMilli())
	s.records, s.results = open(t)
	var err error
	s.keys, err = bundle.OpenKeys(filepath.Join(t.TempDir(), "keys"), true)
	must(t, err)
	must(t, s.records.InsertOrganization(t.Context(), record.Organization{ID: org, Name: "Example Events", Plan: "team", Rev: 1, CreatedAt: s.now()}))
	attendees := int64(100)
	_, err = s.records.InsertEvent(t.Context(), org, record.NewEvent(org, event, record.Event{
		Title: "Gala", StartDate: "2026-06-01", EndDate: "2026-06-01", Attendees: &attendees, Country: "GB",
		Method: record.NewMethod, FactorSet: "desnz-2026",
	}, actor("mia"), s.now()), record.Unlimited)
	must(t, err)
	s.start()
	return s
}

func actor(name string) record.Actor {
	return record.Actor{ID: name, Name: strings.ToUpper(name), Role: people[name]}
}

// start starts a process on the database.
func (s *system) start() {
	s.t.Helper()
	s.process = &process{}
	store, results := mortalRecords{s.records, s.process}, mortalResults{s.results, s.process}
	logger, log := slog.New(slog.DiscardHandler), mortalLog{s, s.process}
	const timeout = time.Minute // the first record reads all factors, which is slow with the race detector
	var err error
	s.recordsApp, err = records.New(records.Deps{Store: store, Notifier: s, Verifier: tokens{}, Members: directory{}, Quotas: settings.Quotas{"team": record.Unlimited}, Logger: logger, Now: s.now, Audit: log, Timeout: timeout})
	must(s.t, err)
	s.reviewApp, err = review.New(review.Deps{Store: store, Notifier: s, Verifier: tokens{}, Logger: logger, Now: s.now, Timeout: timeout})
	must(s.t, err)
	s.countApp, err = calculation.New(calculation.Deps{Records: store, Results: results, Notifier: s, Verifier: tokens{}, Keys: s.keys, Logger: logger, Now: s.now, Audit: log, Timeout: timeout})
	must(s.t, err)
}

// recover starts a new process after the last one died, and lets it do what a new
// process does: open the gate of an abandoned sign-off.
func (s *system) recover() {
	s.t.Helper()
	s.start()
	s.clock.Add((signoff.Lease + time.Minute).Milliseconds())
	_, err := signoff.Service{Store: s.records, Now: s.now}.Sweep(s.t.Context())
	must(s.t, err)
}

// calculate lets the worker bring the result up to date. It may die at one of its
// writes; another one takes over.
func (s *system) calculate(dieAt int, after bool) {
	s.t.Helper()
	p := &process{}
	if dieAt >= 0 {
		p.dieAt(dieAt, after)
	}
	for {
		err := resulttree.NewRecalculator(mortalRecords{s.records, p}, mortalResults{s.results, p}, s.now).Recalculate(s.t.Context(), org, event)
		if !p.spare() {
			must(s.t, err)
			return
		}
		p = &process{}
	}
}

// settled waits until no sign-off is in progress, or its process has died.
func (s *system) settled() {
	s.t.Helper()
	testkit.Eventually(s.t, 30*time.Second, func() error {
		e, err := s.records.EventContext(s.t.Context(), org, event)
		if err != nil {
			return err
		}
		s.process.mu.Lock()
		dead := s.process.dead
		s.process.mu.Unlock()
		if e.Gate.State == record.GateClosing && !dead {
			return errors.New("the sign-off is still being made")
		}
		return nil
	})
}

type answer struct {
	status int
	body   []byte
	data   map[string]any
	code   string
	// audited reports whether the gateway is to enter it into the audit log.
	audited bool
}

// ask sends a request below the base path to a service.
func (s *system) ask(app *fiber.App, method, path, as string, body any, header ...string) answer {
	s.t.Helper()
	var content io.Reader
	if file, ok := body.(string); ok {
		content = strings.NewReader(file)
	} else if body != nil {
		text, err := json.Marshal(body)
		must(s.t, err)
		content = bytes.NewReader(text)
	}
	request := httptest.NewRequestWithContext(s.t.Context(), method, "/api/v2"+path, content)
	request.Header.Set("Authorization", "Bearer "+as)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := app.Test(request, -1)
	must(s.t, err)
	defer func() { _ = response.Body.Close() }()
	a := answer{status: response.StatusCode}
	a.body, err = io.ReadAll(response.Body)
	must(s.t, err)
	shown := response.Header.Clone()
	a.audited = shown.Get("X-Ecf-Audit") != ""
	for _, name := range []string{"X-Ecf-Audit", "X-Ecf-Stored"} { // the gateway removes them
		shown.Del(name)
	}
	if err := conformance.Answer(request, a.status, shown, a.body); err != nil {
		s.t.Errorf("%s %s answers %d outside of the document: %v\n%.2000s", method, path, a.status, err, a.body)
	}
	var read struct {
		Data  map[string]any
		Error struct{ Code string }
	}
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	decoder.UseNumber()
	_ = decoder.Decode(&read) // a table is not JSON
	a.data, a.code = read.Data, read.Error.Code
	return a
}

// read reads a resource of the calculation service below the event.
func (s *system) read(path string, header ...string) answer {
	s.t.Helper()
	a := s.ask(s.countApp, http.MethodGet, "/events/"+string(event)+path, "mia", nil, header...)
	if a.status != http.StatusOK {
		s.t.Fatalf("GET %s: %d %.500s", path, a.status, a.body)
	}
	return a
}

// observed reads the state of the model back from the product.
func (s *system) observed() (world, map[string]record.Record) {
	s.t.Helper()
	ctx := s.t.Context()
	e, err := s.records.Event(ctx, org, event)
	must(s.t, err)
	o, err := s.records.Organization(ctx, org)
	must(s.t, err)
	w := world{title: e.Title, lines: map[string]line{}, signed: e.Gate.State == record.GateSigned,
		proposals: make([]proposal, len(e.Proposals)), fourEyes: o.Policy.FourEyes, reason: o.Policy.RequireReason}
	w.setting = setting{forcing: e.Method.RadiativeForcing, factorSet: e.FactorSet, attendees: *e.Attendees, days: 1, boundary: string(e.Boundary)}
	if e.EndDate != e.StartDate {
		w.days = 2
	}
	switch p := o.Pending; {
	case p == nil:
	case p.FourEyes:
		w.noReasonProposedBy = p.By.ID
	default:
		w.offProposedBy = p.By.ID
	}
	for i, c := range e.Proposals {
		w.proposals[i] = proposal{assessed: len(c.Effect) > 0, ctxRev: c.ContextRev, revision: c.ResultRevision}
	}
	for _, d := range e.Editions {
		w.editions = append(w.editions, signature{revision: d.Revision, withdrawn: d.Withdrawn != nil})
	}
	byName := map[string]record.Record{}
	for _, typ := range []string{"waste", "flights"} {
		all, err := s.records.RecordRange(ctx, org, record.Sub{Event: event, Type: typ}, 1, 10_000)
		must(s.t, err)
		for _, r := range all {
			var f struct{ WeightKg, Passengers json.Number }
			must(s.t, json.Unmarshal(r.Fields, &f))
			amount, _ := f.Passengers.Int64()
			if typ == "waste" {
				amount, _ = f.WeightKg.Int64()
				amount /= 100
			}
			w.lines[r.Reference] = line{typ: typ, amount: amount, status: string(r.Status)}
			byName[r.Reference] = r
		}
	}
	return w, byName
}

func idOf(byName map[string]record.Record, name string) string {
	return fmt.Sprintf("/events/%s/%s/%s", event, byName[name].Type, byName[name].ID)
}
