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

const (
	codingGzip   = "gzip"
	codingBrotli = "br"
	// indexBrotli is the level of an index, which is packed once.
	indexBrotli = 6
)

// index is a whole index as it is sent. It is compressed with the program; its other forms
// are made when they are first asked for, and kept: each takes a processor longer than all else of the request.
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
	// locationIndex is of airports and cities, placeIndex of towns.
	locationIndex = newIndex(locations.Index)
	placeIndex    = newIndex(places.Index)
)

// send sends an index in the coding that the client takes; another one has another tag. Where
// the query names the tag as the version (v), what it names never changes.
func (i *index) send(c *fiber.Ctx) error {
	packed, tag := i.packed()
	version := strings.Trim(tag, `"`)
	c.Vary(fiber.HeaderAcceptEncoding)
	// Kept by the client, and asked for again each time: 304 unless it changed.
	c.Set(fiber.HeaderCacheControl, "private, no-cache")
	asked := strings.TrimSuffix(strings.TrimSuffix(c.Query("v"), "-"+codingGzip), "-"+codingBrotli)
	if asked == version {
		c.Set(fiber.HeaderCacheControl, "private, max-age=31536000, immutable")
	}
	coding := ""
	if c.Get(fiber.HeaderAcceptEncoding) != "" {
		coding = c.AcceptsEncodings(codingGzip, codingBrotli, "identity")
	}
	// A client that has any of the forms has the index.
	for _, form := range []string{coding, codingGzip, codingBrotli, ""} {
		if known := formTag(tag, form); web.NotModified(c, known) {
			return web.SendNotModified(c, known)
		}
	}
	text, err := packed, error(nil)
	switch coding {
	case codingGzip:
	case codingBrotli:
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

// formTag returns the tag of a form of what has a tag.
func formTag(tag, coding string) string {
	if coding != codingGzip && coding != codingBrotli {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + "-" + coding + `"`
}
