package keys

import (
	"log/slog"
	"strings"
	"testing"
)

func TestIssuerAt(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:18600": "http://127.0.0.1:18600", ":9000": "http://127.0.0.1:9000", "0.0.0.0:80": "http://127.0.0.1:80",
		"[::]:8080": "http://127.0.0.1:8080", "192.0.2.7:8080": "http://192.0.2.7:8080", "127.0.0.1:0": "", "nonsense": "",
	} {
		if got := IssuerAt(addr); got != want {
			t.Errorf("%s: %q, want %q", addr, got, want)
		}
	}
}

func TestWarnUnlessServed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		issuer, addr string
		warned       bool
	}{
		{"http://127.0.0.1:8080", "0.0.0.0:8080", false},
		{"http://localhost:8080", "127.0.0.1:8080", false},
		{"http://127.0.0.1:8080", "127.0.0.1:0", false},
		{"http://127.0.0.1:8080", "127.0.0.1:18600", true},
		{"https://carbon.example.org", ":8080", true},
	} {
		var log strings.Builder
		WarnUnlessServed(t.Context(), slog.New(slog.NewTextHandler(&log, nil)), c.issuer, c.addr)
		if warned := strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), c.issuer); warned != c.warned {
			t.Errorf("%+v: %s", c, log.String())
		}
	}
}
