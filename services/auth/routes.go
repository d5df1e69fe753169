package auth

import (
	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/web"
)

// routes are the operations of the service. Their paths and permissions are in
// libs/api.
func (s *Service) routes() []web.Route {
	write := func(h fiber.Handler) fiber.Handler { return web.CollectHeaderFaults(h) }
	return []web.Route{
		{Operation: "openidConfiguration", Handler: s.discovery},
		{Operation: "jwks", Handler: s.jwks},

		{Operation: "login", Handler: s.login},
		{Operation: "refresh", Handler: s.refresh},
		{Operation: "setUpAccount", Handler: write(s.setup)},

		{Operation: "acceptInvitation", Handler: write(s.acceptInvitation)},

		{Operation: "logout", Handler: write(s.logout)},
		{Operation: "me", Handler: s.me},
		{Operation: "updateMe", Handler: write(s.patchMe)},
		{Operation: "changePassword", Handler: write(s.changePassword)},
		{Operation: "listSessions", Handler: s.listSessions},
		{Operation: "endSession", Handler: write(s.endSession)},
		{Operation: "listAuditLog", Handler: s.listAudit},

		{Operation: "listUsers", Handler: s.listUsers},
		{Operation: "listMembers", Handler: s.listMembers},
		{Operation: "createUser", Handler: web.CollectHeaderFaults(s.createUser, idempotency.CheckHeader)},
		{Operation: "getUser", Handler: s.getUser},
		{Operation: "createSetupLink", Handler: web.CollectHeaderFaults(s.createSetupLink, idempotency.CheckHeader)},
		{Operation: "updateUser", Handler: write(s.patchUser)},
		{Operation: "deleteUser", Handler: write(s.deleteUser)},
	}
}

// register adds all routes: those of the table, and those for the gateway only.
func (s *Service) register(app *fiber.App) error {
	app.Get(sessions.Path+":sessionId", s.sessionFacts)
	app.Get(members.Path, s.memberRoles)
	app.Get(members.OwnPath, s.ownMemberships)
	app.Get(members.InvitationPath, s.invitation)
	app.Post(audit.Path, s.takeReport)
	return web.Register(app, web.BasePath, s, api.Operations().Of(api.Auth), s.routes())
}
