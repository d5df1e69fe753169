package web_test

import (
	"regexp"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

func etagApp(t *testing.T) *bundle {
	b := setup(t)
	b.app.Get("/auto", func(c *fiber.Ctx) error { return web.OK(c, c.Query("v")) })
	b.app.Get("/own", func(c *fiber.Ctx) error {
		c.Set("ETag", `"r,7"`)
		return web.OK(c, "x")
	})
	b.app.Get("/early", func(c *fiber.Ctx) error {
		tag := web.ETagOf("list", "1")
		if web.NotModified(c, tag) {
			return web.SendNotModified(c, tag)
		}
		c.Set("ETag", tag)
		return web.OK(c, "costly")
	})
	b.app.Get("/text", func(c *fiber.Ctx) error { return c.SendString("text") })
	b.app.Get("/gone", func(*fiber.Ctx) error { return apperr.New(apperr.RecordNotFound, "No.") })
	b.app.Post("/auto", func(c *fiber.Ctx) error { return web.OK(c, "x") })
	return b
}

func TestETag(t *testing.T) {
	t.Parallel()
	b := etagApp(t)
	a := b.get("/auto?v=1")
	a.ok(200)
	tag := a.header.Get("ETag")
	if !regexp.MustCompile(`^"[A-Za-z0-9_-]{22}"$`).MatchString(tag) {
		t.Fatalf("ETag = %q", tag)
	}
	if other := b.get("/auto?v=2").header.Get("ETag"); other == tag {
		t.Error("another body has the same tag")
	}
	if again := b.get("/auto?v=1").header.Get("ETag"); again != tag {
		t.Error("the same body has another tag")
	}
	for _, header := range []string{tag, "W/" + tag, `"a", ` + tag, `"x,y" , W/` + tag + `, "z"`, "*", `,,` + tag} {
		a := b.get("/auto?v=1", "If-None-Match", header)
		a.ok(304)
		if a.body != "" || a.header.Get("ETag") != tag || a.header.Get("Content-Type") != "" || a.header.Get("X-Request-Id") == "" {
			t.Errorf("%s: body %q, header %v", header, a.body, a.header)
		}
	}
	for _, header := range []string{`"other"`, tag[1 : len(tag)-1], `"` + tag, `x` + tag, ``, `"unclosed`, `W/`, `W`, `w/` + tag} {
		if a := b.get("/auto?v=1", "If-None-Match", header); a.status != 200 || a.body == "" {
			t.Errorf("If-None-Match %s: %d", header, a.status)
		}
	}
	a = b.do("HEAD", "/auto?v=1", "")
	if a.header.Get("ETag") != tag || a.body != "" {
		t.Errorf("HEAD: %v", a.header)
	}
	b.do("HEAD", "/auto?v=1", "", "If-None-Match", tag).ok(304)
}

func TestETagOfHandler(t *testing.T) {
	t.Parallel()
	b := etagApp(t)
	if got := b.get("/own").header.Get("ETag"); got != `"r,7"` {
		t.Errorf("ETag = %q", got)
	}
	b.get("/own", "If-None-Match", `"q", "r,7"`).ok(304)
	b.get("/own", "If-None-Match", `"r", "7"`).ok(200)
	a := b.get("/early")
	a.ok(200)
	b.get("/early", "If-None-Match", a.header.Get("ETag")).ok(304)
}

func TestETagOnlyWhereItBelongs(t *testing.T) {
	t.Parallel()
	b := etagApp(t)
	for _, a := range []*answer{b.get("/text"), b.get("/gone", "If-None-Match", "*"), b.do("POST", "/auto", "", "If-None-Match", "*")} {
		if a.header.Get("ETag") != "" || a.status == 304 {
			t.Errorf("%d %s has ETag %q", a.status, a.body, a.header.Get("ETag"))
		}
	}
}

func TestETagOf(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, parts := range [][]string{{}, {""}, {"", ""}, {"ab", "c"}, {"a", "bc"}, {"abc"}, {"c", "ab"}} {
		tag := web.ETagOf(parts...)
		if seen[tag] {
			t.Errorf("%q has the tag of others", parts)
		}
		seen[tag] = true
		if tag != web.ETagOf(parts...) {
			t.Errorf("%q has two tags", parts)
		}
	}
}

func TestIfMatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Patch("/", func(c *fiber.Ctx) error {
		tags, present := web.IfMatch(c)
		return web.OK(c, fiber.Map{"tags": tags, "present": present})
	})
	for _, c := range []struct {
		headers []string
		want    string
	}{
		{nil, `{"present":false,"tags":null}`},
		{[]string{"If-Match", ""}, `{"present":true,"tags":null}`},
		{[]string{"If-Match", `"a"`}, `{"present":true,"tags":["\"a\""]}`},
		{[]string{"If-Match", `"a", W/"b", "c,d"`}, `{"present":true,"tags":["\"a\"","\"c,d\""]}`},
		{[]string{"If-Match", `*`}, `{"present":true,"tags":["*"]}`},
		{[]string{"If-Match", `"a"`, "If-Match", `"b"`}, `{"present":true,"tags":["\"a\"","\"b\""]}`},
		{[]string{"If-Match", `garbage`}, `{"present":true,"tags":null}`},
	} {
		a := b.do("PATCH", "/", "", c.headers...)
		if want := `{"success":true,"data":` + c.want + `}`; a.body != want {
			t.Errorf("%v: %s, want %s", c.headers, a.body, want)
		}
	}
}
