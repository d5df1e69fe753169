package records_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestUndoOfALargeImport: one request removes the records of an import of 10,000 rows, and lists those it kept: the
// changed and the approved ones.
func TestUndoOfALargeImport(t *testing.T) {
	t.Parallel()
	rows := 300
	if testkit.Long(t) {
		rows = 10_000
	}
	h := start(t)
	event := h.event()
	began := h.send(ada, http.MethodPost, event+"/waste/import", "treatment,weightKg\n"+strings.Repeat("landfill,1\n", rows), "Content-Type", "text/csv").want(http.StatusAccepted, "")
	at := event + "/imports/" + began.text("_id")
	h.imported(at, "completed")
	page := h.send(ada, http.MethodGet, event+"/waste?limit=2", "").want(http.StatusOK, "").data["items"].([]any)
	touched, counted := page[0].(map[string]any)["_id"].(string), page[1].(map[string]any)["_id"].(string)
	h.send(ada, http.MethodPatch, event+"/waste/"+touched, `{"weightKg":2}`).want(http.StatusOK, "")
	h.approve(counted)

	check := func(a answer) {
		t.Helper()
		if a.data["removed"] != float64(rows-2) || a.data["kept"] != 1.0 || a.data["refused"] != 1.0 || len(a.data["items"].([]any)) != rows {
			t.Errorf("undo of %d rows: %.400s", rows, a.body)
		}
	}
	check(h.send(ada, http.MethodPost, at+"/undo", "", "X-Dry-Run", "true").want(http.StatusOK, ""))
	if n := h.total(event + "/waste"); n != rows {
		t.Errorf("the rehearsal left %d records of %d", n, rows)
	}
	begun := time.Now()
	check(h.send(ada, http.MethodPost, at+"/undo", "").want(http.StatusOK, ""))
	t.Logf("undo of %d rows: %v", rows, time.Since(begun).Round(time.Millisecond))
	if n := h.total(event + "/waste"); n != 2 {
		t.Errorf("%d records are left, want the two that were touched", n)
	}
}
