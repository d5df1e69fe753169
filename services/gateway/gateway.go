// Package gateway is the way in: the only service that clients reach. It knows
// which service answers which route, checks tokens and sessions, applies the
// rate limits, passes requests on, and serves the documentation.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
)

// Deps is what the gateway is made of.
type Deps struct {
	// The services behind it.
	Auth, Records, Review, Calculation Upstream
	// Tokens verifies access tokens; the services verify them again.
	Tokens web.TokenVerifier
	// Sessions tells whether a token's session still lives.
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
	// Timeout is how long a request may take, whatever hangs behind the gateway.
	// Default: 4.5 s, so that every client is answered within five.
	Timeout time.Duration
	Logger  *slog.Logger
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

const defaultTimeout = 4500 * time.Millisecond

// Gateway is the gateway's HTTP application.
type Gateway struct {
	App *fiber.App
	// Health is to be drained before the application is shut down. It is ready
	// when every service behind the gateway is.
	Health *web.Health

	clients map[target]*client
}

// Close lets go of the connections to the services, after the application has
// been shut down.
func (g *Gateway) Close() {
	for _, c := range g.clients {
		c.close()
	}
}

type gateway struct {
	Deps
	router  router
	clients map[target]*client
	// byAddress are the limits of routes that need no token, counted per address
	// of the client; they hold without Redis too.
	byAddress map[limitClass]*ratelimit.Limiter
	writes    *ratelimit.Limiter
	budgets   budgets
	refusals  refusals
	tracer    trace.Tracer
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
	router, err := newRouter()
	if err != nil {
		return nil, err
	}
	g := &gateway{
		Deps: d, router: router, clients: map[target]*client{},
		tracer: otel.Tracer("github.com/eventcarbon/ecf/services/gateway"),
		writes: ratelimit.New(ratelimit.Options{Name: "write", Rule: d.WriteLimit, Shared: d.Limits,
			Timeout: d.LimitTimeout, Now: d.Now, Logger: d.Logger}),
		byAddress: map[limitClass]*ratelimit.Limiter{},
	}
	for class, name := range map[limitClass]string{signIn: "auth", setup: "setup"} {
		g.byAddress[class] = ratelimit.New(ratelimit.Options{Name: name, Rule: d.SignInLimit, Shared: d.Limits,
			Strict: true, Timeout: d.LimitTimeout, Now: d.Now, Logger: d.Logger})
	}
	var checks []web.Check
	for _, u := range []struct {
		target target
		at     Upstream
	}{{auth, d.Auth}, {records, d.Records}, {review, d.Review}, {calculation, d.Calculation}} {
		c, err := newClient(u.target.String(), u.at)
		if err != nil {
			return nil, err
		}
		g.clients[u.target] = c
		checks = append(checks, web.Check{Name: c.name, Probe: c.ready})
	}
	docs, err := newDocs()
	if err != nil {
		return nil, err
	}
	health := web.NewHealth(d.Now, checks...)

	app := web.New(web.Options{Service: "gateway", Logger: d.Logger, Now: d.Now, Edge: true, Timeout: d.Timeout})
	app.Use(g.unrouted)
	health.Register(app, "")
	health.Register(app, web.BasePath)
	routes, err := g.webRoutes(docs)
	if err != nil {
		return nil, err
	}
	for _, r := range g.router.routes {
		if r.root {
			app.Get(r.path, g.proxy(r, ""))
		}
	}
	if err := web.Register(app, web.BasePath, admitting{d.Tokens, d.Sessions}, permitted(), routes, g.limitWrites); err != nil {
		return nil, err
	}
	return &Gateway{App: app, Health: health, clients: g.clients}, nil
}

// webRoutes turns the table into what the web package serves.
func (g *gateway) webRoutes(d *docs) ([]web.Route, error) {
	own := map[string]fiber.Handler{"/docs": d.page, "/docs/{asset}": d.asset, "/auth/setup": d.setupPage, "/openapi.json": d.openapi}
	var list []web.Route
	for _, r := range g.router.routes {
		if r.root || strings.HasPrefix(r.path, "/health") {
			continue // served apart
		}
		w := web.Route{
			Operation: r.operation, Timeout: r.timeout, BodyLimit: r.bodyLimit,
			Resolve: func(c *fiber.Ctx) error { return g.resolve(c, r) },
		}
		if w.Handler = g.proxy(r, web.BasePath); r.to == self {
			if w.Handler = own[r.path]; w.Handler == nil {
				return nil, fmt.Errorf("gateway: nobody answers %s", r.path)
			}
		}
		list = append(list, w)
	}
	return list, nil
}

// resolve runs when a route was found and its caller is known: it applies the
// limit of a public route, and makes sure that the path, read strictly, is of
// this route.
func (g *gateway) resolve(c *fiber.Ctx, r route) error {
	if err := g.limitAddress(c, r.limit); err != nil {
		return err
	}
	path, ok := pathOf(c, web.BasePath)
	if !ok || !slices.ContainsFunc(g.router.find(path, false), func(f route) bool { return f.path == r.path && f.method == r.method }) {
		return fiber.ErrNotFound // unrouted finds out more
	}
	return nil
}

// unrouted gives requests that no route takes their final answer: what fiber
// says about a path does not know of reserved words.
func (g *gateway) unrouted(c *fiber.Ctx) error {
	err := c.Next()
	var fe *fiber.Error
	missing := errors.As(err, &fe) && (fe.Code == http.StatusNotFound || fe.Code == http.StatusMethodNotAllowed)
	refused := apperr.CodeOf(err) == apperr.Unauthenticated
	if !missing && !refused {
		return err
	}
	root := false
	path, ok := pathOf(c, web.BasePath)
	if !ok {
		path, ok = pathOf(c, "")
		root = true
	}
	var routes []route
	if ok {
		routes = g.router.find(path, root)
	}
	public := len(routes) > 0 && !slices.ContainsFunc(routes, func(r route) bool { return !r.public })
	switch {
	case refused && (!public || slices.Contains(methods(routes), c.Method())):
		return err
	case len(routes) > 0 && !slices.Contains(methods(routes), c.Method()):
		e := apperr.New(apperr.MethodNotAllowed, "This path does not take that method.")
		e.Allow = methods(routes)
		return e
	}
	return notFound()
}

func notFound() error { return apperr.New(apperr.NotFound, "There is no such route.") }

// schemeOf gives how the client reached us, as far as it can be known.
func (g *gateway) schemeOf(c *fiber.Ctx) string {
	if c.Context().IsTLS() {
		return "https"
	}
	remote, _ := netip.AddrFromSlice(c.Context().RemoteIP())
	trusted := slices.ContainsFunc(g.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(remote.Unmap()) })
	if trusted && strings.EqualFold(c.Get(fiber.HeaderXForwardedProto), "https") {
		return "https"
	}
	return "http"
}

// admitting verifies a token and that its session still lives.
type admitting struct {
	tokens   web.TokenVerifier
	sessions identity.Sessions
}

func (a admitting) Verify(ctx context.Context, token string) (identity.Principal, error) {
	p, err := a.tokens.Verify(ctx, token)
	if err != nil {
		return identity.Principal{}, err
	}
	return p, identity.Admit(ctx, a.sessions, p)
}
