package records_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// TestImportsAreMetered verifies that the gateway is told what a file and its rows will take, before its rows are
// stored, and nothing of a dry run. A row that is several records counts as so many.
func TestImportsAreMetered(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	file := "treatment,weightKg\n" + strings.Repeat("landfill,10\n", 1000)
	stored := func(header ...string) int64 {
		t.Helper()
		a := h.send(ada, http.MethodPost, event+"/waste/import", file, append(header, "Content-Type", "text/csv")...).want(http.StatusAccepted, "")
		n, err := strconv.ParseInt(a.header.Get("X-Ecf-Stored"), 10, 64)
		if err != nil && len(header) == 0 {
			t.Error(err)
		}
		return n
	}
	if n := stored("X-Dry-Run", "true"); n != 0 {
		t.Errorf("a dry run stores %d bytes", n)
	}
	if n := stored(); n < 3_000_000 || n > 3_500_000 {
		t.Errorf("a thousand rows store %d bytes, want 3 to 3.5 million", n)
	}
	a := h.send(ada, http.MethodPost, event+"/catering/import", "Meal,Vegan,Vegetarian,Fish\n"+strings.Repeat("Lunch,1,2,3\n", 1000), "Content-Type", "text/csv").want(http.StatusAccepted, "")
	if n, err := strconv.ParseInt(a.header.Get("X-Ecf-Stored"), 10, 64); err != nil || n < 9_000_000 || n > 9_500_000 {
		t.Errorf("a thousand rows of three records each store %d bytes, want 9 to 9.5 million; %v", n, err)
	}
}
