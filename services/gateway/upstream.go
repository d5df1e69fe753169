package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/infra/mutual"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/web"
)

// Upstream says how a service behind the gateway is reached.
type Upstream struct {
	// URL is its address, "http://records:8082" or https; the path is not used.
	URL string
	// Dial, if set, connects instead of TCP to the host of URL, for services of
	// the same process. It must give up when its context ends.
	Dial func(ctx context.Context) (net.Conn, error)
	// Handler, if set, is the handler of a service of the same process. Short requests are
	// handed to it, and the others go over Dial.
	Handler fasthttp.RequestHandler
	// Recall, if set, answers short reads of a service of the same process before Handler
	// is asked.
	Recall web.Recall
	// Peers, where the service shows a certificate and asks for one; nil otherwise.
	Peers *mutual.Peers
	// Signer proves to the service that requests are the gateway's; nil: it does not ask.
	Signer *peer.Signer
}

// DialListener makes the Dial of a service that listens in memory
// (fasthttputil.InmemoryListener).
func DialListener(ln interface{ Dial() (net.Conn, error) }) func(context.Context) (net.Conn, error) {
	type dialed struct {
		conn net.Conn
		err  error
	}
	return func(ctx context.Context) (net.Conn, error) {
		// The listener's own Dial waits for as long as nobody accepts.
		done := make(chan dialed, 1)
		go func() {
			conn, err := ln.Dial()
			done <- dialed{conn, err}
		}()
		select {
		case d := <-done:
			return d.conn, d.err
		case <-ctx.Done():
			go func() {
				if d := <-done; d.conn != nil {
					_ = d.conn.Close()
				}
			}()
			return nil, ctx.Err()
		}
	}
}

const (
	// connectTimeout bounds the time until there is a connection.
	connectTimeout = time.Second
	// keepIdle is how long an unused connection is kept. It must be shorter than
	// the services keep theirs, or a request meets a closing connection.
	keepIdle = 30 * time.Second
	// maxConns bounds the connections to one service, for reads and for writes
	// each; beyond it a request is refused at once instead of waiting.
	maxConns = 1024
	// readBufferSize lets an answer that a service writes at once be read at once.
	readBufferSize = 16 << 10
	// closeTimeout bounds how long is waited for requests that were given up, each of
	// which has a deadline of its own.
	closeTimeout = 10 * time.Second
)

// client calls one service. Reads and writes go over clients of their own,
// because only a read may be tried again.
type client struct {
	name string
	// inside: the service is part of this process.
	inside bool
	// The connections: exchange sends requests over them.
	reads, writes *fasthttp.HostClient
	// Reads and writes that are handed over; nil: the service is only reached over connections.
	readsInside, writesInside *inside
	recall                    web.Recall // nil: nothing is recalled
	signer                    *peer.Signer

	answered answers
}

// errConnect marks an error before anything was sent.
var errConnect = errors.New("no connection")

func newClient(name string, u Upstream) (*client, error) {
	parsed, err := url.Parse(u.URL)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("upstream %s: %q is not an http or https address", name, u.URL)
	}
	secure := parsed.Scheme == "https"
	address := parsed.Host
	if parsed.Port() == "" {
		port := "80"
		if secure {
			port = "443"
		}
		address = net.JoinHostPort(parsed.Hostname(), port)
	}
	connect := u.Dial
	switch {
	case connect == nil && secure && u.Peers != nil:
		connect = func(ctx context.Context) (net.Conn, error) { return u.Peers.Dial(ctx, "tcp", address) }
	case connect == nil && secure:
		connect = func(ctx context.Context) (net.Conn, error) {
			return (&tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12}}).DialContext(ctx, "tcp", address)
		}
	case connect == nil:
		connect = func(ctx context.Context) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", address)
		}
	}
	dial := func(_ string, timeout time.Duration) (net.Conn, error) {
		if timeout <= 0 || timeout > connectTimeout {
			timeout = connectTimeout
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		conn, err := connect(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errConnect, err)
		}
		return conn, nil
	}
	if !secure {
		dial = fresh(dial)
	}
	dial = ended(dial)
	pool := func() *fasthttp.HostClient {
		return &fasthttp.HostClient{
			Addr: address, IsTLS: secure, DialTimeout: dial,
			MaxConns: maxConns, MaxIdleConnDuration: keepIdle, ReadBufferSize: readBufferSize,
		}
	}
	c := &client{name: name, inside: u.Dial != nil, reads: pool(), writes: pool(), signer: u.Signer}
	if u.Handler != nil {
		c.readsInside, c.writesInside, c.recall = newInside(u.Handler), newInside(u.Handler), u.Recall
	}
	return c, nil
}

// short reports whether an operation is a short one of a service of this process.
func (c *client) short(o api.Operation) bool {
	return c.inside && !o.Public() && !o.Streamed && !o.Cost.Expensive()
}

// call asks for an operation: a short one of a service of this process by its handler,
// unless the answer is known already, and anything else over a connection.
func (c *client) call(ctx context.Context, o api.Operation, by identity.Principal, req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) error {
	switch {
	case c.readsInside == nil || !c.short(o) || req.Header.IsHead() || req.IsBodyStream():
		return c.do(req, resp, deadline)
	case req.Header.IsGet():
		resp.Reset() // as any other way to an answer does
		if c.recall != nil && c.recall(ctx, o.ID, by, req, resp) {
			return nil
		}
		return c.readsInside.do(req, resp, deadline)
	}
	return c.writesInside.do(req, resp, deadline)
}

// errNotBelieved is of a service that does not take the gateway for one: the secrets differ,
// or the clocks. It is no refusal of the client, who must not be signed out by it.
var errNotBelieved = (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
	Message: "A part of the service cannot be asked right now. Nothing was changed; please try again."}).
	Because(errors.New("the service refuses the credential of this gateway: ECF_PEER_SECRET must be the same, and clocks agree"))

// do sends a request over a connection, which proves to be this gateway's.
func (c *client) do(req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) error {
	c.signer.Sign(req)
	err := c.send(req, resp, deadline)
	if err == nil && resp.StatusCode() == fasthttp.StatusUnauthorized && len(resp.Header.Peek(peer.Refused)) > 0 {
		err = errNotBelieved
	}
	return err
}

// send sends a request. Only GET and HEAD are ever sent twice.
func (c *client) send(req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) error {
	via, attempts := c.writes, 1
	if req.Header.IsGet() || req.Header.IsHead() {
		via, attempts = c.reads, 2
	}
	if req.IsBodyStream() {
		attempts = 1 // what was read of it cannot be read again
	}
	stream := resp.StreamBody
	for {
		resp.StreamBody = stream
		retry, err := exchange(via, req, resp, deadline)
		if attempts--; err == nil || !retry || attempts == 0 || !time.Now().Before(deadline) {
			if errors.Is(err, io.EOF) {
				err = fasthttp.ErrConnectionClosed
			}
			return err
		}
	}
}

// ready asks the service whether it is ready.
func (c *client) ready(ctx context.Context) error {
	deadline := time.Now().Add(connectTimeout)
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(deadline) {
		deadline = sooner
	}
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI("/health/ready")
	req.Header.SetHost(c.name)
	if err := c.send(req, resp, deadline); err != nil {
		return err
	}
	if status := resp.StatusCode(); status != fasthttp.StatusOK {
		return fmt.Errorf("%s is not ready: status %d", c.name, status)
	}
	return nil
}

// close lets go of the connections that nobody uses, and waits for what is still done in
// this process.
func (c *client) close() error {
	c.reads.CloseIdleConnections()
	c.writes.CloseIdleConnections()
	if c.readsInside == nil {
		return nil
	}
	return errors.Join(c.readsInside.close(closeTimeout), c.writesInside.close(closeTimeout))
}
