package gateway

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/web"
)

// The codings of answers, best first: at these levels brotli takes less time than
// gzip for what lists, explanations and reports look like, and makes less of it.
const (
	codingBrotli = "br"
	codingGzip   = "gzip"

	brotliLevel = 4
	gzipLevel   = 5

	// leastCompressed is the size below which nothing is compressed: the answer
	// fits in one packet as it is.
	leastCompressed = 1400
)

// Fields as fasthttp keeps their names.
var (
	nameAcceptEncoding = []byte(fiber.HeaderAcceptEncoding)
	nameIfMatch        = []byte(fiber.HeaderIfMatch)
	nameIfNoneMatch    = []byte(fiber.HeaderIfNoneMatch)
	nameETag           = []byte("Etag")
	nameVary           = []byte(fiber.HeaderVary)
	nameOrigin         = []byte(fiber.HeaderOrigin)
)

// codingFor returns the coding that a client takes; empty: none. Without the
// field anything would be acceptable, but a client that says nothing is not known
// to unpack.
func codingFor(h *fasthttp.RequestHeader) string {
	accepted := h.PeekCanonical(nameAcceptEncoding)
	if len(accepted) == 0 {
		return ""
	}
	// Most clients are of a few kinds, and of one in a row.
	if last := lastAccepted.Load(); last != nil && last.field == string(accepted) {
		return last.coding
	}
	last := &accepts{field: string(accepted), coding: bestCoding(string(accepted))}
	lastAccepted.Store(last)
	return last.coding
}

// accepts is an Accept-Encoding field, and the coding for who sends it.
type accepts struct{ field, coding string }

// lastAccepted is the field that was looked at last.
var lastAccepted atomic.Pointer[accepts]

func bestCoding(accepted string) string {
	best, weight := "", 0.0
	for _, coding := range []string{codingBrotli, codingGzip} {
		if q := qualityOf(accepted, coding); q > weight {
			best, weight = coding, q
		}
	}
	return best
}

// qualityOf returns the weight that an Accept-Encoding field has for a coding (RFC
// 9110 §12.5.3), 0 where it does not name it: what * allows is not compressed.
func qualityOf(field, coding string) float64 {
	for member := range strings.SplitSeq(field, ",") {
		name, parameter, _ := strings.Cut(member, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		weight, weighted := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameter)), "q=")
		if !weighted {
			return 1
		}
		q, err := strconv.ParseFloat(weight, 64)
		if err != nil {
			return 0
		}
		return q
	}
	return 0
}

// compressed returns text in a coding.
func compressed(coding string, text []byte) []byte {
	if coding == codingBrotli {
		return fasthttp.AppendBrotliBytesLevel(nil, text, brotliLevel)
	}
	return fasthttp.AppendGzipBytesLevel(nil, text, gzipLevel)
}

// codedTag returns the entity tag of the compressed form of a representation:
// another form has another strong tag. The separator occurs in no tag of ours.
func codedTag(tag, coding string) string {
	plain, ok := strings.CutSuffix(tag, `"`)
	if coding == "" || !ok {
		return tag
	}
	return plain + "+" + coding + `"`
}

// plainTags removes from a field that lists entity tags what codedTag has added,
// so that the services see the tags they have given.
func plainTags(field string) string { return withoutCoding.Replace(field) }

var withoutCoding = strings.NewReplacer("+"+codingBrotli+`"`, `"`, "+"+codingGzip+`"`, `"`)

const (
	// packingAlone is how long no other organization must have had an answer compressed
	// until one may have as many compressed at a time as there are processors.
	packingAlone = time.Minute
	// packingUnit is how much text counts as one piece of work.
	packingUnit = 64 << 10
	// workUnit is how much text takes about as long to compress as what counts as one
	// piece of expensive work.
	workUnit = 256 << 10
)

// newPackings schedules the compression of answers among organizations: a page of a
// hundred records takes several times as long to compress as to read, so that who
// asks for such pages over and over would make everybody else wait here.
func newPackings() *fairshare.Scheduler {
	n := processors()
	return fairshare.New(fairshare.Options{Slots: n, Share: n / 2, Alone: n, AloneAfter: packingAlone})
}

// compressor compresses the answer of a service to one request.
type compressor struct {
	g *gateway // nil: nothing is compressed
	// completes: the answer is of expensive work of this process.
	completes bool
	coding    string
	// listed is the If-None-Match field as the client sent it.
	listed string
}

// newCompressor prepares a request for a service whose answers may be compressed.
// Answers of auth are not: they hold tokens, and the size of what a secret was
// compressed with tells about it.
func (g *gateway) newCompressor(from *fasthttp.RequestHeader, o api.Operation, req *fasthttp.RequestHeader) compressor {
	for _, name := range [...][]byte{nameIfMatch, nameIfNoneMatch} {
		if field := req.PeekCanonical(name); bytes.IndexByte(field, '+') >= 0 {
			req.SetCanonical(name, []byte(plainTags(string(field))))
		}
	}
	if o.Service == api.Auth {
		return compressor{}
	}
	return compressor{g: g, completes: o.Cost.Expensive() && g.clients[o.Service].inside,
		coding: codingFor(from), listed: string(from.PeekCanonical(nameIfNoneMatch))}
}

// turn waits for the turn of an organization to have text of a length compressed.
func (k compressor) turn(ctx context.Context, org string, length int) (end func(), err error) {
	if k.completes {
		return k.g.completed(ctx, org, length)
	}
	return k.g.packed(ctx, org, length)
}

// packed waits for a turn among answers that are compressed.
func (g *gateway) packed(ctx context.Context, org string, length int) (end func(), err error) {
	return g.packings.Acquire(ctx, org, 1+length/packingUnit)
}

// completed waits for a turn among the expensive work of the process: of an organization
// that has its share of the processors in it, the answer before must not be compressed on
// the others. What it waits for has been done already, so that it is next.
func (g *gateway) completed(ctx context.Context, org string, length int) (end func(), err error) {
	return g.Work.AcquireFirst(ctx, org, 1+length/workUnit)
}

// apply compresses the answer where that pays.
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

// vary says that the answer depends on a field of its request.
func vary(h *fasthttp.ResponseHeader, name []byte) {
	switch named := h.PeekCanonical(nameVary); {
	case len(named) == 0:
		h.SetCanonical(nameVary, name)
	case !listed(named, name):
		h.SetCanonical(nameVary, append(append(slices.Clip(named), ", "...), name...))
	}
}

// listed reports whether a field that is a list has a member, as it is written.
func listed(field, member []byte) bool {
	for m := range bytes.SplitSeq(field, []byte(",")) {
		if bytes.Equal(bytes.TrimSpace(m), member) {
			return true
		}
	}
	return false
}

// pack compresses the body of an answer, and reports whether it did. One that is passed on
// as it comes is compressed as it comes.
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
		return false // there is no time left; the answer is as good as it is
	}
	text := compressed(k.coding, body)
	end()
	resp.SetBodyRaw(text)
	return true
}

// knownTag returns the tag of the form that the client has, of those that differ
// from tag in their coding only.
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

// notModified answers 304 where the client has one of the forms of a
// representation.
func notModified(c *fiber.Ctx, tag, coding string) bool {
	for _, form := range []string{coding, "", codingBrotli, codingGzip} {
		if coded := codedTag(tag, form); web.NotModified(c, coded) {
			_ = web.SendNotModified(c, coded)
			return true
		}
	}
	return false
}
