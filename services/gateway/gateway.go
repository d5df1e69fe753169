// Package gateway is the way in: the only service that clients reach. It knows
// which service answers which route, checks tokens and sessions, applies the
// rate limits, passes requests on, and serves the documentation.
package gateway

import (
	"context"
	"errors"
	"log/slog"
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
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/session"
)

// Deps is what the gateway is made of.
type Deps struct {
	// The services behind it.
	Auth, Records, Review, Calculation Upstream
	// Tokens verifies access tokens; the services verify them again.
	Tokens web.TokenVerifier
	// Sessions reports whether a token's session still lives.
	Sessions identity.Sessions
	// Limits is the shared count of the rate limits.
	Limits ratelimit.Log
	// LimitTimeout is how long to wait for Limits before going on without.
	// Default: 500 ms.
	LimitTimeout time.Duration
	// SignInLimit is the budget of a client address for login and refresh
	// together, and as much again for the setup of accounts; WriteLimit is that
	// of a user's writes.
	SignInLimit, WriteLimit ratelimit.Rule
	// Audit takes what was refused and what services say they have changed; nil:
	// nobody does.
	Audit audit.Recorder
	// TrustedProxies may say who the client is in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// TrustedCallers are the clients whose traces are continued.
	TrustedCallers []netip.Prefix
	// Origins are those whose pages may call the API; none by default.
	Origins []string
	// Issuer is the address that clients reach the product at. The served OpenAPI
	// document names it; empty: the document names no host.
	Issuer string
	// Version names the build for those who read the page about it; may be empty.
	Version string
	// Document is the description of the API. Default: the one that is built in.
	Document *spec.Document
	// Timeout is how long a request may take, whatever hangs behind the gateway.
	// Default: 4.5 s, so that every client is answered within five.
	Timeout time.Duration
	// Health, if set, is the health of the process.
	Health *web.Health
	Logger *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time

	// Work schedules the expensive work of the process, of which the compression of its
	// answers is a part where the services behind the gateway run in it too. Default: the
	// gateway's own.
	Work *fairshare.Scheduler

	// long, in tests, has no request take a shortcut.
	long bool
	// tracers, in tests, record spans. Default: those of the process.
	tracers trace.TracerProvider
	// packings, in tests, schedules the compression of answers.
	packings *fairshare.Scheduler
	// hold, in tests, stands for the time that an answer waits.
	hold hold
	// turns, in tests, schedules short requests.
	turns *turns
	// intakes, in tests, take on writes.
	intakes map[api.Service]*intake
	// unsent, in tests, counts the answers that clients have not taken.
	unsent *unsent
}

const defaultTimeout = 4500 * time.Millisecond

// Gateway is the gateway's HTTP application.
type Gateway struct {
	App *fiber.App
	// Health is to be drained before the application is shut down. It shows the
	// states of the services behind the gateway.
	Health *web.Health

	clients map[api.Service]*client
	trusted []netip.Prefix
	open    *atomic.Int64 // connections
	aside   *aside
	now     func() time.Time
}

// Close lets go of the connections to the services, after the application has
// been shut down, and waits until what services of the same process still do for requests
// that were given up has ended.
func (g *Gateway) Close() error {
	var errs []error
	for _, c := range g.clients {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

type gateway struct {
	Deps
	clients map[api.Service]*client
	// byAddress are the limits of operations that need no token, counted per
	// address of the client; they hold without Redis too.
	byAddress map[api.Limit]*ratelimit.Limiter
	writes    *ratelimit.Limiter
	budgets   budgets
	bodies    *fairshare.Budget
	streams   *fairshare.Budget // of bodies that are passed on as they come
	strangers *fairshare.Budget // of bodies of who is not signed in
	reads     map[api.Service]*fairshare.Scheduler
	refusals  audit.Refusals
	holdback  *holdback
	early     *early
	shortcut  *shortcut
	tracer    trace.Tracer
	open      *atomic.Int64 // connections
}

// New makes the gateway.
func New(d Deps) (*Gateway, error) {
	if d.Tokens == nil || d.Sessions == nil || d.Limits == nil {
		return nil, errors.New("gateway: tokens, sessions and limits are required")
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
	if d.packings == nil {
		d.packings = newPackings()
	}
	if d.Work == nil {
		d.Work = web.NewWork()
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
	g := &gateway{
		Deps: d, clients: map[api.Service]*client{}, bodies: fairshare.NewBudget(bodiesTotal, bodiesShare), streams: fairshare.NewBudget(streamsTotal, streamsShare),
		strangers: fairshare.NewBudget(strangersTotal, strangersShare), reads: newReads(),
		tracer: otel.Tracer(scope), open: new(atomic.Int64), holdback: newHoldback(d.hold),
		writes: ratelimit.New(ratelimit.Options{Name: "write", Rule: d.WriteLimit, Shared: d.Limits,
			Timeout: d.LimitTimeout, Now: d.Now, Logger: d.Logger}),
		byAddress: map[api.Limit]*ratelimit.Limiter{},
	}
	for class, name := range map[api.Limit]string{api.SignIn: "auth", api.Setup: "setup"} {
		g.byAddress[class] = ratelimit.New(ratelimit.Options{Name: name, Rule: d.SignInLimit, Shared: d.Limits,
			Strict: true, Timeout: d.LimitTimeout, Now: d.Now, Logger: d.Logger})
	}
	var checks []web.Check
	durations := newUpstreamMetrics()
	upstreams := map[api.Service]Upstream{api.Auth: d.Auth, api.Records: d.Records, api.Review: d.Review, api.Calculation: d.Calculation}
	for _, service := range api.Backends() {
		c, err := newClient(string(service), upstreams[service])
		if err != nil {
			return nil, err
		}
		c.answered = durations.of(c.name)
		c.recall = g.seen(c.recall)
		g.clients[service] = c
		checks = append(checks, web.Check{Name: c.name, Probe: c.ready})
	}
	if d.Document == nil {
		document, err := spec.Load()
		if err != nil {
			return nil, err
		}
		g.Document = &document
	}
	docs, err := newDocs(*g.Document, d.Issuer)
	if err != nil {
		return nil, err
	}
	health := d.Health
	if health == nil {
		health = web.NewHealth(d.Now)
	}
	// The gateway can answer whatever one service does: their states are shown,
	// and one that is down must not make every gateway unready.
	health.Watch(checks...)

	matcher, err := api.NewMatcher(web.BasePath, operations())
	if err != nil {
		return nil, err
	}
	tokens := identity.ActiveTokens{Tokens: d.Tokens, Sessions: d.Sessions}
	g.early = &early{g: g, matcher: matcher, recall: identity.RecallOf(d.Tokens), refusals: map[string]*web.Refusal{}}
	g.shortcut = &shortcut{g: g, matcher: matcher, tokens: tokens, recall: tokens.Recall(), reads: map[string]*plainRead{}}
	options := web.Options{Service: "gateway", Logger: d.Logger, Now: d.Now, Edge: true, Joined: g.joined, Timeout: d.Timeout, StreamBodies: true,
		Early: g.early.take, Shortcut: g.shortcut.take}
	if d.tracers != nil {
		g.tracer, options.Tracer = d.tracers.Tracer(scope), d.tracers.Tracer(scope)
	}
	if d.long {
		options.Shortcut = nil
	}
	app := web.New(options)
	app.Use(g.tellLimits, g.noteRefusals)
	if err := g.useBrowser(app); err != nil {
		return nil, err
	}
	health.Register(app, "")
	routes, err := g.routes(health, docs)
	if err != nil {
		return nil, err
	}
	if err := web.Register(app, web.BasePath, tokens, operations(), routes, g.limitWrites); err != nil {
		return nil, err
	}
	g.keepToTLS(app.Server())
	session.Rewrite(app.Server())
	g.holdback.install(app.Server(), d.Now)
	g.endUnlessFew(app.Server())
	g.refuseExpected(app.Server())
	tellTrusted(d.Logger, d.TrustedProxies)
	return &Gateway{App: app, Health: health, clients: g.clients, trusted: d.TrustedProxies, open: g.open, aside: g.holdback.aside, now: d.Now}, nil
}

// seen notes that an organization has work in the process when an answer of it is recalled, as
// the service would have: others' expensive work makes room for it.
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

// joined reports whether the trace of a request's caller is continued.
func (g *gateway) joined(c *fiber.Ctx) bool {
	if len(g.TrustedCallers) == 0 {
		return false
	}
	from := web.ClientIP(c.Context(), g.TrustedProxies)
	return slices.ContainsFunc(g.TrustedCallers, func(p netip.Prefix) bool { return p.Contains(from) })
}

func notFound() error { return apperr.New(apperr.NotFound, "There is no such route.") }

// trusts reports whether an address is that of a proxy that says who its clients are.
func (g *gateway) trusts(remote netip.Addr) bool {
	return slices.ContainsFunc(g.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(remote.Unmap()) })
}

// schemeOf returns the scheme the client used, as far as it can be known.
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
