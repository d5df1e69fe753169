package records_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestFilesAsTheyCome sends tables as people have them: what would become of them is said by
// the rehearsal.
func TestFilesAsTheyCome(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	for name, c := range map[string]struct{ path, file, want string }{
		"a head without unit": {"/waste/import", "treatment,Weight\nlandfill,2 t\n", `"status":"completed"`},
	} {
		got := h.send(ada, http.MethodPost, event+c.path, c.file, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "")
		if !strings.Contains(got.body, c.want) {
			t.Errorf("%s: %s, want %s", name, got.body, c.want)
		}
	}
}
