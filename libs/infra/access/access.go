// Package access opens the dependencies for authenticating callers: the published
// keys of tokens, and the state of sessions.
package access

import (
	"context"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/infra/cache"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/infra/mutual"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/web"
)

// Config is where keys are published and where the state of sessions is.
type Config struct {
	Keys   keys.Published
	Cache  cache.Config
	Mutual mutual.Files
	// Secrets authenticate the service to auth, if there are no certificates.
	Secrets peer.Secrets
}

// Describe implements settings.Config.
func (c *Config) Describe(s *settings.Set) {
	c.Keys.Describe(s)
	c.Cache.Describe(s)
	c.Mutual.Describe(s)
	c.Secrets.Describe(s)
}

// Access authenticates the callers of a process.
type Access struct {
	// ActiveTokens verifies tokens and that their sessions still admit them.
	identity.ActiveTokens
	// Cache is the client of the cache, Auth one for requests to the service auth.
	Cache redis.UniversalClient
	Auth  *http.Client
	// Audit enters actions on events into the audit log, including those of other actors than the caller; nil if auth
	// would not trust this process.
	Audit audit.Recorder
	// Peers are the other services, where they show certificates; else nil.
	Peers *mutual.Peers
	// Signer signs requests to auth, as Auth does by itself; nil with certificates, or without a secret.
	Signer *peer.Signer
}

const (
	// askTimeout bounds a request to auth.
	askTimeout = 2 * time.Second
	// keepIdle is shorter than a server keeps an idle connection.
	keepIdle = 30 * time.Second
)

// Open prepares the connections and closes them with the process. It does not connect; the process is not ready until
// it has read the published keys. service is its own name.
func Open(ctx context.Context, p *app.Process, service string, c Config) (Access, error) {
	peers, err := mutual.Open(c.Mutual, p.Logger, p.Now)
	if err != nil {
		return Access{}, err
	}
	if err := peers.Check(c.Keys.AuthURL); err != nil {
		return Access{}, err
	}
	shared, err := cache.Open(p, c.Cache.URL)
	if err != nil {
		return Access{}, err
	}
	// One client for requests to auth, so that its connections are reused.
	transport := &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: keepIdle}
	peers.Use(transport)
	p.OnClose(func() error {
		transport.CloseIdleConnections()
		return nil
	})
	var signer *peer.Signer
	if peers == nil {
		signer = peer.NewSigner(service, c.Secrets, p.Now)
	}
	ask := &http.Client{Timeout: askTimeout, Transport: signer.Transport(transport)}
	var log audit.Recorder
	if peers != nil || signer != nil {
		log = audit.NewRemote(c.Keys.AuthURL, ask)
	} else {
		peer.Warn(ctx, p.Logger)
	}
	published := identity.NewRemoteKeys(identity.RemoteKeysOptions{URL: c.Keys.AuthURL + keys.Path, Client: ask})
	p.Health.Add(web.Check{Name: "signing keys", Probe: published.Ready})
	return Access{
		ActiveTokens: identity.ActiveTokens{
			Tokens: identity.NewVerifier(identity.VerifierOptions{Issuer: c.Keys.Issuer.URL, Keys: published, Now: p.Now}),
			Sessions: sessions.NewChecker(sessions.Options{
				Copy: sessions.NewCopy(shared), Authority: sessions.NewRemote(c.Keys.AuthURL, ask), Now: p.Now,
			}),
		},
		Peers: peers, Signer: signer, Cache: shared, Auth: ask, Audit: log,
	}, nil
}
