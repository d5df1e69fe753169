package gateway

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/eventcarbon/ecf/libs/settings"
)

// TestTrustedNetworksAreLogged verifies the log line about trusted proxies, and the warning for
// wide networks.
func TestTrustedNetworksAreLogged(t *testing.T) {
	t.Parallel()
	for networks, want := range map[string]string{
		"": "", "192.0.2.1/32": "INFO", "10.1.0.0/16": "INFO", "2001:db8::/64": "INFO",
		"10.0.0.0/8": "WARN", "0.0.0.0/1": "WARN", "2001:db8::/48": "WARN",
	} {
		var log bytes.Buffer
		var proxies []netip.Prefix
		if networks != "" {
			proxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix(networks)}
		}
		tellTrusted(slog.New(slog.NewJSONHandler(&log, nil)), proxies)
		var line struct{ Level, Networks string }
		if err := json.Unmarshal(log.Bytes(), &line); want != "" && err != nil {
			t.Fatalf("%s: %v: %s", networks, err, log.String())
		}
		if line.Level != want || want != "" && line.Networks != "192.0.2.7/32,"+networks {
			t.Errorf("%q: %q %q", networks, line.Level, line.Networks)
		}
	}
	// Logged when the gateway is created; a request makes sure that it has started before it
	// ends.
	var log lines
	gateway := start(t, trust("10.0.0.0/8"), func(d *Deps) { d.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	if gateway.do(request{method: http.MethodGet, path: "/api/v2/health"}); !strings.Contains(log.String(), `"networks":"10.0.0.0/8"`) {
		t.Errorf("the log of a gateway: %s", log.String())
	}
}

// TestAllAddressesAreNoProxies: a gateway that would believe every client about its address does not start.
func TestAllAddressesAreNoProxies(t *testing.T) {
	t.Parallel()
	for networks, refused := range map[string]string{
		"": "", "10.0.0.0/8,192.0.2.1": "", "0.0.0.0": "", "::1": "", "0.0.0.0/0": "0.0.0.0/0", "::/0": "::/0", "10.0.0.0/8, 192.0.2.7/0": "0.0.0.0/0",
	} {
		err := settings.Of(&Config{}).Load(nil, func(name string) string {
			return map[string]string{"ECF_TRUSTED_PROXIES": networks, "ECF_TRUSTED_CALLERS": networks}[name]
		})
		if refused == "" && err != nil || refused != "" && (err == nil || !strings.HasPrefix(err.Error(), "ECF_TRUSTED_PROXIES must not name all addresses ("+refused+")") || strings.Contains(err.Error(), "ECF_TRUSTED_CALLERS")) {
			t.Errorf("%q: %v", networks, err)
		}
	}
}

// lines is a log written by several goroutines.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
