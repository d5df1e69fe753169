package web_test

import (
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
)

// Connections of the in-memory listener come from 0.0.0.0, which is the proxy in this test.
func TestClientIP(t *testing.T) {
	t.Parallel()
	proxy := netip.MustParsePrefix("0.0.0.0/32")
	inner := netip.MustParsePrefix("10.0.0.0/8")
	b := setup(t)
	b.app.Post("/none", func(c *fiber.Ctx) error { return web.OK(c, web.ClientIP(c.Context(), nil).String()) })
	b.app.Post("/trusted", func(c *fiber.Ctx) error {
		return web.OK(c, web.ClientIP(c.Context(), []netip.Prefix{proxy, inner}).String())
	})
	const xff = "X-Forwarded-For"
	for _, c := range []struct {
		path    string
		headers []string
		want    string
	}{
		{"/none", []string{xff, "192.0.2.1", "X-Real-IP", "192.0.2.1", "Forwarded", "for=192.0.2.1"}, "0.0.0.0"},
		{"/trusted", nil, "0.0.0.0"},
		{"/trusted", []string{"X-Real-IP", "192.0.2.1"}, "0.0.0.0"},
		{"/trusted", []string{xff, "192.0.2.1"}, "192.0.2.1"},
		{"/trusted", []string{xff, "198.51.100.9, 192.0.2.1"}, "192.0.2.1"}, // the first was sent by the client
		{"/trusted", []string{xff, "198.51.100.9, 192.0.2.1, 10.1.2.3"}, "192.0.2.1"},
		{"/trusted", []string{xff, "198.51.100.9", xff, "192.0.2.1"}, "192.0.2.1"},
		{"/trusted", []string{xff, "nonsense, 192.0.2.1"}, "192.0.2.1"},
		{"/trusted", []string{xff, "192.0.2.1, nonsense"}, "0.0.0.0"},
		{"/trusted", []string{xff, "192.0.2.1, nonsense, 10.0.0.1"}, "10.0.0.1"},
		{"/trusted", []string{xff, "2001:db8::1%eth0"}, "2001:db8::1"},
		{"/trusted", []string{xff, "::ffff:192.0.2.1"}, "192.0.2.1"},
		{"/trusted", []string{xff, ""}, "0.0.0.0"},
		{"/trusted", []string{xff, "10.0.0.1"}, "10.0.0.1"},
		// What proxies may state is bounded, in hops and bytes.
		{"/trusted", []string{xff, "192.0.2.1" + strings.Repeat(", 10.0.0.1", 31)}, "192.0.2.1"},
		{"/trusted", []string{xff, "192.0.2.1" + strings.Repeat(", 10.0.0.1", 32)}, "10.0.0.1"},
		{"/trusted", []string{xff, "192.0.2.1" + strings.Repeat(","+strings.Repeat(" ", 100)+"10.0.0.1", 25)}, "10.0.0.1"},
	} {
		// With chunked bodies too: fasthttp then rearranges the fields.
		for _, body := range []string{"", "x"} {
			if got := b.do("POST", c.path, body, c.headers...).body; got != `{"success":true,"data":"`+c.want+`"}` {
				t.Errorf("%s %v: %s, want %s", c.path, c.headers, got, c.want)
			}
		}
		text := "POST " + c.path + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
		for i := 0; i < len(c.headers); i += 2 {
			text += c.headers[i] + ": " + c.headers[i+1] + "\r\n"
		}
		if got := b.raw(httptest.NewRequestWithContext(t.Context(), "POST", c.path, nil), text+"\r\n0\r\n\r\n").body; got != `{"success":true,"data":"`+c.want+`"}` {
			t.Errorf("%s %v in chunks: %s, want %s", c.path, c.headers, got, c.want)
		}
	}
}
