package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/redisx"
)

// LimitPrefix is what the keys of the rate limits in Redis begin with.
const LimitPrefix = "ecf:limit:"

// serveGrace is how long requests may take to finish after the end has been
// asked for. The grace period of a deployment must be longer.
const serveGrace = 20 * time.Second

// Run runs the gateway as a process of its own until ctx ends.
func Run(ctx context.Context, env app.Env) error {
	s, err := env.Settings()
	if err != nil {
		return err
	}
	if s.RedisCacheURL == "" {
		return errors.New("ECF_REDIS_URL or ECF_REDIS_CACHE_URL is required: the gateway shares its rate limits and sessions with the other replicas")
	}
	cache, err := redisx.Open(ctx, s.RedisCacheURL)
	if err != nil {
		return err
	}
	defer func() { _ = cache.Close() }()

	// One client for the questions to auth, so that its connections are kept.
	transport := &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: keepIdle}
	defer transport.CloseIdleConnections()
	ask := &http.Client{Timeout: 2 * time.Second, Transport: transport}

	g, err := New(Deps{
		Auth: Upstream{URL: s.AuthURL}, Records: Upstream{URL: s.RecordsURL},
		Review: Upstream{URL: s.ReviewURL}, Calculation: Upstream{URL: s.CalculationURL},
		Tokens: identity.NewVerifier(identity.VerifierOptions{
			Issuer: s.Issuer,
			Keys:   identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: s.AuthURL + "/.well-known/jwks.json", Client: ask}),
		}),
		Sessions: sessions.NewChecker(sessions.Options{
			Copy: sessions.NewCopy(cache), Authority: sessions.NewRemote(s.AuthURL, ask),
		}),
		Limits:         ratelimit.NewRedis(cache, LimitPrefix, nil),
		SignInLimit:    ratelimit.Rule{Limit: s.AuthRateLimit.N, Window: s.AuthRateLimit.Per},
		WriteLimit:     ratelimit.Rule{Limit: s.WriteRateLimit.N, Window: s.WriteRateLimit.Per},
		Audit:          audit.NewRemote(s.AuthURL, ask),
		TrustedProxies: s.TrustedProxies,
		Logger:         env.Logger,
	})
	if err != nil {
		return err
	}
	defer g.Close()

	group := app.NewGroup(ctx)
	group.Go("gateway", func(ctx context.Context) error {
		ln, err := app.Listen(ctx, s.Addr)
		if err != nil {
			return err
		}
		env.Logger.InfoContext(ctx, "serving", "address", ln.Addr().String(), "version", env.Version)
		return app.Serve(ctx, g.App, Linger(ln), serveGrace, g.Health.Drain)
	})
	if s.DebugAddr != "" {
		group.Go("debug", func(ctx context.Context) error {
			ln, err := app.Listen(ctx, s.DebugAddr)
			if err != nil {
				return err
			}
			return app.ServeDebug(ctx, ln, app.Debug{Metrics: env.Metrics, Ready: g.Health.Ready})
		})
	}
	return group.Wait()
}
