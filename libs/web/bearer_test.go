package web_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/web"
)

// FuzzBearerToken verifies that a token is only accepted from the one valid form of the field,
// unchanged, and never if it could be read in two ways.
func FuzzBearerToken(f *testing.F) {
	for _, seed := range []string{
		"Bearer abc.def.ghi", "bearer x", "Bearer", "Bearer ", "Bearer  x ", "Basic YTpi", "Bearer a, Bearer b", "Bearer a b", "Bearer\tx",
		"Bearer a\x00b", "Bearer é", "Bearer " + strings.Repeat(".", 1<<14), "BearerX y", "Bearer x\r\nX-Role: admin",
	} {
		f.Add(seed, false)
	}
	f.Add("Bearer x", true)
	app := fiber.New()
	f.Fuzz(func(t *testing.T, field string, twice bool) {
		c := app.AcquireCtx(&fasthttp.RequestCtx{})
		defer app.ReleaseCtx(c)
		c.Request().Header.Set(fiber.HeaderAuthorization, field)
		if twice {
			c.Request().Header.Add(fiber.HeaderAuthorization, field)
		}
		token, ok := web.BearerToken(c)
		if !ok {
			if token != "" {
				t.Errorf("%q is refused and gives %q", field, token)
			}
			return
		}
		// The header stores a field without line breaks.
		kept := string(c.Request().Header.Peek(fiber.HeaderAuthorization))
		rest, found := kept[min(len(kept), 7):], strings.EqualFold(kept[:min(len(kept), 7)], "Bearer ")
		if twice || !found || token == "" || strings.Trim(rest, " ") != token || len(token) > 8<<10 {
			t.Errorf("%q (twice %v) gives %q", field, twice, token)
		}
		if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ',' }) {
			t.Errorf("%q gives %q", field, token)
		}
	})
}

// TestEveryByteOfATokenIsLookedAt puts each byte at each position of tokens of several lengths.
func TestEveryByteOfATokenIsLookedAt(t *testing.T) {
	t.Parallel()
	for length := 1; length <= 19; length++ {
		for place := range length {
			for b := range 256 {
				var h fasthttp.RequestHeader
				token := bytes.Repeat([]byte{'~'}, length)
				token[place] = byte(b)
				// As received over a connection: Set would remove line breaks.
				h.SetBytesV(fiber.HeaderAuthorization, append([]byte("Bearer "), token...))
				kept := h.Peek(fiber.HeaderAuthorization)[len("Bearer "):]
				want := string(bytes.Trim(kept, " "))
				if strings.ContainsFunc(want, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == ',' }) {
					want = ""
				}
				if got, ok := web.BearerOf(&h); got != want || ok != (want != "") {
					t.Errorf("%q: %q, %v; want %q", kept, got, ok, want)
				}
			}
		}
	}
}
