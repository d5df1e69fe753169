// Package mutual implements mutual TLS between the services, if a deployment provides
// certificates as files: both sides present one signed by the same authority. Without
// files services speak HTTP, and only the credential of each request authenticates its caller.
package mutual

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel"

	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

const (
	// lookEvery is how often the files are checked for changes, on new connections.
	lookEvery = time.Second
	// handshakeTimeout bounds the handshake of a connection to another service.
	handshakeTimeout = 2 * time.Second
)

const (
	caName   = "ECF_TLS_CA"
	certName = "ECF_TLS_CERT"
	keyName  = "ECF_TLS_KEY"
)

// Files are the paths of PEM files; either all or none are set.
type Files struct {
	// CA has the certificates of the authority that signs those of the services only:
	// a holder of one of its certificates is a service.
	CA string
	// Cert is the service's own certificate, with the chain to the authority, Key its private key. The service
	// authenticates with it, and its names are those of the service.
	Cert, Key string
}

// Describe implements settings.Config.
func (f *Files) Describe(s *settings.Set) {
	s.Text(&f.CA, caName, "", "file of the certificate authority that signs certificates of the services only; with ECF_TLS_CERT and ECF_TLS_KEY the services use mutual TLS among each other", nil)
	s.Text(&f.Cert, certName, "", "file of the service's own certificate; reloaded when it changes", nil)
	s.Text(&f.Key, keyName, "", "file of the private key of ECF_TLS_CERT", nil)
	s.After(func() error {
		if given := f.CA != "" || f.Cert != "" || f.Key != ""; given && (f.CA == "" || f.Cert == "" || f.Key == "") {
			return errors.New("ECF_TLS_CA, ECF_TLS_CERT and ECF_TLS_KEY must be set together")
		}
		return nil
	})
}

// Peers are the certificate of a service and the authority of the others. A nil Peers leaves connections unchanged.
type Peers struct {
	files Files
	now   func() time.Time

	outage  *telemetry.Outage // of reloading the files
	invalid *telemetry.Outage // of their certificate
	refused *refusals         // connections

	mu     sync.Mutex
	looked time.Time
	seen   [3]stamp
	pair   tls.Certificate
	roots  *x509.CertPool
}

// stamp identifies the version of a file.
type stamp struct {
	size int64
	at   time.Time
}

// Open reads the files; nil if there are none.
func Open(f Files, log *slog.Logger, now func() time.Time) (*Peers, error) {
	if f == (Files{}) {
		return nil, nil //nolint:nilnil // a nil Peers is one that does nothing
	}
	p := &Peers{files: f, now: now, outage: telemetry.NewOutage(log, now, "reading the certificates of the service again")}
	p.invalid = telemetry.NewOutage(log, now, "verifying the certificate of the service")
	p.refused = &refusals{log: log, seldom: telemetry.NewLineLimiter(now)}
	if err := p.load(); err != nil {
		return p, err
	}
	p.publish(otel.Meter(scope))
	p.invalid.Report(context.Background(), p.verify())
	return p, nil
}

// verify returns why the other services refuse the certificate, which they cannot tell this
// one: it has expired, is not valid yet, or is of another authority.
func (p *Peers) verify() error {
	if _, err := p.chains(); err != nil {
		leaf := p.leaf()
		return fmt.Errorf("the other services refuse %s %s, valid from %s to %s: %w", certName, p.files.Cert,
			leaf.NotBefore.UTC().Format(time.RFC3339), leaf.NotAfter.UTC().Format(time.RFC3339), err)
	}
	return nil
}

func (p *Peers) leaf() *x509.Certificate {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pair.Leaf
}

// chains returns the chains from the certificate to the authority that are valid now.
func (p *Peers) chains() ([][]*x509.Certificate, error) {
	p.mu.Lock()
	pair, roots := p.pair, p.roots
	p.mu.Unlock()
	between := x509.NewCertPool()
	for _, der := range pair.Certificate[1:] {
		if c, err := x509.ParseCertificate(der); err == nil {
			between.AddCert(c)
		}
	}
	// Any usage: a certificate of a service that serves no other one may be for clients only.
	return pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: between, CurrentTime: p.now(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
}

// Check returns an error for an address of another service that is not https.
func (p *Peers) Check(addresses ...string) error {
	for _, a := range addresses {
		if u, err := url.Parse(a); p != nil && (err != nil || u.Scheme != "https") {
			return fmt.Errorf("ECF_TLS_CERT is set, so the services speak TLS: the address %q must begin with https://", a)
		}
	}
	return nil
}

// Listener returns a listener that requires certificates of clients.
func (p *Peers) Listener(ln net.Listener) net.Listener {
	if p == nil {
		return ln
	}
	return &listener{Listener: ln, refusals: p.refused, config: &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pair, roots := p.current()
		return &tls.Config{
			MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert,
			// Without tickets every connection is verified with the current files.
			SessionTicketsDisabled: true,
		}, nil
	}}}
}

// Dial connects to another service and authenticates this one.
func (p *Peers) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	pair, roots := p.current()
	dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{pair}, RootCAs: roots, ServerName: host}}
	return dialer.DialContext(ctx, network, address)
}

// Use makes a transport use Dial.
func (p *Peers) Use(t *http.Transport) {
	if p != nil {
		t.DialTLSContext = p.Dial
	}
}

// current returns the content of the files, or the previous one while they cannot be read: during a rotation a
// certificate may lack its key.
func (p *Peers) current() (tls.Certificate, *x509.CertPool) {
	p.mu.Lock()
	now := p.now()
	// A negative age is of a clock that was put back.
	age := now.Sub(p.looked)
	due := age < 0 || age >= lookEvery
	if due {
		p.looked = now
	}
	pair, roots := p.pair, p.roots
	p.mu.Unlock()
	if !due {
		return pair, roots
	}
	err := p.load()
	p.outage.Report(context.Background(), err)
	p.invalid.Report(context.Background(), p.verify())
	if err != nil {
		return pair, roots
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pair, p.roots
}

// load reads the files where one has changed.
func (p *Peers) load() error {
	var seen [3]stamp
	for i, of := range []struct{ variable, path string }{{caName, p.files.CA}, {certName, p.files.Cert}, {keyName, p.files.Key}} {
		info, err := os.Stat(of.path)
		if err != nil {
			return fmt.Errorf("%s must name a PEM file that can be read: %w", of.variable, err)
		}
		seen[i] = stamp{info.Size(), info.ModTime()}
	}
	p.mu.Lock()
	same := p.roots != nil && seen == p.seen
	p.mu.Unlock()
	if same {
		return nil
	}
	text, err := os.ReadFile(p.files.CA)
	if err != nil {
		return fmt.Errorf("%s must name a PEM file that can be read: %w", caName, err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(text) {
		return fmt.Errorf("%s must name a PEM file of certificates: %s has none", caName, p.files.CA)
	}
	pair, err := tls.LoadX509KeyPair(p.files.Cert, p.files.Key)
	if err != nil {
		return fmt.Errorf("%s and %s must name PEM files of a certificate and its key, %s and %s: %w", certName, keyName, p.files.Cert, p.files.Key, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pair, p.roots, p.seen = pair, roots, seen
	return nil
}
