package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// HeaderDryRun requests a dry run of a write.
const HeaderDryRun = "X-Dry-Run"

// DryRun reports whether a write is a dry run: authenticated, validated and answered
// like a real one, but not stored. A value other than true and false is an error: a
// client that misspelled it did not mean a real write.
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
		Message: HeaderDryRun + " must be true or false.", Suggestions: []string{"true", "false"}})
}

// EncodeError returns the status and body of the response for err, for responses that
// are stored and sent again.
func EncodeError(c *fiber.Ctx, err error) (status int, text []byte, failed error) {
	ae, status := Translate(err)
	text, failed = encode(failure{Error: body(c, ae)})
	return status, text, failed
}
