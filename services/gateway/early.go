package gateway

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/utils"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// early takes light writes on, while an intake refuses any, before anything is waited for or
// made for a request: what is refused takes next to nothing of what there is too little of.
type early struct {
	g        *gateway
	matcher  *api.Matcher
	recall   identity.Recall
	refusals map[string]*web.Refusal // by operation
}

// add has the writes of an operation taken on early, where it has an intake.
func (e *early) add(o api.Operation) error {
	if e.g.intakeOf(o) == nil {
		return nil
	}
	refusal, err := web.NewRefusal(o, tooMuch())
	e.refusals[o.ID] = refusal
	return err
}

// take returns the refusal of a request, or what to call when it has ended. It leaves to taken
// whose token it does not know, and who is refused over and over: that one meets the limit of
// writes first. So it does with pages of other origins, whose answers say who may read them, and
// with bodies in chunks, which are not yet known to be of one length.
func (e *early) take(rc *fasthttp.RequestCtx) (end func(), refused *web.Refusal) {
	h := &rc.Request.Header
	if h.IsGet() || h.IsHead() || !e.g.tight() || h.ContentLength() == chunked || len(h.PeekCanonical(nameOrigin)) > 0 {
		return nil, nil
	}
	path, _, _ := bytes.Cut(h.RequestURI(), []byte("?"))
	// Nothing of the request is kept, and what is refused is not copied.
	o, ok := e.matcher.Find(utils.UnsafeString(h.Method()), utils.UnsafeString(path))
	refusal := e.refusals[o.ID]
	if !ok || refusal == nil {
		return nil, nil
	}
	intake := e.g.intakes[o.Service]
	if !intake.tight.Load() {
		return nil, nil
	}
	// No context of the request: the keys that a token needs are read for others, too.
	p, ok := web.Bearer(context.Background(), h, e.recall, e.g.Tokens, e.g.Now())
	if !ok {
		return nil, nil
	}
	if end, ok = intake.begin(p.Org); ok {
		rc.SetUserValue(takenKey{}, true)
		return end, nil
	}
	if _, seldom := e.g.holdback.pace.within(user{p.Org, p.UserID}.key(), 1, e.g.Now(), 0); !seldom {
		return nil, nil
	}
	return nil, refusal
}

// tight reports whether any intake refuses writes.
func (g *gateway) tight() bool {
	for _, i := range g.intakes {
		if i.tight.Load() {
			return true
		}
	}
	return false
}

// takenKey is where a request says that an intake has taken it on.
type takenKey struct{}

// intakeOf returns the intake of an operation; nil where it has none.
func (g *gateway) intakeOf(o api.Operation) *intake {
	if o.Public() || o.Streamed || o.Cost > api.Light || o.Method == http.MethodGet {
		return nil
	}
	return g.intakes[o.Service]
}

// taken returns the handler of an operation behind the intake of its service, for requests
// that were not taken on early. It stands before the body is read.
func (g *gateway) taken(o api.Operation, next fiber.Handler) fiber.Handler {
	intake := g.intakeOf(o)
	if intake == nil {
		return next
	}
	return func(c *fiber.Ctx) error {
		if c.Context().UserValue(takenKey{}) != nil {
			return next(c)
		}
		end, ok := intake.begin(web.PrincipalOf(c).Org)
		if !ok {
			c.Context().SetUserValue(overloadKey{}, true)
			web.LogTogether(c)
			return tooMuch()
		}
		defer end()
		return next(c)
	}
}

// tooMuch is the answer to a write that is not taken on.
func tooMuch() *apperr.Error {
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
		Message: "More is being written than there is time for. Nothing was changed; please try again."}
}
