// Package signature signs texts with Ed25519 and verifies signatures. The public
// key is part of a signature, so that it can be verified without a network; the owner of
// the key has to be known from elsewhere.
package signature

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Signature identifies the author of a document.
type Signature struct {
	// Algorithm is EdDSA, with Ed25519.
	Algorithm string `json:"alg"`
	// KeyID is the thumbprint of the key (RFC 7638).
	KeyID string `json:"kid"`
	// Key is the public key in base64url.
	Key string `json:"key"`
	// Value is the signature in base64url.
	Value string `json:"value"`
}

// Of returns the signature of a text by an Ed25519 key.
func Of(text []byte, key ed25519.PrivateKey) (Signature, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return Signature{}, errors.New("this is no Ed25519 key")
	}
	jwk, err := identity.NewJWK(public)
	if err != nil {
		return Signature{}, err
	}
	return Signature{Algorithm: identity.AlgEdDSA, KeyID: jwk.KeyID, Key: jwk.X,
		Value: base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, text))}, nil
}

// Check returns why the signature of a text is not valid; nil if it is. It does not determine the owner of the key.
func (s Signature) Check(text []byte) error {
	if s.Algorithm != identity.AlgEdDSA {
		return fmt.Errorf("its algorithm is %q, not %s", s.Algorithm, identity.AlgEdDSA)
	}
	strict := base64.RawURLEncoding.Strict() // one text for one key and signature
	public, err := strict.DecodeString(s.Key)
	if err != nil || len(public) != ed25519.PublicKeySize {
		return errors.New("its key is no Ed25519 key")
	}
	jwk, err := identity.NewJWK(ed25519.PublicKey(public))
	if err != nil || jwk.KeyID != s.KeyID {
		return errors.New("its kid is not that of its key")
	}
	value, err := strict.DecodeString(s.Value)
	if err != nil {
		return errors.New("its value is no base64url")
	}
	if !ed25519.Verify(public, text, value) {
		return errors.New("it is not of this content")
	}
	return nil
}
