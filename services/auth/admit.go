package auth

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/infra/peer"
	"github.com/eventcarbon/ecf/libs/web"
)

// maxSignedBody is the body limit of a request signed by a service: the largest that
// any operation here accepts. The gateway has applied the limit of the operation and
// counted the body.
const maxSignedBody = 1 << 20

// wellKnown is the prefix of the public paths.
const wellKnown = "/.well-known/"

type unprovenKey struct{}

// proven reports whether a request was made by a service.
func proven(c *fiber.Ctx) bool { return c.Locals(unprovenKey{}) == nil }

// admit verifies the credential of a request before anything else. Without a credential
// it removes the fields that only the gateway may set.
func (s *Service) admit(c *fiber.Ctx) error {
	if s.callers == nil || strings.HasPrefix(c.Path(), wellKnown) {
		return c.Next()
	}
	claim, err := s.callers.Admit(&c.Request().Header)
	if err == nil && claim.Signed() {
		var body []byte
		if body, err = signedBody(c); err == nil {
			err = claim.Body(body)
		}
	}
	if err != nil {
		if refused, ok := errors.AsType[*fiber.Error](err); ok {
			return refused // the body could not be read
		}
		c.Set(peer.Refused, "true")
		return apperr.New(apperr.Unauthenticated, "This service responds only to the other services of its installation.").Because(err)
	}
	if !claim.Proven {
		c.Locals(unprovenKey{}, true)
		c.Request().Header.Del(fiber.HeaderXForwardedFor)
	}
	return c.Next()
}

// signedBody reads the body of a request.
func signedBody(c *fiber.Ctx) ([]byte, error) {
	if !c.Request().IsBodyStream() {
		return c.Request().Body(), nil
	}
	announced := c.Request().Header.ContentLength()
	if announced > maxSignedBody {
		return nil, fiber.ErrRequestEntityTooLarge
	}
	body, err := web.ReadBody(web.NewBounded(c.Context().RequestBodyStream(), maxSignedBody), announced)
	if err != nil {
		return nil, web.BodyFault(err)
	}
	c.Request().SetBodyRaw(body)
	return body, nil
}
