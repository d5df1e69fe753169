package calculation_test

import (
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// The most that reading the result of an event of a thousand records may allocate, and
// asking whether it has changed.
const (
	resultAllocations    = 750
	unchangedAllocations = 753
)

func TestAllocationsOfAResult(t *testing.T) {
	testkit.WithoutRace(t)
	s := start(t)
	s.fill(1000)
	s.settle()
	tag := s.of("").want(http.StatusOK).header.Get("ETag")
	handler := s.app.Handler()
	var ctx fasthttp.RequestCtx
	for _, c := range []struct {
		tag          string
		status, most int
	}{
		{"", http.StatusOK, resultAllocations},
		{tag, http.StatusNotModified, unchangedAllocations},
	} {
		got := testkit.Allocations(50, func() {
			ctx.Request.Reset()
			ctx.Response.Reset()
			ctx.ResetUserValues()
			ctx.Request.Header.SetHost("calculation")
			ctx.Request.SetRequestURI("/api/v2/events/e1/results")
			ctx.Request.Header.Set("Authorization", "Bearer org1.user")
			if c.tag != "" {
				ctx.Request.Header.Set("If-None-Match", c.tag)
			}
			handler(&ctx)
			if ctx.Response.StatusCode() != c.status {
				t.Fatalf("%d %s", ctx.Response.StatusCode(), ctx.Response.Body())
			}
		})
		t.Logf("%d: %v allocations", c.status, got)
		if got > float64(c.most) {
			t.Errorf("a result as %d allocates %v times, want at most %d", c.status, got, c.most)
		}
	}
}
