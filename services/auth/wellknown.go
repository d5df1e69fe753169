package auth

import (
	"encoding/json"
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// wellKnownAge is how long the documents may be kept by caches, far below the
// time for which a new key is published before it signs.
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
		// There is no authorization endpoint to ask for a response.
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

// bare answers with a document that has no envelope: its form is a standard's.
func bare(c *fiber.Ctx, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, wellKnownAge)
	return web.JSON(c, http.StatusOK, body)
}
