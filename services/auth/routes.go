package auth

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/web"
)

// routes is the table of what the gateway passes on below the base path.
func (s *Service) routes() []web.Route {
	const (
		get    = http.MethodGet
		post   = http.MethodPost
		patch  = http.MethodPatch
		remove = http.MethodDelete
	)
	return []web.Route{
		{Method: post, Path: "/auth/login", Public: true, Handler: s.login},
		{Method: post, Path: "/auth/refresh", Public: true, Handler: s.refresh},
		{Method: post, Path: "/auth/setup", Public: true, Handler: s.setup},

		{Method: post, Path: "/auth/logout", Role: identity.User, Handler: s.logout},
		{Method: get, Path: "/auth/me", Role: identity.User, Handler: s.me},
		{Method: post, Path: "/auth/password", Role: identity.User, Handler: s.changePassword},
		{Method: get, Path: "/auth/sessions", Role: identity.User, Handler: s.listSessions},
		{Method: remove, Path: "/auth/sessions/:sessionId", Role: identity.User, Handler: s.endSession},
		{Method: get, Path: "/organization/audit", Role: identity.Admin, Handler: s.listAudit},

		{Method: get, Path: "/users", Role: identity.Admin, Handler: s.listUsers},
		{Method: post, Path: "/users", Role: identity.Admin, Handler: s.createUser},
		{Method: get, Path: "/users/:userId", Role: identity.Admin, Handler: s.getUser},
		{Method: patch, Path: "/users/:userId", Role: identity.Admin, Handler: s.patchUser},
		{Method: remove, Path: "/users/:userId", Role: identity.Admin, Handler: s.deleteUser},
	}
}

// register adds all routes: those at the host's root, those for the gateway
// itself, and the table.
func (s *Service) register(app *fiber.App) error {
	app.Get("/.well-known/openid-configuration", s.discovery)
	app.Get("/.well-known/jwks.json", s.jwks)
	app.Get(sessions.Path+":sessionId", s.sessionFacts)
	return web.Register(app, web.BasePath, s, s.routes())
}
