package gateway

import (
	"bytes"
	"context"
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/trace"
)

// hopByHop reports whether a header field, named in lower case, is hop-by-hop (RFC 9110
// §7.6.1), apart from those that Connection lists.
func hopByHop(name []byte) bool {
	switch string(name) {
	case "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
		"proxy-authenticate", "proxy-authorization", "proxy-authentication-info", "http2-settings", "expect":
		return true
	}
	return false
}

// claimed reports whether a request field, named in lower case, states something that
// only a proxy or the gateway may state: the client, the address it called, the trace.
// Such fields are never accepted from clients. An underscore counts as a hyphen,
// because some servers treat the names as equal.
func claimed(name []byte) bool {
	switch string(name) {
	case "forwarded", "x-real-ip", "true-client-ip", "x-client-ip", "x-cluster-client-ip", "cf-connecting-ip",
		"x-original-url", "x-rewrite-url", "x-http-method-override", "x-method-override", "x-http-method",
		"x-request-id", "traceparent", "tracestate", "baggage", "via":
		return true
	}
	if bytes.HasPrefix(name, []byte("x-")) {
		for _, prefix := range claimedPrefixes {
			if bytes.HasPrefix(name, prefix) {
				return true
			}
		}
	}
	return bytes.IndexByte(name, '_') >= 0
}

// All of them begin with x-.
var claimedPrefixes = [][]byte{
	[]byte("x-forwarded"), []byte("x-user"), []byte("x-ecf-"), []byte("x-auth"), []byte("x-org"), []byte("x-tenant"), []byte("x-role"), []byte("x-internal"),
}

// ours reports whether a response field, named in lower case, reveals the software or
// is for the gateway only.
func ours(name []byte) bool { return string(name) == "server" || bytes.HasPrefix(name, ownPrefix) }

var ownPrefix = []byte("x-ecf-")

// caller is what the gateway sends to a service about the caller.
type caller struct {
	requestID string
	// address is valid only for a service that evaluates it.
	address netip.Addr
}

// requestHeader writes the header of a request to a service: the caller's end-to-end
// fields, and those of the gateway.
func requestHeader(ctx context.Context, from, to *fasthttp.RequestHeader, caller caller) {
	from.CopyTo(to)
	to.ResetConnectionClose()
	var u unwanted
	for name, value := range from.All() {
		u.look(name, value, true)
	}
	if u.listed != nil {
		for name := range from.All() {
			u.lookListed(name)
		}
	}
	for _, name := range u.names {
		to.DelBytes(name)
	}
	to.SetCanonical(nameRequestID, []byte(caller.requestID))
	if caller.address.IsValid() {
		var room [64]byte
		to.SetCanonical(nameForwardedFor, caller.address.AppendTo(room[:0]))
	}
	if trace.SpanContextFromContext(ctx).IsValid() || baggage.FromContext(ctx).Len() > 0 {
		otel.GetTextMapPropagator().Inject(ctx, carrier{to})
	}
}

// Names of the fields of requests to services, as fasthttp normalizes them.
var (
	nameRequestID    = []byte("X-Request-Id")
	nameForwardedFor = []byte(fiber.HeaderXForwardedFor)
)

// responseHeader removes hop-by-hop fields and those that reveal the software from a
// response.
func responseHeader(h *fasthttp.ResponseHeader) {
	var u unwanted
	for name, value := range h.All() {
		u.look(name, value, false)
	}
	if u.listed != nil {
		for name := range h.All() {
			u.lookListed(name)
		}
	}
	for _, name := range u.names {
		h.DelBytes(name)
	}
	h.ResetConnectionClose()
}

// unwanted collects the fields of one header that must not be forwarded. It is used for
// both directions of every request and is almost always empty, so it does not allocate.
type unwanted struct {
	names [][]byte
	// listed are the fields that Connection names, in lower case.
	listed map[string]bool
}

func (u *unwanted) look(name, value []byte, request bool) {
	if passedOn(name) {
		return
	}
	var buffer [64]byte
	lower := appendLower(buffer[:0], name)
	if string(lower) == "connection" {
		u.listed = addNamed(u.listed, value)
	}
	if hopByHop(lower) || request && claimed(lower) || !request && ours(lower) {
		u.names = append(u.names, bytes.Clone(name))
	}
}

// passedOn reports whether a field, by its normalized name, is a common one that is
// always forwarded, so that no other check is necessary.
func passedOn(name []byte) bool {
	switch string(name) {
	case fiber.HeaderHost, fiber.HeaderAccept, fiber.HeaderUserAgent, fiber.HeaderAuthorization, fiber.HeaderAcceptEncoding, fiber.HeaderAcceptLanguage,
		fiber.HeaderIfNoneMatch, fiber.HeaderContentType, fiber.HeaderContentLength, fiber.HeaderDate, fiber.HeaderCacheControl, "Etag":
		return true
	}
	return false
}

func (u *unwanted) lookListed(name []byte) {
	if u.listed[strings.ToLower(string(name))] {
		u.names = append(u.names, bytes.Clone(name))
	}
}

// appendLower appends name in lower case.
func appendLower(to, name []byte) []byte {
	for _, b := range name {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		to = append(to, b)
	}
	return to
}

// addNamed adds the names that a Connection field lists, in lower case, except those
// that frame the message, which fasthttp handles.
func addNamed(names map[string]bool, value []byte) map[string]bool {
	for token := range strings.SplitSeq(string(value), ",") {
		token = strings.ToLower(strings.TrimSpace(token))
		switch token {
		case "", "close", "content-length", "host":
			continue
		}
		if names == nil {
			names = map[string]bool{}
		}
		names[token] = true
	}
	return names
}

// carrier writes the trace context into a request.
type carrier struct{ h *fasthttp.RequestHeader }

func (c carrier) Get(k string) string { return string(c.h.Peek(k)) }
func (c carrier) Set(k, v string)     { c.h.Set(k, v) }
func (c carrier) Keys() []string      { return nil }
