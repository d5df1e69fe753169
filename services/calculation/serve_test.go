package calculation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	recordstore "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultstore "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

const (
	org   record.OrgID = "org1"
	other record.OrgID = "org2"
)

// service is the service over an embedded engine; the tests call the worker explicitly.
type service struct {
	t        testing.TB
	app      *fiber.App
	deps     calculation.Deps
	records  *watched
	results  resulttree.Store
	keys     *bundle.Keys
	worker   resulttree.Recalculator
	clock    atomic.Int64
	notified atomic.Int64
	bulk     bulk
	event    record.Event
}

// watched counts reads of records, and may run a function in between.
type watched struct {
	*recordstore.Store
	approved atomic.Int64 // records read by Approved
	between  func()
	reading  func() // called by Approved and CountByStatus
	// unsettled: the process crashes before it stores the response of a key.
	unsettled atomic.Bool
}

func (w *watched) ReplaceKey(ctx context.Context, o record.OrgID, e record.KeyEntry, lease string) (bool, error) {
	if w.unsettled.Load() {
		return false, errors.New("this process is dead")
	}
	return w.Store.ReplaceKey(ctx, o, e, lease)
}

func (w *watched) Approved(ctx context.Context, o record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error) {
	if w.reading != nil {
		w.reading()
	}
	counted, err := w.Store.Approved(ctx, o, sub, from, to)
	w.approved.Add(int64(len(counted)))
	return counted, err
}

func (w *watched) CountByStatus(ctx context.Context, o record.OrgID, event record.EventID) (map[record.Status]int64, error) {
	if w.reading != nil {
		w.reading()
	}
	return w.Store.CountByStatus(ctx, o, event)
}

func (w *watched) Waiting(ctx context.Context, o record.OrgID, event record.EventID, after record.QueuePlace, limit int64) ([]record.Record, error) {
	if w.between != nil {
		w.between()
	}
	return w.Store.Waiting(ctx, o, event, after, limit)
}

// tokens are "org role".
type tokens struct{}

func (tokens) Verify(_ context.Context, token string) (identity.Principal, error) {
	token = strings.Clone(token) // Fiber reuses the buffer that holds it
	o, role, _ := strings.Cut(token, ".")
	r, err := identity.ParseRole(role)
	if err != nil {
		return identity.Principal{}, errors.New("no token")
	}
	return identity.Principal{UserID: "u-" + role, Org: o, Role: r}, nil
}

func (s *service) Notify(context.Context, record.OrgID, record.EventID) { s.notified.Add(1) }

// bulk is the notifier for changes of all records of an event.
type bulk struct{ notified atomic.Int64 }

func (b *bulk) Notify(context.Context, record.OrgID, record.EventID) { b.notified.Add(1) }

func (s *service) now() time.Time { return time.UnixMilli(s.clock.Add(1000)) }

func start(t testing.TB) *service {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordstore.Schema(), resultstore.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &service{t: t, records: &watched{Store: recordstore.New(db)}, results: resultstore.New(db)}
	s.clock.Store(time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC).UnixMilli())
	if s.keys, err = bundle.OpenKeys(filepath.Join(t.TempDir(), "keys"), true); err != nil {
		t.Fatal(err)
	}
	s.deps = calculation.Deps{Records: s.records, Results: s.results, Notifier: s, Bulk: &s.bulk, Verifier: tokens{}, Keys: s.keys,
		Logger: slog.New(slog.DiscardHandler), Now: s.now}
	if s.app, err = calculation.New(s.deps); err != nil {
		t.Fatal(err)
	}
	s.worker = resulttree.NewRecalculator(s.records, s.results, s.now)
	if err := s.records.InsertOrganization(t.Context(), record.Organization{ID: org, Name: "Example Events", Plan: "team", Rev: 1}); err != nil {
		t.Fatal(err)
	}
	attendees := int64(120)
	s.event, err = s.records.InsertEvent(t.Context(), org, record.Event{
		ID: "e1", Org: org, Title: "Conference <2026> & more", StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: &attendees, Country: "GB",
		Boundary: json.RawMessage(`{"included":[],"excluded":[{"type":"digital","reason":"small"}]}`),
		Method:   record.DefaultMethod, FactorSet: "desnz-2026", CreatedAt: s.now(), UpdatedAt: s.now(), Rev: 1, ContextRev: 1,
	}, record.Unlimited)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *service) workflow() record.Workflow {
	return record.Workflow{Store: s.records, Now: s.now, NewMark: func() string { return record.NewMark(s.now()) }}
}

var (
	someUser    = record.Actor{ID: "u-user", Name: "User", Role: identity.User}
	someManager = record.Actor{ID: "u-manager", Name: "Manager", Role: identity.Manager}
)

// add creates a record and moves it to a state.
func (s *service) add(typ, body string, until record.Status) record.Record {
	s.t.Helper()
	ev, err := s.records.Event(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	decoded, err := record.DecodeOptions(s.t.Context(), s.records, org, false).Decode(typ, []byte(body), ev.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	r := record.Record{ID: record.ID(record.NewID()), Event: ev.ID, Type: typ, Fields: decoded.Fields, ContextRev: ev.ContextRev}
	if r.Preview, r.Contribution, err = record.Evaluate(typ, decoded.Fields, nil, ev.Context()); err != nil {
		s.t.Fatal(err)
	}
	if r, err = s.workflow().Insert(s.t.Context(), org, r, someUser); err != nil {
		s.t.Fatal(err)
	}
	for _, move := range []record.Move{record.Submit, record.Approve} {
		if r.Status == until {
			break
		}
		r = s.move(r, move)
	}
	return r
}

func (s *service) move(r record.Record, m record.Move) record.Record {
	s.t.Helper()
	by := someManager
	if m == record.Submit {
		by = someUser
	}
	r, err := s.workflow().Apply(s.t.Context(), record.Request{Org: org, Key: r.Key(), Move: m, By: by, Comment: "because"})
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// settle lets the worker update the result.
func (s *service) settle() {
	s.t.Helper()
	if err := s.worker.Recalculate(s.t.Context(), org, s.event.ID); err != nil {
		s.t.Fatal(err)
	}
}

type reply struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
	read   *any // the body, once it was walked into
}

func (s *service) call(method, path, token string, body any, header ...string) reply {
	s.t.Helper()
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			s.t.Fatal(err)
		}
	}
	got := webtest.Send(s.t, s.app, token, method, path, string(content), header...)
	return reply{s.t, got.Status, got.Header, got.Body, new(any)}
}

// get reads a path below the base path as a user of the organization.
func (s *service) get(path string, header ...string) reply {
	s.t.Helper()
	return s.call(http.MethodGet, "/api/v2"+path, "org1.user", nil, header...)
}

// of reads the event's results.
func (s *service) of(path string, header ...string) reply {
	s.t.Helper()
	return s.get("/events/e1/results"+path, header...)
}

func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("status %d, want %d: %.2000s", r.status, status, r.body)
	}
	return r
}

func (r reply) wantError(status int, code string) reply {
	r.t.Helper()
	if r.want(status); r.text("error", "code") != code {
		r.t.Fatalf("want %s: %.2000s", code, r.body)
	}
	return r
}

// at walks into the body: names of members and indexes of lists.
func (r reply) at(path ...any) any {
	r.t.Helper()
	if *r.read == nil {
		decoder := json.NewDecoder(bytes.NewReader(r.body))
		decoder.UseNumber()
		if err := decoder.Decode(r.read); err != nil {
			r.t.Fatalf("%v: %.2000s", err, r.body)
		}
	}
	v := *r.read
	for _, step := range path {
		switch key := step.(type) {
		case string:
			object, _ := v.(map[string]any)
			v = object[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				r.t.Fatalf("no element %d of %v: %.2000s", key, path, r.body)
			}
			v = list[key]
		}
	}
	return v
}

func (r reply) text(path ...any) string { return fmt.Sprint(r.at(path...)) }

func (r reply) data(path ...any) string { return r.text(append([]any{"data"}, path...)...) }

func (r reply) count(path ...any) int {
	r.t.Helper()
	list, ok := r.at(append([]any{"data"}, path...)...).([]any)
	if !ok {
		r.t.Fatalf("no list at %v: %.2000s", path, r.body)
	}
	return len(list)
}
