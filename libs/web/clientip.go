package web

import (
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// maxForwarded bounds how many hops of X-Forwarded-For are looked at.
const maxForwarded = 32

// ClientIP gives the address of the client. X-Forwarded-For is believed only
// as far as trusted proxies wrote it: from the connection's own address
// backwards while the address is one of theirs. A client that sends the field
// itself changes nothing. The result is invalid only when the connection has no
// IP address (an in-memory listener without the field).
func ClientIP(c *fiber.Ctx, trusted []netip.Prefix) netip.Addr {
	addr, ok := netip.AddrFromSlice(c.Context().RemoteIP())
	if ok {
		addr = addr.Unmap()
	}
	if !isTrusted(addr, trusted) {
		return addr
	}
	hops := strings.Split(lastBytes(strings.Join(forwarded(c), ","), 2048), ",")
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

func forwarded(c *fiber.Ctx) []string {
	var fields []string
	for _, f := range c.Request().Header.PeekAll(fiber.HeaderXForwardedFor) {
		fields = append(fields, string(f))
	}
	return fields
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
