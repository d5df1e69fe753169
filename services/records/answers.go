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

// What is kept of answers, in bytes; an answer that takes more than a sixteenth
// of it is not kept.
const (
	keptAnswers  = 16 << 20
	largestKept  = keptAnswers / 16
	costOfAnswer = 512 // of an entry, beside its texts
)

// answers are the bodies of reads that were answered before. The key of one says
// everything it depends on but what is stored: whose organization, who asks with
// which role, and what for.
type answers struct {
	store record.Versioned // nil: the store does not know its version
	kept  *lru.Cache[string, answer]
	// pages are lists by what their entity tags are made of, for stores of both
	// kinds; see serve.
	pages *lru.Cache[string, answer]
}

type answer struct {
	key     string
	version record.Version
	tag     string
	body    []byte // nil: the answer was only that tag is that of now
}

func newAnswers(store any) *answers {
	cost := func(a answer) int { return len(a.key) + len(a.tag) + len(a.body) + costOfAnswer }
	a := &answers{pages: lru.NewCosting[string](keptAnswers, cost)}
	if v, ok := store.(record.Versioned); ok {
		a.store, a.kept = v, lru.NewCosting[string](keptAnswers, cost)
	}
	return a
}

// remembered are the operations whose answers depend on nothing but the request,
// the caller and what is stored: not on the clock, nor on another service.
var remembered = []string{"listEvents", "getEvent", "listRecords", "getRecord"}

// remember returns the routes with the answers of reads remembered. It stands
// before the guard of teams, which reads the event: the answer is the one that
// the guard let through for this caller, and a change of the team is a change of
// what is stored.
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
		// The version is read first: what is written while the answer is made
		// makes it one of the past, which is not given again.
		version, err := a.store.Version(c.UserContext())
		if err != nil {
			return next(c) // which finds out what is wrong
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
			// A copy: were the body one of fasthttp's buffers, the next request would
			// write into it.
			a.kept.Put(key, answer{key: key, version: version, tag: tag, body: bytes.Clone(r.Body())})
		case status == fiber.StatusNotModified:
			// Who polls has the body, and asks for nothing else.
			a.kept.Put(key, answer{key: key, version: version, tag: tag})
		}
		return nil
	}
}

// give gives the answer that is kept under a key, where it is one of a version of the store,
// and reports whether it could.
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

// setAnew are the fields of the header that an answer gets each time.
var setAnew = []string{fiber.HeaderContentType, fiber.HeaderContentLength, fiber.HeaderETag, fiber.HeaderXRequestID, fiber.HeaderServer, fiber.HeaderDate}

// ordinary reports whether the header of an answer has only fields that are set
// anew when it is given again.
func ordinary(h *fasthttp.ResponseHeader) bool {
	for name := range h.All() {
		if !slices.ContainsFunc(setAnew, func(known string) bool { return strings.EqualFold(known, string(name)) }) {
			return false
		}
	}
	return true
}

// answerKey returns all that an answer depends on but what is stored. A part
// cannot be taken for two: none holds a line feed.
func answerKey(p identity.Principal, req *fasthttp.Request) string {
	key := make([]byte, 0, 192)
	for _, part := range [...]string{p.Org, p.UserID, p.Role.String()} {
		key = append(append(key, part...), '\n')
	}
	for _, name := range [...]string{fiber.HeaderAccept, fiber.HeaderAcceptLanguage, "Prefer"} {
		key = append(append(key, req.Header.Peek(name)...), '\n')
	}
	return string(append(key, req.RequestURI()...))
}
