package auth

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/infra/cache"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/infra/mutual"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/mongostore"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// Keys is the settings of the signing keys.
type Keys struct {
	Folder keys.Folder
	// Algorithm is that of keys made from now on: EdDSA or ES256.
	Algorithm string
	// TokenLife is how long an access token lives, and so how long a key that
	// has signed one is published.
	TokenLife time.Duration
}

// Describe implements settings.Config.
func (c *Keys) Describe(s *settings.Set) {
	c.Folder.Describe(s)
	s.Text(&c.Algorithm, "ECF_SIGNING_ALGORITHM", "EdDSA", "algorithm of new signing keys: EdDSA or ES256", settings.OneOf("EdDSA", "ES256"))
	describeAccessTokenTTL(s, &c.TokenLife)
}

func describeAccessTokenTTL(s *settings.Set, field *time.Duration) {
	s.Duration(field, "ECF_ACCESS_TOKEN_TTL", "60m", "lifetime of an access token", time.Second)
}

// Open opens the signing keys, and makes the first one where there is none.
func (c Keys) Open(now func() time.Time) (*keyring.Keyring, error) {
	ring, err := keyring.Open(keyring.Options{Dir: c.Folder.Path, Algorithm: c.Algorithm, TokenLife: c.TokenLife, Now: now})
	return ring, c.Folder.Unusable(err)
}

// Describe implements settings.Config.
func (c *Config) Describe(s *settings.Set) {
	var issuer keys.Issuer
	issuer.Describe(s)
	describeAccessTokenTTL(s, &c.AccessTokenTTL)
	s.Duration(&c.RefreshTokenTTL, "ECF_REFRESH_TOKEN_TTL", "720h", "lifetime of a refresh token", time.Second)
	settings.DescribeSignInLimit(s, &c.signInLimit)
	s.After(func() error {
		c.Issuer = s.Value("ECF_ISSUER")
		c.AccountLimit = ratelimit.Rule{Limit: c.signInLimit.N, Window: c.signInLimit.Per}
		if c.RefreshTokenTTL < c.AccessTokenTTL {
			return errors.New("ECF_REFRESH_TOKEN_TTL must not be shorter than ECF_ACCESS_TOKEN_TTL")
		}
		return nil
	})
}

// Start makes the service for a process. Of d, what every service of the process
// shares is filled in.
func Start(p *app.Process, c Config, d Deps) (*Service, app.Service, error) {
	d.Logger, d.Health, d.Now = p.Logger, p.Health, p.Now
	d.Timeout = p.ServiceTimeout()
	service, err := New(c, d)
	if err != nil {
		return nil, app.Service{}, err
	}
	return service, app.Service{Name: "auth", App: service.App(), Tasks: []app.Task{{Name: "follow changes of accounts", Run: service.Follow}}}, nil
}

// settingsOf has the settings of the process.
type settingsOf struct {
	app.Log
	app.Listen
	MongoDB mongodb.Accounts
	Cache   cache.Config
	Keys    Keys
	Mutual  mutual.Files
	Secrets peer.Secrets
	// Unsigned determines the handling of requests without a service's signature.
	Unsigned string
	Config
}

// The values of ECF_PEER_UNSIGNED.
const (
	refuseUnsigned = "refuse"
	acceptUnsigned = "accept"
)

// Describe implements settings.Config.
func (c *settingsOf) Describe(s *settings.Set) {
	c.Listen.Describe(s)
	s.Default("ECF_ADDR", "127.0.0.1:8081")
	c.MongoDB.Describe(s)
	s.After(func() error {
		if c.MongoDB.URI == "" {
			return errors.New("ECF_MONGODB_AUTH_URI or ECF_MONGODB_URI is required: MongoDB of the accounts, which all replicas share")
		}
		return nil
	})
	c.Cache.Optional = true
	c.Cache.Describe(s)
	c.Keys.Describe(s)
	c.Mutual.Describe(s)
	c.Secrets.Describe(s)
	s.Text(&c.Unsigned, "ECF_PEER_UNSIGNED", refuseUnsigned, "requests without a credential if ECF_PEER_SECRET is set: refuse, or accept during an upgrade from a release that does not sign requests", settings.OneOf(refuseUnsigned, acceptUnsigned))
	s.After(func() error {
		if c.Unsigned == acceptUnsigned && len(c.Secrets) == 0 {
			return errors.New("ECF_PEER_UNSIGNED is accept, which needs ECF_PEER_SECRET")
		}
		return nil
	})
	c.Config.Describe(s)
	c.Log.Describe(s)
}

// Program is the service as a process of its own.
func Program() app.Program {
	return app.Program{Name: "auth", Commands: []app.Command{app.NewCommand("", "manages accounts and sessions, and signs tokens", run)}}
}

func run(ctx context.Context, env app.Env, c *settingsOf) error {
	return app.Serve(ctx, env, "auth", c.Listen, func(ctx context.Context, p *app.Process) (s app.Service, err error) {
		var d Deps
		if d.Keys, err = c.Keys.Open(p.Now); err != nil {
			return s, err
		}
		if c.Cache.URL != "" {
			if d.Cache, err = cache.Open(p, c.Cache.URL); err != nil {
				return s, err
			}
			d.Copy = sessions.NewCopy(d.Cache)
		}
		db, err := mongodb.Open(ctx, p, "ecf-auth", c.MongoDB.URI, c.MongoDB.Database())
		if err != nil {
			return s, err
		}
		if d.Store, err = OpenStore(ctx, p.Env, db); err != nil {
			return s, err
		}
		peers, err := mutual.Open(c.Mutual, p.Logger, p.Now)
		if err != nil {
			return s, err
		}
		d.Callers = c.callers(ctx, p, peers)
		_, s, err = Start(p, c.Config, d)
		s.Wrap = peers.Listener
		return s, err
	})
}

// callers decides how the process authenticates other services.
func (c *settingsOf) callers(ctx context.Context, p *app.Process, peers *mutual.Peers) *peer.Verifier {
	switch {
	case peers != nil:
		return nil // a caller that gets through has shown a certificate
	case len(c.Secrets) == 0:
		peer.Warn(ctx, p.Logger)
	case c.Unsigned == acceptUnsigned:
		p.Logger.WarnContext(ctx, "ECF_PEER_UNSIGNED is accept: whoever reaches this service is believed, as by the release before; set it to refuse when every service has ECF_PEER_SECRET")
	}
	return peer.NewVerifier(c.Secrets, c.Unsigned == acceptUnsigned, p.Now)
}

// OpenStore opens the accounts on MongoDB, and waits for it.
func OpenStore(ctx context.Context, env app.Env, db *mongo.Database) (account.Store, error) {
	return mongodb.Await(ctx, env, "accounts database", func(ctx context.Context) (account.Store, error) {
		store := mongostore.New(db)
		slow, err := store.Serve(ctx)
		mongodb.WarnSlow(ctx, env, slow)
		return store, err
	})
}
