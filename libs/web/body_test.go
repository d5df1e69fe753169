package web_test

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

func TestBody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Post("/", func(c *fiber.Ctx) error {
		body, err := web.Body(c)
		if err != nil {
			return err
		}
		if body == nil {
			return web.OK(c, "none")
		}
		return web.OK(c, string(body))
	})
	for _, contentType := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\""} {
		a := b.do("POST", "/", `{"a":1}`, "Content-Type", contentType)
		a.ok(200)
		if a.body != `{"success":true,"data":"{\"a\":1}"}` {
			t.Errorf("%s: %s", contentType, a.body)
		}
	}
	for _, contentType := range []string{"", "text/plain", "application/json; charset=latin1", "application/x-www-form-urlencoded", "application/jsonp", "application/json;;;=", "multipart/form-data; boundary=x"} {
		b.do("POST", "/", `{"a":1}`, "Content-Type", contentType).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	}
	for _, contentType := range []string{"", "text/plain", "application/json"} {
		if a := b.do("POST", "/", "", "Content-Type", contentType); a.status != 200 || !strings.Contains(a.body, "none") {
			t.Errorf("%q without a body: %d %s", contentType, a.status, a.body)
		}
	}
}

// TestCompressedBody verifies that a body that decompresses to more than the limit is not
// decompressed.
func TestCompressedBody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Post("/", func(c *fiber.Ctx) error {
		_, err := web.Body(c)
		return err
	})
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	_, _ = w.Write(make([]byte, 8<<20))
	_ = w.Close()
	b.do("POST", "/", bomb.String(), "Content-Type", "application/json", "Content-Encoding", "gzip").fails(415, "UNSUPPORTED_MEDIA_TYPE")
}

// TestBodyLimits verifies statement 29: a body above the limit of its route is 413.
func TestBodyLimits(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *web.Options) { o.BodyLimit = 1000 })
	ok := func(c *fiber.Ctx) error { return web.OK(c, len(c.Request().Body())) }
	if err := register(b.app, "/api/v2", members(), []served{
		{Method: "POST", Path: "/small", Role: identity.User, Handler: ok},
		{Method: "POST", Path: "/events/{id}/{type}/import", Role: identity.User, Handler: ok, BodyLimit: 5000},
		{Method: "POST", Path: "/tiny", Role: identity.User, Handler: ok, BodyLimit: 10},
	}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path   string
		size   int
		status int
	}{
		{"/small", 1000, 200},
		{"/small", 1001, 413},
		{"/small?x=/events/1/flights/import", 1001, 413},
		{"/events/1/flights/import", 5000, 200},
		{"/events/1/flights/import?partial=true", 5000, 200},
		{"/events/1/flights/import", 5001, 413},
		{"/events/1/flights/import/x", 1001, 404},
		{"/tiny", 10, 200},
		{"/tiny", 11, 413},
		{"/small", 1000, 200},
	} {
		a := b.do("POST", "/api/v2"+c.path, strings.Repeat("x", c.size), "Authorization", "Bearer user-a", "Content-Type", "application/json")
		switch c.status {
		case 413:
			a.fails(413, "PAYLOAD_TOO_LARGE")
		case 404:
			a.fails(404, "NOT_FOUND")
		default:
			a.ok(c.status)
		}
	}
}

func TestAnswersKeepTheirText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Post("/", func(c *fiber.Ctx) error {
		return web.Created(c, fiber.Map{"title": "R&D <day>"}, "/api/v2/events/1")
	})
	b.app.Get("/bad", func(c *fiber.Ctx) error { return web.OK(c, func() {}) })
	a := b.do("POST", "/", "")
	a.ok(201)
	if a.body != `{"success":true,"data":{"title":"R&D <day>"}}` || a.header.Get("Location") != "/api/v2/events/1" || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %v", a.body, a.header)
	}
	stored, err := web.Encode(fiber.Map{"title": "R&D <day>"})
	if err != nil || string(stored) != a.body {
		t.Errorf("Encode: %s %v", stored, err)
	}
	b.get("/bad").fails(500, "INTERNAL")
}
