package records_test

import (
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"
)

// TestExportsUnderWay: the number of unfinished exports is bounded per organization; further ones are rejected until
// one ends.
func TestExportsUnderWay(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	h.send(ada, http.MethodPost, event+"/flights", flightBody).want(http.StatusCreated, "")
	const other = "org2.ada.manager"
	theirs := "/events/" + h.send(other, http.MethodPost, "/events", `{"title":"Theirs","country":"GB"}`).want(http.StatusCreated, "").text("_id")
	handler := h.app.Handler()
	ask := func(as, event string) *fasthttp.RequestCtx {
		var ctx fasthttp.RequestCtx
		ctx.Request.SetRequestURI("/api/v2" + event + "/export")
		ctx.Request.Header.SetHost("records")
		ctx.Request.Header.Set("Authorization", "Bearer "+as)
		handler(&ctx)
		return &ctx
	}
	var open []*fasthttp.RequestCtx
	const most = 32
	for range most {
		ctx := ask(ada, event)
		if got := ctx.Response.StatusCode(); got != http.StatusOK || !ctx.Response.IsBodyStream() {
			t.Fatalf("export %d: %d %s", len(open)+1, got, ctx.Response.Body())
		}
		open = append(open, ctx)
	}
	refused := ask(ada, event)
	if got := refused.Response.StatusCode(); got != http.StatusServiceUnavailable || len(refused.Response.Header.Peek("Retry-After")) == 0 {
		t.Errorf("one more: %d %s", got, refused.Response.Body())
	}
	another := ask(other, theirs)
	if got := another.Response.StatusCode(); got != http.StatusOK {
		t.Errorf("another organization's: %d %s", got, another.Response.Body())
	}
	open = append(open, another)
	if err := open[0].Response.CloseBodyStream(); err != nil {
		t.Fatal(err)
	}
	again := ask(ada, event)
	if got := again.Response.StatusCode(); got != http.StatusOK {
		t.Errorf("after one has ended: %d %s", got, again.Response.Body())
	}
	for _, ctx := range append(open[1:], again) {
		_ = ctx.Response.CloseBodyStream()
	}
}
