package gateway

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/web"
)

// announced returns the handler of a deprecated operation. Every response, including
// errors, has the date of deprecation (RFC 9745), the earliest date of removal (RFC
// 8594), and a link to the description.
func announced(o spec.Operation, handler fiber.Handler) fiber.Handler {
	if o.Deprecated == nil {
		return handler
	}
	since := "@" + strconv.FormatInt(o.Deprecated.Since.Unix(), 10)
	link := fmt.Sprintf(`<%s/docs#op-%s>; rel="deprecation"; type="text/html"`, web.BasePath, o.ID)
	return func(c *fiber.Ctx) error {
		err := handler(c)
		c.Set("Deprecation", since)
		c.Append(fiber.HeaderLink, link)
		if sunset := o.Deprecated.Sunset; !sunset.IsZero() {
			c.Set("Sunset", sunset.UTC().Format(http.TimeFormat))
		}
		return err
	}
}
