package records_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/records"
)

// unversioned is a store without a version, like that on MongoDB.
type unversioned struct{ record.Store }

func (h *harness) serverOf(store record.Store) *fiber.App {
	h.t.Helper()
	httpApp, err := records.New(records.Deps{Store: store, Notifier: h, Members: members(), Verifier: webtest.Tokens{}, Logger: slog.New(slog.DiscardHandler), Now: h.now})
	if err != nil {
		h.t.Fatal(err)
	}
	return httpApp
}

// seen returns the response that a reader sees; header is names and values of further header fields of the request.
func (h *harness) seen(httpApp *fiber.App, as, path, tag string, header ...string) string {
	h.t.Helper()
	request := httptest.NewRequest(http.MethodGet, "/api/v2"+path, http.NoBody)
	request.Header.Set("Authorization", "Bearer "+as)
	request.Header.Set("X-Request-Id", "one")
	if tag != "" {
		request.Header.Set("If-None-Match", tag)
	}
	for field := range slices.Chunk(header, 2) {
		request.Header.Set(field[0], field[1])
	}
	response, err := httpApp.Test(request, -1)
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return fmt.Sprint(response.StatusCode, response.Header["Etag"], response.Header["Content-Type"], " ", string(body))
}

// recalling is a server with its response cache.
type recalling struct {
	app    *fiber.App
	recall web.Recall
	times  int // how often it could
}

func (h *harness) recallingServer() *recalling {
	h.t.Helper()
	httpApp, recall, err := records.NewRecalling(records.Deps{Store: h.store, Notifier: h, Members: members(), Verifier: webtest.Tokens{}, Logger: slog.New(slog.DiscardHandler), Now: h.now})
	if err != nil {
		h.t.Fatal(err)
	}
	return &recalling{app: httpApp, recall: recall}
}

// seen returns the response that a reader gets from the cache or, if there is none, from the server.
func (r *recalling) seen(h *harness, as, path, tag string) string {
	h.t.Helper()
	p, err := webtest.Tokens{}.Verify(h.t.Context(), as)
	if err != nil {
		h.t.Fatal(err)
	}
	matcher, err := api.NewMatcher(web.BasePath, api.Operations())
	if err != nil {
		h.t.Fatal(err)
	}
	bare, _, _ := strings.Cut(path, "?")
	o, ok := matcher.Find(http.MethodGet, web.BasePath+bare)
	if !ok {
		h.t.Fatalf("no operation answers %s", path)
	}
	var req fasthttp.Request
	var resp fasthttp.Response
	req.SetRequestURI(web.BasePath + path)
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	if !r.recall(h.t.Context(), o.ID, p, &req, &resp) {
		return h.seen(r.app, as, path, tag)
	}
	r.times++
	header := map[string][]string{"Content-Type": nil}
	if len(resp.Body()) > 0 {
		header["Content-Type"] = []string{string(resp.Header.ContentType())}
	}
	return fmt.Sprint(resp.StatusCode(), []string{string(resp.Header.Peek("ETag"))}, header["Content-Type"], " ", string(resp.Body()))
}

// tagged matches the entity tag in a response.
var tagged = regexp.MustCompile(`"[\w-]{22}"`)

// TestRememberedAnswersAreThoseOfNow: after each of random writes, a server with cached responses answers every
// caller, also those of another organization and without a team, like one just started (statement 19: caches are per
// organization).
func TestRememberedAnswersAreThoseOfNow(t *testing.T) {
	t.Parallel()
	h := start(t)
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the seed is printed
	events := []string{h.event(), h.event()}
	var items []string
	remembering := map[string]*fiber.App{"with versions": h.app, "without": h.serverOf(unversioned{h.store})}
	recalled := h.recallingServer()
	// The same person may be in two organizations, with the same role.
	tags := map[string][]string{} // by caller and path
	callers := []string{ada, planck, root, "org1.vera.viewer", alien, "org2.ada.user", "org1.ada.viewer", "org1.bob.user"}
	for step := range 60 {
		event := events[random.IntN(len(events))]
		switch move := random.IntN(8); {
		case move < 3 || len(items) == 0:
			items = append(items, event+"/waste/"+h.send(ada, http.MethodPost, event+"/waste", bin).want(http.StatusCreated, "").text("_id"))
		case move == 3:
			h.send(root, http.MethodPatch, items[random.IntN(len(items))], fmt.Sprintf(`{"weightKg":%d}`, 1+random.IntN(500)))
		case move == 4:
			h.send(root, http.MethodDelete, items[random.IntN(len(items))], "")
		case move == 5:
			h.send(ada, http.MethodPost, items[random.IntN(len(items))]+"/submit", "")
		case move == 6:
			h.send(planck, http.MethodPatch, event, fmt.Sprintf(`{"attendees":%d}`, 1+random.IntN(500)))
		case move == 7:
			team := `null`
			if random.IntN(2) == 0 {
				team = `[{"user":"max","role":"reviewer"},{"user":"ada","role":"contributor"}]`
			}
			h.send(root, http.MethodPatch, event, `{"team":`+team+`}`)
		}
		fresh := h.serverOf(unversioned{h.store})
		for range 12 {
			as := callers[random.IntN(len(callers))]
			event := events[random.IntN(len(events))]
			path := []string{"/events", "/events?limit=1", event, event + "/waste", event + "/waste?limit=2", event + "/waste?limit=2&page=2", items[random.IntN(len(items))]}[random.IntN(7)]
			// Some callers have read before, and know an old or a current tag.
			tag := ""
			if known := tags[as+path]; len(known) > 0 && random.IntN(2) == 0 {
				tag = known[random.IntN(len(known))]
			}
			want := h.seen(fresh, as, path, tag)
			if found := tagged.FindString(want); found != "" && !slices.Contains(tags[as+path], found) {
				tags[as+path] = append(tags[as+path], found)
			}
			for name, httpApp := range remembering {
				for range 2 {
					if got := h.seen(httpApp, as, path, tag); got != want {
						t.Fatalf("step %d, %s, GET %s as %s who has %s:\ngot  %s\nwant %s", step, name, path, as, tag, got, want)
					}
				}
			}
			for range 2 {
				if got := recalled.seen(h, as, path, tag); got != want {
					t.Fatalf("step %d, recalled, GET %s as %s who has %s:\ngot  %s\nwant %s", step, path, as, tag, got, want)
				}
			}
		}
	}
	if recalled.times == 0 {
		t.Error("no answer was recalled")
	}
}

// TestOnlyWhatIsRememberedIsRecalled: other operations, and reads for the first time, are left to the service.
func TestOnlyWhatIsRememberedIsRecalled(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	r := h.recallingServer()
	for _, one := range []struct {
		path string
		want int // of two readings, those recalled
	}{{event, 1}, {event + "/review", 0}, {event + "/waste?page=0", 0}, {"/events/nothing", 0}, {event + "/waste", 1}, {"/record-types", 0}} {
		r.times = 0
		for range 2 {
			r.seen(h, ada, one.path, "")
		}
		if r.times != one.want {
			t.Errorf("GET %s: recalled %d times, want %d", one.path, r.times, one.want)
		}
	}
}

// counted counts the pages of records that are read.
type counted struct {
	record.Store
	ranges atomic.Int64
}

func (c *counted) RecordRange(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Record, error) {
	c.ranges.Add(1)
	return c.Store.RecordRange(ctx, org, sub, from, to)
}

// versionedCount also counts the guard's reads of events, in a store with a version.
type versionedCount struct {
	counted
	events atomic.Int64
}

func (c *versionedCount) Version(ctx context.Context) (record.Version, error) {
	return c.Store.(*sqlitestore.Store).Version(ctx)
}

func (c *versionedCount) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	c.events.Add(1)
	return c.Store.EventContext(ctx, org, id)
}

// TestNothingIsReadWhileNothingIsWritten: the same question of the same caller
// costs the version of the store and no reading.
func TestNothingIsReadWhileNothingIsWritten(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	item := event + "/waste/" + h.send(ada, http.MethodPost, event+"/waste", bin).want(http.StatusCreated, "").text("_id")
	store := &versionedCount{counted: counted{Store: h.store}}
	httpApp := h.serverOf(store)
	for i, path := range []string{event, event + "/waste", item} {
		want := h.seen(httpApp, ada, path, "")
		// Nothing but the entity tag of a request's header changes a response.
		for _, header := range [][]string{nil, {"Accept", "text/html"}, {"Accept-Language", "de"}, {"Prefer", "handling=strict"}} {
			if got := h.seen(httpApp, ada, path, "", header...); got != want {
				t.Errorf("%s with %q: %s, want %s", path, header, got, want)
			}
		}
		if n := store.events.Load(); n != int64(i+1) {
			t.Errorf("%s: the event was read %d times by now, want %d", path, n, i+1)
		}
	}
	// A client polls with a tag from the start, on a server that never served the full response, and again after each
	// write.
	store.events.Store(0)
	httpApp = h.serverOf(store)
	path, other := event+"/waste", h.event()+"/waste"
	tag := tagged.FindString(h.seen(h.app, ada, path, ""))
	for i := range 3 {
		for range 3 {
			if got := h.seen(httpApp, ada, path, tag); !strings.HasPrefix(got, "304 ["+tag+"]") {
				t.Errorf("asked by its tag %s: %s", tag, got)
			}
		}
		if n := store.events.Load(); n != int64(i+1) {
			t.Errorf("polling: the event was read %d times by now, want %d", n, i+1)
		}
		h.send(ada, http.MethodPost, other, bin).want(http.StatusCreated, "")
	}
	// A tag alone is not an answer for clients with another or none.
	want := h.seen(h.app, ada, path, "")
	for _, another := range []string{"", `"AAAAAAAAAAAAAAAAAAAAAA"`} {
		h.seen(httpApp, ada, path, tag)
		if got := h.seen(httpApp, ada, path, another); got != want {
			t.Errorf("asked by %s: %s, want %s", another, got, want)
		}
	}
}

// TestPagesAreReadOnce: an unchanged page is not read again for anybody of the organization.
func TestPagesAreReadOnce(t *testing.T) {
	t.Parallel()
	h := start(t)
	path := h.event() + "/waste"
	h.send(ada, http.MethodPost, path, bin).want(http.StatusCreated, "")
	store := &counted{Store: h.store}
	httpApp := h.serverOf(store)
	want := h.seen(httpApp, ada, path, "")
	for _, as := range []string{ada, bob, planck, root} {
		if got := h.seen(httpApp, as, path, ""); got != want {
			t.Errorf("as %s: %s, want %s", as, got, want)
		}
	}
	if n := store.ranges.Load(); n != 1 {
		t.Errorf("the page was read %d times, want once", n)
	}
	h.send(ada, http.MethodPost, path, bin).want(http.StatusCreated, "")
	if got := h.seen(httpApp, ada, path, ""); got == want || store.ranges.Load() != 2 {
		t.Errorf("after a write: %s, read %d times", got, store.ranges.Load())
	}
}

// TestWritesAreSeenAtOnce: after the response to a create request, the new object is visible while others read the
// same page.
func TestWritesAreSeenAtOnce(t *testing.T) {
	t.Parallel()
	h := start(t)
	path := h.event() + "/waste"
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					h.seen(h.app, bob, path, "")
				}
			}
		})
	}
	for i := range 25 {
		h.send(ada, http.MethodPost, path, bin).want(http.StatusCreated, "")
		for _, as := range []string{ada, bob} {
			page := h.send(as, http.MethodGet, path, "").want(http.StatusOK, "").data["pagination"].(map[string]any)
			if total := page["total"].(float64); int(total) != i+1 {
				t.Fatalf("%d created, %v listed for %s", i+1, total, as)
			}
		}
	}
	close(stop)
	readers.Wait()
}
