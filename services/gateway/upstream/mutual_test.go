package upstream

import (
	"io"
	"log"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/infra/mutual"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestServicesWithCertificates verifies that the gateway reaches a service that requires mutual
// TLS only with a certificate.
func TestServicesWithCertificates(t *testing.T) {
	t.Parallel()
	authority := testkit.NewAuthority(t)
	peers := func() *mutual.Peers {
		t.Helper()
		var f mutual.Files
		f.CA, f.Cert, f.Key, _ = authority.Write(t.TempDir())
		p, err := mutual.Open(f, slog.New(slog.DiscardHandler), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{Logger: log.New(io.Discard, "", 0), Handler: func(ctx *fasthttp.RequestCtx) {
		if strings.HasSuffix(string(ctx.Path()), "/export") {
			ctx.SetBodyStream(io.MultiReader(strings.NewReader(strings.Repeat("x", 1<<20)), iotest.ErrReader(io.ErrUnexpectedEOF)), -1)
		}
	}}
	go func() { _ = server.Serve(peers().Listener(ln)) }()
	t.Cleanup(func() { _ = ln.Close() })
	at := "https://" + ln.Addr().String()
	for name, own := range map[string]*mutual.Peers{"with": peers(), "without": nil} {
		c, err := New("records", Config{URL: at, Peers: own})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		for range 2 { // the second one reuses the connection
			if err := c.Ready(t.Context()); (err == nil) != (own != nil) {
				t.Errorf("%s a certificate: %v", name, err)
			}
		}
	}
	// A service that aborts a response closes the TLS connection properly, too.
	c, err := New("records", Config{URL: at, Peers: peers()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var req fasthttp.Request
	var resp fasthttp.Response
	resp.StreamBody = true
	req.SetRequestURI(at + "/api/v2/events/e/export")
	if err := c.Do(&req, &resp, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.BodyStream())
	if err == nil {
		t.Errorf("%d bytes that break off are taken for all", n)
	}
	_ = resp.CloseBodyStream()
}
