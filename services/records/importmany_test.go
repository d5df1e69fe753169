package records_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// manyBadRows returns a file in which rows of two are bad, with a cell that is long and
// does not compress, and one row is good.
func manyBadRows(t *testing.T, bad int) string {
	t.Helper()
	random := testkit.Rand(t)
	var file strings.Builder
	file.WriteString("treatment,weightKg,notes\nlandfill,1000,good\n")
	for n := range bad {
		noise := make([]byte, 400)
		for i := range noise {
			noise[i] = byte('a' + random.IntN(26))
		}
		fmt.Fprintf(&file, "nowhere,-%d,%s\n", n+1, noise)
	}
	return file.String()
}

// TestAllFaultsOfThousandsOfBadRows: each fault of each row is in a page of the list, each
// row in the file of bad rows, once and in order.
func TestAllFaultsOfThousandsOfBadRows(t *testing.T) {
	t.Parallel()
	const bad, perRow = 1500, 2
	h := start(t)
	event := h.event()
	file := manyBadRows(t, bad)
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
