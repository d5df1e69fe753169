package web

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
	"go.opentelemetry.io/otel/semconv/v1.43.0/httpconv"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Refusal is the prepared response to rejected requests of an operation. It is built
// once, because during overload every rejection takes CPU time from the admitted
// requests.
type Refusal struct {
	code          apperr.Code
	labels        labels // without the scheme
	header        fasthttp.ResponseHeader
	before, after []byte // the body before and after the request id
}

// NewRefusal returns the response that handlers of an operation would send for an
// error.
func NewRefusal(o api.Operation, e *apperr.Error) (*Refusal, error) {
	// This placeholder for the id occurs in no other text: see saneID.
	const id = "\x00"
	body, err := encode(failure{Error: errorBody(e, id)})
	if err != nil {
		return nil, err
	}
	r := &Refusal{code: e.Code, labels: newLabels(httpconv.RequestMethodAttr(o.Method), "", RouteOf(o), StatusOf(e.Code), e.Code)}
	r.before, r.after, _ = bytes.Cut(body, []byte(`\u0000`))
	r.header.SetStatusCode(r.labels.status)
	r.header.SetContentType(fiber.MIMEApplicationJSON)
	for _, f := range securityFields {
		r.header.SetCanonical(f.name, f.value)
	}
	if wait := retryAfter(e); wait > 0 {
		r.header.Set(fiber.HeaderRetryAfter, strconv.FormatInt(wait, 10))
	}
	return r, nil
}

// begin handles a request, unless it is rejected early or answered by the fast path.
func (e *edge) begin(rc *fasthttp.RequestCtx, next fasthttp.RequestHandler) {
	// Looked for before anything iterates over the fields in their order, which joins folded lines in place.
	if folded(rc.Request.Header.RawHeaders()) {
		rc.SetUserValue(keyFolded, true)
		next(rc)
		return
	}
	if e.o.Early != nil {
		end, refused := e.o.Early(rc)
		if refused != nil {
			e.refuse(rc, refused)
			return
		}
		if end != nil {
			defer end()
		}
	}
	if !e.byFastPath(rc) {
		next(rc)
	}
}

// refuse answers a request before anything is allocated for it. It is counted and
// measured like any other, but has no trace; its log line has level debug, as with
// LogTogether.
func (e *edge) refuse(rc *fasthttp.RequestCtx, r *Refusal) {
	began := e.o.Now()
	id := e.idOf(&rc.Request.Header)
	r.header.CopyTo(&rc.Response.Header)
	rc.Response.Header.SetCanonical(nameRequestID, []byte(id))
	rc.Response.SetBody(r.before)
	rc.Response.AppendBodyString(id)
	rc.Response.AppendBody(r.after)

	ended, l, ctx := e.o.Now(), r.labels, context.Background()
	l.scheme = schemeOf(rc)
	e.measures.record(ctx, l, r.code, ended.Sub(began))
	if e.o.Logger.Enabled(ctx, slog.LevelDebug) {
		telemetry.LogRequest(ctx, e.o.Logger, slog.LevelDebug, telemetry.Request{At: ended, Took: ended.Sub(began), Method: string(l.method), Route: l.route, Status: l.status,
			ID: id, Code: string(r.code)})
	}
}
