// Package auth is the identity provider of the product: it authenticates users by password,
// manages sessions, signs tokens, publishes the keys to verify them, and
// manages the users of an organization.
package auth

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/keyring"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// Config is the service's own settings.
type Config struct {
	// Issuer is the iss of tokens: the address clients reach the product at,
	// without a slash at the end.
	Issuer string
	// How long an access token and a refresh token live.
	AccessTokenTTL  time.Duration
	RefreshTokenTTL time.Duration
	// AccountLimit is how many logins of one account may fail, from all addresses
	// together. Default, and least: LeastAccountLimit.
	AccountLimit ratelimit.Rule

	signInLimit settings.RateLimit
}

// Deps is what the service is made of. Store and Keys are required.
type Deps struct {
	// Timeout is how long a request may take; 0: the default of web.
	Timeout time.Duration
	Store   account.Store
	Keys    *keyring.Keyring
	// Cache counts failed sign-ins and changes of passwords for all processes; nil:
	// each process counts its own.
	Cache redis.UniversalClient
	// Copy is the copy of the sessions that gateways look at; nil: there is none,
	// and gateways ask this service each time.
	Copy *sessions.Copy
	// Hasher hashes passwords. Default: NewHasher.
	Hasher *password.Hasher
	// Callers authenticates calling services; nil: all callers are services,
	// as in one process or with mutual TLS.
	Callers *peer.Verifier
	Logger  *slog.Logger
	// Health, if set, is served at the root.
	Health *web.Health
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// The limits of password hashing. A hash takes a CPU for some 25 ms and 19 MiB: one CPU
// stays free for other work, and a request that would wait longer than the gateway's
// timeout is told to retry.
const (
	hashQueue = 96
	hashWait  = 3 * time.Second
)

// NewHasher returns a Hasher with the recommended cost and the bounds of this
// machine, and of the memory that GOMEMLIMIT grants the process.
func NewHasher() (*password.Hasher, error) {
	params := password.Recommended()
	return password.New(password.Options{
		Params: params, Slots: hashSlots(runtime.GOMAXPROCS(0), debug.SetMemoryLimit(-1), params), Queue: hashQueue, Wait: hashWait,
	})
}

// hashSlots returns how many passwords may be hashed at once. A container without a limit
// of CPU has all processors of its node, but not its memory: at most half of that is for
// hashing, because the memory of a hash is reused only after a garbage collection.
func hashSlots(processors int, memoryLimit int64, params password.Params) int {
	slots := memoryLimit / 2 / (int64(params.MemoryKiB) << 10)
	return int(max(1, min(int64(processors)-1, slots)))
}

// Service is the auth service: its HTTP application, the operations of an
// administrator (Accounts), and the truth about sessions (sessions.Authority).
type Service struct {
	*Accounts
	store    account.Store // the same as that of Accounts, with what only a service does
	config   Config
	keys     *keyring.Keyring
	verifier *identity.Verifier
	// lateVerifier accepts tokens until shortly after they have expired.
	lateVerifier *identity.Verifier
	failures     *failures
	signIns      signIns
	changes      *passwordChanges
	// strangersReports limits the reports without a token.
	strangersReports *ratelimit.Limiter
	callers          *peer.Verifier
	app              *fiber.App
}

var _ sessions.Authority = (*Service)(nil)

// New makes the service.
func New(config Config, d Deps) (*Service, error) {
	if config.Issuer == "" || config.AccessTokenTTL < time.Second || config.RefreshTokenTTL < time.Second {
		return nil, errors.New("auth: the issuer and lifetimes of a second or more are required")
	}
	if d.Keys == nil {
		return nil, errors.New("auth: signing keys are required")
	}
	accounts, err := NewAccounts(AccountsDeps{Store: d.Store, Copy: d.Copy, Hasher: d.Hasher, Logger: d.Logger, Now: d.Now})
	if err != nil {
		return nil, err
	}
	s := &Service{Accounts: accounts, store: d.Store, config: config, keys: d.Keys, callers: d.Callers}
	if s.signIns, err = observe(accounts.hasher); err != nil {
		return nil, err
	}
	s.failures = newFailures(config.AccountLimit, d.Cache, d.Now, s.now)
	s.failures.fromStore = s.ownNetwork
	s.changes = newPasswordChanges(d.Cache, d.Now, s.now, s.log)
	s.strangersReports = newReportBudget(s.now, s.log)
	s.verifier = identity.NewVerifier(identity.VerifierOptions{Issuer: config.Issuer, Keys: d.Keys, Now: s.now})
	s.lateVerifier = identity.NewVerifier(identity.VerifierOptions{
		Issuer: config.Issuer, Keys: d.Keys, CacheSize: 100, Now: func() time.Time { return s.now().Add(-reportGrace) },
	})
	s.app = web.New(web.Options{Service: "auth", Logger: s.log, Now: s.now, Timeout: d.Timeout})
	if d.Health != nil {
		d.Health.Register(s.app, "")
	}
	s.app.Use(s.admit)
	if err := s.register(s.app); err != nil {
		return nil, err
	}
	return s, nil
}

// App returns the HTTP application, to be served on the service's own port. The
// routes under /internal are for the gateway only and must not be reachable
// from outside; the gateway's table does not have them.
func (s *Service) App() *fiber.App { return s.app }

// Keys returns the keys that verify this service's tokens, for services in the
// same process.
func (s *Service) Keys() identity.KeySource { return s.keys }

// Verify implements web.TokenVerifier for this service's own routes: the token,
// and that its session still admits it, from the store itself.
func (s *Service) Verify(ctx context.Context, token string) (identity.Principal, error) {
	p, err := s.verifier.Verify(ctx, token)
	if err != nil {
		return identity.Principal{}, err
	}
	facts, err := s.read(ctx, p.Session)
	if err != nil {
		return identity.Principal{}, unavailable(err)
	}
	if !facts.State(s.now()).Admits(p) {
		return identity.Principal{}, identity.NotAdmitted()
	}
	return p, nil
}
