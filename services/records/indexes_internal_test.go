package records

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// TestIndexesArePackedOnce: every encoding is prepared in advance, has its own tag, and the same content; a client
// with any of them gets a 304.
func TestIndexesArePackedOnce(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	app.Get("/", locationIndex.send)
	get := func(headers ...string) (status int, header http.Header, body []byte) {
		t.Helper()
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?v=old", nil)
		for i := 0; i < len(headers); i += 2 {
			request.Header.Set(headers[i], headers[i+1])
		}
		answer, err := app.Test(request, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err = io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, answer.Header, body
	}
	_, _, plain := get()
	tags := map[string]string{}
	for accepted, coding := range map[string]string{"": "", "identity": "", "gzip, deflate, br": "gzip", "br": "br", "gzip;q=0, br": "br", "zstd": ""} {
		status, header, body := get("Accept-Encoding", accepted)
		if status != http.StatusOK || header.Get("Content-Encoding") != coding {
			t.Errorf("%q: %d %v", accepted, status, header)
		}
		tags[coding] = header.Get("ETag")
		var err error
		switch coding {
		case "gzip":
			body, err = fasthttp.AppendGunzipBytes(nil, body)
		case "br":
			body, err = fasthttp.AppendUnbrotliBytes(nil, body)
		}
		if err != nil || !bytes.Equal(body, plain) {
			t.Errorf("%q: %v, %d bytes, want %d", accepted, err, len(body), len(plain))
		}
	}
	for coding, tag := range tags {
		if status, header, body := get("Accept-Encoding", "gzip", "If-None-Match", tag); status != http.StatusNotModified || len(body) > 0 || header.Get("ETag") != tag {
			t.Errorf("who has %q: %d, %d bytes, %v", coding, status, len(body), header)
		}
	}
	if len(tags) != 3 || tags[""] == tags["br"] || tags["gzip"] == tags["br"] || !strings.HasPrefix(tags["br"], strings.TrimSuffix(tags[""], `"`)) {
		t.Errorf("tags %v", tags)
	}
	for what, made := range map[string]func() ([]byte, error){"plain": locationIndex.plain, "brotli": locationIndex.brotli} {
		one, err := made()
		two, again := made()
		if err != nil || again != nil || &one[0] != &two[0] {
			t.Errorf("%s is made each time: %v, %v", what, err, again)
		}
	}
}
