package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
)

// ServeGrace is how long requests, and WorkGrace how long tasks of a queue, may take to finish after a shutdown was
// requested. The grace period of a deployment must be longer.
const (
	ServeGrace = 20 * time.Second
	WorkGrace  = 25 * time.Second
)

// Listen is where a process listens.
type Listen struct {
	// Addr is the address of the service.
	Addr string
	// DebugAddr is the address of metrics, profiles and health, separate from the API; empty: none.
	DebugAddr string
	// RequestTimeout is the time limit of requests whose operation has none; 0: the default of each service.
	RequestTimeout time.Duration
}

const (
	addrName      = "ECF_ADDR"
	debugAddrName = "ECF_DEBUG_ADDR"
)

// Describe implements settings.Config.
func (l *Listen) Describe(s *settings.Set) {
	DescribeAddr(s, &l.Addr)
	describeDebugAddr(s, &l.DebugAddr)
	s.Duration(&l.RequestTimeout, "ECF_REQUEST_TIMEOUT", "0s", "timeout of requests whose operation has no timeout of its own, twice as long in the services, so that the gateway responds first; 0s: 4.5 s, and 10 s in the services", 0)
}

// DescribeAddr describes the address that a server listens at, also to commands
// that only name it.
func DescribeAddr(s *settings.Set, field *string) {
	s.Text(field, addrName, "127.0.0.1:8080", "address to listen on", settings.CheckAddress)
}

func describeDebugAddr(s *settings.Set, field *string) {
	s.Text(field, debugAddrName, "", "address for metrics, profiles and health, not for clients; off when empty", settings.CheckAddress)
}

// Process is the state that the services of one process share.
type Process struct {
	Env
	// Health is the health of the process: its debug port, the command
	// healthcheck and the health routes of its services agree on it.
	Health *web.Health
	// Work schedules the expensive work of this process, for all of its services.
	Work *fairshare.Scheduler

	name    string
	listen  Listen
	group   *Group
	started atomic.Bool
	status  atomic.Pointer[http.Handler]
	pulse   *pulse
	closers []func() error
}

// RequestTimeout returns the time limit of requests whose operation has none; 0: the default of the service.
func (p *Process) RequestTimeout() time.Duration { return p.listen.RequestTimeout }

// ServiceTimeout is RequestTimeout for a service behind the gateway: the gateway is to
// answer first.
func (p *Process) ServiceTimeout() time.Duration { return 2 * p.listen.RequestTimeout }

// Service is a service that is ready to be run in a process.
type Service struct {
	Name string
	// App serves requests; nil: the service only has tasks.
	App *fiber.App
	// Recall, if set, serves cached responses of App.
	Recall web.Recall
	// Wrap, if set, wraps the listener that App is served on.
	Wrap func(net.Listener) net.Listener
	// Tasks run concurrently with App until the process ends.
	Tasks []Task
	// Status is a page for people on the debug port; it may be nil.
	Status http.Handler
	// Serving, if set, is called once with the address that App is served at.
	Serving func(address string)
}

// Task is work in the background. It must return when its context ends.
type Task struct {
	Name string
	Run  func(ctx context.Context) error
}

// errStarting is the state of a process until its service is served.
var errStarting = errors.New("the service has not started yet")

// Serve runs a process until ctx ends: the debug port at once, and the service as soon as open has opened its
// dependencies and built it. Until then the process is live and not ready. Functions registered with OnClose run at
// the end.
func Serve(ctx context.Context, env Env, name string, listen Listen, open func(ctx context.Context, p *Process) (Service, error)) (err error) {
	if env.Now == nil {
		env.Now = time.Now
	}
	p := &Process{Env: env, Work: web.NewWork(), name: name, listen: listen, group: NewGroup(ctx), pulse: &pulse{now: env.Now}}
	p.Health = web.NewHealth(env.Now, web.Check{Name: "start", Probe: func(context.Context) error {
		if !p.started.Load() {
			return errStarting
		}
		return nil
	}})
	stopped := p.tellStop(ctx)
	defer func() {
		err = errors.Join(err, p.close())
		stopped()
	}()
	p.serveDebug()
	p.group.Go("", func(ctx context.Context) error { // the program names itself
		s, err := open(ctx, p)
		if err != nil {
			return err
		}
		return p.serve(ctx, s)
	})
	return p.group.Wait()
}

// tellStop logs that the process was told to stop, when ctx ends, and, when the function it
// returns is called, that it has: in between it finishes what it has begun, and holds its
// data directory. A process that ends by itself has an error to log.
func (p *Process) tellStop(ctx context.Context) (stopped func()) {
	told := make(chan time.Time, 1)
	forget := context.AfterFunc(ctx, func() {
		p.Logger.InfoContext(context.WithoutCancel(ctx), "stopping")
		told <- p.Now()
	})
	return func() {
		if !forget() {
			p.Logger.InfoContext(context.WithoutCancel(ctx), "stopped", "seconds", p.Now().Sub(<-told).Seconds())
		}
	}
}

// OnClose registers a function to call when everything in the process has ended, in reverse order.
func (p *Process) OnClose(do func() error) { p.closers = append(p.closers, do) }

func (p *Process) close() error {
	var errs []error
	for _, do := range slices.Backward(p.closers) {
		errs = append(errs, do())
	}
	return errors.Join(errs...)
}

// Inside returns the process for a service that only other services of the same process call: it has its own health.
func (p *Process) Inside(health *web.Health) *Process {
	return &Process{Env: p.Env, Health: health, Work: p.Work, name: p.name, group: p.group, pulse: p.pulse}
}

// Go runs a service on its own listener, in addition to the one that Serve runs.
func (p *Process) Go(s Service, ln net.Listener) {
	p.runTasks(s)
	p.group.Go(s.Name, func(ctx context.Context) error {
		return serveApp(ctx, s.App, patient(ctx, ln, p.Logger, p.Now), ServeGrace)
	})
}

func (p *Process) runTasks(s Service) {
	for _, t := range s.Tasks {
		p.group.Go(t.Name, t.Run)
	}
}

func (p *Process) serve(ctx context.Context, s Service) error {
	if s.Status != nil {
		p.status.Store(&s.Status)
	}
	if s.App == nil {
		p.Logger.InfoContext(ctx, "working", "version", p.Version)
		p.started.Store(true)
		p.runTasks(s)
		<-ctx.Done()
		p.Health.Drain()
		return ctx.Err()
	}
	ln, err := listenAs(ctx, addrName, p.listen.Addr)
	if err != nil {
		return err
	}
	address := ln.Addr().String()
	p.Logger.InfoContext(ctx, "serving", "address", address, "version", p.Version)
	ln = patient(ctx, ln, p.Logger, p.Now)
	if s.Wrap != nil {
		ln = s.Wrap(ln)
	}
	p.runTasks(s)
	p.started.Store(true)
	if s.Serving != nil {
		s.Serving(address)
	}
	return serveApp(ctx, s.App, ln, ServeGrace, p.Health.Drain)
}

// serveDebug serves the debug port, where one is configured.
func (p *Process) serveDebug() {
	if p.listen.DebugAddr == "" {
		return
	}
	p.group.Go("debug", func(ctx context.Context) error {
		ln, err := listenAs(ctx, debugAddrName, p.listen.DebugAddr)
		if err != nil {
			return err
		}
		return ServeDebug(ctx, ln, Debug{Metrics: p.Metrics, Status: http.HandlerFunc(p.statusPage), Ready: p.Health.Ready, Live: p.pulse.check})
	})
}

func (p *Process) statusPage(w http.ResponseWriter, r *http.Request) {
	if page := p.status.Load(); page != nil {
		(*page).ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}

// How often Await retries: immediately at first, and only every few seconds in a long outage.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Await calls open until it succeeds, ctx ends, or open fails with a permanent
// error, as reported by permanent. It logs the wait as an
// outage: services and their dependencies may start in any order.
func Await[T any](ctx context.Context, log *slog.Logger, what string, open func(context.Context) (T, error), permanent func(error) bool) (T, error) {
	outage := telemetry.NewOutage(log, nil, "opening the "+what)
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		opened, err := open(ctx)
		switch {
		case err == nil:
			outage.End(ctx)
			return opened, nil
		case ctx.Err() != nil:
			return opened, fmt.Errorf("wait for the %s: %w", what, ctx.Err())
		case permanent(err):
			return opened, fmt.Errorf("open the %s: %w", what, err)
		}
		outage.Report(ctx, err)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return opened, fmt.Errorf("wait for the %s: %w", what, ctx.Err())
		case <-timer.C:
		}
	}
}
