package web_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
)

// TestPageOf verifies statement 27: pages of any number and size are clamped or rejected.
func TestPageOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Get("/", func(c *fiber.Ctx) error {
		p, err := web.PageOf(c)
		if err != nil {
			return err
		}
		return web.OK(c, fmt.Sprintf("%d/%d", p.Number, p.Limit))
	})
	huge := strings.Repeat("9", 400)
	for query, want := range map[string]string{
		"":                               "1/25",
		"page=2&limit=10":                "2/10",
		"limit=0":                        "1/1",
		"limit=-5":                       "1/1",
		"limit=101":                      "1/100",
		"limit=" + huge:                  "1/100",
		"limit=-" + huge:                 "1/1",
		"limit=9223372036854775808":      "1/100",
		"page=1000000000":                "1000000000/25",
		"page=9223372036854775807":       "9223372036854775807/25",
		"page=9223372036854775808":       "9223372036854775807/25",
		"page=" + huge:                   "9223372036854775807/25",
		"page=007":                       "7/25",
		"page=3&page=4&limit=5&limit=x":  "3/5",
		"page[$gt]=7&sort=-title&Page=9": "1/25",
	} {
		a := b.get("/?" + query)
		a.ok(200)
		if !strings.Contains(a.body, `"data":"`+want+`"`) {
			t.Errorf("?%s: %s, want %s", query, a.body, want)
		}
	}
	for query, fields := range map[string]string{
		"page=0":                     "page",
		"page=-1":                    "page",
		"page=-" + huge:              "page",
		"page=NaN":                   "page",
		"page=1e9":                   "page",
		"page=1.0":                   "page",
		"page=":                      "page",
		"page":                       "page",
		"page=%2B1":                  "page",
		"page=+1":                    "page",
		"page=%D9%A1":                "page", // an Arabic digit
		"limit=ten":                  "limit",
		"limit=-":                    "limit",
		"limit=0x10":                 "limit",
		"page=x&limit=y":             "page limit",
		"page=0&limit=%00":           "page limit",
		"page=x&page=1&limit=1&a[]=": "page",
	} {
		e := b.get("/?"+query).fails(400, "VALIDATION_ERROR")
		var got []string
		for _, d := range e.Details {
			got = append(got, d.Field)
			if d.Code == "" || d.Message == "" {
				t.Errorf("?%s: empty detail %+v", query, d)
			}
		}
		if strings.Join(got, " ") != fields {
			t.Errorf("?%s: details for %v, want %s", query, got, fields)
		}
	}
}

func TestPageOffset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page web.Page
		want int64
	}{
		{web.Page{Number: 1, Limit: 25}, 0},
		{web.Page{Number: 3, Limit: 25}, 50},
		{web.Page{Number: math.MaxInt64, Limit: 1}, math.MaxInt64 - 1},
		{web.Page{Number: math.MaxInt64, Limit: 100}, math.MaxInt64},
	} {
		if got := c.page.Offset(); got != c.want {
			t.Errorf("%+v: offset %d, want %d", c.page, got, c.want)
		}
	}
}

// TestPageWithinAList verifies that a page beyond a list is an empty one at its end.
func TestPageWithinAList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page     web.Page
		from, to int64
	}{
		{web.Page{Number: 1, Limit: 25}, 0, 25},
		{web.Page{Number: 2, Limit: 25}, 25, 30},
		{web.Page{Number: 3, Limit: 25}, 30, 30},
		{web.Page{Number: math.MaxInt64, Limit: 1}, 30, 30},
		{web.Page{Number: math.MaxInt64, Limit: 100}, 30, 30},
	} {
		if from, to := c.page.Within(30); from != c.from || to != c.to {
			t.Errorf("%+v: %d to %d, want %d to %d", c.page, from, to, c.from, c.to)
		}
	}
}

func TestNewList(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ total, limit, want int64 }{
		{0, 25, 0}, {1, 25, 1}, {25, 25, 1}, {26, 25, 2}, {math.MaxInt64, 1, math.MaxInt64}, {math.MaxInt64, 100, math.MaxInt64/100 + 1},
	} {
		if got := web.NewList([]int{}, web.Page{Number: 1, Limit: c.limit}, c.total).Pagination.TotalPages; got != c.want {
			t.Errorf("%d by %d: %d pages, want %d", c.total, c.limit, got, c.want)
		}
	}
	text, err := json.Marshal(web.NewList[int](nil, web.Page{Number: 4, Limit: 25}, 7))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"items":[],"pagination":{"page":4,"limit":25,"total":7,"totalPages":1}}`; string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func FuzzPageOf(f *testing.F) {
	for _, seed := range []string{"page=1&limit=2", "page=-0", "limit=%", "page[$gt]=1", "page=1&page=x", "&&==", "page=\x00"} {
		f.Add(seed)
	}
	b := setup(&testing.T{})
	b.app.Get("/", func(c *fiber.Ctx) error {
		c.Context().QueryArgs().Parse(c.Get("X-Query"))
		p, err := web.PageOf(c)
		if err != nil {
			return err
		}
		if p.Number < 1 || p.Limit < 1 || p.Limit > 100 || p.Offset() < 0 {
			panic(fmt.Sprintf("%+v", p))
		}
		return web.OK(c, web.NewList[int](nil, p, 0))
	})
	f.Fuzz(func(t *testing.T, query string) {
		if strings.ContainsAny(query, "\r\n\x00") || len(query) > 4096 {
			return
		}
		if a := b.in(t).get("/", "X-Query", query); a.status != 200 && a.status != 400 {
			t.Errorf("%q: %d %s", query, a.status, a.body)
		}
	})
}
