package web

import (
	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"
)

// Language returns the offered language that the request prefers (RFC 9110,
// Accept-Language), or the first one if it prefers none, and sets Content-Language and
// Vary accordingly.
func Language(c *fiber.Ctx, offered ...string) string {
	tags := make([]language.Tag, len(offered))
	for i, o := range offered {
		tags[i] = language.Make(o)
	}
	c.Vary(fiber.HeaderAcceptLanguage)
	chosen := offered[0]
	// An invalid field expresses no preference; it is not an error.
	if wanted, _, err := language.ParseAcceptLanguage(c.Get(fiber.HeaderAcceptLanguage)); err == nil {
		if _, at, confidence := language.NewMatcher(tags).Match(wanted...); confidence >= language.High {
			chosen = offered[at]
		}
	}
	c.Set(fiber.HeaderContentLanguage, chosen)
	return chosen
}
