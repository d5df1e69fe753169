// Package web is the HTTP edge that every service shares: one fiber
// application with one order of middleware, one envelope for answers, one
// table from error code to status, one way to authenticate a route.
//
// A service declares a table of routes and hands it to Register; its handlers
// decode, make one call and answer with OK, Created or an error. Nothing of a
// *fiber.Ctx may be kept or passed on after the handler has returned, except
// strings: they are copies (fiber's Immutable is on).
package web

import (
	"log/slog"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/ids"
)

// BasePath is where the version of the interface begins.
const BasePath = "/api/v2"

// Options says how New builds an application. The zero value works.
type Options struct {
	// Service is the name that log lines and instruments carry.
	Service string
	// Logger receives one line per request. Default: slog.Default().
	Logger *slog.Logger
	// BodyLimit is the largest request body in bytes; a Route may have its own.
	// Default: 1 MiB.
	BodyLimit int
	// Timeout is the deadline of a request, set on UserContext; a Route may
	// have its own. Default: 10 s.
	Timeout time.Duration
	// ReadTimeout bounds the reading of one whole request, body included, so
	// that a slow body is cut off. Default: 30 s.
	ReadTimeout time.Duration
	// WriteTimeout bounds the writing of one answer. Default: 60 s.
	WriteTimeout time.Duration
	// IdleTimeout is how long a kept connection may wait for its next request.
	// A service behind the gateway must wait longer than the gateway keeps its
	// connections, or a write meets a closing connection. Default: 120 s.
	IdleTimeout time.Duration
	// NewID makes request ids. Default: ids.NewRequest.
	NewID func() string
	// Now is the clock for durations in logs and metrics. Default: time.Now.
	Now func() time.Time
	// Edge marks the outermost service: the caller's traceparent is not
	// trusted there, so a new trace begins that links to the caller's.
	Edge bool
	// Joined, if set, reports whether the caller's trace is continued at the edge
	// all the same. Such a caller gets the trace's id in the header Traceresponse.
	Joined func(c *fiber.Ctx) bool
	// StreamBodies has requests handled when their header is in. Handlers read
	// the body themselves, within a limit of their own: BodyLimit and the limits
	// of operations do not hold.
	StreamBodies bool
	// Spool, if set, takes the bodies of streamed operations as they come. Where
	// StreamBodies is not set, a body is read when its caller may make the request,
	// within its limit and the bytes that the service holds at a time.
	Spool *Spool
	// Work, if set, schedules the expensive operations: those of all services of a
	// process together. Default: a Scheduler of the service's own.
	Work *fairshare.Scheduler
	// Early, if set, is asked before anything is made for a request. It returns the refusal
	// that answers it, or what to call when the request has ended; both may be nil.
	Early func(*fasthttp.RequestCtx) (end func(), refused *Refusal)
	// Shortcut, if set, is asked before any middleware for each GET that is no part of a trace of
	// its caller. It answers the request with 200 or 304, or reports that it has not; then the
	// application does.
	Shortcut func(*Shortcut) (answered bool)
	// Tracer and Meter default to the global providers' of OpenTelemetry.
	Tracer trace.Tracer
	Meter  metric.Meter
}

const scope = "github.com/eventcarbon/ecf/libs/web"

// readBufferSize bounds the request line and all header fields together. Access
// tokens are about a kilobyte; fasthttp's default of 4 KiB is too near to that.
const readBufferSize = 16 << 10

// writeBufferSize lets most answers, a page of a list among them, be written at once:
// by fasthttp's default of 4 KiB a larger one is written in two pieces, each of which
// wakes who reads it.
const writeBufferSize = 16 << 10

func (o *Options) setDefaults() {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.BodyLimit <= 0 {
		o.BodyLimit = 1 << 20
	}
	setDuration(&o.Timeout, 10*time.Second)
	setDuration(&o.ReadTimeout, 30*time.Second)
	setDuration(&o.WriteTimeout, 60*time.Second)
	setDuration(&o.IdleTimeout, 120*time.Second)
	if o.NewID == nil {
		o.NewID = ids.NewRequest
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Tracer == nil {
		o.Tracer = otel.Tracer(scope)
	}
	if o.Meter == nil {
		o.Meter = otel.Meter(scope)
	}
}

func setDuration(d *time.Duration, value time.Duration) {
	if *d <= 0 {
		*d = value
	}
}

// New makes the fiber application of a service with all middleware in place.
// Every error that leaves a handler, or that fasthttp itself finds, is answered
// in the envelope.
func New(o Options) *fiber.App {
	o.setDefaults()
	e := &edge{o: o, measures: newMeasures(o.Meter)}
	_, e.untraced = o.Tracer.(noop.Tracer)
	app := fiber.New(fiber.Config{
		AppName:               o.Service,
		DisableStartupMessage: true,
		// Without Immutable a string kept from a request turns into the next
		// request's: one tenant's id into another's.
		Immutable:       true,
		CaseSensitive:   true,
		BodyLimit:       o.BodyLimit,
		ReadBufferSize:  readBufferSize,
		WriteBufferSize: writeBufferSize,
		ReadTimeout:     o.ReadTimeout,
		WriteTimeout:    o.WriteTimeout,
		IdleTimeout:     o.IdleTimeout,
		// A body is read when the caller is known to be allowed to make the request.
		StreamRequestBody: true,
		// Buffers are not kept for connections that wait for their next request.
		ReduceMemoryUsage: o.StreamBodies,
		ErrorHandler:      e.handleError,
		// fasthttp would unpack a multipart body before any handler asks for it.
		DisablePreParseMultipartForm: true,
		// With the check on and no proxy named, fiber believes no X-Forwarded
		// field of anybody. ClientIP is how the client's address is found.
		EnableTrustedProxyCheck: true,
	})
	// fiber answers a method it does not know in plain text, before any
	// middleware. Such a request is sent through as TRACE, which no route has,
	// so that it is answered as any other wrong method.
	next := app.Server().Handler
	app.Server().Handler = func(rc *fasthttp.RequestCtx) {
		if m := rc.Method(); !knownMethod(utils.UnsafeString(m)) {
			rc.SetUserValue(keyOriginalMethod, string(m))
			rc.Request.Header.SetMethod(fiber.MethodTrace)
		}
		e.begin(rc, next)
		if !o.StreamBodies {
			drain(rc)
		} else if unread(&rc.Request) {
			// What was not read would be taken for the next request.
			rc.SetConnectionClose()
		}
	}
	bodies := newIntake(o.Spool, o.BodyLimit)
	app.Use(func(c *fiber.Ctx) error {
		if !o.StreamBodies {
			c.Locals(keyIntake, bodies)
		}
		if o.Work != nil {
			c.Locals(keyWork, o.Work)
		}
		return c.Next()
	})
	app.Use(e.requestID, e.newTracing(), e.deadline, e.accessLog, e.securityHeaders, e.recoverPanic, oneLength, etag)
	return app
}

func knownMethod(m string) bool {
	return slices.Contains(fiber.DefaultMethods, m)
}

// edge holds what the middleware of one application shares.
type edge struct {
	o        Options
	measures *measures
	untraced bool // no span is recorded
}

// deadlineOf returns when a request that came at began, by Options.Now, has to have ended, by the
// clock of the system.
func (e *edge) deadlineOf(began time.Time) time.Time {
	if began == began.Round(0) { // without a monotonic reading it is not of the system's clock
		began = time.Now()
	}
	return began.Add(e.o.Timeout)
}

// deadline returns the request a time to end by: fiber's own UserContext has
// none, and it is not cancelled when the client leaves. It is cancelled when
// the handler has returned, so a body that is streamed afterwards must not
// depend on it.
func (e *edge) deadline(c *fiber.Ctx) error {
	until := knownOf(c).until
	if until.IsZero() {
		until = time.Now().Add(e.o.Timeout)
	}
	ctx := withDeadline(c.UserContext(), until)
	defer ctx.end()
	c.SetUserContext(ctx)
	return c.Next()
}
