// Package gateway is the only service that clients reach. It maps routes to services,
// verifies tokens and sessions, applies rate limits, forwards requests, and serves the
// documentation.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/connections"
	"github.com/eventcarbon/ecf/services/gateway/session"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

// Deps are the dependencies and options of the gateway.
type Deps struct {
	// The services behind the gateway.
	Auth, Records, Review, Calculation upstream.Config
	// Tokens verifies access tokens. The services verify them again.
	Tokens web.TokenVerifier
	// Sessions reports whether the session of a token is still valid.
	Sessions identity.Sessions
	// Limits is the shared store of the rate limits.
	Limits ratelimit.Log
	// LimitTimeout is how long to wait for Limits before a request is handled without
	// it. Default: 500 ms.
	LimitTimeout time.Duration
	// SignInLimit limits login and refresh together, per client address, and the setup
	// of accounts with a separate budget of the same size. WriteLimit limits the writes
	// of a user.
	SignInLimit, WriteLimit ratelimit.Rule
	// StoredLimit limits the bytes that the writes of an organization store; the zero
	// value: no limit.
	StoredLimit ratelimit.Rule
	// Audit records rejected requests and the changes that services report. If nil,
	// nothing is recorded.
	Audit audit.Recorder
	// TrustedProxies may name the client in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// TrustedCallers are the clients whose traces are continued.
	TrustedCallers []netip.Prefix
	// Origins are the origins whose pages may call the API; none by default.
	Origins []string
	// Issuer is the public URL of the product, used in the served OpenAPI document. If
	// empty, the document names no host.
	Issuer string
	// Version is the version of the build, shown on the page about it; may be empty.
	Version string
	// Document is the description of the API. Default: the built-in one.
	Document *spec.Document
	// Timeout bounds a request, whatever the services do. Default: 4.5 s, so that every
	// client is answered within five.
	Timeout time.Duration
	// Health, if set, is the health of the process.
	Health *web.Health
	Logger *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time

	// Work schedules the expensive work of the process. If the services are part of the
	// process, it includes the compression of the responses. Default: a scheduler of
	// the gateway.
	Work *fairshare.Scheduler

	// long, in tests, disables the fast path.
	long bool
	// tracers, in tests, records spans. Default: those of the process.
	tracers trace.TracerProvider
	// packings, in tests, schedules the compression of responses.
	packings *fairshare.Scheduler
	// hold, in tests, replaces the delay of a response.
	hold hold
	// turns, in tests, schedules short requests.
	turns *turns
	// intakes, in tests, admit writes.
	intakes map[api.Service]*intake
	// unsent, in tests, counts the bytes of unsent responses.
	unsent *unsent
}

const defaultTimeout = 4500 * time.Millisecond

// Gateway is the HTTP application of the gateway.
type Gateway struct {
	App *fiber.App
	// Health includes the states of the services behind the gateway. It is to be
	// drained before the application is shut down.
	Health *web.Health

	clients map[api.Service]*backend
	trusted []netip.Prefix
	open    *atomic.Int64 // number of open connections
	paused  *connections.Paused
	limit   connections.Limits
	tight   func() bool
	now     func() time.Time
}

// Close closes the connections to the services, after the application has been shut
// down, and waits until services in the same process have finished the requests that
// were abandoned.
func (g *Gateway) Close() error {
	var errs []error
	for _, c := range g.clients {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// backend is a service behind the gateway.
type backend struct {
	*upstream.Client
	answered answers
}

// Listener wraps ln: it limits the connections of clients.
func (g *Gateway) Listener(ln net.Listener) net.Listener {
	return connections.Limit(ln, connections.Options{Limits: g.limit, Trusted: g.trusted, Open: g.open, Paused: g.paused, Batch: g.tight, Now: g.now})
}

// endUnlessFew makes the server close connections after their response while more than
// limit.Kept are open.
func (g *gateway) endUnlessFew(server *fasthttp.Server) {
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		next(rc)
		if g.open.Load() > g.limit.Kept {
			rc.SetConnectionClose()
		}
	}
}

type gateway struct {
	Deps
	clients map[api.Service]*backend
	// byAddress are the limits of operations that need no token, counted per client
	// address. They work without Redis too.
	byAddress map[api.Limit]*ratelimit.Limiter
	writes    *ratelimit.Limiter
	budgets   budgets
	bodies    *fairshare.Budget
	streams   *fairshare.Budget // of streamed request bodies
	strangers *fairshare.Budget // of request bodies of unauthenticated clients
	reads     map[api.Service]*fairshare.Scheduler
	refusals  audit.Refusals
	unwritten *telemetry.Outage // of entries about refusals
	holdback  *holdback
	early     *early
	fastPath  *fastPath
	tracer    trace.Tracer
	stored    *ratelimit.Volume
	open      *atomic.Int64 // number of open connections
	all       []*intake     // those of intakes; each request looks at them
	limit     connections.Limits
}

// withDefaults returns the dependencies with their defaults.
func (d Deps) withDefaults() (Deps, error) {
	if d.Tokens == nil || d.Sessions == nil || d.Limits == nil {
		return d, errors.New("gateway: tokens, sessions and limits are required")
	}
	if d.Document == nil {
		document, err := spec.Load()
		if err != nil {
			return d, err
		}
		d.Document = &document
	}
	if d.Now == nil {
		d.Now = time.Now
	}
	if d.Logger == nil {
		d.Logger = slog.Default()
	}
	if d.Timeout <= 0 {
		d.Timeout = defaultTimeout
	}
	if d.Health == nil {
		d.Health = web.NewHealth(d.Now)
	}
	if d.Work == nil {
		d.Work = web.NewWork()
	}
	if d.packings == nil {
		d.packings = newPackings()
	}
	if d.turns == nil {
		d.turns = newTurns(processors(), nil)
	}
	if d.intakes == nil {
		d.intakes = newIntakes(d.Now, d.Logger)
	}
	if d.unsent == nil {
		d.unsent = newUnsent(unsentTotal, unsentShare)
	}
	return d, nil
}

// New returns a new gateway.
func New(d Deps) (*Gateway, error) {
	d, err := d.withDefaults()
	if err != nil {
		return nil, err
	}
	files := connections.OpenFiles()
	g := &gateway{
		Deps: d, limit: connections.LimitsFor(files), clients: map[api.Service]*backend{},
		bodies: fairshare.NewBudget(bodiesTotal, bodiesShare), streams: fairshare.NewBudget(streamsTotal, streamsShare),
		strangers: fairshare.NewBudget(strangersTotal, strangersShare), reads: newReads(),
		tracer: otel.Tracer(scope), open: new(atomic.Int64), holdback: newHoldback(d.hold),
		writes: ratelimit.New(ratelimit.Options{Name: "write", Rule: d.WriteLimit, Shared: d.Limits,
			Timeout: d.LimitTimeout, Now: d.Now, Logger: d.Logger}),
		stored:    newStoredLimit(d),
		byAddress: map[api.Limit]*ratelimit.Limiter{}, all: slices.Collect(maps.Values(d.intakes)),
		unwritten: telemetry.NewOutage(d.Logger, d.Now, "writing refusals to the audit log"),
	}
	for class, name := range map[api.Limit]string{api.SignIn: "auth", api.Setup: "setup"} {
		g.byAddress[class] = ratelimit.New(ratelimit.Options{Name: name, Rule: d.SignInLimit, Shared: d.Limits,
			Strict: true, Timeout: d.LimitTimeout, Now: d.Now, Logger: d.Logger})
	}
	if err := g.connect(); err != nil {
		return nil, err
	}
	app, err := g.newApp()
	if err != nil {
		return nil, err
	}
	tellTrusted(d.Logger, d.TrustedProxies)
	g.limit.Log(d.Logger, files)
	return &Gateway{App: app, Health: d.Health, clients: g.clients, trusted: d.TrustedProxies, open: g.open, limit: g.limit, paused: g.holdback.paused, tight: g.tight, now: d.Now}, nil
}

// connect makes the clients of the services.
func (g *gateway) connect() error {
	durations := newUpstreamMetrics()
	upstreams := map[api.Service]upstream.Config{api.Auth: g.Auth, api.Records: g.Records, api.Review: g.Review, api.Calculation: g.Calculation}
	for _, service := range api.Backends() {
		at := upstreams[service]
		at.Recall = g.seen(at.Recall)
		c, err := upstream.New(string(service), at)
		if err != nil {
			return err
		}
		g.clients[service] = &backend{Client: c, answered: durations.of(c.Name)}
		// The states of the services are shown only: a service that is down must not make
		// every gateway unready.
		g.Health.Watch(web.Check{Name: c.Name, Probe: c.Ready})
	}
	return nil
}

// newApp returns the application: its middleware, its routes, and what surrounds each
// request.
func (g *gateway) newApp() (*fiber.App, error) {
	docs, err := newDocs(*g.Document, g.Issuer)
	if err != nil {
		return nil, err
	}
	matcher, err := api.NewMatcher(web.BasePath, operations())
	if err != nil {
		return nil, err
	}
	tokens := identity.ActiveTokens{Tokens: g.Tokens, Sessions: g.Sessions}
	g.early = &early{g: g, matcher: matcher, recall: identity.RecallOf(g.Tokens), refusals: map[string]*web.Refusal{}}
	g.fastPath = &fastPath{g: g, matcher: matcher, tokens: tokens, recall: tokens.Recall(), reads: map[string]*plainRead{}}
	options := web.Options{Service: "gateway", Logger: g.Logger, Now: g.Now, Edge: true, Joined: g.joined, Timeout: g.Timeout, StreamBodies: true,
		Early: g.early.take, FastPath: g.fastPath.take}
	if g.tracers != nil {
		g.tracer, options.Tracer = g.tracers.Tracer(scope), g.tracers.Tracer(scope)
	}
	if g.long {
		options.FastPath = nil
	}
	app := web.New(options)
	app.Use(g.tellLimits, g.noteRefusals, docs.missing)
	if err := g.useBrowser(app); err != nil {
		return nil, err
	}
	g.Health.Register(app, "")
	routes, err := g.routes(docs)
	if err != nil {
		return nil, err
	}
	if err := web.Register(app, web.BasePath, tokens, operations(), routes, g.limitWrites); err != nil {
		return nil, err
	}
	g.keepToTLS(app.Server())
	session.Rewrite(app.Server())
	g.holdback.install(app.Server(), g.Now)
	g.endUnlessFew(app.Server())
	g.refuseExpected(app.Server())
	return app, nil
}

// seen marks the organization as active when a cached response is sent, as the service
// would have, so that the expensive work of others makes room for it.
func (g *gateway) seen(recall web.Recall) web.Recall {
	if recall == nil {
		return nil
	}
	return func(ctx context.Context, operation string, p identity.Principal, req *fasthttp.Request, resp *fasthttp.Response) bool {
		ok := recall(ctx, operation, p, req, resp)
		if ok {
			g.Work.Seen(p.Org)
		}
		return ok
	}
}

// joined reports whether the trace of the caller of a request is continued.
func (g *gateway) joined(c *fiber.Ctx) bool {
	if len(g.TrustedCallers) == 0 {
		return false
	}
	from := web.ClientIP(c.Context(), g.TrustedProxies)
	return slices.ContainsFunc(g.TrustedCallers, func(p netip.Prefix) bool { return p.Contains(from) })
}

func notFound() error { return apperr.New(apperr.NotFound, "There is no such route.") }

// trusts reports whether an address belongs to a trusted proxy.
func (g *gateway) trusts(remote netip.Addr) bool {
	return slices.ContainsFunc(g.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(remote.Unmap()) })
}

// schemeOf returns the scheme used by the client, as far as it is known.
func (g *gateway) schemeOf(rc *fasthttp.RequestCtx) string {
	if rc.IsTLS() {
		return "https"
	}
	if len(g.TrustedProxies) == 0 {
		return "http"
	}
	if remote, _ := netip.AddrFromSlice(rc.RemoteIP()); g.trusts(remote) && strings.EqualFold(string(rc.Request.Header.Peek(fiber.HeaderXForwardedProto)), "https") {
		return "https"
	}
	return "http"
}
