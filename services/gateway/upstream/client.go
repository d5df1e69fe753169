// Package upstream calls the services behind the gateway: over pooled connections that are
// verified before they are used again, or directly if a service is part of the process.
package upstream

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

// Config describes how to reach a service.
type Config struct {
	// URL is its address, such as "http://records:8082"; https is possible, the path is
	// ignored.
	URL string
	// Dial, if set, connects to a service of the same process instead of the host of
	// URL. It must return when its context is done.
	Dial func(ctx context.Context) (net.Conn, error)
	// Handler, if set, is the handler of a service of the same process, which is called
	// directly for short requests. Other requests use Dial.
	Handler fasthttp.RequestHandler
	// Recall, if set, answers short reads from the response cache of a service of the
	// same process before Handler is called.
	Recall web.Recall
	// Peers is the mutual TLS configuration, or nil if the service does not use it.
	Peers *mutual.Peers
	// Signer signs requests to prove to the service that they come from the gateway;
	// nil if the service does not require it.
	Signer *peer.Signer
}

// DialListener returns the Dial of a service that listens in memory
// (fasthttputil.InmemoryListener).
func DialListener(ln interface{ Dial() (net.Conn, error) }) func(context.Context) (net.Conn, error) {
	type dialed struct {
		conn net.Conn
		err  error
	}
	return func(ctx context.Context) (net.Conn, error) {
		// The listener's Dial blocks until the connection is accepted.
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
	// connectTimeout bounds connecting.
	connectTimeout = time.Second
	// keepIdle is how long an idle connection is kept. It must be shorter than the idle
	// timeout of the services, so that no request is sent on a connection that is being
	// closed.
	keepIdle = 30 * time.Second
	// MaxBody is the maximum size of a response that is read into memory.
	MaxBody = 64 << 20
	// SmallBody is the largest response that is never streamed: each connection has
	// buffers of about that size anyway.
	SmallBody = 64 << 10
	// MaxConns is the maximum number of connections to a service, separately for reads
	// and writes; further requests are rejected at once.
	MaxConns = 1024
	// readBufferSize lets a response that is written at once be read at once.
	readBufferSize = 16 << 10
	// closeTimeout bounds the wait for abandoned requests, each of which has a deadline
	// of its own.
	closeTimeout = 10 * time.Second
)

// Client calls one service. Reads and writes use separate HTTP clients, because only
// reads may be retried.
type Client struct {
	// Name is the name of the service.
	Name string
	// Inside reports whether the service is part of this process.
	Inside bool
	// The connection pools of exchange.
	reads, writes *fasthttp.HostClient
	// Direct calls of reads and writes; nil if the service is only reached over
	// connections.
	readsInside, writesInside *inside
	recall                    web.Recall // nil: no response cache
	signer                    *peer.Signer
}

// ErrConnect marks an error that occurred before anything was sent.
var ErrConnect = errors.New("no connection")

// New returns a client of a service.
func New(name string, u Config) (*Client, error) {
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
			return nil, fmt.Errorf("%w: %w", ErrConnect, err)
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
			MaxConns: MaxConns, MaxIdleConnDuration: keepIdle, ReadBufferSize: readBufferSize,
		}
	}
	c := &Client{Name: name, Inside: u.Dial != nil, reads: pool(), writes: pool(), signer: u.Signer}
	if u.Handler != nil {
		c.readsInside, c.writesInside, c.recall = newInside(u.Handler), newInside(u.Handler), u.Recall
	}
	return c, nil
}

// Short reports whether an operation is a short one of a service in this process.
func (c *Client) Short(o api.Operation) bool {
	return c.Inside && !o.Public() && !o.Streamed && !o.Cost.Expensive()
}

// Call performs an operation: a short one of a service in this process from the
// response cache or by a direct call of its handler, any other over a connection.
func (c *Client) Call(ctx context.Context, o api.Operation, by identity.Principal, req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) error {
	switch {
	case c.readsInside == nil || !c.Short(o) || req.Header.IsHead() || req.IsBodyStream():
		return c.Do(req, resp, deadline)
	case req.Header.IsGet():
		resp.Reset() // like any other call
		if c.recall != nil && c.recall(ctx, o.ID, by, req, resp) {
			return nil
		}
		return c.readsInside.do(req, resp, deadline)
	}
	return c.writesInside.do(req, resp, deadline)
}

// errNotBelieved is the error if a service does not accept the gateway's signature,
// because the secrets or the clocks differ. It must not look like a 401 of the client,
// which would be signed out.
var errNotBelieved = (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
	Message: "A part of the service cannot be reached at present. Nothing was changed; please try again."}).
	Because(errors.New("the service refuses the credential of this gateway: ECF_PEER_SECRET must be the same, and clocks agree"))

// Do sends a signed request over a connection.
func (c *Client) Do(req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) error {
	c.signer.Sign(req)
	err := c.send(req, resp, deadline)
	if err == nil && resp.StatusCode() == fasthttp.StatusUnauthorized && len(resp.Header.Peek(peer.Refused)) > 0 {
		err = errNotBelieved
	}
	return err
}

// send sends a request. Only GET and HEAD requests are retried.
func (c *Client) send(req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) error {
	via, attempts := c.writes, 1
	if req.Header.IsGet() || req.Header.IsHead() {
		via, attempts = c.reads, 2
	}
	if req.IsBodyStream() {
		attempts = 1 // the part of the stream that was read cannot be read again
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

// Ready checks whether the service is ready.
func (c *Client) Ready(ctx context.Context) error {
	deadline := time.Now().Add(connectTimeout)
	if sooner, ok := ctx.Deadline(); ok && sooner.Before(deadline) {
		deadline = sooner
	}
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI("/health/ready")
	req.Header.SetHost(c.Name)
	if err := c.send(req, resp, deadline); err != nil {
		return err
	}
	if status := resp.StatusCode(); status != fasthttp.StatusOK {
		return fmt.Errorf("%s is not ready: status %d", c.Name, status)
	}
	return nil
}

// Close closes the idle connections, and waits for calls in this process.
func (c *Client) Close() error {
	c.reads.CloseIdleConnections()
	c.writes.CloseIdleConnections()
	if c.readsInside == nil {
		return nil
	}
	return errors.Join(c.readsInside.close(closeTimeout), c.writesInside.close(closeTimeout))
}
