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
	// maxTokenBytes bounds a token before anything else is done with it. Ours
	// are under 1 kB.
	maxTokenBytes = 16 << 10
	// maxHeaderBytes bounds a token's first segment. Ours are about 130 bytes.
	maxHeaderBytes = 1 << 10
)

// VerifierOptions says whose tokens are accepted. Issuer and Keys are required.
type VerifierOptions struct {
	// Issuer is the only iss that is accepted.
	Issuer string
	// Keys are the issuer's.
	Keys KeySource
	// CacheSize is how many verified tokens are remembered. Default: 10,000,
	// about 5 MB.
	CacheSize int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Verifier verifies access tokens (RFC 9068) the way RFC 8725 asks for. It is
// safe for concurrent use.
type Verifier struct {
	o      VerifierOptions
	parser *jwt.Parser
	cache  *lru.Cache[[sha256.Size]byte, verified]
	keys   RecentKeys // nil where Keys cannot tell at once
	recent recentTokens

	hits, headers, signatures atomic.Uint64
}

// verified is a token that was found good, with the key that it was found good
// under.
type verified struct {
	principal Principal
	kid       string
	key       crypto.PublicKey
}

// NewVerifier makes a Verifier.
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

// Work counts what a Verifier has done since it was made.
type Work struct {
	CacheHits  uint64 // tokens recognized by their hash
	Headers    uint64 // token headers decoded
	Signatures uint64 // signatures checked
}

// Work returns the counts so far, for metrics and for tests of what a hostile
// token costs.
func (v *Verifier) Work() Work {
	return Work{CacheHits: v.hits.Load(), Headers: v.headers.Load(), Signatures: v.signatures.Load()}
}

// Verify returns the caller that an access token names. A token that is not
// good is UNAUTHENTICATED; keys that cannot be read are UNAVAILABLE, since the
// caller may be right and must not be told to log in again.
//
// Whether the token's session still lives is a question of its own: Sessions.
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
	token = strings.Clone(token) // what the library keeps of it is not ours to say
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
	if AlgorithmOf(key) != alg {
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
	v.cache.Put(sum, verified{principal: p, kid: kid, key: key})
	return p, nil
}

// sumOf returns the hash that a token is remembered by. The bytes of a token, most of a
// kilobyte, are not copied for each request.
func sumOf(token string) [sha256.Size]byte {
	return sha256.Sum256(unsafe.Slice(unsafe.StringData(token), len(token))) //nolint:gosec // it is only read
}

// stillGood looks at what can change after a token was verified: the time, and
// whether its key is still published.
func (v *Verifier) stillGood(ctx context.Context, seen verified) bool {
	if !v.o.Now().Before(seen.principal.Expires) {
		return false
	}
	key, err := v.o.Keys.Key(ctx, seen.kid)
	return err == nil && sameKey(key, seen.key)
}

func sameKey(a, b crypto.PublicKey) bool {
	k, ok := a.(interface{ Equal(crypto.PublicKey) bool })
	return ok && k.Equal(b)
}

// header reads a token's first segment. Only the three members that our own
// tokens have are allowed, so nothing in a token can say where its key is to
// be found (jku, x5u, jwk) or how else to read it (crit, b64, zip).
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

// invalid is the answer to a token that is not good. The reason goes to the log
// only: whoever forges a token learns nothing from the answer, and whoever let
// one expire is told so.
func invalid(reason string) error {
	message := "The access token is not valid. Log in to get a new one."
	if reason == faultExpired {
		message = "The access token has expired. Refresh it and try again."
	}
	return apperr.New(apperr.Unauthenticated, "%s", message).Because(errors.New("access token: " + reason))
}
