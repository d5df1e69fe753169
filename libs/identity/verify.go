package identity

import (
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash/maphash"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/lru"
)

const (
	// maxTokenBytes bounds a token before it is parsed. Ours are under 1 kB.
	maxTokenBytes = 16 << 10
	// maxHeaderBytes bounds a token's first segment. Ours are about 130 bytes.
	maxHeaderBytes = 1 << 10
)

// VerifierOptions are the options of a Verifier. Issuer and Keys are required.
type VerifierOptions struct {
	// Issuer is the only accepted iss.
	Issuer string
	// Keys are the issuer's keys.
	Keys KeySource
	// CacheSize is the number of verified tokens that are cached. Default: 10,000, about 5 MB.
	CacheSize int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Verifier verifies access tokens (RFC 9068) as RFC 8725 recommends. It is safe for concurrent
// use.
type Verifier struct {
	o      VerifierOptions
	parser *jwt.Parser
	cache  *lru.Cache[[sha256.Size]byte, verified]
	keys   RecentKeys // nil if Keys has no cache
	recent recentTokens

	hits, headers, signatures atomic.Uint64
}

// verified is a valid token with the key that verified it.
type verified struct {
	principal Principal
	from      time.Time // the token is valid from then on, until principal.Expires
	kid       string
	key       crypto.PublicKey
}

// validAt reports whether the token is valid at now. A clock that was set back makes one
// that is cached invalid too.
func (v *verified) validAt(now time.Time) bool {
	return now.Before(v.principal.Expires) && !now.Before(v.from)
}

// NewVerifier returns a Verifier.
func NewVerifier(o VerifierOptions) *Verifier {
	if o.CacheSize <= 0 {
		o.CacheSize = 10_000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	keys, _ := o.Keys.(RecentKeys)
	return &Verifier{
		o: o, keys: keys,
		// The claims are checked by AccessClaims.fault, which is stricter than
		// the library's optional checks.
		parser: jwt.NewParser(jwt.WithValidMethods([]string{AlgEdDSA, AlgES256}),
			jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation()),
		cache:  lru.New[[sha256.Size]byte, verified](o.CacheSize),
		recent: recentTokens{seed: maphash.MakeSeed()},
	}
}

// Work counts the operations of a Verifier.
type Work struct {
	CacheHits  uint64 // tokens recognized by their hash
	Headers    uint64 // token headers decoded
	Signatures uint64 // signatures checked
}

// Work returns the current counts, for metrics and for tests of the cost of hostile tokens.
func (v *Verifier) Work() Work {
	return Work{CacheHits: v.hits.Load(), Headers: v.headers.Load(), Signatures: v.signatures.Load()}
}

// Verify returns the caller named by an access token. An invalid token is UNAUTHENTICATED; keys
// that cannot be fetched are UNAVAILABLE, because the token may be valid and the caller must
// not be told to log in again.
//
// Whether the session of the token is still valid is checked by Sessions.
func (v *Verifier) Verify(ctx context.Context, token string) (Principal, error) {
	if token == "" || len(token) > maxTokenBytes {
		return Principal{}, invalid("length")
	}
	if p, ok := v.Recall(token, v.o.Now()); ok {
		return p, nil
	}
	sum := sumOf(token)
	if seen, ok := v.cache.Get(sum); ok {
		if v.stillGood(ctx, seen) {
			v.hits.Add(1)
			v.remember(token, seen)
			return seen.principal, nil
		}
		v.cache.Remove(sum)
	}
	token = strings.Clone(token) // the library may retain parts of it
	kid, alg, reason := v.header(token)
	if reason != "" {
		return Principal{}, invalid(reason)
	}
	key, err := v.o.Keys.Key(ctx, kid)
	if errors.Is(err, ErrUnknownKey) {
		return Principal{}, invalid("key is unknown")
	}
	if err != nil {
		return Principal{}, apperr.New(apperr.Unavailable, "The access token cannot be checked right now.").Because(err)
	}
	if algorithmOf(key) != alg {
		return Principal{}, invalid("algorithm is not the key's")
	}
	var claims AccessClaims
	v.signatures.Add(1)
	if _, err := v.parser.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return key, nil }); err != nil {
		// The library's error may quote the token; it is not passed on.
		return Principal{}, invalid("signature or claims")
	}
	if reason := claims.fault(v.o.Issuer, v.o.Now()); reason != "" {
		return Principal{}, invalid(reason)
	}
	p := claims.principal()
	v.cache.Put(sum, verified{principal: p, from: claims.validFrom(), kid: kid, key: key})
	return p, nil
}

// sumOf returns the hash by which a token is cached, without copying its bytes, which are most
// of a kilobyte.
func sumOf(token string) [sha256.Size]byte {
	return sha256.Sum256(unsafe.Slice(unsafe.StringData(token), len(token))) //nolint:gosec // it is only read
}

// stillGood checks what can change after a token was verified: the time, and whether its key is
// still published.
func (v *Verifier) stillGood(ctx context.Context, seen verified) bool {
	if !seen.validAt(v.o.Now()) {
		return false
	}
	key, err := v.o.Keys.Key(ctx, seen.kid)
	return err == nil && sameKey(key, seen.key)
}

func sameKey(a, b crypto.PublicKey) bool {
	k, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && k.Equal(b)
}

// header parses the first segment of a token. Only the three members of our own tokens are
// allowed, so a token cannot specify where to find its key (jku, x5u, jwk) or how to interpret
// it (crit, b64, zip).
func (v *Verifier) header(token string) (kid, alg, reason string) {
	end := strings.IndexByte(token, '.')
	if end < 1 || end > maxHeaderBytes || strings.Count(token, ".") != 2 {
		return "", "", "not three segments"
	}
	v.headers.Add(1)
	text, err := base64.RawURLEncoding.Strict().DecodeString(token[:end])
	if err != nil {
		return "", "", "header is not base64url"
	}
	var members map[string]string
	if err := json.Unmarshal(text, &members); err != nil {
		return "", "", "header is not an object of texts"
	}
	kid, alg = members["kid"], members["alg"]
	switch {
	case len(members) != 3 || kid == "":
		return "", "", "header has other members than alg, typ and kid"
	case members["typ"] != TypeAccess:
		return "", "", "type is another"
	case alg != AlgEdDSA && alg != AlgES256:
		return "", "", "algorithm is not allowed"
	}
	return kid, alg, ""
}

// invalid returns the error for an invalid token. The reason is only logged: a forger learns
// nothing from the response, and the owner of an expired token is told to refresh it.
func invalid(reason string) error {
	message := "The access token is not valid. Log in to get a new one."
	if reason == faultExpired {
		message = "The access token has expired. Refresh it and try again."
	}
	return apperr.New(apperr.Unauthenticated, "%s", message).Because(errors.New("access token: " + reason))
}
