package auth_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/eventcarbon/ecf/libs/identity"
)

// TestForgedTokensOverHTTP tries tokens forged with the public key set and a valid
// token (statement 8). The full table of forgeries is with the verifier.
func TestForgedTokensOverHTTP(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in := b.signIn("bob@example.com")
	var set identity.JWKS
	if err := json.Unmarshal([]byte(b.do("GET", "/.well-known/jwks.json", "", "").body), &set); err != nil {
		t.Fatal(err)
	}
	public, err := base64.RawURLEncoding.DecodeString(set.Keys[0].X)
	if err != nil {
		t.Fatal(err)
	}
	_, stranger, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	claims := claimsOf(t, in.access)
	claims["role"] = "admin"
	forge := func(method jwt.SigningMethod, key any, header map[string]any) string {
		token := jwt.NewWithClaims(method, claims)
		token.Header["typ"], token.Header["kid"] = "at+jwt", set.Keys[0].KeyID
		maps.Copy(token.Header, header)
		text, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	parts := strings.Split(in.access, ".")
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	for what, token := range map[string]string{
		"none":                       forge(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, nil),
		"HS256 with the public key":  forge(jwt.SigningMethodHS256, public, nil),
		"HS256 with the JWK":         forge(jwt.SigningMethodHS256, []byte(set.Keys[0].X), nil),
		"a stranger's key":           forge(jwt.SigningMethodEdDSA, stranger, nil),
		"a stranger's key, by jku":   forge(jwt.SigningMethodEdDSA, stranger, map[string]any{"jku": "https://evil.test/jwks.json"}),
		"a stranger's key, by kid":   forge(jwt.SigningMethodEdDSA, stranger, map[string]any{"kid": "evil"}),
		"a role of one's own choice": parts[0] + "." + base64.RawURLEncoding.EncodeToString(payload) + "." + parts[2],
		"the ID token":               in.id,
		"12 kB":                      in.access + strings.Repeat("A", 12<<10),
		"dots":                       strings.Repeat(".", 7<<10),
	} {
		for _, path := range []string{"/api/v2/auth/me", "/api/v2/users"} {
			if a := b.do("GET", path, token, ""); a.status != http.StatusUnauthorized {
				t.Errorf("%s: GET %s is %d %s", what, path, a.status, a.body)
			}
		}
	}
	b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "")
}

// TestRefreshTokenStaysInItsOrganization verifies that a refresh token never yields
// tokens of another organization's user.
func TestRefreshTokenStaysInItsOrganization(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	r := b.refresh(b.signIn("eve@example.org").refresh)
	b.want(r, http.StatusOK, "")
	if claims := claimsOf(t, r.text("accessToken")); claims["org"] != "o2" || claims["sub"] != b.eve.ID {
		t.Errorf("%v", claims)
	}
}

// FuzzLoginBody sends any body to the three routes that need no token.
func FuzzLoginBody(f *testing.F) {
	b := setupFuzz(f)
	f.Add(`{"refreshToken":"a.b","setupToken":"o.u.s","password":"a long enough password"}`)
	f.Add(`{"email":"ada@example.com","password":"x"}`)
	f.Add(`{"email":{"$gt":""},"password":null}`)
	f.Add(`{"email":"a","email":"b","password":"\u0000"}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"login", "refresh", "setup"} {
			status, answer := b(path, body)
			if status != http.StatusBadRequest && status != http.StatusUnauthorized {
				t.Errorf("%s %q: %d %s", path, body, status, answer)
			}
		}
	})
}
