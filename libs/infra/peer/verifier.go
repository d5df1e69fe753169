package peer

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

// Refused is the header field of a response that rejects a credential, which distinguishes it
// for the gateway from the rejection of a user's token.
const Refused = "X-Ecf-Peer-Refused"

// window is the maximum difference between the clocks of the two services, including the time on the network. It is
// above the threshold of EcfClockWrong.
const window = 30 * time.Second

// Verifier decides whether a request comes from a service. A nil Verifier trusts all callers:
// services of the same process, or those with a certificate.
type Verifier struct {
	secrets  Secrets
	unsigned bool
	now      func() time.Time
}

// NewVerifier returns a Verifier for the secrets. Without any it authenticates and refuses no caller.
// If unsigned is set, a request without a credential is trusted, as by the previous release,
// while services of that release are running.
func NewVerifier(secrets Secrets, unsigned bool, now func() time.Time) *Verifier {
	return &Verifier{secrets: secrets, unsigned: unsigned, now: now}
}

// Claim is the verified identity of a request's sender.
type Claim struct {
	// Proven: the request is of a service.
	Proven bool

	signed bool
	body   [sha256.Size]byte
}

var (
	errNone      = errors.New("peer: the request has no credential")
	errMalformed = errors.New("peer: the credential cannot be read")
	errTime      = errors.New("peer: the credential is of another time; clocks must agree to half a minute")
	errCode      = errors.New("peer: the credential does not prove this request; the secrets must be the same")
	errBody      = errors.New("peer: the credential is of another body")
)

// Admit verifies the header of a request. The body may be missing; see Body.
func (d *Verifier) Admit(h *fasthttp.RequestHeader) (Claim, error) {
	switch {
	case d == nil:
		return Claim{Proven: true}, nil
	case len(d.secrets) == 0:
		return Claim{}, nil
	}
	fields := h.PeekAll(Header)
	if len(fields) == 0 {
		if d.unsigned {
			return Claim{Proven: true}, nil
		}
		return Claim{}, errNone
	}
	parts := bytes.Split(fields[0], []byte(" "))
	if len(fields) > 1 || len(parts) != credentialParts || string(parts[0]) != version {
		return Claim{}, errMalformed
	}
	r := request{
		service: parts[1], method: h.Method(), target: h.RequestURI(), authorization: h.Peek(authorization), forwardedFor: h.Peek(forwardedFor),
	}
	var err error
	var code [sha256.Size]byte
	if r.at, err = strconv.ParseInt(string(parts[2]), 10, 64); err != nil || !decode(&r.body, parts[3]) || !decode(&code, parts[4]) {
		return Claim{}, errMalformed
	}
	for _, secret := range d.secrets {
		if want := r.code(secret); hmac.Equal(want[:], code[:]) {
			// Only senders with the secret learn about the clock.
			if off := d.now().Sub(time.UnixMilli(r.at)); off < -window || off > window {
				return Claim{}, errTime
			}
			return Claim{Proven: true, signed: true, body: r.body}, nil
		}
	}
	return Claim{}, errCode
}

func decode(to *[sha256.Size]byte, text []byte) bool {
	if len(text) != base64URL.EncodedLen(len(to)) {
		return false
	}
	_, err := base64URL.Decode(to[:], text)
	return err == nil
}

// Signed reports whether the request has a credential that names its body, which is then to
// be compared by Body.
func (c Claim) Signed() bool { return c.signed }

// Body returns an error for another body than the credential names.
func (c Claim) Body(body []byte) error {
	if c.signed && sha256.Sum256(body) != c.body {
		return errBody
	}
	return nil
}
