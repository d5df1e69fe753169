package records_test

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestBadRowsAreNoFormulas: in a file of bad rows no cell is a formula in a spreadsheet, not even a heading that
// somebody else has sent, and the file is read as the one before it.
func TestBadRowsAreNoFormulas(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	const file = "From,To,class,passengers,=cmd|x!A1,@SUM(1),x;=1,description\r\n" + `LHR,JFK,economy,0,=1+1,@x,"x;=1","=HYPERLINK(""https://example.org"")"` + "\r\n"
	sent := file
	for range 2 {
		began := h.send(ada, http.MethodPost, event+"/flights/import", sent, "Content-Type", "text/csv").want(http.StatusAccepted, "")
		at := event + "/imports/" + began.text("_id")
		ended := h.imported(at, "failed")
		if faults := ended.data["errors"].([]any); len(faults) != 1 || faults[0].(map[string]any)["column"] != "passengers" {
			t.Errorf("%s\nhas the faults %v, want one of passengers", sent, faults)
		}
		bad := h.send(planck, http.MethodGet, at+"/bad-rows", "")
		rows, err := csv.NewReader(strings.NewReader(bad.body)).ReadAll()
		if err != nil || len(rows) != 2 {
			t.Fatalf("%v: %s", err, bad.body)
		}
		for _, cell := range append(rows[0], rows[1]...) {
			if text := sheet.Unguard(cell); cell != sheet.Guard(text) {
				t.Errorf("the cell %q could be a formula", cell)
			}
		}
		sent = bad.body
	}
}

// TestBadRowsOfAnImportThatGoesOn: that no row is bad is not said before each one has been looked at.
func TestBadRowsOfAnImportThatGoesOn(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	for status, want := range map[record.ImportStatus]string{record.Receiving: "still receiving", record.Completed: "No row of this import is bad."} {
		i := record.Import{ID: "import-" + string(status), Org: "org1", Event: record.EventID(strings.TrimPrefix(event, "/events/")), Type: "waste", Status: status, Rev: 1}
		if err := h.store.InsertImport(t.Context(), "org1", i); err != nil {
			t.Fatal(err)
		}
		a := h.send(ada, http.MethodGet, event+"/imports/"+i.ID+"/bad-rows", "").want(http.StatusNotFound, "NOT_FOUND")
		if !strings.Contains(a.body, want) {
			t.Errorf("%s: %s", status, a.body)
		}
	}
}
