package records

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// routes is every path of the service and who may call it.
func (s *server) routes() []web.Route {
	const (
		sub  = "/events/:eventId/:type"
		item = sub + "/:recordId"
	)
	once := s.keys.Handler // the route takes an Idempotency-Key
	return []web.Route{
		{Method: http.MethodGet, Path: "/organization", Role: identity.User, Handler: s.organization},
		{Method: http.MethodPatch, Path: "/organization", Role: identity.Admin, Handler: s.editOrganization},

		{Method: http.MethodGet, Path: "/events", Role: identity.User, Handler: s.listEvents},
		{Method: http.MethodPost, Path: "/events", Role: identity.Manager, Handler: once(s.createEvent)},
		{Method: http.MethodGet, Path: "/events/:eventId", Role: identity.User, Handler: s.getEvent},
		{Method: http.MethodPatch, Path: "/events/:eventId", Role: identity.Manager, Handler: s.editEvent},
		{Method: http.MethodDelete, Path: "/events/:eventId", Role: identity.Manager, Handler: s.deleteEvent},

		{Method: http.MethodGet, Path: "/record-types", Role: identity.User, Handler: recordTypes},
		{Method: http.MethodGet, Path: "/record-types/:type", Role: identity.User, Resolve: knownType, Handler: oneRecordType},
		{Method: http.MethodGet, Path: "/record-types/:type/template", Role: identity.User, Resolve: knownType, Handler: template},
		{Method: http.MethodGet, Path: "/locations/index", Role: identity.User, Handler: locationIndex},
		{Method: http.MethodGet, Path: "/locations/:code", Role: identity.User, Handler: location},

		{Method: http.MethodGet, Path: "/events/:eventId/export", Role: identity.User, Handler: s.export},
		{Method: http.MethodGet, Path: sub, Role: identity.User, Resolve: knownType, Handler: s.listRecords},
		{Method: http.MethodPost, Path: sub, Role: record.RoleFor(record.Create), Resolve: knownType, Handler: once(s.createRecord)},
		{Method: http.MethodPost, Path: sub + "/batch", Role: record.RoleFor(record.Create), Resolve: knownType, Handler: once(s.createBatch)},
		{Method: http.MethodPost, Path: sub + "/submit", Role: record.RoleFor(record.Submit), Resolve: knownType, Handler: once(s.submitMany)},
		{Method: http.MethodPost, Path: sub + "/import", Role: record.RoleFor(record.Create), Resolve: knownType,
			BodyLimit: maxImport, Timeout: importTimeout, Handler: once(s.importFile)},
		{Method: http.MethodGet, Path: "/events/:eventId/imports/:importId", Role: identity.User, Handler: s.getImport},
		{Method: http.MethodGet, Path: item, Role: identity.User, Resolve: knownType, Handler: s.getRecord},
		{Method: http.MethodPatch, Path: item, Role: record.RoleFor(record.Edit), Resolve: knownType, Handler: s.editRecord},
		{Method: http.MethodDelete, Path: item, Role: record.RoleFor(record.Delete), Resolve: knownType, Handler: s.deleteRecord},
		{Method: http.MethodGet, Path: item + "/history", Role: identity.User, Resolve: knownType, Handler: s.history},
		{Method: http.MethodPost, Path: item + "/submit", Role: record.RoleFor(record.Submit), Resolve: knownType, Handler: once(s.move(record.Submit))},
		{Method: http.MethodPost, Path: item + "/withdraw", Role: record.RoleFor(record.Withdraw), Resolve: knownType, Handler: once(s.move(record.Withdraw))},
	}
}

func knownType(c *fiber.Ctx) error { return record.CheckType(c.Params("type")) }
