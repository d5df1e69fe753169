package records_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestAllFaultsOfThousandsOfBadRows: each fault of each row is in a page of the list, each
// row in the file of bad rows, once and in order.
func TestAllFaultsOfThousandsOfBadRows(t *testing.T) {
	t.Parallel()
	const bad, perRow = 1500, 2
	h := start(t)
	event := h.event()
	// The rows are long, so that they are stored in several parts.
	file := "treatment,weightKg,notes\nlandfill,1000,good\n"
	for n := range bad {
		file += fmt.Sprintf("nowhere,-%d,%s\n", n+1, strings.Repeat("x", 400))
	}
	at := event + "/imports/" + h.send(ada, http.MethodPost, event+"/waste/import", file, "Content-Type", "text/csv").want(http.StatusAccepted, "").text("_id")
	h.imported(at, "failed")
	get := func(path string) string {
		t.Helper()
		return h.send(ada, http.MethodGet, at+path, "").want(http.StatusOK, "").body
	}
	seen := map[string]bool{}
	last := int64(0)
	for page := 1; ; page++ {
		var list struct {
			Data web.List[record.RowError] `json:"data"`
		}
		if err := json.Unmarshal([]byte(get(fmt.Sprintf("/errors?limit=100&page=%d", page))), &list); err != nil {
			t.Fatal(err)
		}
		if list.Data.Pagination.Total != bad*perRow {
			t.Fatalf("page %d is of %d faults, want %d", page, list.Data.Pagination.Total, bad*perRow)
		}
		if len(list.Data.Items) == 0 {
			break
		}
		for _, f := range list.Data.Items {
			key := fmt.Sprint(f.Row, " ", f.Column)
			if seen[key] || f.Row < last {
				t.Fatalf("page %d repeats %s, or goes back from row %d", page, key, last)
			}
			seen[key], last = true, f.Row
		}
	}
	if len(seen) != bad*perRow {
		t.Errorf("the pages have %d faults, want %d", len(seen), bad*perRow)
	}

	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(get("/bad-rows"), "\uFEFF"))).ReadAll()
	if err != nil || len(rows) != 1+bad || rows[0][len(rows[0])-1] != "importErrors" {
		t.Fatalf("the file of bad rows has %d rows, want the head and %d: %v", len(rows), bad, err)
	}
	sent := strings.Split(strings.TrimSpace(file), "\n")[2:]
	for n, row := range rows[1:] {
		if strings.TrimPrefix(strings.Join(row[:3], ","), "'") != sent[n] && !strings.HasSuffix(sent[n], ","+row[2]) || !strings.Contains(row[3], "weightKg") || !strings.Contains(row[3], "treatment") {
			t.Fatalf("row %d is %v, and was sent as %s", n, row, sent[n])
		}
	}
}
