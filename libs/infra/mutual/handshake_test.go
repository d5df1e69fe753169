package mutual_test

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/infra/mutual"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestRefusedHandshakesAreLogged verifies that the log names why a connection was refused,
// once for each reason however often it happens, that its reader sees the end of it and no
// malformed request, and that a client that says nothing leaves no line.
func TestRefusedHandshakesAreLogged(t *testing.T) {
	t.Parallel()
	ours, theirs := testkit.NewAuthority(t), testkit.NewAuthority(t)
	files, _ := filesOf(ours, t.TempDir())
	plain, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.Close() })
	var (
		log   bytes.Buffer
		clock *testkit.Clock
		ln    net.Listener
	)
	start := func() {
		t.Helper()
		clock = testkit.NewClock(time.Now())
		server, err := mutual.Open(files, slog.New(slog.NewJSONHandler(&log, nil)), clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		ln = server.Listener(plain)
	}
	// refuse has a client connect, and returns the lines that this adds to the log.
	refuse := func(times int, client func(net.Conn)) (lines []map[string]any) {
		t.Helper()
		log.Reset()
		for range times {
			var done sync.WaitGroup
			done.Go(func() {
				c, err := new(net.Dialer).DialContext(t.Context(), "tcp", plain.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				client(c)
				_ = c.Close()
			})
			c, err := ln.Accept()
			if err != nil {
				t.Fatal(err)
			}
			_ = c.SetDeadline(time.Now().Add(time.Minute))
			for range 2 { // fasthttp reads again after the handshake has failed
				if n, err := c.Read(make([]byte, 10)); n != 0 || !errors.Is(err, io.EOF) {
					t.Errorf("the reader got %d bytes and %v, want the end", n, err)
				}
			}
			_ = c.Close()
			done.Wait()
		}
		for line := range strings.Lines(log.String()) {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, fields)
		}
		return lines
	}
	pairOf := func(a testkit.Authority) []tls.Certificate {
		t.Helper()
		f, _ := filesOf(a, t.TempDir())
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			t.Fatal(err)
		}
		return []tls.Certificate{pair}
	}
	over := func(config *tls.Config) func(net.Conn) {
		config.ServerName = "127.0.0.1"
		return func(c net.Conn) {
			secure := tls.Client(c, config)
			if secure.HandshakeContext(t.Context()) == nil {
				_, _ = secure.Read(make([]byte, 1)) // the refusal of the server comes after its handshake
			}
		}
	}
	const v13 = tls.VersionTLS13
	foreign := pairOf(theirs)
	expired := pairOf(ours.Until(time.Now().Add(-time.Minute)))
	for why, client := range map[string]func(net.Conn){
		"does not use TLS":        func(c net.Conn) { _, _ = io.WriteString(c, "GET / HTTP/1.1\r\n\r\n"); _, _ = c.Read(make([]byte, 1)) },
		"presents no certificate": over(&tls.Config{RootCAs: ours.Roots(), MinVersion: v13}),
		"unknown authority": over(&tls.Config{RootCAs: ours.Roots(), MinVersion: v13,
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &foreign[0], nil }}),
		"has expired":                     over(&tls.Config{RootCAs: ours.Roots(), MinVersion: v13, Certificates: expired}),
		"refuses the certificate of this": over(&tls.Config{RootCAs: theirs.Roots(), MinVersion: v13, Certificates: foreign}),
		"no version or method":            over(&tls.Config{RootCAs: ours.Roots(), MaxVersion: tls.VersionTLS12}), //nolint:gosec // it is refused
	} {
		start()
		lines := refuse(20, client)
		if len(lines) != 1 || lines[0]["msg"] != "TLS handshake refused" || lines[0]["level"] != "WARN" || lines[0]["client"] == nil ||
			!strings.Contains(lines[0]["why"].(string)+lines[0]["error"].(string), why) {
			t.Errorf("%s: the log has %v", why, lines)
			continue
		}
		if named, of := lines[0]["certificate"]; of != strings.Contains(why, "authority") && of != strings.Contains(why, "expired") {
			t.Errorf("%s: it names the certificate %v", why, named)
		}
		clock.Advance(telemetry.RemindEvery)
		if lines := refuse(1, client); len(lines) != 1 || lines[0]["skipped"] != 19.0 {
			t.Errorf("%s, ten minutes later: the log has %v, want 19 skipped", why, lines)
		}
	}
	start()
	if lines := refuse(20, func(net.Conn) {}); len(lines) > 0 {
		t.Errorf("of clients that said nothing the log has %v", lines)
	}
}
