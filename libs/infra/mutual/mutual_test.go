package mutual_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/infra/mutual"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// filesOf puts the files of a service into a folder and returns its serial number.
func filesOf(a testkit.Authority, dir string) (f mutual.Files, serial string) {
	f.CA, f.Cert, f.Key, serial = a.Write(dir)
	return f, serial
}

// TestOnlyServicesReachServices: with files of one authority a service is reached;
// without a certificate, by one that has expired or is of another authority, and by plain
// HTTP it is not (statement 34). Files that change count for the next connection.
func TestOnlyServicesReachServices(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Now())
	open := func(f mutual.Files) *mutual.Peers {
		t.Helper()
		p, err := mutual.Open(f, slog.New(slog.DiscardHandler), clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	ours, theirs := testkit.NewAuthority(t), testkit.NewAuthority(t)
	serverDir, clientDir := t.TempDir(), t.TempDir()
	files, serial := filesOf(ours, serverDir)
	server := open(files)
	clientFiles, _ := filesOf(ours, clientDir)
	client := open(clientFiles)
	strangerFiles, _ := filesOf(theirs, t.TempDir())
	expiredFiles, _ := filesOf(ours.Until(time.Now().Add(-time.Minute)), t.TempDir())
	expired := open(expiredFiles)
	stranger := open(mutual.Files{CA: files.CA, Cert: strangerFiles.Cert, Key: strangerFiles.Key})

	plain, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service := &http.Server{ReadHeaderTimeout: time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "served") })}
	go func() { _ = service.Serve(server.Listener(plain)) }()
	t.Cleanup(func() { _ = service.Close() })
	address := plain.Addr().String()
	// ask returns the answer and the serial number of the certificate that was shown.
	ask := func(scheme string, transport *http.Transport) (body, shown string, err error) {
		transport.DisableKeepAlives = true
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, scheme+"://"+address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(r)
		if err != nil {
			return "", "", err
		}
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if response.TLS != nil {
			shown = response.TLS.PeerCertificates[0].SerialNumber.String()
		}
		return string(text), shown, err
	}
	with := func(p *mutual.Peers) *http.Transport {
		transport := &http.Transport{}
		p.Use(transport)
		return transport
	}
	roots := ours.Roots()
	if body, shown, err := ask("https", with(client)); err != nil || body != "served" || shown != serial {
		t.Errorf("a service: %q by %s, %v", body, shown, err)
	}
	for name, transport := range map[string]*http.Transport{
		"without a certificate": {TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}},
		"of another authority":  with(stranger),
		"that has expired":      with(expired),
		"by an older TLS":       {TLSClientConfig: &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS12}}, //nolint:gosec // it is refused
	} {
		if body, _, err := ask("https", transport); err == nil {
			t.Errorf("%s: %q", name, body)
		}
	}
	if body, _, err := ask("http", &http.Transport{}); err == nil && body == "served" {
		t.Error("served without TLS")
	}
	// Each connection shows its certificate: one that is not to count any more is not
	// carried on by a former connection.
	pair, err := tls.LoadX509KeyPair(clientFiles.Cert, clientFiles.Key)
	if err != nil {
		t.Fatal(err)
	}
	remembering := &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}, ClientSessionCache: tls.NewLRUClientSessionCache(1), MinVersion: tls.VersionTLS13}
	for range 2 {
		conn, err := (&tls.Dialer{Config: remembering}).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(conn)
		if secure, ok := conn.(*tls.Conn); err != nil || !strings.HasSuffix(string(answer), "served") || !ok || secure.ConnectionState().DidResume {
			t.Errorf("%s: %v, or the session was resumed", answer, err)
		}
		_ = conn.Close()
	}
	// A client does not speak to a server of another authority either.
	otherFiles, _ := filesOf(theirs, t.TempDir())
	if _, err := open(otherFiles).Dial(t.Context(), "tcp", address); err == nil {
		t.Error("connected to a service of another authority")
	}

	// Nor to one of our services at the address of another: taking over one service must not give access to all.
	var named x509.HostnameError
	if _, err := client.Dial(t.Context(), "tcp", "localhost:"+strings.TrimPrefix(address, "127.0.0.1:")); !errors.As(err, &named) {
		t.Errorf("a certificate of another name: %v", err)
	}

	// Broken files change nothing; whole ones count.
	if err := os.WriteFile(files.Key, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	clock.Advance(2 * time.Second)
	if _, shown, err := ask("https", with(client)); err != nil || shown != serial {
		t.Errorf("with a broken key: %s, %v", shown, err)
	}
	_, renewed := filesOf(ours, serverDir)
	clock.Advance(2 * time.Second)
	if _, shown, err := ask("https", with(client)); err != nil || shown != renewed {
		t.Errorf("renewed: %s, want %s: %v", shown, renewed, err)
	}
}

func TestFilesThatDoNotWork(t *testing.T) {
	t.Parallel()
	whole, _ := filesOf(testkit.NewAuthority(t), t.TempDir())
	none := filepath.Join(t.TempDir(), "none")
	for f, want := range map[mutual.Files]string{
		{CA: whole.CA, Cert: whole.Cert, Key: whole.Cert}: "ECF_TLS_CERT and ECF_TLS_KEY must name PEM files of a certificate and its key",
		{CA: whole.Key, Cert: whole.Cert, Key: whole.Key}: "ECF_TLS_CA must name a PEM file of certificates",
		{CA: none, Cert: whole.Cert, Key: whole.Key}:      "ECF_TLS_CA must name a PEM file that can be read",
		{CA: whole.CA, Cert: none, Key: whole.Key}:        "ECF_TLS_CERT must name a PEM file that can be read",
		{CA: whole.CA, Cert: whole.Cert, Key: none}:       "ECF_TLS_KEY must name a PEM file that can be read",
	} {
		if _, err := mutual.Open(f, slog.New(slog.DiscardHandler), time.Now); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want %s", f, err, want)
		}
	}
	without, err := mutual.Open(mutual.Files{}, slog.New(slog.DiscardHandler), time.Now)
	if without != nil || err != nil || without.Check("http://auth:8081") != nil {
		t.Errorf("without files: %v, %v", without, err)
	}
	ln := new(net.TCPListener)
	if without.Listener(ln) != net.Listener(ln) {
		t.Error("without files the listener is another one")
	}
	p, err := mutual.Open(whole, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Check("https://auth:8081", "http://records:8082"); err == nil || !strings.Contains(err.Error(), "http://records:8082") {
		t.Errorf("an address without TLS: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Dial(ctx, "tcp", "127.0.0.1:1"); err == nil {
		t.Error("connected under an ended context")
	}
}

// TestAnInvalidCertificateIsLogged verifies that a service logs that the others refuse its
// certificate, at startup and when it expires while the service runs, and when a valid one
// has replaced it.
func TestAnInvalidCertificateIsLogged(t *testing.T) {
	t.Parallel()
	ours, began := testkit.NewAuthority(t), time.Now()
	f, _ := filesOf(ours.Until(began.Add(30*time.Minute)), t.TempDir())
	strangers, _ := filesOf(testkit.NewAuthority(t), t.TempDir())
	for name, c := range map[string]struct {
		files mutual.Files
		at    time.Duration
		want  string
	}{
		"expired":              {f, 31 * time.Minute, "expired"},
		"not valid yet":        {f, -3 * time.Hour, "not yet valid"},
		"of another authority": {mutual.Files{CA: f.CA, Cert: strangers.Cert, Key: strangers.Key}, 0, "unknown authority"},
	} {
		var log strings.Builder
		if _, err := mutual.Open(c.files, slog.New(slog.NewTextHandler(&log, nil)), testkit.NewClock(began.Add(c.at)).Now); err != nil {
			t.Fatal(err)
		}
		if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "verifying the certificate of the service fails") ||
			!strings.Contains(text, c.files.Cert) || !strings.Contains(text, c.want) {
			t.Errorf("%s: the log is %q", name, text)
		}
	}

	var log strings.Builder
	clock := testkit.NewClock(began)
	p, err := mutual.Open(f, slog.New(slog.NewTextHandler(&log, nil)), clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	// connects advances the clock and makes a connection, with which the files are checked;
	// nobody listens there.
	connects := func(after time.Duration) {
		t.Helper()
		clock.Advance(after)
		if _, err := p.Dial(t.Context(), "tcp", "127.0.0.1:1"); err == nil {
			t.Error("somebody listens on port 1")
		}
	}
	connects(time.Minute)
	if log.Len() > 0 {
		t.Errorf("the log of a valid certificate is %q", log.String())
	}
	connects(30 * time.Minute)
	connects(time.Minute)
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "verifying the certificate of the service fails") {
		t.Errorf("expired while the service runs: the log is %q", text)
	}
	_, _ = filesOf(ours.Until(began.Add(time.Hour)), filepath.Dir(f.Cert))
	connects(time.Minute)
	connects(time.Minute)
	if text := log.String(); !strings.Contains(text, "verifying the certificate of the service works again") {
		t.Errorf("replaced by a valid one: the log is %q", text)
	}
}
