package identity_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
)

const issuer = "https://ecf.test"

// keys is a KeySource over a map.
type keys map[string]crypto.PublicKey

func (k keys) Key(_ context.Context, kid string) (crypto.PublicKey, error) {
	if key, ok := k[kid]; ok {
		return key, nil
	}
	return nil, identity.ErrUnknownKey
}

type bundle struct {
	now      time.Time
	private  ed25519.PrivateKey
	kid      string
	keys     keys
	verifier *identity.Verifier
}

func setup(t *testing.T) *bundle {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	j, err := identity.NewJWK(public)
	if err != nil {
		t.Fatal(err)
	}
	b := &bundle{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), private: private, kid: j.KeyID, keys: keys{j.KeyID: public}}
	b.verifier = identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: b.keys, Now: func() time.Time { return b.now }})
	return b
}

func (b *bundle) header() map[string]any {
	return map[string]any{"alg": "EdDSA", "typ": "at+jwt", "kid": b.kid}
}

func (b *bundle) claims() map[string]any {
	return map[string]any{
		"iss": issuer, "aud": "ecf-api", "sub": "u1", "org": "o1", "role": "manager", "name": "Ada", "sid": "s1",
		"jti": "t1", "client_id": "ecf", "iat": b.now.Unix(), "exp": b.now.Add(time.Hour).Unix(),
	}
}

func segment(v any) string {
	text, _ := json.Marshal(v)
	return base64.RawURLEncoding.EncodeToString(text)
}

// sign returns a token with exactly these parts.
func (b *bundle) sign(header, claims map[string]any) string {
	input := segment(header) + "." + segment(claims)
	return input + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(b.private, []byte(input)))
}

func with(m map[string]any, pairs ...any) map[string]any {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == nil {
			delete(m, pairs[i].(string))
			continue
		}
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func TestVerifyGivesThePrincipal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.sign(b.header(), b.claims())
	want := identity.Principal{UserID: "u1", Org: "o1", Role: identity.Manager, Name: "Ada", Session: "s1",
		Expires: b.now.Add(time.Hour)}
	for range 2 {
		got, err := b.verifier.Verify(t.Context(), token)
		got.Expires = got.Expires.UTC()
		if err != nil || got != want {
			t.Fatalf("Verify = %+v, %v, want %+v", got, err, want)
		}
	}
	if w := b.verifier.Work(); w.Signatures != 1 || w.CacheHits != 1 {
		t.Errorf("work %+v, want one signature and one hit", w)
	}
}

// TestVerifyRefuses verifies statements 8, 9 and 10 of the security page, RFC 8725 and RFC
// 9068.
func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	b.keys["ec"] = &ecKey.PublicKey
	hmacSigned := func(header map[string]any) string {
		input := segment(header) + "." + segment(b.claims())
		mac, err := jwt.SigningMethodHS256.Sign(input, []byte(b.private.Public().(ed25519.PublicKey)))
		if err != nil {
			t.Fatal(err)
		}
		return input + "." + base64.RawURLEncoding.EncodeToString(mac)
	}
	_, stranger, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	foreign := *b
	foreign.private = stranger
	good := b.sign(b.header(), b.claims())
	parts := strings.Split(good, ".")
	later := b.now.Add(time.Second).Unix()

	cases := map[string]string{
		"empty":                         "",
		"opaque":                        "abc.def",
		"none, no signature":            segment(with(b.header(), "alg", "none")) + "." + parts[1] + ".",
		"none, old signature":           segment(with(b.header(), "alg", "none")) + "." + parts[1] + "." + parts[2],
		"nOnE":                          segment(with(b.header(), "alg", "nOnE")) + "." + parts[1] + ".",
		"HS256 with the public key":     hmacSigned(with(b.header(), "alg", "HS256")),
		"HMAC under the name EdDSA":     hmacSigned(b.header()),
		"ES256 named for an EdDSA key":  b.sign(with(b.header(), "alg", "ES256"), b.claims()),
		"EdDSA named for an ES256 key":  b.sign(with(b.header(), "kid", "ec"), b.claims()),
		"RS256":                         b.sign(with(b.header(), "alg", "RS256"), b.claims()),
		"unknown kid":                   b.sign(with(b.header(), "kid", "other"), b.claims()),
		"no kid":                        b.sign(with(b.header(), "kid", nil), b.claims()),
		"kid is a path":                 b.sign(with(b.header(), "kid", "../../dev/null"), b.claims()),
		"jku":                           b.sign(with(b.header(), "jku", "https://evil.test/jwks.json"), b.claims()),
		"x5u":                           b.sign(with(b.header(), "x5u", "https://evil.test/cert"), b.claims()),
		"jwk":                           b.sign(with(b.header(), "jwk", map[string]any{"kty": "OKP"}), b.claims()),
		"crit":                          b.sign(with(b.header(), "crit", []string{"exp"}), b.claims()),
		"b64":                           b.sign(with(b.header(), "b64", false), b.claims()),
		"ID token's type":               b.sign(with(b.header(), "typ", "JWT"), b.claims()),
		"no type":                       b.sign(with(b.header(), "typ", nil), b.claims()),
		"ID token's audience":           b.sign(b.header(), with(b.claims(), "aud", "ecf")),
		"two audiences":                 b.sign(b.header(), with(b.claims(), "aud", []string{"ecf-api", "other"})),
		"no audience":                   b.sign(b.header(), with(b.claims(), "aud", nil)),
		"wrong issuer":                  b.sign(b.header(), with(b.claims(), "iss", issuer+"/")),
		"no issuer":                     b.sign(b.header(), with(b.claims(), "iss", nil)),
		"another client":                b.sign(b.header(), with(b.claims(), "client_id", "other")),
		"expired this second":           b.sign(b.header(), with(b.claims(), "exp", b.now.Unix())),
		"expired by one second":         b.sign(b.header(), with(b.claims(), "exp", b.now.Unix()-1)),
		"no expiry":                     b.sign(b.header(), with(b.claims(), "exp", nil)),
		"expiry is a text":              b.sign(b.header(), with(b.claims(), "exp", "never")),
		"expired, as a text":            b.sign(b.header(), with(b.claims(), "exp", strconv.FormatInt(b.now.Unix()-1, 10))),
		"not valid yet":                 b.sign(b.header(), with(b.claims(), "nbf", later)),
		"issued a minute in the future": b.sign(b.header(), with(b.claims(), "iat", b.now.Unix()+60)),
		"no time of issue":              b.sign(b.header(), with(b.claims(), "iat", nil)),
		"no subject":                    b.sign(b.header(), with(b.claims(), "sub", nil)),
		"no organization":               b.sign(b.header(), with(b.claims(), "org", nil)),
		"no session":                    b.sign(b.header(), with(b.claims(), "sid", nil)),
		"no token id":                   b.sign(b.header(), with(b.claims(), "jti", nil)),
		"no role":                       b.sign(b.header(), with(b.claims(), "role", nil)),
		"unknown role":                  b.sign(b.header(), with(b.claims(), "role", "root")),
		"role none":                     b.sign(b.header(), with(b.claims(), "role", "none")),
		"a stranger's key":              foreign.sign(b.header(), b.claims()),
		"claims changed":                parts[0] + "." + segment(with(b.claims(), "role", "admin")) + "." + parts[2],
		"no signature":                  parts[0] + "." + parts[1] + ".",
		"signature padded":              good + "==",
		"signature with unused bits":    withUnusedBits(good),
		"two signatures":                good + "." + parts[2],
		"JSON serialization":            `{"payload":"` + parts[1] + `","signatures":[{"protected":"` + parts[0] + `","signature":"` + parts[2] + `"}]}`,
		"encrypted (five segments)":     good + ".a.b",
		"with the scheme":               "Bearer " + good,
		"line break inside":             parts[0] + "\n." + parts[1] + "." + parts[2],
		"header is a list":              segment([]string{"EdDSA", "at+jwt", b.kid}) + "." + parts[1] + "." + parts[2],
		"100 kB token":                  b.sign(b.header(), with(b.claims(), "name", strings.Repeat("x", 100<<10))),
		"1 MB of dots":                  strings.Repeat(".", 1<<20),
		"16 kB of dots":                 strings.Repeat(".", 16<<10),
		"a long first segment":          strings.Repeat("a", 12<<10) + ".a.a",
	}
	for name, token := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := b.verifier.Verify(t.Context(), token)
			if apperr.CodeOf(err) != apperr.Unauthenticated {
				t.Fatalf("Verify = %+v, %v, want UNAUTHENTICATED", p, err)
			}
			if p != (identity.Principal{}) {
				t.Errorf("a refused token gave the principal %+v", p)
			}
			if len(token) > 40 && strings.Contains(err.Error(), token[len(token)-30:]) {
				t.Errorf("the error quotes the token: %v", err)
			}
		})
	}
	if _, err := b.verifier.Verify(t.Context(), good); err != nil {
		t.Errorf("the good token is refused after all that: %v", err)
	}
}

// withUnusedBits returns a token that differs in the last bits of its signature's text, which encode nothing.
func withUnusedBits(token string) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := len(token) - 1
	return token[:last] + string(digits[strings.IndexByte(digits, token[last])^1])
}

// Statement 12: what a flood of dots costs is counted, not timed.
//
//nolint:paralleltest // allocations are counted for the whole process
func TestVerifyRefusesHugeTokensUnread(t *testing.T) {
	b := setup(t)
	for _, token := range []string{strings.Repeat(".", 1<<20), strings.Repeat("a.", 1<<19), strings.Repeat(".", 16<<10),
		b.sign(b.header(), with(b.claims(), "name", strings.Repeat("x", 100<<10)))} {
		before := b.verifier.Work()
		allocated := testing.AllocsPerRun(5, func() { _, _ = b.verifier.Verify(context.Background(), token) })
		if w := b.verifier.Work(); w != before {
			t.Errorf("a token of %d bytes was decoded: %+v after %+v", len(token), w, before)
		}
		if allocated > 20 {
			t.Errorf("a token of %d bytes cost %.0f allocations", len(token), allocated)
		}
	}
}

func TestVerifyES256(t *testing.T) {
	t.Parallel()
	b := setup(t)
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	j, err := identity.NewJWK(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	b.keys[j.KeyID] = &private.PublicKey
	input := segment(with(b.header(), "alg", "ES256", "kid", j.KeyID)) + "." + segment(b.claims())
	sig, err := jwt.SigningMethodES256.Sign(input, private)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.verifier.Verify(t.Context(), input+"."+base64.RawURLEncoding.EncodeToString(sig)); err != nil {
		t.Errorf("an ES256 token under an ES256 key: %v", err)
	}
}

func TestRememberedTokenStillExpiresAndFallsWithItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.sign(b.header(), b.claims())
	if _, err := b.verifier.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	public := b.keys[b.kid]
	delete(b.keys, b.kid)
	if _, err := b.verifier.Verify(t.Context(), token); apperr.CodeOf(err) != apperr.Unauthenticated {
		t.Errorf("under a key taken back: %v", err)
	}
	b.keys[b.kid] = another(t)
	if _, err := b.verifier.Verify(t.Context(), token); apperr.CodeOf(err) != apperr.Unauthenticated {
		t.Errorf("under another key with the id of its key: %v", err)
	}
	b.keys[b.kid] = public
	if _, err := b.verifier.Verify(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	b.now = b.now.Add(time.Hour)
	_, err := b.verifier.Verify(t.Context(), token)
	if apperr.CodeOf(err) != apperr.Unauthenticated || !strings.Contains(err.Error(), "expired") {
		t.Errorf("after its expiry: %v", err)
	}
}

type brokenKeys struct{}

func (brokenKeys) Key(context.Context, string) (crypto.PublicKey, error) {
	return nil, errors.New("dial tcp auth:8081: refused")
}

func TestVerifySaysUnavailableWhenKeysCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: brokenKeys{}, Now: func() time.Time { return b.now }})
	if _, err := v.Verify(t.Context(), b.sign(b.header(), b.claims())); apperr.CodeOf(err) != apperr.Unavailable {
		t.Errorf("Verify = %v, want UNAVAILABLE", err)
	}
}

func FuzzVerify(f *testing.F) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	b := &bundle{now: now, private: private, kid: "k", keys: keys{"k": public}}
	v := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: b.keys, Now: func() time.Time { return now }})
	good := b.sign(b.header(), b.claims())
	f.Add(good)
	f.Add("..")
	f.Add("e30.e30.")
	f.Add(segment(map[string]any{"alg": nil}) + ".e30.e30")
	f.Fuzz(func(t *testing.T, token string) {
		if p, err := v.Verify(context.Background(), token); err == nil && token != good {
			t.Errorf("accepted %q as %+v", token, p)
		}
	})
}

func BenchmarkVerifyRemembered(b *testing.B) {
	public, private, _ := ed25519.GenerateKey(rand.Reader)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	x := &bundle{now: now, private: private, kid: "k", keys: keys{"k": public}}
	v := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: x.keys, Now: func() time.Time { return now }})
	token := x.sign(x.header(), x.claims())
	for b.Loop() {
		if _, err := v.Verify(context.Background(), token); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifyDots(b *testing.B) {
	v := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: keys{}})
	token := strings.Repeat(".", 1<<20)
	for b.Loop() {
		_, _ = v.Verify(context.Background(), token)
	}
}
