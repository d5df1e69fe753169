package gateway

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/session"
)

// What pages of other origins may send and read. Credentials are never allowed: such a
// page uses a token, not the cookies of the console.
var (
	corsMethods = strings.Join([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, ", ")
	corsFields  = strings.Join([]string{
		fiber.HeaderAccept, fiber.HeaderAcceptLanguage, fiber.HeaderAuthorization, fiber.HeaderContentType, "Idempotency-Key", fiber.HeaderIfMatch, fiber.HeaderIfNoneMatch,
		"Prefer", "X-Dry-Run", fiber.HeaderXRequestID,
	}, ", ")
	corsExposed = strings.Join([]string{
		fiber.HeaderAllow, fiber.HeaderContentDisposition, fiber.HeaderContentLanguage, "Deprecation", fiber.HeaderETag, "Idempotent-Replayed", fiber.HeaderLink, fiber.HeaderLocation,
		"Preference-Applied", headerRateLimit, headerRateLimitPolicy, fiber.HeaderRetryAfter, "Sunset", fiber.HeaderWWWAuthenticate,
		"X-Dry-Run", fiber.HeaderXRequestID,
	}, ", ")
)

// corsAge is how many seconds a browser may cache the response to a preflight request.
const corsAge = "600"

// allowOrigins lets pages of the configured origins call the API and read its
// responses, including errors. Without origins it does nothing.
func (g *gateway) allowOrigins(c *fiber.Ctx) error {
	if len(g.Origins) == 0 || session.Asked(c.Context()) || !isAPI(c.Path()) {
		return c.Next()
	}
	origin := c.Get(fiber.HeaderOrigin)
	allowed := slices.Contains(g.Origins, origin)
	if allowed && c.Method() == http.MethodOptions && c.Get(fiber.HeaderAccessControlRequestMethod) != "" {
		c.Vary(fiber.HeaderOrigin)
		c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
		c.Set(fiber.HeaderAccessControlAllowMethods, corsMethods)
		c.Set(fiber.HeaderAccessControlAllowHeaders, corsFields)
		c.Set(fiber.HeaderAccessControlMaxAge, corsAge)
		return c.SendStatus(http.StatusNoContent)
	}
	err := c.Next()
	// Set before next: an error response, rendered later, keeps these fields.
	c.Vary(fiber.HeaderOrigin)
	if allowed {
		c.Set(fiber.HeaderAccessControlAllowOrigin, origin)
		c.Set(fiber.HeaderAccessControlExposeHeaders, corsExposed)
		// The default would prevent pages of other origins from reading the response.
		c.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	return err
}

func isAPI(path string) bool {
	return strings.HasPrefix(path, web.BasePath+"/") || strings.HasPrefix(path, "/.well-known/")
}
