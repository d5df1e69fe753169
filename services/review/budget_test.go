package review_test

import (
	"net/http"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// approvalAllocations is the maximum number of allocations of an approval.
const approvalAllocations = 515

// TestAllocationsOfAnApproval verifies the allocations of an approval, including its storage.
func TestAllocationsOfAnApproval(t *testing.T) {
	testkit.WithoutRace(t)
	h := start(t, record.Policy{})
	const runs = 50
	waiting := make([]record.Record, 1+runs) // the first one is not measured
	for i := range waiting {
		waiting[i] = h.submitted("niels")
	}
	handler := h.app.Handler()
	var ctx fasthttp.RequestCtx
	got := testkit.Allocations(runs, func() {
		ctx.Request.Reset()
		ctx.Response.Reset()
		ctx.ResetUserValues()
		ctx.Request.Header.SetMethod(http.MethodPost)
		ctx.Request.Header.SetHost("review")
		ctx.Request.SetRequestURI("/api/v2/events/e1/waste/" + string(waiting[0].ID) + "/approve")
		ctx.Request.Header.Set("Authorization", "Bearer "+planck)
		handler(&ctx)
		if ctx.Response.StatusCode() != http.StatusOK {
			t.Fatalf("%d %s", ctx.Response.StatusCode(), ctx.Response.Body())
		}
		waiting = waiting[1:]
	})
	t.Logf("%v allocations", got)
	if got > approvalAllocations {
		t.Errorf("an approval allocates %v times, want at most %d", got, approvalAllocations)
	}
}
