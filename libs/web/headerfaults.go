package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// CollectHeaderFaults makes the handler of a write answer what is wrong with the
// header fields together with what is wrong with the body: where X-Dry-Run has a
// value it cannot have, or a check fails, the request is rehearsed and the faults
// found so are added. The handler must honour DryRun; nothing of it is stored then.
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
		// Nothing of the rehearsal's answer is part of the refusal.
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
