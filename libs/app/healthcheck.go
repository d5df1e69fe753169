package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/eventcarbon/ecf/libs/settings"
)

// healthcheckCommand as the first argument makes any program check whether the running one of its kind is ready.
// Images have neither a shell nor an HTTP client, so container runtimes (compose) use this.
const healthcheckCommand = "healthcheck"

// healthcheckLimit bounds the request: above the time that a readiness probe of a service may take.
const healthcheckLimit = 4 * time.Second

// Healthcheck requests the readiness of the service with the debug address addr and returns nil if it is ready. For
// an address without a host, or for all hosts, it uses the loopback interface.
func Healthcheck(ctx context.Context, addr string) error {
	if addr == "" {
		return errors.New("ECF_DEBUG_ADDR is empty: there is no debug port to ask")
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("ECF_DEBUG_ADDR: %w", err)
	}
	switch ip := net.ParseIP(host); {
	case host == "" || ip.Equal(net.IPv4zero):
		host = "127.0.0.1"
	case ip.Equal(net.IPv6unspecified):
		host = "::1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthcheckLimit)
	defer cancel()
	url := "http://" + net.JoinHostPort(host, port) + "/health/ready"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	// Not the default transport: a proxy of the environment must not be used.
	transport := &http.Transport{DisableKeepAlives: true}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the service is not ready: %s", res.Status)
	}
	return nil
}

// debugAddress is the settings of the healthcheck.
type debugAddress struct{ DebugAddr string }

// Describe implements settings.Config.
func (d *debugAddress) Describe(s *settings.Set) { describeDebugAddr(s, &d.DebugAddr) }

func healthcheck(ctx context.Context, _ Env, c *debugAddress) error {
	return Healthcheck(ctx, c.DebugAddr)
}
