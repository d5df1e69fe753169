package records

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// Limits of the response cache, in bytes; a response larger than a sixteenth of it is not
// cached.
const (
	keptAnswers  = 16 << 20
	largestKept  = keptAnswers / 16
	costOfAnswer = 512 // of an entry, besides its strings
)

// answers is the response cache of reads (ADR 0045). The key contains everything that a
// response depends on except the stored data: the organization, the caller with the role, and
// the request.
type answers struct {
	store record.Versioned // nil: the store has no version
	kept  *lru.Cache[string, answer]
	// pages caches lists by what their entity tags consist of, for both kinds of stores; see
	// serve.
	pages *lru.Cache[string, answer]
}

type answer struct {
	key     string
	version record.Version
	tag     string
	body    []byte // nil: only the tag is known to be current
}

func newAnswers(store any) *answers {
	cost := func(a answer) int { return len(a.key) + len(a.tag) + len(a.body) + costOfAnswer }
	a := &answers{pages: lru.NewCosting[string](keptAnswers, cost)}
	if v, ok := store.(record.Versioned); ok {
		a.store, a.kept = v, lru.NewCosting[string](keptAnswers, cost)
	}
	return a
}

// remembered are the operations whose responses depend only on the request, the caller and the
// stored data: not on the clock, nor on another service.
var remembered = []string{"listEvents", "getEvent", "listRecords", "getRecord"}

// remember returns the routes with caching of responses. It runs before the guard of teams,
// which reads the event: a cached response has passed the guard for this caller, and a change
// of the team changes the version of the store.
func (a *answers) remember(routes []web.Route) []web.Route {
	if a.store == nil {
		return routes
	}
	for i, r := range routes {
		if slices.Contains(remembered, r.Operation) {
			routes[i].Handler = a.handler(r.Handler)
		}
	}
	return routes
}

func (a *answers) handler(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		// The version is read first: a write during the request makes the response outdated,
		// and it is not used again.
		version, err := a.store.Version(c.UserContext())
		if err != nil {
			return next(c) // which reports the error
		}
		key := answerKey(web.PrincipalOf(c), c.Request())
		if a.give(key, version, c.Request(), c.Response()) {
			return nil
		}
		if err := next(c); err != nil {
			return err
		}
		r := c.Response()
		tag := string(r.Header.Peek(fiber.HeaderETag))
		if tag == "" || r.IsBodyStream() || !ordinary(&r.Header) {
			return nil
		}
		switch status := r.StatusCode(); {
		case status == fiber.StatusOK && len(r.Body()) > 0 && len(r.Body()) <= largestKept:
			// A copy: a buffer of fasthttp would be overwritten by the next request.
			a.kept.Put(key, answer{key: key, version: version, tag: tag, body: bytes.Clone(r.Body())})
		case status == fiber.StatusNotModified:
			// A client that polls has the body already.
			a.kept.Put(key, answer{key: key, version: version, tag: tag})
		}
		return nil
	}
}

// give sends the cached response of a key if it is of the given version of the store, and
// reports whether it could.
func (a *answers) give(key string, version record.Version, req *fasthttp.Request, resp *fasthttp.Response) bool {
	found, ok := a.kept.Get(key)
	switch {
	case !ok || found.version != version:
	case web.HasTag(&req.Header, found.tag):
		web.AnswerNotModified(resp, found.tag)
		return true
	case found.body != nil:
		web.AnswerTagged(resp, found.tag, found.body)
		return true
	}
	return false
}

// recall implements web.Recall.
func (a *answers) recall(ctx context.Context, operation string, p identity.Principal, req *fasthttp.Request, resp *fasthttp.Response) bool {
	if a.store == nil || !slices.Contains(remembered, operation) {
		return false
	}
	version, err := a.store.Version(ctx)
	return err == nil && a.give(answerKey(p, req), version, req, resp)
}

// setAnew are the header fields that are set for each response.
var setAnew = []string{fiber.HeaderContentType, fiber.HeaderContentLength, fiber.HeaderETag, fiber.HeaderXRequestID, fiber.HeaderServer, fiber.HeaderDate}

// ordinary reports whether a response has only header fields that are set again for a cached
// one.
func ordinary(h *fasthttp.ResponseHeader) bool {
	for name := range h.All() {
		if !slices.ContainsFunc(setAnew, func(known string) bool { return strings.EqualFold(known, string(name)) }) {
			return false
		}
	}
	return true
}

// answerKey returns all that a response depends on except the stored data. It is unambiguous:
// no part contains a line feed. Of the header only If-None-Match matters, which give compares: a
// response that depends on a language or a preference says so in its header, so it is not ordinary.
func answerKey(p identity.Principal, req *fasthttp.Request) string {
	key := make([]byte, 0, 192)
	for _, part := range [...]string{p.Org, p.UserID, p.Role.String()} {
		key = append(append(key, part...), '\n')
	}
	return string(append(key, req.RequestURI()...))
}
