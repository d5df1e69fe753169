package auth

import (
	"encoding/json"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// wellKnownAge is how long caches may keep the documents, much shorter than the time
// for which a new key is published before it signs.
const wellKnownAge = "public, max-age=60"

// discovery answers GET /.well-known/openid-configuration.
func (s *Service) discovery(c *fiber.Ctx) error {
	algorithms := []string{}
	seen := map[string]bool{}
	for _, key := range s.keys.JWKS().Keys {
		if !seen[key.Algorithm] {
			seen[key.Algorithm] = true
			algorithms = append(algorithms, key.Algorithm)
		}
	}
	return bare(c, identity.Discovery{
		Issuer:  s.config.Issuer,
		JWKSURI: s.config.Issuer + "/.well-known/jwks.json",
		// There is no authorization endpoint that could return a response.
		ResponseTypesSupported: []string{"none"},
		GrantTypesSupported:    []string{"password", "refresh_token"},
		SubjectTypesSupported:  []string{"public"},
		IDTokenAlgsSupported:   algorithms,
		ScopesSupported:        []string{"openid"},
		ClaimsSupported:        []string{"iss", "sub", "aud", "exp", "iat", "auth_time", "email", "name", "org", "role", "sid"},
	})
}

// jwks answers GET /.well-known/jwks.json.
func (s *Service) jwks(c *fiber.Ctx) error { return bare(c, s.keys.JWKS()) }

// bare responds with a document without an envelope, because its form is standardized.
func bare(c *fiber.Ctx, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, wellKnownAge)
	return web.JSON(c, http.StatusOK, body)
}
