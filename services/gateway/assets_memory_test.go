package gateway

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/services/gateway/console"
)

// TestFilesAreNotCopiedAtStart verifies that the three megabytes of documentation and console
// are not copied to the heap. It is not parallel, because allocations of others would be
// counted.
func TestFilesAreNotCopiedAtStart(t *testing.T) {
	document, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	docs, err := newDocs(document, "https://carbon.example")
	if err != nil {
		t.Fatal(err)
	}
	files, err := console.New("test")
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > 200<<10 {
		t.Errorf("%d bytes are allocated before anybody asks", made)
	}
	runtime.KeepAlive(docs)
	runtime.KeepAlive(files)
}

// TestSetupPageIsFilledIn verifies that no placeholder is left, and values are escaped.
func TestSetupPageIsFilledIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.do(request{method: "GET", path: "/api/v2/auth/setup"})
	if got.status != http.StatusOK {
		t.Fatalf("%d: %s", got.status, got.body)
	}
	if page := string(titled(setupHTML, spec.Document{Title: "<b> & c"})); !strings.Contains(page, "<title>&lt;b&gt; &amp; c · Set a password</title>") ||
		!strings.Contains(page, `data-action="/api/v2/auth/setup"`) || strings.Contains(page, "{{") {
		t.Errorf("%s", page)
	}
}
