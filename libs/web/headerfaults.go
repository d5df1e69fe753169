package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// CollectHeaderFaults makes the handler of a write report errors of header fields
// together with those of the body: if X-Dry-Run has an invalid value or a check fails,
// the request is executed as a dry run and the errors found are added. The handler must
// honour DryRun, so that nothing is stored.
func CollectHeaderFaults(next fiber.Handler, checks ...func(*fiber.Ctx) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		_, err := DryRun(c)
		faults := detailsOf(err)
		for _, check := range checks {
			faults = append(faults, detailsOf(check(c))...)
		}
		if len(faults) == 0 {
			return next(c)
		}
		c.Locals(keyRehearse, true)
		err = next(c)
		if apperr.CodeOf(err) == apperr.ValidationError {
			faults = append(faults, detailsOf(err)...)
		}
		// The error response contains nothing of the dry run's response.
		c.Response().ResetBody()
		for _, name := range []string{fiber.HeaderETag, fiber.HeaderLocation, HeaderDryRun} {
			c.Response().Header.Del(name)
		}
		return apperr.Invalid(faults...)
	}
}

func detailsOf(err error) []apperr.Detail {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return nil
	}
	return e.Details
}
