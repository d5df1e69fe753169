package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

// ETagOf returns a strong entity tag, with quotes, of all parts. The boundaries of the
// parts matter: ("ab","c") and ("a","bc") differ.
func ETagOf(parts ...string) string {
	h := sha256.New()
	var size [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(size[:], uint64(len(p)))
		h.Write(size[:])
		h.Write([]byte(p))
	}
	return quoteTag(h.Sum(nil))
}

// ETagOfBody returns the default entity tag of a JSON response, from the SHA-256 of its
// body.
func ETagOfBody(sum [sha256.Size]byte) string { return quoteTag(sum[:]) }

func quoteTag(sum []byte) string {
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// NotModified reports whether If-None-Match contains tag. A handler that knows the tag
// before it has done the work sets ETag, calls NotModified, and answers with
// SendNotModified, which makes polling cheap.
func NotModified(c *fiber.Ctx, tag string) bool {
	if m := c.Method(); m != fiber.MethodGet && m != fiber.MethodHead {
		return false
	}
	return HasTag(&c.Request().Header, tag)
}

// HasTag reports whether the If-None-Match of a GET or HEAD request contains tag.
func HasTag(h *fasthttp.RequestHeader, tag string) bool {
	if len(h.PeekCanonical(nameIfNoneMatch)) == 0 {
		return false
	}
	tags, _ := tagList(h, fiber.HeaderIfNoneMatch)
	tag = strings.TrimPrefix(tag, "W/")
	for _, t := range tags {
		if t == "*" || strings.TrimPrefix(t, "W/") == tag {
			return true
		}
	}
	return false
}

// nameIfNoneMatch and nameETag are field names as fasthttp normalizes them.
var (
	nameIfNoneMatch = []byte(fiber.HeaderIfNoneMatch)
	nameETag        = []byte("Etag")
)

// SendNotModified answers 304 with the tag and without a body.
func SendNotModified(c *fiber.Ctx, tag string) error {
	AnswerNotModified(c.Response(), tag)
	return nil
}

// AnswerNotModified is SendNotModified for a fasthttp response.
func AnswerNotModified(r *fasthttp.Response, tag string) {
	r.Header.SetCanonical(nameETag, []byte(tag))
	r.ResetBody()
	r.Header.SetContentType("")
	r.Header.SetNoDefaultContentType(true)
	r.SetStatusCode(http.StatusNotModified)
}

// AnswerTagged answers 200 with a JSON body and its tag. The body is not copied.
func AnswerTagged(r *fasthttp.Response, tag string, body []byte) {
	r.Header.SetCanonical(nameETag, []byte(tag))
	r.SetStatusCode(http.StatusOK)
	r.Header.SetContentType(fiber.MIMEApplicationJSON)
	r.SetBodyRaw(body)
}

// IfMatch returns the tags of the If-Match field, with quotes ("*" has none), and
// whether the field is present. Weak tags are omitted: they never match in a strong
// comparison.
func IfMatch(c *fiber.Ctx) (tags []string, present bool) {
	all, present := tagList(&c.Request().Header, fiber.HeaderIfMatch)
	for _, t := range all {
		if !strings.HasPrefix(t, "W/") {
			tags = append(tags, t)
		}
	}
	return tags, present
}

// tagList parses a list of entity tags (RFC 9110 §8.8.3). A tag may contain commas, so
// the list cannot be split at them. Parsing stops at the first thing that is not a tag.
func tagList(h *fasthttp.RequestHeader, header string) (tags []string, present bool) {
	for _, s := range headerFields(h, header) {
		present = true
		for {
			s = strings.TrimLeft(s, " \t,")
			if s == "" {
				break
			}
			if s[0] == '*' {
				tags, s = append(tags, "*"), s[1:]
				continue
			}
			start := 0
			if strings.HasPrefix(s, "W/") {
				start = 2
			}
			if start >= len(s) || s[start] != '"' {
				break
			}
			end := strings.IndexByte(s[start+1:], '"')
			if end < 0 {
				break
			}
			end += start + 2
			tags, s = append(tags, s[:end]), s[end:]
		}
	}
	return tags, present
}

// etag gives every 200 JSON response to a GET request a strong entity tag of its body,
// unless the handler has set one, and answers 304 if the client has it.
func etag(c *fiber.Ctx) error {
	if err := c.Next(); err != nil {
		return err
	}
	if m := c.Method(); (m == fiber.MethodGet || m == fiber.MethodHead) && !knownOf(c).quiet {
		tagAnswer(&c.Request().Header, c.Response())
	}
	return nil
}

// tagAnswer is etag for the response to a GET or HEAD request.
func tagAnswer(h *fasthttp.RequestHeader, r *fasthttp.Response) {
	if r.StatusCode() != http.StatusOK {
		return
	}
	own := r.Header.PeekCanonical(nameETag)
	if len(own) > 0 && len(h.PeekCanonical(nameIfNoneMatch)) == 0 {
		return
	}
	tag := string(own)
	if tag == "" {
		if r.IsBodyStream() || !bytes.HasPrefix(r.Header.ContentType(), []byte(fiber.MIMEApplicationJSON)) {
			return
		}
		sum := sha256.Sum256(r.Body())
		tag = quoteTag(sum[:])
		r.Header.SetCanonical(nameETag, []byte(tag))
	}
	if HasTag(h, tag) {
		AnswerNotModified(r, tag)
	}
}

// IfNoneMatchAny reports whether the If-None-Match field is *: the resource that the
// request would create must not exist yet.
func IfNoneMatchAny(c *fiber.Ctx) bool {
	tags, _ := tagList(&c.Request().Header, fiber.HeaderIfNoneMatch)
	return len(tags) == 1 && tags[0] == "*"
}
