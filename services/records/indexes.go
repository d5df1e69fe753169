package records

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/places"
	"github.com/eventcarbon/ecf/libs/web"
)

// indexBrotli is the brotli level of an index, which is compressed once.
const indexBrotli = 6

// index is an index as sent. The program contains it compressed; other representations are
// created on demand and cached, because each takes more CPU time than the rest of the request.
type index struct {
	packed func() (text []byte, tag string)
	plain  func() ([]byte, error)
	brotli func() ([]byte, error)
}

func newIndex(packed func() ([]byte, string)) *index {
	i := &index{packed: packed}
	i.plain = sync.OnceValues(func() ([]byte, error) {
		text, _ := packed()
		unpacker, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("location index: %w", err)
		}
		plain, err := io.ReadAll(unpacker)
		if err != nil {
			return nil, fmt.Errorf("location index: %w", err)
		}
		return slices.Clip(plain), nil
	})
	i.brotli = sync.OnceValues(func() ([]byte, error) {
		plain, err := i.plain()
		if err != nil {
			return nil, err
		}
		return slices.Clip(fasthttp.AppendBrotliBytesLevel(nil, plain, indexBrotli)), nil
	})
	return i
}

var (
	// locationIndex contains airports and cities, placeIndex towns.
	locationIndex = newIndex(locations.Index)
	placeIndex    = newIndex(places.Index)
)

// send sends an index in the coding that the client accepts; each coding has its own entity
// tag. If the query contains the tag as version (v), the response is immutable.
func (i *index) send(c *fiber.Ctx) error {
	packed, tag := i.packed()
	version := strings.Trim(tag, `"`)
	c.Vary(fiber.HeaderAcceptEncoding)
	// Cached by the client, but revalidated each time: 304 unless it has changed.
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	asked := strings.TrimSuffix(strings.TrimSuffix(c.Query("v"), "-"+web.CodingGzip), "-"+web.CodingBrotli)
	if asked == version {
		c.Set(fiber.HeaderCacheControl, "private, max-age=31536000, immutable")
	}
	coding := web.PreferredCoding(c.Get(fiber.HeaderAcceptEncoding), web.CodingGzip, web.CodingBrotli)
	// Any representation that the client has is current.
	for _, form := range []string{coding, web.CodingGzip, web.CodingBrotli, ""} {
		if known := formTag(tag, form); web.NotModified(c, known) {
			return web.SendNotModified(c, known)
		}
	}
	text, err := packed, error(nil)
	switch coding {
	case web.CodingGzip:
	case web.CodingBrotli:
		text, err = i.brotli()
	default:
		coding = ""
		text, err = i.plain()
	}
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderETag, formTag(tag, coding))
	if coding != "" {
		c.Set(fiber.HeaderContentEncoding, coding)
	}
	return web.JSON(c, fiber.StatusOK, text)
}

// formTag returns the entity tag of a representation in a coding.
func formTag(tag, coding string) string {
	if coding != web.CodingGzip && coding != web.CodingBrotli {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + coding + `"`
}
