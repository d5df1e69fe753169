package gateway

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/web"
)

// The content codings of responses, best first. At these levels brotli is both faster
// and smaller than gzip for lists, explanations and reports.
const (
	codingBrotli = web.CodingBrotli
	codingGzip   = web.CodingGzip

	brotliLevel = 4
	gzipLevel   = 5

	// leastCompressed is the size below which responses are not compressed, because
	// they fit into one packet.
	leastCompressed = 1400
)

// Header field names as fasthttp normalizes them.
var (
	nameAcceptEncoding = []byte(fiber.HeaderAcceptEncoding)
	nameIfMatch        = []byte(fiber.HeaderIfMatch)
	nameIfNoneMatch    = []byte(fiber.HeaderIfNoneMatch)
	nameETag           = []byte("Etag")
	nameVary           = []byte(fiber.HeaderVary)
	nameOrigin         = []byte(fiber.HeaderOrigin)
)

// codingFor returns the content coding to use for a client; empty means none.
func codingFor(h *fasthttp.RequestHeader) string {
	accepted := h.PeekCanonical(nameAcceptEncoding)
	if len(accepted) == 0 {
		return ""
	}
	// Fast path: most clients send one of a few values, and consecutive requests often
	// the same.
	if last := lastAccepted.Load(); last != nil && last.field == string(accepted) {
		return last.coding
	}
	last := &accepts{field: string(accepted), coding: web.PreferredCoding(string(accepted), codingBrotli, codingGzip)}
	lastAccepted.Store(last)
	return last.coding
}

// accepts is the value of an Accept-Encoding field and the coding chosen for it.
type accepts struct{ field, coding string }

// lastAccepted caches the most recent field value.
var lastAccepted atomic.Pointer[accepts]

// compressed returns text compressed with a coding.
func compressed(coding string, text []byte) []byte {
	if coding == codingBrotli {
		return fasthttp.AppendBrotliBytesLevel(nil, text, brotliLevel)
	}
	return fasthttp.AppendGzipBytesLevel(nil, text, gzipLevel)
}

// codedTag returns the entity tag of the compressed representation: strong tags of
// different representations differ. The separator does not occur in tags of the
// services.
func codedTag(tag, coding string) string {
	plain, ok := strings.CutSuffix(tag, `"`)
	if coding == "" || !ok {
		return tag
	}
	return plain + "+" + coding + `"`
}

// plainTags removes the suffixes added by codedTag from a list of entity tags, so that
// services see their own tags.
func plainTags(field string) string { return withoutCoding.Replace(field) }

var withoutCoding = strings.NewReplacer("+"+codingBrotli+`"`, `"`, "+"+codingGzip+`"`, `"`)

const (
	// packingAlone is how long no other organization must have had a response
	// compressed until one may use all processors for compression.
	packingAlone = time.Minute
	// packingUnit is the amount of text per unit of work.
	packingUnit = 64 << 10
	// workUnit is the amount of text whose compression takes about as long as one unit
	// of expensive work.
	workUnit = 256 << 10
)

// newPackings returns the fair scheduler of compression. Compressing a page of a
// hundred records takes several times as long as reading it, so without it one
// organization that requests such pages continuously would delay all others.
func newPackings() *fairshare.Scheduler {
	n := processors()
	return fairshare.New(fairshare.Options{Slots: n, Share: n / 2, Alone: n, AloneAfter: packingAlone})
}

// compressor compresses the response to one request.
type compressor struct {
	g *gateway // nil: no compression
	// completes reports whether the response is the result of expensive work of this
	// process.
	completes bool
	coding    string
	// listed is the If-None-Match field sent by the client.
	listed string
}

// newCompressor prepares a request to a service whose response may be compressed.
// Responses of auth are not compressed: they contain tokens, and the compressed size
// could leak them (BREACH).
func (g *gateway) newCompressor(from *fasthttp.RequestHeader, o api.Operation, req *fasthttp.RequestHeader) compressor {
	for _, name := range [...][]byte{nameIfMatch, nameIfNoneMatch} {
		if field := req.PeekCanonical(name); bytes.IndexByte(field, '+') >= 0 {
			req.SetCanonical(name, []byte(plainTags(string(field))))
		}
	}
	if o.Service == api.Auth {
		return compressor{}
	}
	return compressor{g: g, completes: o.Cost.Expensive() && g.clients[o.Service].Inside,
		coding: codingFor(from), listed: string(from.PeekCanonical(nameIfNoneMatch))}
}

// turn acquires a slot for compressing text of the given length, and returns its
// release function.
func (k compressor) turn(ctx context.Context, org string, length int) (end func(), err error) {
	if k.completes {
		return k.g.completed(ctx, org, length)
	}
	return k.g.packed(ctx, org, length)
}

// packed acquires a slot of the compression scheduler.
func (g *gateway) packed(ctx context.Context, org string, length int) (end func(), err error) {
	return g.packings.Acquire(ctx, org, 1+length/packingUnit)
}

// completed acquires a slot among the expensive work of the process, so that an
// organization that uses its share of the processors does not compress on the others.
// It goes to the front of the queue, because the work for the response has been done
// already.
func (g *gateway) completed(ctx context.Context, org string, length int) (end func(), err error) {
	return g.Work.AcquireFirst(ctx, org, 1+length/workUnit)
}

// apply compresses the response if that pays off.
func (k compressor) apply(a passed) {
	h := &a.rc.Response.Header
	if k.g == nil || len(h.ContentEncoding()) > 0 {
		return
	}
	status, read := a.rc.Response.StatusCode(), a.rc.Request.Header.IsGet()
	switch {
	case status == fiber.StatusNotModified:
		vary(h, nameAcceptEncoding)
		if tag := string(h.PeekCanonical(nameETag)); tag != "" {
			h.SetCanonical(nameETag, []byte(k.knownTag(tag)))
		}
		return
	case status < fiber.StatusOK || status >= fiber.StatusMultipleChoices || !compressible(h.ContentType()):
		return
	}
	if read {
		vary(h, nameAcceptEncoding)
	}
	if k.coding == "" || !k.pack(a) {
		return
	}
	h.SetContentEncoding(k.coding)
	if tag := string(h.PeekCanonical(nameETag)); read && tag != "" {
		h.SetCanonical(nameETag, []byte(codedTag(tag, k.coding)))
	}
}

// vary adds a field name to Vary.
func vary(h *fasthttp.ResponseHeader, name []byte) {
	switch named := h.PeekCanonical(nameVary); {
	case len(named) == 0:
		h.SetCanonical(nameVary, name)
	case !listed(named, name):
		h.SetCanonical(nameVary, append(append(slices.Clip(named), ", "...), name...))
	}
}

// listed reports whether a list-valued field contains member, compared literally.
func listed(field, member []byte) bool {
	for m := range bytes.SplitSeq(field, []byte(",")) {
		if bytes.Equal(bytes.TrimSpace(m), member) {
			return true
		}
	}
	return false
}

// pack compresses the response body, and reports whether it did. A streamed response is
// compressed while it is streamed.
func (k compressor) pack(a passed) bool {
	resp := &a.rc.Response
	if f, ok := resp.BodyStream().(*flow); ok {
		p, err := k.newPacker(a.by.Org)
		if err == nil {
			f.packer = p
			resp.Header.SetContentLength(-1)
		}
		return err == nil
	}
	body := resp.Body()
	if len(body) < leastCompressed {
		return false
	}
	end, err := k.turn(a.ctx, a.by.Org, len(body))
	if err != nil {
		return false // no time left: the uncompressed response is correct too
	}
	text := compressed(k.coding, body)
	end()
	resp.SetBodyRaw(text)
	return true
}

// knownTag returns the client's entity tag among those that differ from tag in their
// coding only.
func (k compressor) knownTag(tag string) string {
	for _, coding := range []string{k.coding, codingBrotli, codingGzip} {
		if coded := codedTag(tag, coding); coded != tag && strings.Contains(k.listed, coded) {
			return coded
		}
	}
	return tag
}

func compressible(contentType []byte) bool {
	return bytes.HasPrefix(contentType, []byte("text/")) || bytes.Contains(contentType, []byte("json"))
}

// notModified answers 304 if the client has a representation with this tag, in any
// coding.
func notModified(c *fiber.Ctx, tag, coding string) bool {
	for _, form := range []string{coding, "", codingBrotli, codingGzip} {
		if coded := codedTag(tag, form); web.NotModified(c, coded) {
			_ = web.SendNotModified(c, coded)
			return true
		}
	}
	return false
}
