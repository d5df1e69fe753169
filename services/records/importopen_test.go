package records_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/eventcarbon/ecf/services/records/imports"
)

// TestOpenImportsOfAnOrganizationAreBounded: another organization is not affected.
func TestOpenImportsOfAnOrganizationAreBounded(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.endImports() // so that they stay open
	event := h.event()
	send := func(as, event string, n int) answer {
		t.Helper()
		return h.send(as, http.MethodPost, event+"/waste/import", "treatment,weightKg\nlandfill,"+strconv.Itoa(n)+"\n", "Content-Type", "text/csv")
	}
	for n := range imports.MaxOpen {
		send(ada, event, 1+n).want(http.StatusAccepted, "")
	}
	if refused := send(ada, event, 100).want(http.StatusTooManyRequests, "RATE_LIMITED"); refused.header.Get("Retry-After") == "" {
		t.Errorf("Retry-After is missing: %v", refused.header)
	}
	other := "/events/" + h.send(alien, http.MethodPost, "/events", `{"title":"Other","country":"GB"}`).want(http.StatusCreated, "").text("_id")
	send(alien, other, 1).want(http.StatusAccepted, "")
}
