package gateway

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestDocumentIsValid validates the served document, including examples, with a library that
// supports OpenAPI 3.1.
func TestDocumentIsValid(t *testing.T) {
	t.Parallel()
	s := start(t)
	got := s.do(request{method: "GET", path: "/api/v2/openapi.json"})
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v", got.status, got.header)
	}
	document, err := openapi3.NewLoader().LoadFromData([]byte(got.body))
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Validate(t.Context(), openapi3.EnableSchemaFormatValidation(), openapi3.EnableExamplesValidation()); err != nil {
		t.Error(err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") {
		t.Errorf("version %s", document.OpenAPI)
	}
	again := s.do(request{method: "GET", path: "/api/v2/openapi.json", header: map[string]string{"If-None-Match": got.header.Get("ETag")}})
	if again.status != http.StatusNotModified || again.body != "" {
		t.Errorf("If-None-Match: %d, %d bytes", again.status, len(again.body))
	}
}

// TestErrorsMatchTheDocument verifies that errors of the gateway match the documented schema.
func TestErrorsMatchTheDocument(t *testing.T) {
	t.Parallel()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(d.JSON())
	if err != nil {
		t.Fatal(err)
	}
	schema := document.Components.Schemas["ErrorResponse"].Value
	s := start(t)
	for _, r := range []request{
		{method: "GET", path: "/api/v2/events"},
		{method: "GET", path: "/api/v2/nothing", token: alice},
		{method: "PUT", path: "/api/v2/events", token: alice},
		{method: "POST", path: "/api/v2/events", token: bob, body: strings.Repeat(" ", 2<<20)},
	} {
		got := s.do(r)
		var body any
		if err := json.Unmarshal([]byte(got.body), &body); err != nil {
			t.Fatal(err)
		}
		if err := schema.VisitJSON(body); err != nil {
			t.Errorf("%s %s: %v", r.method, r.path, err)
		}
	}
}

func TestDocsPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	page := s.do(request{method: "GET", path: "/api/v2/docs"})
	if page.status != http.StatusOK || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %v", page.status, page.header)
	}
	policy := page.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("policy %s", policy)
	}
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range d.Errors {
		_, anchor, _ := strings.Cut(web.DocsOf(e.Code), "#")
		if n := strings.Count(page.body, `id="`+anchor+`"`); n != 1 {
			t.Errorf("the anchor %s is there %d times", anchor, n)
		}
	}
	// Samples in Go have raw strings.
	words := regexp.MustCompile(`(?s)<pre.*?</pre>`).ReplaceAllString(page.body, "")
	if strings.Contains(words, "`") || strings.Contains(page.body, "ZgotmplZ") {
		t.Error("the page was not rendered cleanly")
	}
	for _, o := range d.Operations {
		if !strings.Contains(page.body, `<article id="op-`+o.ID+`">`) {
			t.Errorf("the page does not describe %s: run make generate", o.ID)
		}
	}
}

var (
	anchorsOf = regexp.MustCompile(` id="([^"]+)"`)
	linksOf   = regexp.MustCompile(`(?:src|href)="([^"]+)"`)
)

// TestServedLinksHaveTargets crawls the served pages and verifies that every link has a target or is
// https, that anchors are unique, and that nothing is loaded from other hosts.
func TestServedLinksHaveTargets(t *testing.T) {
	t.Parallel()
	s := start(t)
	type place struct{ page, anchor, from string }
	ask := []place{{page: "/api/v2/docs"}}
	pages := map[string]map[string]int{}
	for _, text := range api.Texts() {
		ask = append(ask, place{page: text.Path()})
	}
	for n := 0; n < len(ask); n++ {
		at := ask[n]
		places, seen := pages[at.page]
		if !seen {
			got := s.do(request{method: "GET", path: at.page, header: map[string]string{"Accept": "text/html, */*"}})
			if got.status != http.StatusOK || got.body == "" {
				t.Errorf("%s leads to %s: %d", at.from, at.page, got.status)
			}
			places = map[string]int{}
			pages[at.page] = places
			if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
				continue
			}
			for _, m := range anchorsOf.FindAllStringSubmatch(got.body, -1) {
				if places[m[1]]++; places[m[1]] == 2 {
					t.Errorf("%s has two places named %s", at.page, m[1])
				}
			}
			if at.page == "/" {
				continue // the console, whose pages are created in the browser
			}
			for _, m := range linksOf.FindAllStringSubmatch(got.body, -1) {
				page, anchor, _ := strings.Cut(m[1], "#")
				switch {
				case page == "data:,", strings.HasPrefix(page, "https://") && strings.HasPrefix(m[0], "href"):
				case page == "":
					ask = append(ask, place{at.page, anchor, at.page})
				case strings.HasPrefix(page, "/"):
					ask = append(ask, place{page, anchor, at.page})
				default:
					t.Errorf("%s links to %s", at.page, m[1])
				}
			}
		}
		if at.anchor != "" && places[at.anchor] == 0 {
			t.Errorf("%s leads to %s#%s, which is not there", at.from, at.page, at.anchor)
		}
	}
	if len(pages) < 8 || len(ask) < 500 {
		t.Errorf("%d pages and %d links were found", len(pages), len(ask))
	}
}

// TestMethodologyPage verifies that the whole methodology is served, with the policy of the
// documentation.
func TestMethodologyPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	page := s.do(request{method: "GET", path: "/methodology", header: map[string]string{"Accept": "text/html"}})
	if page.status != http.StatusOK || page.header.Get("Content-Security-Policy") != docsPolicy {
		t.Fatalf("%d %v", page.status, page.header)
	}
	if strings.Contains(page.body, "style=") {
		t.Error("the page has inline styles, which its policy does not allow")
	}
	for _, want := range []string{"<h1", "Boundary", "<table>", "desnz-2026"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// loadsOurs verifies that a page loads only existing resources of this server.
func (s *stack) loadsOurs(t *testing.T, page string, least int) {
	t.Helper()
	loads := regexp.MustCompile(`(?:src|href)="([^"#]+)"`).FindAllStringSubmatch(page, -1)
	if len(loads) < least {
		t.Fatalf("the page loads %v", loads)
	}
	for _, m := range loads {
		if m[1] == "data:," {
			continue
		}
		if !strings.HasPrefix(m[1], "/api/v2/") {
			t.Errorf("the page loads %s", m[1])
			continue
		}
		if got := s.do(request{method: "GET", path: m[1], header: map[string]string{"Accept": "text/html, */*"}}); got.status != http.StatusOK || len(got.body) == 0 {
			t.Errorf("%s: %d", m[1], got.status)
		}
	}
}

// TestSetupPage verifies that the page behind a one-time link needs no token and calls only
// this server.
func TestSetupPage(t *testing.T) {
	t.Parallel()
	s := start(t)
	page := s.do(request{method: "GET", path: "/api/v2/auth/setup"})
	if page.status != http.StatusOK || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") ||
		!strings.Contains(page.body, `data-action="/api/v2/auth/setup"`) || strings.Contains(page.body, "ZgotmplZ") {
		t.Fatalf("%d %v %s", page.status, page.header, page.body)
	}
	policy := page.header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; ") || !strings.Contains(policy, "form-action 'none'") ||
		strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("policy %s", policy)
	}
	s.loadsOurs(t, page.body, 3)
}

// TestDocsCompressed verifies that pages are compressed only for clients that accept it, each
// representation with its own tag.
func TestDocsCompressed(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/api/v2/docs", "/api/v2/docs/docs.css", "/api/v2/openapi.json"} {
		plain := s.do(request{method: "GET", path: path})
		packed := s.do(request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "gzip"}})
		if plain.header.Get("Content-Encoding") != "" || packed.header.Get("Content-Encoding") != "gzip" || !strings.Contains(plain.header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("%s: %v, %v", path, plain.header, packed.header)
			continue
		}
		r, err := gzip.NewReader(strings.NewReader(packed.body))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(r)
		if err != nil || string(unpacked) != plain.body || len(packed.body) >= len(plain.body) {
			t.Errorf("%s: unpacked differs, or packed is no smaller (%v)", path, err)
		}
		if plain.header.Get("ETag") == "" || plain.header.Get("ETag") == packed.header.Get("ETag") {
			t.Errorf("%s: tags %s, %s", path, plain.header.Get("ETag"), packed.header.Get("ETag"))
		}
		again := s.do(request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "gzip", "If-None-Match": packed.header.Get("ETag")}})
		if again.status != http.StatusNotModified || again.header.Get("Content-Encoding") != "" {
			t.Errorf("%s again: %d %v", path, again.status, again.header)
		}
		if refused := s.do(request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "gzip;q=0"}}); refused.header.Get("Content-Encoding") != "" {
			t.Errorf("%s was compressed for who refuses that", path)
		}
	}
}
