package gateway

import (
	"context"
	"log/slog"
	"net/netip"

	"github.com/eventcarbon/ecf/libs/settings"
)

// wideNetwork is the number of host bits of a trusted network above which a warning is
// logged: it allows the pods of a cluster, but not all addresses of the cluster.
var wideNetwork = map[int]int{32: 16, 128: 64}

// tellTrusted logs which proxies are trusted to state the client address. Limits and
// the audit log use that address, so anyone in these networks can choose it.
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
