package gateway

import (
	"context"
	"net/netip"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/infra/access"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

// LimitPrefix is the prefix of the rate limit keys in Redis.
const LimitPrefix = "ecf:limit:"

// Config are the settings of the gateway.
type Config struct {
	// SignInLimit limits sign-ins and refreshes per client address, WriteLimit the
	// writes of a user.
	SignInLimit, WriteLimit settings.RateLimit
	// StoredLimit limits what the writes of an organization store, in MiB.
	StoredLimit settings.RateLimit
	// TrustedProxies may name the client in X-Forwarded-For.
	TrustedProxies []netip.Prefix
	// TrustedCallers are the clients whose traces are continued.
	TrustedCallers []netip.Prefix
	// Origins are the origins whose pages may call the API.
	Origins []string
	// Issuer is the public URL of the product.
	Issuer keys.Issuer
}

// Describe implements settings.Config.
func (c *Config) Describe(s *settings.Set) {
	settings.DescribeSignInLimit(s, &c.SignInLimit)
	settings.Parsed(s, &c.WriteLimit, "ECF_WRITE_RATE_LIMIT", "600/1m", "rate limit of writes per user", settings.ParseRateLimit, settings.RateLimit.String)
	settings.Parsed(s, &c.StoredLimit, "ECF_STORED_RATE_LIMIT", "32768/24h", "MiB that the writes of an organization may store at once, and the time in which as many are allowed again", settings.ParseRateLimit, settings.RateLimit.String)
	settings.Parsed(s, &c.TrustedProxies, "ECF_TRUSTED_PROXIES", "", "addresses and networks of proxies whose X-Forwarded-For is trusted", parseTrusted, settings.FormatProxies)
	settings.Parsed(s, &c.TrustedCallers, "ECF_TRUSTED_CALLERS", "", "addresses and networks of clients whose traces (traceparent) are continued; none when empty: traces are linked instead", settings.ParseProxies, settings.FormatProxies)
	settings.Parsed(s, &c.Origins, "ECF_CORS_ORIGINS", "", "CORS origins that may call the API, such as https://app.example.org; none when empty", settings.ParseOrigins, settings.FormatOrigins)
	c.Issuer.Describe(s)
}

// Start creates the gateway in a process. It adds to d the settings and what all
// services of the process share.
func Start(p *app.Process, c Config, d Deps) (app.Service, error) {
	d.Logger, d.Health, d.Now, d.Timeout = p.Logger, p.Health, p.Now, p.RequestTimeout()
	d.Version, d.Work = p.Version, p.Work
	d.SignInLimit = ratelimit.Rule{Limit: c.SignInLimit.N, Window: c.SignInLimit.Per}
	d.WriteLimit = ratelimit.Rule{Limit: c.WriteLimit.N, Window: c.WriteLimit.Per}
	d.StoredLimit = ratelimit.Rule{Limit: c.StoredLimit.N << 20, Window: c.StoredLimit.Per}
	d.TrustedProxies, d.TrustedCallers, d.Origins, d.Issuer = c.TrustedProxies, c.TrustedCallers, c.Origins, c.Issuer.URL
	g, err := New(d)
	if err != nil {
		return app.Service{}, err
	}
	p.OnClose(g.Close)
	return app.Service{Name: "gateway", App: g.App, Wrap: g.Listener}, nil
}

// settingsOf are all settings of the gateway process.
type settingsOf struct {
	app.Log
	app.Listen
	Access                             access.Config
	RecordsURL, ReviewURL, Calculation string
	Config
}

// Describe implements settings.Config.
func (c *settingsOf) Describe(s *settings.Set) {
	c.Listen.Describe(s)
	c.Access.Describe(s)
	s.URL(&c.RecordsURL, "ECF_RECORDS_URL", "http://127.0.0.1:8082", "URL of the records service")
	s.URL(&c.ReviewURL, "ECF_REVIEW_URL", "http://127.0.0.1:8083", "URL of the review service")
	s.URL(&c.Calculation, "ECF_CALCULATION_URL", "http://127.0.0.1:8084", "URL of the calculation service")
	c.Config.Describe(s)
	c.Log.Describe(s)
}

// Program returns the gateway as a process of its own.
func Program() app.Program {
	return app.Program{Name: "gateway", Commands: []app.Command{app.NewCommand("", "is the only service exposed to clients", run)}}
}

func run(ctx context.Context, env app.Env, c *settingsOf) error {
	return app.Serve(ctx, env, "gateway", c.Listen, func(ctx context.Context, p *app.Process) (app.Service, error) {
		callers, err := access.Open(ctx, p, "gateway", c.Access)
		if err != nil {
			return app.Service{}, err
		}
		if len(c.TrustedProxies) == 0 {
			keys.WarnUnlessServed(ctx, p.Logger, c.Issuer.URL, c.Addr)
		}
		if err := callers.Peers.Check(c.RecordsURL, c.ReviewURL, c.Calculation); err != nil {
			return app.Service{}, err
		}
		at := func(url string) upstream.Config { return upstream.Config{URL: url, Peers: callers.Peers} }
		auth := at(c.Access.Keys.AuthURL)
		auth.Signer = callers.Signer
		return Start(p, c.Config, Deps{
			Auth: auth, Records: at(c.RecordsURL), Review: at(c.ReviewURL), Calculation: at(c.Calculation),
			Tokens: callers.Tokens, Sessions: callers.Sessions,
			Limits: ratelimit.NewRedis(callers.Cache, LimitPrefix, nil),
			Audit:  audit.NewRemote(c.Access.Keys.AuthURL, callers.Auth),
		})
	})
}
