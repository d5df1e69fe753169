package mutual

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Why a handshake was refused, as its log line says.
const (
	withoutTLS    = "the client does not use TLS: a service without ECF_TLS_CERT, or a probe of the wrong port"
	withoutProof  = "the client presents no certificate of ECF_TLS_CA" // of another authority's it presents none
	certRefused   = "the certificate of the client is not valid here"
	refusesOurs   = "the client refuses the certificate of this service"
	notUnderstood = "the client and this service have no version or method of TLS in common"
)

// maxNamed bounds what is logged of the names in a certificate, which the client chooses.
const maxNamed = 200

// refusals logs why connections were refused: at most one line for each reason every
// telemetry.RemindEvery, because anybody who reaches the port can cause any number of them.
type refusals struct {
	log    *slog.Logger
	seldom *telemetry.LineLimiter
}

func (r *refusals) report(client net.Addr, err error) {
	why := reasonOf(err)
	if why == "" {
		return
	}
	skipped, ok := r.seldom.Take(why)
	if !ok {
		return
	}
	attrs := []slog.Attr{slog.String("why", why), slog.String("client", client.String()), slog.String("error", telemetry.Redact(err.Error())), slog.Int("skipped", skipped)}
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok && len(bad.UnverifiedCertificates) > 0 {
		c := bad.UnverifiedCertificates[0]
		subject := c.Subject.String()
		attrs = append(attrs, slog.String("certificate", telemetry.Redact(subject[:min(len(subject), maxNamed)])), slog.String("valid_until", c.NotAfter.UTC().Format(time.RFC3339)))
	}
	r.log.LogAttrs(context.Background(), slog.LevelWarn, "TLS handshake refused", attrs...)
}

// reasonOf returns why a handshake failed; empty for a client that sent nothing or went away,
// such as a probe of the port, and for a connection that this process closes at its end.
func reasonOf(err error) string {
	remote, ok := errors.AsType[*net.OpError](err)
	switch text := err.Error(); {
	case errors.As(err, new(tls.RecordHeaderError)):
		return withoutTLS
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return certRefused
	case ok && remote.Op == "remote error":
		return refusesOurs
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ""
	case strings.Contains(text, "didn't provide a certificate"):
		return withoutProof
	default:
		return notUnderstood
	}
}

// listener accepts connections whose refusals it reports.
type listener struct {
	net.Listener
	config   *tls.Config
	refusals *refusals
}

// Accept implements net.Listener. The handshake is made by what reads from the connection.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: tls.Server(c, l.config), refusals: l.refusals}, nil
}

// conn ends, for its reader, where its handshake is refused: a reader that got the error took
// it for a malformed request, and answered it on a connection that carries no answer.
type conn struct {
	*tls.Conn
	refusals *refusals
	reported bool // by the goroutine that serves the connection
}

// Handshake implements the interface by which fasthttp recognizes a TLS connection.
func (c *conn) Handshake() error {
	err := c.HandshakeContext(context.Background()) // the deadline of the connection bounds it
	if err != nil && !c.reported {
		c.reported = true
		c.refusals.report(c.RemoteAddr(), err)
	}
	return err
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	if c.Handshake() != nil {
		return 0, io.EOF
	}
	return c.Conn.Read(b)
}
