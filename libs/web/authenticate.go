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

// TokenVerifier says who a token belongs to. An *apperr.Error of it and an
// expired deadline are answered as they are (UNAVAILABLE when it cannot tell);
// any other error means that the token is not acceptable, and is answered as
// UNAUTHENTICATED.
//
// The bytes of a token are those of the request, which others take their place in when it has
// ended: what Verify keeps of it, it clones.
type TokenVerifier interface {
	Verify(ctx context.Context, token string) (identity.Principal, error)
}

// maxToken bounds a bearer token in bytes, before anything looks inside it.
const maxToken = 8 << 10

// authenticate finds out who makes the request and keeps it for PrincipalOf, unless a shortcut
// has. Every refusal has the same body, whatever was wrong with the token.
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
		// A verifier that lets such a principal through is broken; nobody is
		// let in on its word.
		return unauthenticated(errors.New("the verified principal is incomplete"))
	}
	setPrincipal(c, p)
	return nil
}

// verify says who the token of a header belongs to.
func verify(ctx context.Context, h *fasthttp.RequestHeader, v TokenVerifier) (identity.Principal, error) {
	token := bearer(h)
	if len(token) == 0 {
		return identity.Principal{}, errNoToken
	}
	return v.Verify(ctx, borrowed(token))
}

var errNoToken = errors.New("there is no token")

// Bearer returns who the token of a header belongs to, and reports whether there is one that is
// acceptable. A recall that is not nil is asked for what it knows at now before v verifies.
func Bearer(ctx context.Context, h *fasthttp.RequestHeader, recall identity.Recall, v TokenVerifier, now time.Time) (identity.Principal, bool) {
	if field := authorization(h); recall != nil && bytes.HasPrefix(field, bearerScheme) {
		// What is remembered has been looked at, and the same bytes are as good.
		if p, ok := recall(borrowed(field[len(bearerScheme):]), now); ok {
			return p, true
		}
	}
	p, err := verify(ctx, h, v)
	return p, err == nil
}

// authorization returns the Authorization field of a header; empty where there is none, or more
// than one.
func authorization(h *fasthttp.RequestHeader) []byte {
	if fields := h.PeekAll(fiber.HeaderAuthorization); len(fields) == 1 {
		return fields[0]
	}
	return nil
}

var bearerScheme = []byte("Bearer ")

// borrowed returns bytes of a request as a text, which is one for as long as the request lasts.
// A copy of most of a kilobyte for each request would be as much as all else that it makes.
func borrowed(b []byte) string {
	return unsafe.String(unsafe.SliceData(b), len(b)) //nolint:gosec // see TokenVerifier
}

func unauthenticated(cause error) error {
	return apperr.New(apperr.Unauthenticated, "A valid access token is needed: sign in, or refresh the token.").Because(cause)
}

// BearerToken returns the token of the Authorization field. It refuses a field
// that is repeated, too long or not a bearer token, at a cost that does not
// depend on what is in it.
func BearerToken(c *fiber.Ctx) (string, bool) { return BearerOf(&c.Request().Header) }

// BearerOf is BearerToken of a header.
func BearerOf(h *fasthttp.RequestHeader) (string, bool) {
	token := bearer(h)
	return string(token), len(token) > 0
}

// bearer returns the token of a header, a part of the header itself; empty for none.
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

// ofTokens reports whether all bytes are such as tokens have: what can be seen of ASCII, but for
// the comma. Tokens are long, and each request has one: eight bytes are looked at together.
func ofTokens(token []byte) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	for ; len(token) >= 8; token = token[8:] {
		w := binary.LittleEndian.Uint64(token)
		// Where x has a byte that is less than n, and n is at most 0x80, x-n*each has the top
		// bit of such a byte, which x has not; it has no such bit where x has none.
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
	return apperr.New(apperr.Forbidden, "This needs the role %s.", needed)
}
