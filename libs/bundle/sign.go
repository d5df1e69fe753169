package bundle

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/eventcarbon/ecf/libs/signature"
)

// Signature identifies the author of the bundle; whether the key is the service's own
// follows from the keys it publishes.
type Signature = signature.Signature

// signedText is the signed text: the format, a line end, and the SHA-256 of the bundle without its signature in
// hexadecimal.
func (b Bundle) signedText() ([]byte, error) {
	b.Signature = nil
	text, err := encode(b)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return []byte(b.Format + "\n" + hex.EncodeToString(sum[:])), nil
}

// Sign returns the bundle with a signature by key.
func (b Bundle) Sign(key ed25519.PrivateKey) (Bundle, error) {
	text, err := b.signedText()
	if err != nil {
		return b, err
	}
	signed, err := signature.Of(text, key)
	if err != nil {
		return b, fmt.Errorf("sign bundle: %w", err)
	}
	b.Signature = &signed
	return b, nil
}

// checkSignature returns why the signature is not valid; nil if it is.
func (b Bundle) checkSignature() error {
	text, err := b.signedText()
	if err != nil {
		return err
	}
	return b.Signature.Check(text)
}
