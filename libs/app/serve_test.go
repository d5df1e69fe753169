package app_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// served is a running server.
type served struct {
	t     *testing.T
	addr  string
	stop  context.CancelFunc
	ended chan error
	// inside reports that the handler of /slow runs; free lets it go on.
	inside, free chan struct{}
	health       *web.Health
	client       *tls.Config // nil without TLS
}

func serve(t *testing.T, grace time.Duration) *served {
	t.Helper()
	ln, err := app.ListenOn(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, ln, grace)
}

func serveTLS(t *testing.T, grace time.Duration) *served {
	t.Helper()
	authority := testkit.NewAuthority(t)
	_, cert, key, _ := authority.Write(t.TempDir())
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := app.ListenOn(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := serveOn(t, tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}), grace)
	s.client = &tls.Config{RootCAs: authority.Roots(), MinVersion: tls.VersionTLS13}
	return s
}

func serveOn(t *testing.T, ln net.Listener, grace time.Duration) *served {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &served{t: t, addr: ln.Addr().String(), stop: stop, ended: make(chan error, 1), inside: make(chan struct{}), free: make(chan struct{}), health: web.NewHealth(nil)}
	a := web.New(web.Options{Logger: slog.New(slog.DiscardHandler)})
	s.health.Register(a, "")
	a.Get("/slow", func(c *fiber.Ctx) error {
		s.inside <- struct{}{}
		<-s.free
		return web.OK(c, "whole")
	})
	a.Post("/echo", func(c *fiber.Ctx) error { return web.OK(c, string(c.Body())) })
	go func() { s.ended <- app.ServeApp(ctx, a, ln, grace, s.health.Drain) }()
	t.Cleanup(stop)
	return s
}

func (s *served) connect() net.Conn {
	s.t.Helper()
	dial := new(net.Dialer).DialContext
	if s.client != nil {
		dial = (&tls.Dialer{Config: s.client}).DialContext
	}
	conn, err := dial(s.t.Context(), "tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func get(conn net.Conn, path string) (int, string, error) {
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
		return 0, "", err
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func (s *served) wait(most time.Duration) error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(most):
		s.t.Fatal("the server does not end")
		return nil
	}
}

// TestServeFinishesWhatItHasBegun: a request that runs when the signal comes is
// answered whole; before connections are refused the service says that it is
// not ready.
func TestServeFinishesWhatItHasBegun(t *testing.T) {
	t.Parallel()
	s := serve(t, 20*time.Second)
	answer := make(chan string, 1)
	slow := s.connect()
	go func() {
		_, body, err := get(slow, "/slow")
		answer <- fmt.Sprint(body, err)
	}()
	<-s.inside
	idle := s.connect()
	s.connect() // and says nothing
	if status, _, err := get(idle, "/health/ready"); status != 200 {
		t.Fatalf("ready: %d %v", status, err)
	}
	s.stop()
	for {
		status, _, err := get(idle, "/health/ready")
		if err != nil {
			t.Fatalf("the connection ends before the service said that it is not ready: %v", err)
		}
		if status == 503 {
			break
		}
	}
	testkit.Eventually(t, 20*time.Second, func() error { // past the notice
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.addr)
		if err != nil {
			return nil //nolint:nilerr // it is refused, as it is to be
		}
		_ = conn.Close()
		return errors.New("new connections are still taken")
	})
	select {
	case err := <-s.ended:
		t.Fatalf("the server ends with a request running: %v", err)
	default:
	}
	close(s.free)
	if got := <-answer; !strings.Contains(got, `"whole"`) {
		t.Errorf("the running request got %q", got)
	}
	// Neither an idle connection nor a silent one holds the server up.
	if err := s.wait(10 * time.Second); err != nil {
		t.Error(err)
	}
}

// TestPartialHeadersDoNotDelayTheShutdown verifies that a client which sends the rest of a header soon after the
// signal gets its response, and that one which never does delays the shutdown by seconds and causes no error, on the
// first request of a connection as on a later one, with TLS as without.
func TestPartialHeadersDoNotDelayTheShutdown(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*testing.T, time.Duration) *served{"plain": serve, "TLS": serveTLS} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, 8*time.Second)
			s.connect() // and sends nothing
			never, later, soon, long := s.connect(), s.connect(), s.connect(), s.connect()
			half := strings.Repeat("x", 16<<10) // more than is read in advance
			if status, _, err := get(later, "/health/ready"); status != http.StatusOK {
				t.Fatalf("ready: %d %v", status, err)
			}
			for conn, text := range map[net.Conn]string{
				never: "GET /health/live HTTP/1.1\r\nX-Slow: ",
				later: "GET /health/live HTTP/1.1\r\nX-Slow: ",
				soon:  "GET /health/live HTTP/1.1\r\nHost",
				long:  fmt.Sprintf("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", 2*len(half), half),
			} {
				if _, err := io.WriteString(conn, text); err != nil {
					t.Fatal(err)
				}
			}
			probe := s.connect()
			if status, _, err := get(probe, "/health/ready"); status != http.StatusOK {
				t.Fatalf("ready: %d %v", status, err)
			}
			s.stop()
			testkit.Eventually(t, 20*time.Second, func() error {
				if status, _, err := get(probe, "/health/ready"); err == nil && status != http.StatusServiceUnavailable {
					return fmt.Errorf("ready after the signal: %d", status)
				}
				return nil
			})
			if _, err := io.WriteString(soon, ": x\r\n\r\n"); err != nil {
				t.Error(err)
			}
			if res, err := http.ReadResponse(bufio.NewReader(soon), nil); err != nil {
				t.Errorf("the rest of the header was sent: %v", err)
			} else {
				_ = res.Body.Close()
			}
			for _, conn := range []net.Conn{never, later} { // given up
				if _, err := io.Copy(io.Discard, conn); err != nil {
					t.Error(err)
				}
			}
			if _, err := io.WriteString(long, half); err != nil {
				t.Error(err)
			}
			res, err := http.ReadResponse(bufio.NewReader(long), nil)
			if err != nil {
				t.Fatalf("the rest of the body was sent: %v", err)
			}
			defer func() { _ = res.Body.Close() }()
			if text, err := io.ReadAll(res.Body); !strings.Contains(string(text), half+half) {
				t.Errorf("the response to the body in two parts is %.200s (%v)", text, err)
			}
			if err := s.wait(15 * time.Second); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestServeIsBounded(t *testing.T) {
	t.Parallel()
	s := serve(t, 200*time.Millisecond)
	slow := s.connect()
	go func() { _, _, _ = get(slow, "/slow") }()
	<-s.inside
	s.stop()
	err := s.wait(5 * time.Second)
	if err == nil || !strings.Contains(err.Error(), "still running") {
		t.Errorf("err = %v", err)
	}
	close(s.free)
}

func TestServeWithAnEndedContext(t *testing.T) {
	t.Parallel()
	ln, err := app.ListenOn(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := app.ServeApp(ctx, web.New(web.Options{Logger: slog.New(slog.DiscardHandler)}), ln, 5*time.Second); err != nil {
		t.Error(err)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is left open: %v", err)
	}
}

func TestServeInMemory(t *testing.T) {
	t.Parallel()
	ln := fasthttputil.NewInmemoryListener()
	ctx, stop := context.WithCancel(t.Context())
	a := web.New(web.Options{Logger: slog.New(slog.DiscardHandler)})
	a.Get("/", func(c *fiber.Ctx) error { return web.OK(c, 1) })
	ended := make(chan error, 1)
	go func() { ended <- app.ServeApp(ctx, a, ln, 5*time.Second) }()
	conn, err := ln.Dial()
	if err != nil {
		t.Fatal(err)
	}
	if status, _, err := get(conn, "/"); status != 200 {
		t.Errorf("%d %v", status, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestServeReportsABrokenListener(t *testing.T) {
	t.Parallel()
	err := app.ServeApp(t.Context(), web.New(web.Options{Logger: slog.New(slog.DiscardHandler)}), brokenListener{}, time.Second)
	if err == nil || !strings.Contains(err.Error(), "poisoned") {
		t.Errorf("err = %v", err)
	}
}

type brokenListener struct{}

func (brokenListener) Accept() (net.Conn, error) { return nil, errors.New("poisoned") }
func (brokenListener) Close() error              { return nil }
func (brokenListener) Addr() net.Addr            { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func TestListen(t *testing.T) {
	t.Parallel()
	ln, err := app.ListenOn(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	if _, err := app.ListenOn(t.Context(), ln.Addr().String()); err == nil || !strings.Contains(err.Error(), ln.Addr().String()) {
		t.Errorf("err = %v", err)
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	poison := errors.New("poison")
	waits := func(ctx context.Context) error { <-ctx.Done(); return fmt.Errorf("wait: %w", ctx.Err()) }
	for name, c := range map[string]struct {
		part func(context.Context) error
		want string
	}{
		"failure": {func(context.Context) error { return poison }, "part: poison"},
		"panic":   {func(context.Context) error { panic("poison") }, "part: panic: poison"},
		"end":     {func(context.Context) error { return nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := app.NewGroup(t.Context())
			var ended atomic.Int32
			for range 3 {
				g.Go("other", func(ctx context.Context) error { defer ended.Add(1); return waits(ctx) })
			}
			g.Go("part", c.part)
			err := g.Wait()
			if fmt.Sprint(err) != c.want && (err != nil || c.want != "") {
				t.Errorf("err = %v, want %q", err, c.want)
			}
			if ended.Load() != 3 {
				t.Errorf("%d parts have ended", ended.Load())
			}
		})
	}
	ctx, stop := context.WithCancel(t.Context())
	g := app.NewGroup(ctx)
	g.Go("other", waits)
	stop()
	if err := g.Wait(); err != nil {
		t.Errorf("the end of the program is a failure: %v", err)
	}
}
