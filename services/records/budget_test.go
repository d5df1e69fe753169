package records_test

import (
	"log/slog"
	"net/http"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/records/imports"
)

const flightBody = `{"from":"FRA","to":"LHR","passengers":3,"class":"economy","roundTrip":true}`

// The most that a request of the service may allocate.
const (
	createAllocations = 245
	listAllocations   = 30
	// An uncached list, since its store has no version: the entity tag shows that the caller, or the service, has the
	// page.
	pollAllocations = 140
	pageAllocations = 136
)

// unversioned returns the service over a store without a version.
func (h *harness) unversioned() *fiber.App {
	h.t.Helper()
	spool := web.NewSpool(h.t.TempDir())
	h.t.Cleanup(func() { _ = spool.Remove() })
	store, log := struct{ record.Store }{h.store}, slog.New(slog.DiscardHandler)
	app, err := records.New(records.Deps{Spool: spool, Store: store, Notifier: h, Members: members(), Verifier: webtest.Tokens{},
		Importer: imports.New(store, log, h.now), Logger: log, Now: h.now})
	if err != nil {
		h.t.Fatal(err)
	}
	return app
}

func TestAllocationsOfARequest(t *testing.T) {
	testkit.WithoutRace(t)
	h := start(t)
	h.endImports() // it looks for imports meanwhile, more often on a slow machine
	event := h.event()
	for range 25 {
		h.send(ada, http.MethodPost, event+"/flights", flightBody).want(http.StatusCreated, "")
	}
	handler := h.app.Handler()
	unversioned := h.unversioned().Handler()
	tag := h.send(ada, http.MethodGet, event+"/flights?limit=25", "").want(http.StatusOK, "").header.Get("ETag")
	var ctx fasthttp.RequestCtx
	for _, c := range []struct {
		handler                   fasthttp.RequestHandler
		method, target, body, tag string
		status, most              int
	}{
		{handler, http.MethodGet, event + "/flights?limit=25", "", "", http.StatusOK, listAllocations}, // remembered
		{unversioned, http.MethodGet, event + "/flights?limit=25", "", tag, http.StatusNotModified, pollAllocations},
		{unversioned, http.MethodGet, event + "/flights?limit=25", "", "", http.StatusOK, pageAllocations},
		{handler, http.MethodPost, event + "/flights", flightBody, "", http.StatusCreated, createAllocations},
	} {
		got := testkit.Allocations(50, func() {
			ctx.Request.Reset()
			ctx.Response.Reset()
			ctx.ResetUserValues()
			ctx.Request.Header.SetMethod(c.method)
			ctx.Request.Header.SetHost("records")
			ctx.Request.SetRequestURI("/api/v2" + c.target)
			ctx.Request.Header.Set("Authorization", "Bearer "+ada)
			if c.body != "" {
				ctx.Request.Header.SetContentType("application/json")
				ctx.Request.SetBodyString(c.body)
			}
			if c.tag != "" {
				ctx.Request.Header.Set("If-None-Match", c.tag)
			}
			c.handler(&ctx)
			if ctx.Response.StatusCode() != c.status {
				t.Fatalf("%d %s", ctx.Response.StatusCode(), ctx.Response.Body())
			}
		})
		t.Logf("%s %s, %d: %v allocations", c.method, c.target, c.status, got)
		if got > float64(c.most) {
			t.Errorf("%s %s allocates %v times, want at most %d", c.method, c.target, got, c.most)
		}
	}
}
