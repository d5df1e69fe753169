package peer

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

// Header carries the credential of a request: the version of its format, the calling
// service, the time in milliseconds, the hash of the body and the authentication code,
// separated by spaces. The gateway removes the field from client requests.
const Header = "X-Ecf-Peer"

const (
	version         = "1"
	authorization   = "Authorization"
	forwardedFor    = "X-Forwarded-For"
	requestRoom     = 2048 // a token is about a kilobyte
	credentialParts = 5
)

// base64URL rejects alternative encodings of the same bytes.
var base64URL = base64.RawURLEncoding.Strict()

// request are the parts of a request that a credential covers.
type request struct {
	service, method, target []byte
	// The access token of the request, and the address of the client.
	authorization, forwardedFor []byte
	at                          int64 // milliseconds
	body                        [sha256.Size]byte
}

// code authenticates a request to anyone with the secret. Each part is prefixed with its length, so that different
// requests never have the same text.
func (r *request) code(secret string) [sha256.Size]byte {
	room := make([]byte, 0, requestRoom)
	room = append(room, "ecf peer "+version+"\n"...)
	for _, part := range [][]byte{r.service, r.method, r.target, r.authorization, r.forwardedFor, r.body[:]} {
		room = binary.BigEndian.AppendUint32(room, uint32(len(part))) //nolint:gosec // a header is bounded far below
		room = append(room, part...)
	}
	room = binary.BigEndian.AppendUint64(room, uint64(r.at)) //nolint:gosec // any value is a text
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(room)
	var sum [sha256.Size]byte
	mac.Sum(sum[:0])
	return sum
}

func (r *request) credential(secret string) string {
	code := r.code(secret)
	return version + " " + string(r.service) + " " + strconv.FormatInt(r.at, 10) + " " +
		base64URL.EncodeToString(r.body[:]) + " " + base64URL.EncodeToString(code[:])
}

// Signer creates the credentials of one service. A nil Signer creates none.
type Signer struct {
	service, secret string
	now             func() time.Time
}

// NewSigner returns the Signer of a service; nil without a secret.
func NewSigner(service string, secrets Secrets, now func() time.Time) *Signer {
	if len(secrets) == 0 {
		return nil
	}
	return &Signer{service: service, secret: secrets[0], now: now}
}

// Sign adds the credential to an otherwise complete request, with its body in memory.
func (s *Signer) Sign(to *fasthttp.Request) {
	if s == nil {
		return
	}
	h := &to.Header
	r := request{
		service: []byte(s.service), method: h.Method(), target: h.RequestURI(), authorization: h.Peek(authorization), forwardedFor: h.Peek(forwardedFor),
		at: s.now().UnixMilli(), body: sha256.Sum256(to.Body()),
	}
	h.Set(Header, r.credential(s.secret))
}

// Transport returns a transport that signs requests.
func (s *Signer) Transport(next http.RoundTripper) http.RoundTripper {
	if s == nil {
		return next
	}
	return &signing{s, next}
}

type signing struct {
	*Signer
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (s *signing) RoundTrip(req *http.Request) (*http.Response, error) {
	r := request{
		service: []byte(s.service), method: []byte(cmp.Or(req.Method, http.MethodGet)), target: []byte(req.URL.RequestURI()),
		authorization: []byte(req.Header.Get(authorization)), forwardedFor: []byte(req.Header.Get(forwardedFor)), at: s.now().UnixMilli(),
	}
	hash := sha256.New()
	if req.Body != nil && req.Body != http.NoBody {
		if req.GetBody == nil {
			_ = req.Body.Close()
			return nil, fmt.Errorf("peer: the body of a request to %s cannot be read twice", req.URL.Path)
		}
		body, err := req.GetBody()
		if err == nil {
			_, err = io.Copy(hash, body)
			_ = body.Close()
		}
		if err != nil {
			_ = req.Body.Close()
			return nil, fmt.Errorf("peer: %w", err)
		}
	}
	hash.Sum(r.body[:0])
	signed := req.Clone(req.Context())
	signed.Header.Set(Header, r.credential(s.secret))
	return s.next.RoundTrip(signed)
}
