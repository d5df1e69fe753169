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

// shortcut passes plain reads on before any middleware has seen them: most of what a request
// takes of the gateway's processor is the way through the middleware, which does nothing for a
// read that is answered with what it asks for. A request whose caller, path or answer is
// any other goes the long way, with the answer of its service if it has got one.
type shortcut struct {
	g       *gateway
	matcher *api.Matcher
	tokens  web.TokenVerifier
	recall  identity.Recall
	reads   map[string]*plainRead // by operation
}

// plainRead is an operation that a shortcut passes on.
type plainRead struct {
	operation api.Operation
	route     string
	underWay  *fairshare.Scheduler
	turn      bool // it has a turn of its organization
}

// add has the reads of an operation passed on by the shortcut, where they are plain.
func (s *shortcut) add(o api.Operation, announced bool) {
	if o.Method != http.MethodGet || o.Service == api.Gateway || o.Public() || o.Streamed || o.Cost.Expensive() || o.Timeout > 0 || announced {
		return
	}
	s.reads[o.ID] = &plainRead{operation: o, route: web.RouteOf(o), underWay: s.g.reads[o.Service], turn: s.g.clients[o.Service].short(o)}
}

// take answers a request, or reports that it has not. It then has done nothing but to ask the
// service, and kept what came of that for proxy.
func (s *shortcut) take(r *web.Shortcut) (answered bool) {
	g, rc := s.g, r.Request
	h := &rc.Request.Header
	path, query, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	if !encodedAlike(path) || bytes.IndexByte(query, '#') >= 0 || session.Asked(rc) || len(g.Origins) > 0 && len(h.PeekCanonical(nameOrigin)) > 0 {
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

// plainAnswer reports whether an answer is what was asked for, and nothing has to be done for it.
func plainAnswer(r *fasthttp.Response) bool {
	notes, err := audit.Attached(r)
	return (r.StatusCode() == http.StatusOK || r.StatusCode() == http.StatusNotModified) && len(notes) == 0 && err == nil
}

// outcome is what has come of asking a service.
type outcome struct {
	answer  fasthttp.Response
	packing compressor
	err     error
}

// outcomeKey is where a request has it that was passed on by a shortcut, and not answered.
type outcomeKey struct{}

// keepOutcome keeps it, with what its answer says about a limit: there may be no time left to find
// that out again.
func keepOutcome(rc *fasthttp.RequestCtx, packing compressor, left *told, err error) {
	kept := &outcome{packing: packing, err: err}
	if err == nil {
		rc.Response.CopyTo(&kept.answer)
	}
	rc.Response.Reset()
	rc.SetUserValue(outcomeKey{}, kept)
	rc.SetUserValue(limitKey{}, left)
}

// outcomeOf returns what has come of asking for a request before, if anything, with the answer
// in its place.
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

// unlessAsked returns a handler that waits for its turn, unless the service has been asked already.
func unlessAsked(pass, wait fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if wasAsked(c) {
			return pass(c)
		}
		return wait(c)
	}
}

// wasAsked reports whether the service has been asked already.
func wasAsked(c *fiber.Ctx) bool { return c.Context().UserValue(outcomeKey{}) != nil }
