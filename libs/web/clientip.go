package web

import (
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// maxForwarded bounds how many hops of X-Forwarded-For are looked at.
const maxForwarded = 32

// ClientIP returns the address of the client. X-Forwarded-For is believed only
// as far as trusted proxies wrote it: from the connection's own address
// backwards while the address is one of theirs. A client that sends the field
// itself changes nothing. The result is invalid only when the connection has no
// IP address (an in-memory listener without the field).
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
			return addr // what a trusted proxy wrote ends here
		}
		addr = hop.Unmap().WithZone("")
		if !isTrusted(addr, trusted) {
			return addr
		}
	}
	return addr
}

// headerFields returns the values of a repeated header field in the order they came.
// fasthttp's own list is not in that order: a chunked request has its fields
// rearranged, and with that a client could put its own X-Forwarded-For behind
// the proxy's.
func headerFields(h *fasthttp.RequestHeader, name string) []string {
	// None or one is in order; only for more is the header read once more.
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
