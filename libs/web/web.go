// Package web contains what the HTTP servers of all services share: a fiber application
// with a fixed order of middleware, the response envelope, the table from error codes
// to statuses, and the authentication of routes.
//
// A service defines a table of routes and passes it to Register; its handlers decode,
// make one call and answer with OK, Created or an error. Nothing of a *fiber.Ctx may be
// kept or passed on after the handler has returned, except strings: they are copies
// (fiber's Immutable is on).
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

// BasePath is the path prefix of this version of the API.
const BasePath = "/api/v2"

// Options are the options of New. The zero value works.
type Options struct {
	// Service is the name used in log lines and instruments.
	Service string
	// Logger receives one line per request. Default: slog.Default().
	Logger *slog.Logger
	// BodyLimit is the maximum size of a request body in bytes; a Route may define
	// another. Default: 1 MiB.
	BodyLimit int
	// Timeout is the deadline of a request, set on UserContext; a Route may define
	// another. Default: 10 s.
	Timeout time.Duration
	// ReadTimeout bounds reading a whole request with its body, so that a slow body is
	// cut off. Default: 30 s.
	ReadTimeout time.Duration
	// WriteTimeout bounds writing a response. Default: 60 s.
	WriteTimeout time.Duration
	// IdleTimeout is how long a keep-alive connection may be idle. A service behind the
	// gateway must wait longer than the gateway keeps its connections, or a write may
	// be sent on a connection that is being closed. Default: 120 s.
	IdleTimeout time.Duration
	// NewID generates request ids. Default: ids.NewRequest.
	NewID func() string
	// Now is the clock for durations in logs and metrics. Default: time.Now.
	Now func() time.Time
	// Edge marks the outermost service: it does not trust the caller's traceparent, but
	// starts a new trace that links to the caller's.
	Edge bool
	// Joined, if set, reports whether the caller's trace is continued at the edge all
	// the same. Such a caller gets the trace id in the header Traceresponse.
	Joined func(c *fiber.Ctx) bool
	// StreamBodies handles requests as soon as their header has been read. Handlers
	// read the body themselves, within their own limits: BodyLimit and those of
	// operations do not apply.
	StreamBodies bool
	// Spool, if set, stores the bodies of streamed operations. Without StreamBodies, a
	// body is read once its caller is known to be permitted, within its limit and the
	// total of the service.
	Spool *Spool
	// Work, if set, schedules the expensive operations of all services of a process
	// together. Default: a Scheduler of the service's own.
	Work *fairshare.Scheduler
	// Early, if set, is called before anything is allocated for a request. It returns
	// the rejection of the request, or a function to call when the request has ended;
	// both may be nil.
	Early func(*fasthttp.RequestCtx) (end func(), refused *Refusal)
	// FastPath, if set, is called before any middleware for each GET request that does
	// not belong to a trace of its caller. It answers the request with 200 or 304 and
	// returns true; otherwise the application handles it.
	FastPath func(*FastPath) (answered bool)
	// Tracer and Meter default to those of OpenTelemetry's global providers.
	Tracer trace.Tracer
	Meter  metric.Meter
}

const scope = "github.com/eventcarbon/ecf/libs/web"

// readBufferSize bounds the request line and all header fields together. Access tokens
// have about a kilobyte, too close to fasthttp's default of 4 KiB.
const readBufferSize = 16 << 10

// writeBufferSize lets most responses, such as a page of a list, be written at once:
// with fasthttp's default of 4 KiB a larger one takes two writes, each of which wakes
// its reader.
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

// New returns the fiber application of a service with all middleware. Every error
// returned by a handler, or found by fasthttp itself, is answered in the envelope.
func New(o Options) *fiber.App {
	o.setDefaults()
	e := &edge{o: o, measures: newMeasures(o.Meter)}
	_, e.untraced = o.Tracer.(noop.Tracer)
	app := fiber.New(fiber.Config{
		AppName:               o.Service,
		DisableStartupMessage: true,
		// Without Immutable a string kept from a request would be overwritten by the
		// next one: one tenant's id would become another's.
		Immutable:       true,
		CaseSensitive:   true,
		BodyLimit:       o.BodyLimit,
		ReadBufferSize:  readBufferSize,
		WriteBufferSize: writeBufferSize,
		ReadTimeout:     o.ReadTimeout,
		WriteTimeout:    o.WriteTimeout,
		IdleTimeout:     o.IdleTimeout,
		// A body is read once the caller is known to be permitted.
		StreamRequestBody: true,
		// Idle connections keep no buffers.
		ReduceMemoryUsage: o.StreamBodies,
		ErrorHandler:      e.handleError,
		// fasthttp would decode a multipart body before any handler asks for it.
		DisablePreParseMultipartForm: true,
		// With the check enabled and no proxies configured, fiber ignores all
		// X-Forwarded fields; ClientIP determines the address of the client.
		EnableTrustedProxyCheck: true,
	})
	// fiber answers an unknown method in plain text, before any middleware. Such a
	// request is passed on as TRACE, which no route has, so that it is answered like
	// any other wrong method.
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
			// The unread rest would be parsed as the next request.
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
	app.Use(e.requestID, e.newTracing(), e.deadline, e.accessLog, e.securityHeaders, e.recoverPanic, oneFraming, etag)
	return app
}

func knownMethod(m string) bool {
	return slices.Contains(fiber.DefaultMethods, m)
}

// edge is the state shared by the middleware of one application.
type edge struct {
	o        Options
	measures *measures
	untraced bool // spans are not recorded
}

// deadline sets the deadline of a request: fiber's own UserContext has none, and is not
// canceled when the client disconnects. The context is canceled when the handler has
// returned, so a body streamed afterwards must not depend on it.
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
