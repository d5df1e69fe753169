package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"

	"github.com/eventcarbon/ecf/libs/settings"
)

// parseTrusted is settings.ParseProxies without networks of all addresses. Every client would be a proxy then, and the
// address that it states the one that limits, sign-in protection and the audit log use.
func parseTrusted(s string) ([]netip.Prefix, error) {
	proxies, err := settings.ParseProxies(s)
	for _, p := range proxies {
		if p.Bits() == 0 {
			return nil, fmt.Errorf("must not name all addresses (%s): every client could then choose the address that limits and the audit log have for it; name the proxies or their network, such as 10.0.0.0/8", p)
		}
	}
	return proxies, err
}

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
