package gateway

import (
	"context"
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel"
)

// hopByHop reports whether a field concerns one connection only (RFC 9110
// §7.6.1), those that Connection names aside.
func hopByHop(name string) bool {
	switch name {
	case "connection", "proxy-connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
		"proxy-authenticate", "proxy-authorization", "proxy-authentication-info", "http2-settings", "expect":
		return true
	}
	return false
}

// claimed reports whether a request field claims something that only a proxy or
// the gateway may say: who the client is, which address it called, which trace
// it belongs to. Nothing of that kind comes in from outside. Names with an
// underscore could be taken for the same names with a hyphen.
func claimed(name string) bool {
	switch name {
	case "forwarded", "x-real-ip", "true-client-ip", "x-client-ip", "x-cluster-client-ip", "cf-connecting-ip",
		"x-original-url", "x-rewrite-url", "x-http-method-override", "x-method-override", "x-http-method",
		"x-request-id", "traceparent", "tracestate", "baggage", "via":
		return true
	}
	for _, prefix := range []string{"x-forwarded", "x-user", "x-ecf-", "x-auth", "x-org", "x-tenant", "x-role", "x-internal"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.ContainsRune(name, '_')
}

// caller is what the gateway tells a service about who called it.
type caller struct {
	requestID string
	address   netip.Addr
	scheme    string
}

// requestHeader makes the header that goes to a service: the caller's without
// what is not for it, and ours.
func requestHeader(ctx context.Context, from, to *fasthttp.RequestHeader, caller caller) {
	from.CopyTo(to)
	to.ResetConnectionClose()
	listed := named(from.All())
	for _, name := range namesOf(from.All()) {
		if lower := strings.ToLower(name); hopByHop(lower) || claimed(lower) || listed[lower] {
			to.Del(name)
		}
	}
	to.Set(fiber.HeaderXRequestID, caller.requestID)
	to.Set(fiber.HeaderXForwardedProto, caller.scheme)
	if caller.address.IsValid() {
		to.Set(fiber.HeaderXForwardedFor, caller.address.String())
	}
	otel.GetTextMapPropagator().Inject(ctx, carrier{to})
}

// responseHeader removes from an answer what concerned the connection to the
// service, and what tells about its software.
func responseHeader(h *fasthttp.ResponseHeader) {
	listed := named(h.All())
	for _, name := range namesOf(h.All()) {
		if lower := strings.ToLower(name); hopByHop(lower) || listed[lower] || lower == "server" || strings.HasPrefix(lower, "x-ecf-") {
			h.Del(name)
		}
	}
	h.ResetConnectionClose()
}

type fields = func(yield func(name, value []byte) bool)

// named returns the names that the Connection fields list, in lower case; not
// those that frame the message, which fasthttp keeps by itself.
func named(all fields) map[string]bool {
	var names map[string]bool
	for name, value := range all {
		if !strings.EqualFold(string(name), fiber.HeaderConnection) {
			continue
		}
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
	}
	return names
}

func namesOf(all fields) []string {
	var names []string
	for name := range all {
		names = append(names, string(name))
	}
	return names
}

// carrier writes the trace context into a request.
type carrier struct{ h *fasthttp.RequestHeader }

func (c carrier) Get(k string) string { return string(c.h.Peek(k)) }
func (c carrier) Set(k, v string)     { c.h.Set(k, v) }
func (c carrier) Keys() []string      { return nil }
