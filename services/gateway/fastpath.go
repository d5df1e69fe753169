package gateway

import (
	"bytes"
	"net/http"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/session"
)

// fastPath answers plain reads; it runs before any middleware (ADR
// 0099). Most of the gateway's CPU time per request is spent in middleware that does
// nothing for a successful read. A request whose caller, path or response is unusual
// takes the full path, with the response of its service if there is one already.
type fastPath struct {
	g       *gateway
	matcher *api.Matcher
	tokens  web.TokenVerifier
	recall  identity.Recall
	reads   map[string]*plainRead // by operation
}

// plainRead is an operation that may take the fast path.
type plainRead struct {
	operation api.Operation
	route     string
	underWay  *fairshare.Scheduler
	turn      bool // it needs a slot of its organization
}

// add enables the fast path for an operation, if it is a plain read.
func (s *fastPath) add(o api.Operation, announced bool) {
	if o.Method != http.MethodGet || o.Service == api.Gateway || o.Public() || o.Streamed || o.Cost.Expensive() || o.Timeout > 0 || announced {
		return
	}
	s.reads[o.ID] = &plainRead{operation: o, route: web.RouteOf(o), underWay: s.g.reads[o.Service], turn: s.g.clients[o.Service].Short(o)}
}

// take answers a request and returns true, or returns false. In that case it has done
// nothing but call the service, and has stored the outcome for proxy.
func (s *fastPath) take(r *web.FastPath) (answered bool) {
	g, rc := s.g, r.Request
	h := &rc.Request.Header
	path, query, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	if !encodedAlike(path) || bytes.IndexByte(query, '#') >= 0 || session.Asked(rc) || len(h.PeekCanonical(nameOrigin)) > 0 {
		return false
	}
	found := s.matcher.Lookup(http.MethodGet, utils.UnsafeString(path))
	if found == nil {
		return false
	}
	read := s.reads[found.ID]
	if read == nil {
		return false
	}
	by, ok := web.Bearer(r.Context, h, s.recall, s.tokens, r.Began)
	if !ok || by.UserID == "" || by.Org == "" || !by.Role.Holds(read.operation.Least) {
		return false
	}
	h.DelAllCookies()
	left := g.leftOf(r.Context, by, r.Began)
	if place, ok := read.underWay.TryAcquire(by.Org, 1, r.Began); ok {
		defer place.Release()
	} else {
		end, err := read.underWay.Acquire(r.Context, by.Org, 1)
		if err != nil {
			return false
		}
		defer end()
	}
	if read.turn {
		end, err := g.turns.scheduler.Acquire(r.Context, by.Org, 1)
		if err != nil {
			return false
		}
		defer end()
		defer g.turns.after(turnTime, end).Stop()
	}

	r.Route, r.Principal = read.route, by
	a := passed{rc: rc, ctx: r.Context, by: by, id: r.ID}
	var room [256]byte
	target := append(room[:0], bytes.TrimSuffix(path, slash)...)
	if len(query) > 0 {
		target = append(append(target, '?'), query...)
	}
	packing, err := g.ask(a, read.operation, target, nil)
	if err != nil || !plainAnswer(&rc.Response) {
		keepOutcome(rc, packing, left, err)
		return false
	}
	g.finish(a, packing)
	left.tell(&rc.Response.Header)
	if len(g.Origins) > 0 {
		vary(&rc.Response.Header, nameOrigin)
	}
	return true
}

// plainAnswer reports whether a response is successful and needs no further processing.
func plainAnswer(r *fasthttp.Response) bool {
	notes, err := audit.Attached(r)
	return (r.StatusCode() == http.StatusOK || r.StatusCode() == http.StatusNotModified) && len(notes) == 0 && err == nil
}

// outcome is the outcome of a call of a service.
type outcome struct {
	answer  fasthttp.Response
	packing compressor
	err     error
}

// outcomeKey is the key of the request value that holds the outcome of a request not
// answered by the fast path.
type outcomeKey struct{}

// keepOutcome stores an outcome with the rate limit fields of its response: there may
// be no time left to determine them again.
func keepOutcome(rc *fasthttp.RequestCtx, packing compressor, left *told, err error) {
	kept := &outcome{packing: packing, err: err}
	if err == nil {
		rc.Response.CopyTo(&kept.answer)
	}
	rc.Response.Reset()
	rc.SetUserValue(outcomeKey{}, kept)
	rc.SetUserValue(limitKey{}, left)
}

// outcomeOf returns the stored outcome of a request, if any, and restores its response.
func outcomeOf(rc *fasthttp.RequestCtx) (packing compressor, ok bool, err error) {
	kept, ok := rc.UserValue(outcomeKey{}).(*outcome)
	if !ok {
		return compressor{}, false, nil
	}
	if kept.err == nil {
		rc.Response.Reset()
		kept.answer.CopyTo(&rc.Response)
	}
	return kept.packing, true, kept.err
}

// unlessAsked returns a handler that calls wait, or pass if the service has been called
// already.
func unlessAsked(pass, wait fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if wasAsked(c) {
			return pass(c)
		}
		return wait(c)
	}
}

// wasAsked reports whether the service has been called already.
func wasAsked(c *fiber.Ctx) bool { return c.Context().UserValue(outcomeKey{}) != nil }
