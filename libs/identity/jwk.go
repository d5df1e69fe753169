package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

// The signature algorithms of the product. The algorithm follows from the type of the key,
// never from the token.
const (
	AlgEdDSA = "EdDSA"
	AlgES256 = "ES256"
)

// JWK is a public signing key as it is published (RFC 7517, RFC 8037).
type JWK struct {
	KeyType   string `json:"kty"`
	Curve     string `json:"crv"`
	X         string `json:"x"`
	Y         string `json:"y,omitempty"`
	KeyID     string `json:"kid"`
	Use       string `json:"use"`
	Algorithm string `json:"alg"`
}

// JWKS is the document at /.well-known/jwks.json.
type JWKS struct {
	Keys []JWK `json:"keys"`
}

// Discovery is the document at /.well-known/openid-configuration. The product has no
// authorization endpoint and no OAuth token endpoint: /auth/login accepts the password in JSON.
// So the members for these endpoints are absent, as RFC 8414 requires.
type Discovery struct {
	Issuer                 string   `json:"issuer"`
	JWKSURI                string   `json:"jwks_uri"`
	ResponseTypesSupported []string `json:"response_types_supported"`
	GrantTypesSupported    []string `json:"grant_types_supported"`
	SubjectTypesSupported  []string `json:"subject_types_supported"`
	IDTokenAlgsSupported   []string `json:"id_token_signing_alg_values_supported"`
	ScopesSupported        []string `json:"scopes_supported"`
	ClaimsSupported        []string `json:"claims_supported"`
}

// algorithmOf returns the only algorithm used with a public key, or the empty string for a key
// of another type.
func algorithmOf(key crypto.PublicKey) string {
	switch k := key.(type) {
	case ed25519.PublicKey:
		return AlgEdDSA
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return AlgES256
		}
	}
	return ""
}

var errKeyType = errors.New("identity: the key is neither Ed25519 nor ECDSA on P-256")

// NewJWK returns the JWK of a public key, with its RFC 7638 thumbprint as key id.
func NewJWK(key crypto.PublicKey) (JWK, error) {
	b64 := base64.RawURLEncoding.EncodeToString
	j := JWK{Use: "sig", Algorithm: algorithmOf(key)}
	switch j.Algorithm {
	case AlgEdDSA:
		j.KeyType, j.Curve, j.X = "OKP", "Ed25519", b64(key.(ed25519.PublicKey))
	case AlgES256:
		point, err := key.(*ecdsa.PublicKey).Bytes() // 0x04, x, y
		if err != nil {
			return JWK{}, fmt.Errorf("describe key: %w", err)
		}
		j.KeyType, j.Curve, j.X, j.Y = "EC", "P-256", b64(point[1:33]), b64(point[33:])
	default:
		return JWK{}, errKeyType
	}
	j.KeyID = j.thumbprint()
	return j, nil
}

// thumbprint hashes the required members in the order of RFC 7638 §3.
func (j JWK) thumbprint() string {
	text := fmt.Sprintf(`{"crv":%q,"kty":%q,"x":%q}`, j.Curve, j.KeyType, j.X)
	if j.KeyType == "EC" {
		text = fmt.Sprintf(`{"crv":%q,"kty":%q,"x":%q,"y":%q}`, j.Curve, j.KeyType, j.X, j.Y)
	}
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// PublicKey returns the public key. Key types other than the two of this product, and a point
// not on its curve, are errors.
func (j JWK) PublicKey() (crypto.PublicKey, error) {
	x, err := base64.RawURLEncoding.DecodeString(j.X)
	if err != nil || len(x) != 32 {
		return nil, fmt.Errorf("key %q: x is not 32 bytes of base64url", j.KeyID)
	}
	switch {
	case j.KeyType == "OKP" && j.Curve == "Ed25519":
		return ed25519.PublicKey(x), nil
	case j.KeyType == "EC" && j.Curve == "P-256":
		y, err := base64.RawURLEncoding.DecodeString(j.Y)
		if err != nil || len(y) != 32 {
			return nil, fmt.Errorf("key %q: y is not 32 bytes of base64url", j.KeyID)
		}
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), append(append([]byte{4}, x...), y...))
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", j.KeyID, err)
		}
		return key, nil
	}
	return nil, fmt.Errorf("key %q: %w", j.KeyID, errKeyType)
}
