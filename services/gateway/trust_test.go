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
)

// TestTrustedNetworksAreLogged: whose word on the address of a client is taken is a line of
// the log, and a warning where that is more than the pods of a cluster.
func TestTrustedNetworksAreLogged(t *testing.T) {
	t.Parallel()
	for networks, want := range map[string]string{
		"": "", "192.0.2.1/32": "INFO", "10.1.0.0/16": "INFO", "2001:db8::/64": "INFO",
		"10.0.0.0/8": "WARN", "0.0.0.0/0": "WARN", "2001:db8::/48": "WARN",
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
	// The gateway says so when it is made; it is asked for something, so that it has begun
	// before it ends.
	var log lines
	gateway := start(t, trust("10.0.0.0/8"), func(d *Deps) { d.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	if gateway.do(request{method: http.MethodGet, path: "/api/v2/health"}); !strings.Contains(log.String(), `"networks":"10.0.0.0/8"`) {
		t.Errorf("the log of a gateway: %s", log.String())
	}
}

// lines are what several goroutines log.
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
