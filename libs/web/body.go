package web

import (
	"bytes"
	"mime"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Body returns a copy of the request body, or nil if there is none. A body must be
// application/json in UTF-8 and not compressed (a few bytes could decompress to more
// than the limit); anything else is UNSUPPORTED_MEDIA_TYPE. A request without a body
// needs no Content-Type.
func Body(c *fiber.Ctx) ([]byte, error) {
	body := c.Request().Body()
	if len(body) == 0 {
		return nil, nil
	}
	if err := checkMedia(c, []string{fiber.MIMEApplicationJSON}); err != nil {
		return nil, err
	}
	return bytes.Clone(body), nil
}

// checkMedia returns UNSUPPORTED_MEDIA_TYPE for a body that is compressed or has none
// of the media types.
func checkMedia(c *fiber.Ctx, types []string) error {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return apperr.New(apperr.UnsupportedMediaType, "The body of the request must not be compressed.")
	}
	if !mediaTypeIs(c.Get(fiber.HeaderContentType), types) {
		return apperr.New(apperr.UnsupportedMediaType, "The body of the request must be %s in UTF-8.", strings.Join(types, " or "))
	}
	return nil
}

func mediaTypeIs(header string, types []string) bool {
	got, params, err := mime.ParseMediaType(header)
	if err != nil {
		return false
	}
	if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
		return false
	}
	return slices.Contains(types, got)
}
