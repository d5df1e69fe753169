package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// tokens are accepted unsigned, as "org/user".
type tokens struct{}

func (tokens) Verify(_ context.Context, token string) (identity.Principal, error) {
	token = strings.Clone(token) // fiber reuses its buffer
	org, user, ok := strings.Cut(token, "/")
	if !ok {
		return identity.Principal{}, errors.New("no token")
	}
	return identity.Principal{Org: org, UserID: user, Role: identity.User}, nil
}

// clock is a clock that tests advance.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time          { return time.UnixMilli(c.ms.Load()) }
func (c *clock) advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// place is one process: a server over the shared database, whose handler the test provides.
type place struct {
	t    *testing.T
	app  *fiber.App
	work atomic.Pointer[func(c *fiber.Ctx) error]
	keys *suspendable
}

func newPlace(t *testing.T, store record.Keys, c *clock) *place {
	t.Helper()
	p := &place{t: t, keys: &suspendable{Keys: store}}
	logger := slog.New(slog.DiscardHandler)
	keeper := &idempotency.Keeper{Store: p.keys, Now: c.now, Logger: logger}
	p.app = web.New(web.Options{Service: "test", Logger: logger})
	handler := keeper.Handler(func(c *fiber.Ctx) error { return (*p.work.Load())(c) })
	var table api.Table
	var routes []web.Route
	for _, call := range []struct{ method, path string }{{http.MethodPost, "/things"}, {http.MethodPatch, "/things"}, {http.MethodPost, "/others"}} {
		id := call.method + call.path
		table = append(table, api.Operation{ID: id, Method: call.method, Path: call.path, Least: identity.User})
		routes = append(routes, web.Route{Operation: id, Handler: handler})
	}
	if err := web.Register(p.app, web.BasePath, tokens{}, table, routes); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) does(work func(c *fiber.Ctx) error) { p.work.Store(&work) }

type reply struct {
	status   int
	body     string
	replayed bool
	header   http.Header
}

// ask sends a request, without a key if key is empty.
func (p *place) ask(key, body string, change ...func(*http.Request)) reply {
	p.t.Helper()
	r := httptest.NewRequest(http.MethodPost, web.BasePath+"/things", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer acme/ann")
	if key != "" {
		r.Header.Set(idempotency.Header, key)
	}
	for _, f := range change {
		f(r)
	}
	response, err := p.app.Test(r, -1)
	if err != nil {
		p.t.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		p.t.Fatal(err)
	}
	return reply{response.StatusCode, string(text), response.Header.Get(idempotency.HeaderReplayed) == "true", response.Header}
}

func (p *place) want(got reply, status int, replayed bool, part string) reply {
	p.t.Helper()
	if got.status != status || got.replayed != replayed || !strings.Contains(got.body, part) {
		p.t.Fatalf("status %d, replayed %t: %s\nwant %d, %t, %s", got.status, got.replayed, got.body, status, replayed, part)
	}
	return got
}

// onBothEngines runs a test with two processes over one database.
func onBothEngines(t *testing.T, test func(t *testing.T, c *clock, a, b *place)) {
	t.Helper()
	stores := map[string]func(t *testing.T) func() record.Keys{
		"sqlite": func(t *testing.T) func() record.Keys {
			path := filepath.Join(t.TempDir(), "keys.db")
			return func() record.Keys {
				db, err := sqlitex.Open(t.Context(), path, sqlitestore.Schema()...)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
				return sqlitestore.New(db)
			}
		},
		"mongodb": func(t *testing.T) func() record.Keys {
			uri, database := testkit.MongoDB(t)
			return func() record.Keys {
				client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "idempotency-test"})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
				store, err := mongostore.New(t.Context(), client.Database(database))
				if err != nil {
					t.Fatal(err)
				}
				return store
			}
		},
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			another := open(t)
			c := &clock{}
			c.ms.Store(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).UnixMilli())
			test(t, c, newPlace(t, another(), c), newPlace(t, another(), c))
		})
	}
}

// counted answers 201 with the number of runs.
func counted(runs *atomic.Int64) func(c *fiber.Ctx) error {
	return func(c *fiber.Ctx) error {
		n := runs.Add(1)
		c.Set(fiber.HeaderETag, fmt.Sprintf(`"%d"`, n))
		return web.Created(c, fiber.Map{"run": n, "id": idempotency.Of(c).NewID(0), "text": "<&\u2028>"}, fmt.Sprint("/things/", n))
	}
}

func TestTheFirstAnswerIsGivenAgain(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, c *clock, a, b *place) {
		var runs atomic.Int64
		a.does(counted(&runs))
		b.does(counted(&runs))
		first := a.want(a.ask("k", `{"x":1}`), http.StatusCreated, false, `"run":1`)
		for _, p := range []*place{a, b} {
			again := p.want(p.ask("k", `{"x":1}`), http.StatusCreated, true, `"run":1`)
			if again.body != first.body || again.header.Get("ETag") != `"1"` || again.header.Get("Location") != "/things/1" ||
				again.header.Get("Content-Type") != "application/json" {
				t.Errorf("%s %v\nwant %s", again.body, again.header, first.body)
			}
		}
		b.want(b.ask("k", `{"x": 1}`), http.StatusUnprocessableEntity, false, "IDEMPOTENCY_KEY_REUSED")
		query := func(r *http.Request) { r.URL.RawQuery, r.RequestURI = "partial=true", "" }
		b.want(b.ask("k", `{"x":1}`, query), http.StatusUnprocessableEntity, false, "IDEMPOTENCY_KEY_REUSED")
		// A request with another key, method, path, user or organization is different.
		run := 1
		for _, change := range []func(*http.Request){
			func(r *http.Request) { r.Header.Set(idempotency.Header, "k2") },
			func(r *http.Request) { r.Method = http.MethodPatch },
			func(r *http.Request) { r.URL.Path, r.RequestURI = web.BasePath+"/others", "" },
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer acme/bob") },
			func(r *http.Request) { r.Header.Set("Authorization", "Bearer other/ann") },
			func(r *http.Request) { r.Header.Del(idempotency.Header) },
		} {
			run++
			a.want(a.ask("k", `{"x":1}`, change), http.StatusCreated, false, fmt.Sprint(`"run":`, run))
		}
		// The key expires after a day, and then has another name and other ids.
		c.advance(24*time.Hour - time.Second)
		a.want(a.ask("k", `{"x":1}`), http.StatusCreated, true, `"run":1`)
		c.advance(2 * time.Second)
		later := a.want(a.ask("k", `{"y":1}`), http.StatusCreated, false, fmt.Sprint(`"run":`, run+1))
		if id := strings.Split(first.body, `"id":"`)[1][:26]; strings.Contains(later.body, id) {
			t.Errorf("the ids of a forgotten key came back: %s", later.body)
		}
	})
}

func TestOnlyLastingAnswersAreKept(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, b *place) {
		for i, code := range []apperr.Code{
			apperr.ValidationError, apperr.QuotaExceeded, apperr.Forbidden, apperr.EventNotFound, apperr.PreconditionFailed, apperr.UnsupportedMediaType,
		} {
			key := fmt.Sprint("lasting-", i)
			a.does(func(*fiber.Ctx) error { return apperr.New(code, "No.") })
			first := a.want(a.ask(key, ""), web.StatusOf(code), false, string(code))
			b.does(func(*fiber.Ctx) error { t.Errorf("%s: done again", code); return nil })
			if again := b.want(b.ask(key, ""), web.StatusOf(code), true, string(code)); again.body != first.body {
				t.Errorf("%s\nwant %s", again.body, first.body)
			}
		}
		for i, code := range []apperr.Code{
			apperr.Unauthenticated, apperr.InvalidTransition, apperr.DuplicateReference, apperr.RateLimited,
			apperr.Internal, apperr.Unavailable, apperr.UpstreamTimeout,
		} {
			key := fmt.Sprint("passing-", i)
			var resumed bool
			note := func(c *fiber.Ctx) error {
				resumed = idempotency.Of(c).Resumed
				return web.OK(c, "done")
			}
			a.does(func(*fiber.Ctx) error { return apperr.New(code, "Not now.") })
			a.want(a.ask(key, ""), web.StatusOf(code), false, string(code))
			b.does(note)
			b.want(b.ask(key, ""), http.StatusOK, false, "done")
			// After an internal error something may have been done.
			if want := web.StatusOf(code) >= 500; resumed != want {
				t.Errorf("%s: resumed %t", code, resumed)
			}
			a.want(a.ask(key, ""), http.StatusOK, true, "done")
		}
		a.does(func(*fiber.Ctx) error { panic("at work") })
		a.want(a.ask("panic", ""), http.StatusInternalServerError, false, "INTERNAL")
		b.does(func(c *fiber.Ctx) error { return web.OK(c, "done") })
		b.want(b.ask("panic", ""), http.StatusOK, false, "done")
	})
}

// TestLargeRefusalsAreNotKept: whoever has whole batches refused fills no disk; what was done is kept
// however large its response is.
func TestLargeRefusalsAreNotKept(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, b *place) {
		large, small := strings.Repeat("x", 9<<10), strings.Repeat("x", 7<<10)
		for name, c := range map[string]struct {
			work   func(*fiber.Ctx) error
			status int
			kept   bool
		}{
			"refused":        {func(*fiber.Ctx) error { return apperr.New(apperr.ValidationError, "%s", large) }, http.StatusBadRequest, false},
			"briefly":        {func(*fiber.Ctx) error { return apperr.New(apperr.ValidationError, "%s", small) }, http.StatusBadRequest, true},
			"nothing done":   {func(c *fiber.Ctx) error { idempotency.NothingDone(c); return web.OK(c, large) }, http.StatusOK, false},
			"little to say":  {func(c *fiber.Ctx) error { idempotency.NothingDone(c); return web.OK(c, small) }, http.StatusOK, true},
			"something done": {func(c *fiber.Ctx) error { return web.OK(c, large) }, http.StatusOK, true},
		} {
			a.does(c.work)
			a.want(a.ask(name, ""), c.status, false, "xxx")
			b.does(c.work)
			b.want(b.ask(name, ""), c.status, c.kept, "xxx")
		}
	})
}

func TestTwoAtOnceDoTheWorkOnce(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, b *place) {
		var runs atomic.Int64
		begun, proceed := make(chan struct{}), make(chan struct{})
		work := func(c *fiber.Ctx) error {
			runs.Add(1)
			close(begun)
			<-proceed
			return web.OK(c, "done")
		}
		a.does(work)
		b.does(work)
		first := make(chan reply, 1)
		go func() { first <- a.ask("k", "{}") }()
		<-begun
		for _, p := range []*place{a, b} {
			got := p.want(p.ask("k", "{}"), http.StatusConflict, false, "IDEMPOTENCY_IN_PROGRESS")
			if got.header.Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			p.want(p.ask("k", "[]"), http.StatusUnprocessableEntity, false, "IDEMPOTENCY_KEY_REUSED")
		}
		close(proceed)
		a.want(<-first, http.StatusOK, false, "done")
		b.want(b.ask("k", "{}"), http.StatusOK, true, "done")

		runs.Store(0)
		a.does(counted(&runs))
		b.does(counted(&runs))
		var group sync.WaitGroup
		var fresh atomic.Int64
		for i := range 16 {
			group.Go(func() {
				p := []*place{a, b}[i%2]
				switch got := p.ask("many", "{}"); {
				case got.status == http.StatusCreated && !got.replayed:
					fresh.Add(1)
				case got.status == http.StatusCreated, got.status == http.StatusConflict:
				default:
					t.Errorf("%d: %s", got.status, got.body)
				}
			})
		}
		group.Wait()
		if runs.Load() != 1 || fresh.Load() != 1 {
			t.Errorf("%d runs, %d first answers", runs.Load(), fresh.Load())
		}
	})
}

func TestKeysAreChecked(t *testing.T) {
	t.Parallel()
	onBothEngines(t, func(t *testing.T, _ *clock, a, _ *place) {
		var runs atomic.Int64
		a.does(counted(&runs))
		twice := func(r *http.Request) { r.Header.Add(idempotency.Header, "b") }
		empty := func(r *http.Request) { r.Header[idempotency.Header] = []string{""} }
		long := strings.Repeat("x", 255)
		for _, bad := range []reply{a.ask(long+"x", ""), a.ask("ключ", ""), a.ask("a\tb", ""), a.ask("a", "", twice), a.ask("", "", empty)} {
			a.want(bad, http.StatusBadRequest, false, idempotency.Header)
		}
		for _, good := range []string{long, "!", "a b~", "$where", "{\"$gt\":\"\"}"} {
			a.want(a.ask(good, ""), http.StatusCreated, false, "run")
			a.want(a.ask(good, ""), http.StatusCreated, true, "run")
		}
		// A dry run neither reserves a key nor looks for one.
		dry := func(r *http.Request) { r.Header.Set(web.HeaderDryRun, "true") }
		before := runs.Load()
		a.want(a.ask("rehearsed", "1", dry), http.StatusCreated, false, "run")
		a.want(a.ask("rehearsed", "2", dry), http.StatusCreated, false, "run")
		a.want(a.ask("rehearsed", "3"), http.StatusCreated, false, fmt.Sprint(`"run":`, before+3))
		a.want(a.ask("rehearsed", "4", dry), http.StatusCreated, false, "run")
		misspelt := func(r *http.Request) { r.Header.Set(web.HeaderDryRun, "ture") }
		a.want(a.ask("rehearsed", "4", misspelt), http.StatusBadRequest, false, web.HeaderDryRun)
	})
}

// failing is a store whose database is unavailable.
type failing struct{ record.Keys }

func (failing) InsertKey(context.Context, record.OrgID, record.KeyEntry) (record.KeyEntry, bool, error) {
	return record.KeyEntry{}, false, errors.New("secret-host:27017 is away")
}

func TestWithoutADatabaseNothingIsDone(t *testing.T) {
	t.Parallel()
	c := &clock{}
	p := newPlace(t, failing{}, c)
	p.does(func(*fiber.Ctx) error { t.Error("worked without a reservation"); return nil })
	got := p.want(p.ask("k", "{}"), http.StatusInternalServerError, false, "INTERNAL")
	if bytes.Contains([]byte(got.body), []byte("secret")) {
		t.Error(got.body)
	}
	p.does(func(c *fiber.Ctx) error {
		if r := idempotency.Of(c); r.Keyed() || r.Once() != "" || r.NewID(0) == r.NewID(0) {
			t.Error("a request without a key has fixed ids")
		}
		return web.OK(c, nil)
	})
	p.want(p.ask("", "{}"), http.StatusOK, false, "")
}
