package web

import (
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// maxForwarded bounds how many hops of X-Forwarded-For are evaluated.
const maxForwarded = 32

// ClientIP returns the address of the client. X-Forwarded-For is used only as far as
// trusted proxies wrote it: from the peer address backwards, while the address is a
// trusted one. So a client cannot influence the result by sending the field. The result
// is invalid only if the connection has no IP address (an in-memory listener without
// the field).
func ClientIP(rc *fasthttp.RequestCtx, trusted []netip.Prefix) netip.Addr {
	addr, ok := netip.AddrFromSlice(rc.RemoteIP())
	if ok {
		addr = addr.Unmap()
	}
	if !isTrusted(addr, trusted) {
		return addr
	}
	hops := strings.Split(lastBytes(strings.Join(headerFields(&rc.Request.Header, fiber.HeaderXForwardedFor), ","), 2048), ",")
	for i := len(hops) - 1; i >= 0 && i >= len(hops)-maxForwarded; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			return addr // what trusted proxies wrote ends here
		}
		addr = hop.Unmap().WithZone("")
		if !isTrusted(addr, trusted) {
			return addr
		}
	}
	return addr
}

// headerFields returns the values of a repeated header field in the order received.
// fasthttp's list may have another order: the fields of a chunked request are
// rearranged, so a client could place its own X-Forwarded-For behind the proxy's.
func headerFields(h *fasthttp.RequestHeader, name string) []string {
	// Zero or one value is in order; the raw header is parsed only for more.
	switch fields := h.PeekAll(name); len(fields) {
	case 0:
		return nil
	case 1:
		return []string{string(fields[0])}
	}
	var values []string
	for k, v := range h.AllInOrder() {
		if strings.EqualFold(string(k), name) {
			values = append(values, string(v))
		}
	}
	return values
}

func lastBytes(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}

func isTrusted(a netip.Addr, trusted []netip.Prefix) bool {
	for _, p := range trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
