package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/fields"
)

// The header fields of preferences (RFC 7240).
const (
	headerPrefer            = "Prefer"
	headerPreferenceApplied = "Preference-Applied"
	strictHandling          = "handling=strict"
)

// Strict reports whether the client prefers strict handling, by which unknown fields
// are errors, and confirms it in the response.
func Strict(c *fiber.Ctx) bool {
	for _, line := range headerFields(&c.Request().Header, headerPrefer) {
		for preference := range strings.SplitSeq(line, ",") {
			name, _, _ := strings.Cut(preference, ";")
			if strings.EqualFold(strings.Join(strings.Fields(name), ""), strictHandling) {
				c.Set(headerPreferenceApplied, strictHandling)
				return true
			}
		}
	}
	return false
}

// Fields parses the request body as one JSON object. If duplicate keys are its only
// error, both results are set; see [fields.Parse].
func Fields(c *fiber.Ctx) (*fields.Reader, error) {
	body, err := Body(c)
	if err != nil {
		return nil, err
	}
	return fields.Parse(body)
}

// Finish returns the errors found while reading the fields of a request. Fields without
// effect become notices of the response; with strict handling unknown ones are errors.
// It is called once, after everything has been read.
func Finish(c *fiber.Ctx, r *fields.Reader) error {
	if Strict(c) {
		r.RefuseUnknown()
	}
	if err := r.Err(); err != nil {
		return err
	}
	Notify(c, r.Notices()...)
	return nil
}

// Notify adds notices to the data of the response, if that is an object.
func Notify(c *fiber.Ctx, notices ...fields.Notice) {
	if len(notices) > 0 {
		c.Locals(keyNotices, append(noticesOf(c), notices...))
	}
}

func noticesOf(c *fiber.Ctx) []fields.Notice {
	notices, _ := c.Locals(keyNotices).([]fields.Notice)
	return notices
}
