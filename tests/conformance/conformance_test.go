package conformance

import (
	"net/http"
	"strings"
	"testing"
)

// TestAnswersOutsideOfTheDocumentAreSeen verifies that the check can fail.
func TestAnswersOutsideOfTheDocumentAreSeen(t *testing.T) {
	t.Parallel()
	good := `{"success":true,"data":{"items":[],"pagination":{"page":1,"limit":25,"total":0,"totalPages":0}}}`
	for name, c := range map[string]struct {
		path, body string
		status     int
		fault      bool
	}{
		"an answer as documented":   {"/api/v2/events", good, http.StatusOK, false},
		"a total that is a text":    {"/api/v2/events", strings.Replace(good, `"total":0`, `"total":"0"`, 1), http.StatusOK, true},
		"no envelope":               {"/api/v2/events", `[]`, http.StatusOK, true},
		"a status of its own":       {"/api/v2/events", good, http.StatusTeapot, true},
		"a success on no such path": {"/api/v2/secret", good, http.StatusOK, true},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"x"}}
		if err := Answer(request, c.status, header, []byte(c.body)); (err != nil) != c.fault {
			t.Errorf("%s: %v", name, err)
		}
	}
}
