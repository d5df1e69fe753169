package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/sync/errgroup"
)

// ListenOn opens a TCP listener. The port 0 selects a free one.
func ListenOn(ctx context.Context, addr string) (net.Listener, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	return ln, nil
}

// listenAs is ListenOn for the address of a setting, which an error names.
func listenAs(ctx context.Context, setting, addr string) (net.Listener, error) {
	ln, err := ListenOn(ctx, addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("%s is %s, where another program listens already: stop that one, or choose another address: %w", setting, addr, err)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%s is %s, which is no address of this machine: name one, or only the port for all of them, such as :8080: %w", setting, addr, err)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s is %s, a port that this user may not listen on: choose one above 1023, or grant CAP_NET_BIND_SERVICE: %w", setting, addr, err)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return ln, nil
}

// drainNotice is how long a service continues to accept requests during shutdown after reporting that it is not
// ready, so that load balancers can react.
const drainNotice = time.Second

// serveApp serves an application until ctx ends. Then it calls drain (for Health.Drain), continues for a moment if
// drain is set, refuses new connections, and waits for the running requests; all within grace. Requests still running
// then are cut off, which is an error. The listener is closed when serveApp returns.
func serveApp(ctx context.Context, app *fiber.App, ln net.Listener, grace time.Duration, drain ...func()) error {
	served := make(chan error, 1)
	held := listenHandled(ln, app.Server())
	go func() { served <- app.Listener(held) }()
	select {
	case err := <-served:
		_ = ln.Close()
		return wrap("serve", err)
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if len(drain) > 0 {
		for _, d := range drain {
			d()
		}
		pause := time.NewTimer(min(drainNotice, grace/4))
		defer pause.Stop()
		select {
		case <-pause.C:
		case err := <-served:
			_ = ln.Close()
			return wrap("serve", err)
		}
	}
	held.end(min(startNotice, grace/4))
	err := app.ShutdownWithContext(last)
	// If ctx ended at once, the application has not got the listener yet.
	_ = ln.Close()
	if err == nil {
		select {
		case err = <-served:
		case <-last.Done():
			err = last.Err()
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("shut down: requests were still running when the time to finish them was over")
	}
	return wrap("shut down", err)
}

func wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Group runs the parts of a program together: if one fails, or ends before
// the program does, the context of all of them is cancelled.
type Group struct {
	ctx  context.Context
	stop context.CancelFunc
	g    *errgroup.Group
}

// NewGroup returns a group whose context is derived from ctx.
func NewGroup(ctx context.Context) *Group {
	ctx, stop := context.WithCancel(ctx)
	g, ctx := errgroup.WithContext(ctx)
	return &Group{ctx: ctx, stop: stop, g: g}
}

// Go starts a part. It must return when its context ends; returning the context's error then is not a failure. A
// panic of a part becomes its error. Errors begin with the name of the part, if it has one.
func (g *Group) Go(name string, part func(ctx context.Context) error) {
	g.g.Go(func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = named(name, fmt.Errorf("panic: %v", v))
			}
		}()
		err = part(g.ctx)
		if err == nil || g.ctx.Err() != nil && errors.Is(err, context.Canceled) {
			g.stop()
			return nil
		}
		return named(name, err)
	})
}

func named(part string, err error) error {
	if part == "" {
		return err
	}
	return fmt.Errorf("%s: %w", part, err)
}

// Wait waits for all parts and returns the first failure.
func (g *Group) Wait() error {
	defer g.stop()
	return g.g.Wait()
}
