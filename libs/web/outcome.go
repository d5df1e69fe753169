package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// HeaderDryRun asks for a rehearsal of a write.
const HeaderDryRun = "X-Dry-Run"

// DryRun reports whether a write is only to be rehearsed: authenticated,
// validated and answered as the real one, and not done. A value that is neither
// true nor false is a fault: who misspelt it did not mean the real thing.
func DryRun(c *fiber.Ctx) (bool, error) {
	if isSet(c, keyRehearse) {
		return true, nil
	}
	values := headerFields(&c.Request().Header, HeaderDryRun)
	if len(values) == 0 {
		return false, nil
	}
	if len(values) == 1 {
		switch strings.ToLower(strings.TrimSpace(values[0])) {
		case "true":
			c.Set(HeaderDryRun, "true")
			return true, nil
		case "false":
			return false, nil
		}
	}
	return false, apperr.Invalid(apperr.Detail{Field: HeaderDryRun, Code: "NOT_ALLOWED",
		Message: HeaderDryRun + " is true or false.", Suggestions: []string{"true", "false"}})
}

// EncodeError returns the status and the body that err is answered with, for
// answers that are stored and sent again.
func EncodeError(c *fiber.Ctx, err error) (status int, text []byte, failed error) {
	ae, status := Translate(err)
	text, failed = encode(failure{Error: body(c, ae)})
	return status, text, failed
}
