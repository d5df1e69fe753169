package gateway

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// unpack returns a body decompressed.
func unpack(t *testing.T, coding, body string) string {
	t.Helper()
	var r io.Reader = strings.NewReader(body)
	switch coding {
	case "":
	case "br":
		text, err := fasthttp.AppendUnbrotliBytes(nil, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	default:
		t.Fatalf("coding %q", coding)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

const plainTag = `"Zk3-abc_def"`

// page answers like a service: with a tag, and 304 if the client has it.
func page(size int, contentType string) func(*fasthttp.RequestCtx) {
	body := `{"success":true,"data":"` + strings.Repeat("carbon ", size/7) + `"}`
	return func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.Set("ETag", plainTag)
		if string(ctx.Request.Header.Peek("If-None-Match")) == plainTag {
			ctx.SetStatusCode(http.StatusNotModified)
			return
		}
		ctx.SetContentType(contentType)
		ctx.SetBodyString(body)
	}
}

// TestAnswersAreCompressed verifies that large responses are compressed for clients that accept
// it, each representation with its own tag.
func TestAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	s := start(t)
	records := s.services[api.Records]
	for _, c := range []struct {
		accept, coding, contentType string
		size                        int
	}{
		{"", "", "application/json", 9000},
		{"identity", "", "application/json", 9000},
		{"gzip", "gzip", "application/json", 9000},
		{"gzip, deflate, br", "br", "application/json", 9000},
		{"br;q=0, gzip", "gzip", "text/csv; charset=utf-8", 9000},
		{"br;q=0.3, gzip;q=0.8", "gzip", "application/json", 9000},
		{"*", "", "application/json", 9000},
		{"br", "br", "text/html; charset=utf-8", 9000},
		{"gzip", "gzip", "application/vnd.ecf.report+json", 9000},
		{"gzip, br", "", "application/json", 700},
		{"gzip, br", "", "application/octet-stream", 9000},
	} {
		records.set(page(c.size, c.contentType))
		ask := func(header map[string]string) answer {
			if c.accept != "" {
				header["Accept-Encoding"] = c.accept
			}
			return s.do(request{method: "GET", path: "/api/v2/events", token: alice, header: header})
		}
		got := ask(map[string]string{})
		coding, tag := got.header.Get("Content-Encoding"), got.header.Get("ETag")
		if got.status != http.StatusOK || coding != c.coding {
			t.Errorf("%+v: %d in %q", c, got.status, coding)
			continue
		}
		if text := unpack(t, coding, got.body); !strings.HasPrefix(text, `{"success":true`) || len(text) < c.size-10 || coding != "" && len(got.body)*10 > len(text) {
			t.Errorf("%+v: %d bytes of %d", c, len(got.body), len(text))
		}
		if varies := strings.Contains(got.header.Get("Vary"), "Accept-Encoding"); varies != (c.contentType != "application/octet-stream") {
			t.Errorf("%+v: Vary %q", c, got.header.Get("Vary"))
		}
		if coding == "" && tag != plainTag || coding != "" && tag != strings.TrimSuffix(plainTag, `"`)+"+"+coding+`"` {
			t.Errorf("%+v: tag %s", c, tag)
		}
		again := ask(map[string]string{"If-None-Match": tag})
		if again.status != http.StatusNotModified || again.header.Get("ETag") != tag || again.body != "" || again.header.Get("Content-Encoding") != "" {
			t.Errorf("%+v again: %d %v", c, again.status, again.header)
		}
	}
}

// TestCompressionIsShared verifies that compression for an organization beyond its share waits,
// and that for another one does not.
func TestCompressionIsShared(t *testing.T) {
	t.Parallel()
	turns := fairshare.New(fairshare.Options{Slots: 2, Share: 1})
	s := start(t, func(d *Deps) { d.packings, d.Timeout = turns, time.Minute })
	s.services[api.Records].set(page(9000, "application/json"))
	end, err := turns.Acquire(t.Context(), principals()[alice].Org, 1)
	if err != nil {
		t.Fatal(err)
	}
	coding := func(token string) string {
		return s.do(request{method: "GET", path: "/api/v2/events", token: token, header: map[string]string{"Accept-Encoding": "br"}}).header.Get("Content-Encoding")
	}
	waits := make(chan string, 1)
	go func() { waits <- coding(alice) }()
	testkit.Eventually(t, time.Minute, func() error {
		if n := turns.Waiting(principals()[alice].Org); n != 1 {
			return fmt.Errorf("%d answers to the same organization wait, want 1", n)
		}
		return nil
	})
	if got := coding(carol); got != codingBrotli {
		t.Errorf("another organization's answer is in %q", got)
	}
	end()
	if got := <-waits; got != codingBrotli {
		t.Errorf("the answer that waited is in %q", got)
	}
}

// TestCompressionOfExpensiveAnswersIsExpensiveWork verifies that compression counts as
// expensive work if the services are part of the process, and is first in its organization's
// queue.
func TestCompressionOfExpensiveAnswersIsExpensiveWork(t *testing.T) {
	t.Parallel()
	work := fairshare.New(fairshare.Options{Slots: 2, Share: 1})
	s := start(t, func(d *Deps) { d.Work, d.Timeout = work, time.Minute })
	s.services[api.Calculation].set(page(9000, "application/json"))
	s.services[api.Records].set(page(9000, "application/json"))
	org := principals()[alice].Org
	end, err := work.Acquire(t.Context(), org, 1)
	if err != nil {
		t.Fatal(err)
	}
	coding := func(token, path string) string {
		return s.do(request{method: "GET", path: "/api/v2/events/" + path, token: token, header: map[string]string{"Accept-Encoding": "br"}}).header.Get("Content-Encoding")
	}
	waiting := func(want int) {
		t.Helper()
		testkit.Eventually(t, time.Minute, func() error {
			if n := work.Waiting(org); n != want {
				return fmt.Errorf("%d pieces of work wait, want %d", n, want)
			}
			return nil
		})
	}
	next := make(chan func(), 1)
	go func() {
		if end, err := work.Acquire(t.Context(), org, 1); err == nil {
			next <- end
		}
	}()
	waiting(1)
	report := make(chan string, 1)
	go func() { report <- coding(alice, "e/results/report") }()
	waiting(2)
	if got := coding(alice, "e/flights"); got != codingBrotli {
		t.Errorf("a page of the same organization is in %q", got)
	}
	if got := coding(carol, "e/results/report"); got != codingBrotli {
		t.Errorf("another organization's report is in %q", got)
	}
	end()
	if got := <-report; got != codingBrotli {
		t.Errorf("the report that waited is in %q", got)
	}
	(<-next)()
	waiting(0)
}

// TestAnswersOutOfTimeAreSentAsTheyAre verifies that a response without time left for
// compression is sent uncompressed.
func TestAnswersOutOfTimeAreSentAsTheyAre(t *testing.T) {
	t.Parallel()
	app := fiber.New()
	text := strings.Repeat("carbon ", 2000)
	app.Get("/", func(c *fiber.Ctx) error {
		over, cancel := context.WithCancel(c.UserContext())
		cancel()
		c.SetUserContext(over)
		c.Set("ETag", plainTag)
		_ = c.Type("json").SendString(text)
		compressor{g: &gateway{Deps: Deps{packings: newPackings()}}, coding: codingGzip}.apply(passedBy(c))
		return nil
	})
	got, err := app.Test(httptest.NewRequestWithContext(t.Context(), "GET", "/", nil))
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close() //nolint:errcheck // read to its end
	body, err := io.ReadAll(got.Body)
	if err != nil || string(body) != text || got.Header.Get("Content-Encoding") != "" || got.Header.Get("ETag") != plainTag {
		t.Errorf("%v: %d bytes, %v", err, len(body), got.Header)
	}
}

// TestCompressedTagsReachServicesPlain verifies that services see their own tags, whatever
// representation the client has.
func TestCompressedTagsReachServicesPlain(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, tag := range []string{`"abc+gzip"`, `"abc+br"`, `"abc"`} {
		s.do(request{method: "PATCH", path: "/api/v2/events/e", token: bob, body: `{}`, header: map[string]string{"If-Match": tag + `, "other"`}})
		if got := string(s.services[api.Records].last(t).Header.Peek("If-Match")); got != `"abc", "other"` {
			t.Errorf("If-Match %s came as %s", tag, got)
		}
	}
}

// TestTokensAreNotCompressed verifies that the size of a response reveals nothing about a
// secret.
func TestTokensAreNotCompressed(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.services[api.Auth].set(page(9000, "application/json"))
	got := s.do(request{method: "GET", path: "/api/v2/auth/me", token: alice, header: map[string]string{"Accept-Encoding": "br, gzip"}})
	if got.header.Get("Content-Encoding") != "" || !strings.Contains(got.body, "carbon") {
		t.Errorf("%v", got.header)
	}
}

// TestWritesAreCompressed verifies that responses to writes are compressed too, with unchanged
// tags.
func TestWritesAreCompressed(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.services[api.Records].set(page(9000, "application/json"))
	got := s.do(request{method: "POST", path: "/api/v2/events/e/flights/batch", token: alice, body: `{"items":[]}`, header: map[string]string{"Accept-Encoding": "gzip"}})
	if got.header.Get("Content-Encoding") != "gzip" || got.header.Get("ETag") != plainTag {
		t.Errorf("%v", got.header)
	}
}

func BenchmarkCompress(b *testing.B) {
	text := bytes.Repeat([]byte(`{"_id":"p2hw6ryhezzjj9ybae1d6t9wh1","type":"flights","kgCO2e":1569.434689,"status":"approved"},`), 1000)
	for _, coding := range []string{codingBrotli, codingGzip} {
		b.Run(coding, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				compressed(coding, text)
			}
		})
	}
}
