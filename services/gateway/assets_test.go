package gateway

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestAssets verifies that each file named by the page is served as compressed, is cached
// permanently, and has an entity tag for each representation.
func TestAssets(t *testing.T) {
	s := start(t)
	page := s.do(request{method: "GET", path: "/", header: map[string]string{"Accept": "text/html"}})
	names := regexp.MustCompile(`"(/assets/[^"]+-[\w-]{8}\.(?:js|css))"`).FindAllStringSubmatch(page.body, -1)
	if len(names) < 2 {
		t.Fatalf("the page names %d files: %s", len(names), page.body)
	}
	for _, name := range names {
		path := name[1]
		tags := map[string]string{}
		for _, encoding := range []string{"br", "gzip", ""} {
			a := s.do(request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": encoding}})
			tag := a.header.Get("ETag")
			if a.status != http.StatusOK || a.header.Get("Content-Encoding") != encoding ||
				a.header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
				!strings.Contains(a.header.Get("Vary"), "Accept-Encoding") || strings.HasPrefix(tag, "W/") || tags[tag] != "" {
				t.Errorf("%s as %q: %d %v", path, encoding, a.status, a.header)
			}
			tags[tag] = path
			if again := s.do(request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": encoding, "If-None-Match": tag}}); again.status != http.StatusNotModified || again.body != "" {
				t.Errorf("%s as %q, known: %d, %d bytes", path, encoding, again.status, len(again.body))
			}
			if encoding == "" {
				continue
			}
			kept, err := os.ReadFile("console/dist" + path + "." + map[string]string{"br": "br", "gzip": "gz"}[encoding])
			if err != nil {
				t.Fatal(err)
			}
			if a.body != string(kept) {
				t.Errorf("%s as %s is not the file that was built", path, encoding)
			}
		}
		packed := s.do(request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": "gzip"}})
		plain := s.do(request{method: "GET", path: path, header: map[string]string{"Accept-Encoding": ""}})
		r, err := gzip.NewReader(bytes.NewReader([]byte(packed.body)))
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := io.ReadAll(r); err != nil || string(unpacked) != plain.body {
			t.Errorf("%s is another file where it is not compressed (%v)", path, err)
		}
	}
}

// TestNoticesOfPackages verifies that the licence texts of what the console contains accompany it, as these licences require.
func TestNoticesOfPackages(t *testing.T) {
	s := start(t)
	found, err := filepath.Glob("console/dist/assets/notices-*.txt.gz")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	notices := s.do(request{method: "GET", path: "/assets/" + strings.TrimSuffix(filepath.Base(found[0]), ".gz"), header: map[string]string{"Accept-Encoding": ""}})
	if notices.status != http.StatusOK || notices.header.Get("Content-Type") != "text/plain; charset=utf-8" {
		t.Fatal(notices.status, notices.header)
	}
	text, err := os.ReadFile("console/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var own struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &own); err != nil || len(own.Dependencies) < 10 {
		t.Fatal(own, err)
	}
	for name, version := range own.Dependencies {
		_, after, found := strings.Cut(notices.body, name+" "+version+" (")
		notice, _, _ := strings.Cut(after, strings.Repeat("-", 80))
		if !found || !strings.Contains(notice, "Copyright") {
			t.Errorf("there is no copyright notice of %s %s", name, version)
		}
	}
}
