package web

import (
	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/language"
)

// Language returns the one of the languages offered that the request prefers
// (RFC 9110, Accept-Language), the first when it prefers none of them, and marks
// the answer as being in it.
func Language(c *fiber.Ctx, offered ...string) string {
	tags := make([]language.Tag, len(offered))
	for i, o := range offered {
		tags[i] = language.Make(o)
	}
	c.Vary(fiber.HeaderAcceptLanguage)
	chosen := offered[0]
	// A header that cannot be read prefers nothing; no answer depends on it alone.
	if wanted, _, err := language.ParseAcceptLanguage(c.Get(fiber.HeaderAcceptLanguage)); err == nil {
		if _, at, confidence := language.NewMatcher(tags).Match(wanted...); confidence >= language.High {
			chosen = offered[at]
		}
	}
	c.Set(fiber.HeaderContentLanguage, chosen)
	return chosen
}
