package gateway

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/services/gateway/console"
)

// TestFilesAreNotCopiedAtStart: the documentation and the console are three megabytes of
// the program's file. Who starts it does not hold them on the heap as well. It is alone:
// what others allocate would be counted.
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

// TestSetupPageIsFilledIn: no placeholder is left, and what is put in is text.
func TestSetupPageIsFilledIn(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.do(request{method: "GET", path: "/api/v2/auth/setup"})
	if got.status != http.StatusOK {
		t.Fatalf("%d: %s", got.status, got.body)
	}
	if page := string(setupPage(spec.Document{Title: "<b> & c"})); !strings.Contains(page, "<title>&lt;b&gt; &amp; c · Set a password</title>") ||
		!strings.Contains(page, `data-action="/api/v2/auth/setup"`) || strings.Contains(page, "{{") {
		t.Errorf("%s", page)
	}
}
