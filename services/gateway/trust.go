package gateway

import (
	"context"
	"log/slog"
	"net/netip"

	"github.com/eventcarbon/ecf/libs/settings"
)

// wideNetwork is how many bits of an address a network of proxies leaves open at most,
// without a warning: those of the pods of a cluster, but not of all that may be in it.
var wideNetwork = map[int]int{32: 16, 128: 64}

// tellTrusted says in the log whose word on the address of a client is taken: limits and
// the audit log go by it, so that whoever is in one of these networks chooses its own.
func tellTrusted(log *slog.Logger, proxies []netip.Prefix) {
	if len(proxies) == 0 {
		return
	}
	level := slog.LevelInfo
	for _, p := range proxies {
		if length := p.Addr().BitLen(); length-p.Bits() > wideNetwork[length] {
			level = slog.LevelWarn
		}
	}
	log.LogAttrs(context.Background(), level, "the proxies in these networks say who the client is", slog.String("networks", settings.FormatProxies(proxies)))
}
