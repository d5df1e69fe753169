package web

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"time"
	"unsafe"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
)

// TokenVerifier verifies tokens. Its errors are returned to the client as they are if
// they are an *apperr.Error (UNAVAILABLE if the token cannot be verified now) or an
// expired deadline; any other error means that the token is not valid, and is answered
// as UNAUTHENTICATED.
//
// The token shares memory with the request, which is reused after the request: Verify
// must clone what it keeps.
type TokenVerifier interface {
	Verify(ctx context.Context, token string) (identity.Principal, error)
}

// maxToken bounds a bearer token in bytes, before anything parses it.
const maxToken = 8 << 10

// authenticate determines the caller of the request and stores it for PrincipalOf,
// unless the fast path has done so. All failures have the same body, whatever is wrong
// with the token.
func authenticate(c *fiber.Ctx, v TokenVerifier) error {
	if PrincipalOf(c).UserID != "" {
		return nil
	}
	p, err := verify(c.UserContext(), &c.Request().Header, v)
	if err != nil {
		var ae *apperr.Error
		if errors.As(err, &ae) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return unauthenticated(err)
	}
	if p.UserID == "" || p.Org == "" || p.Role == identity.RoleNone {
		// A verifier that returns such a principal is broken; it must not admit anyone.
		return unauthenticated(errors.New("the verified principal is incomplete"))
	}
	setPrincipal(c, p)
	return nil
}

// readmitter is a verifier that checks whether a session still admits a caller, even if
// the token has expired since: what was begun in time is not cut off for that.
type readmitter interface {
	Readmit(ctx context.Context, token string, p identity.Principal) error
}

// Readmit returns nil if a token still admits the principal that v verified it for
// earlier: when a long body was received, or while a long response is sent.
func Readmit(ctx context.Context, v TokenVerifier, token string, p identity.Principal) error {
	if r, ok := v.(readmitter); ok {
		return r.Readmit(ctx, token, p)
	}
	again, err := v.Verify(ctx, token)
	if err == nil && (again.UserID != p.UserID || again.Org != p.Org || again.Role != p.Role) {
		err = identity.NotAdmitted()
	}
	return err
}

// verify returns the principal of the token in a header.
func verify(ctx context.Context, h *fasthttp.RequestHeader, v TokenVerifier) (identity.Principal, error) {
	token := bearer(h)
	if len(token) == 0 {
		return identity.Principal{}, errNoToken
	}
	return v.Verify(ctx, borrowed(token))
}

var errNoToken = errors.New("there is no token")

// Bearer returns the principal of the token in a header, and reports whether the token
// is valid. If recall is not nil, it is queried for a result cached at now before v
// verifies.
func Bearer(ctx context.Context, h *fasthttp.RequestHeader, recall identity.Recall, v TokenVerifier, now time.Time) (identity.Principal, bool) {
	if field := authorization(h); recall != nil && bytes.HasPrefix(field, bearerScheme) {
		// A cached token has been checked, and equal bytes are equally valid.
		if p, ok := recall(borrowed(field[len(bearerScheme):]), now); ok {
			return p, true
		}
	}
	p, err := verify(ctx, h, v)
	return p, err == nil
}

// authorization returns the Authorization field of a header, or nil if it is absent or
// repeated.
func authorization(h *fasthttp.RequestHeader) []byte {
	if fields := h.PeekAll(fiber.HeaderAuthorization); len(fields) == 1 {
		return fields[0]
	}
	return nil
}

var bearerScheme = []byte("Bearer ")

// borrowed returns bytes of a request as a string without a copy, valid until the
// request ends. A copy, of almost a kilobyte, would be as large as all other
// allocations of the request together.
func borrowed(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // see TokenVerifier
}

func unauthenticated(cause error) error {
	return apperr.New(apperr.Unauthenticated, "A valid access token is required. Sign in, or refresh the token.").Because(cause)
}

// BearerToken returns the token of the Authorization field. It rejects a field that is
// repeated, too long or not a bearer token, at a cost that does not depend on its
// content.
func BearerToken(c *fiber.Ctx) (string, bool) { return BearerOf(&c.Request().Header) }

// BearerOf is BearerToken for a header.
func BearerOf(h *fasthttp.RequestHeader) (string, bool) {
	token := bearer(h)
	return string(token), len(token) > 0
}

// bearer returns the token in a header, without a copy, or nil.
func bearer(h *fasthttp.RequestHeader) []byte {
	field, scheme := authorization(h), len(bearerScheme)
	if len(field) <= scheme || len(field) > scheme+maxToken || !bytes.EqualFold(field[:scheme], bearerScheme) {
		return nil
	}
	token := bytes.Trim(field[scheme:], " ")
	if !ofTokens(token) {
		return nil
	}
	return token
}

// ofTokens reports whether all bytes are valid in a token: visible ASCII without the
// comma. Tokens are long and part of every request, so eight bytes are checked at a
// time.
func ofTokens(token []byte) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	for ; len(token) >= 8; token = token[8:] {
		w := binary.LittleEndian.Uint64(token)
		// If x has a byte less than n, for n up to 0x80, then x-n*each has the top bit
		// of such a byte set where x has not; if x has none, it has no such bit.
		comma, del := w^','*each, w^0x7f*each
		if (w|(w-('!'*each))&^w|(comma-each)&^comma|(del-each)&^del)&top != 0 {
			return false
		}
	}
	for _, b := range token {
		if b <= ' ' || b >= 0x7f || b == ',' {
			return false
		}
	}
	return true
}

func requireRole(c *fiber.Ctx, needed identity.Role) error {
	if PrincipalOf(c).Role.Holds(needed) {
		return nil
	}
	return apperr.New(apperr.Forbidden, "This requires the role %s.", needed)
}
