package records

import (
	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/web"
)

// routes returns the routes of the service. Their paths and permissions are defined in
// libs/api.
func (s *server) routes() []web.Route {
	once := s.keys.Handler // accepts an Idempotency-Key
	write := func(h fiber.Handler) fiber.Handler { return web.CollectHeaderFaults(h) }
	return []web.Route{
		{Operation: "getOrganization", Handler: s.organization},
		{Operation: "lookUpInvitation", Handler: write(s.invitation)},
		{Operation: "listOrganizations", Handler: s.organizations},
		{Operation: "updateOrganization", Handler: once(s.editOrganization)},

		{Operation: "listSupplierFactors", Handler: s.listSupplierFactors},
		{Operation: "createSupplierFactor", Handler: once(s.createSupplierFactor)},
		{Operation: "getSupplierFactor", Handler: s.getSupplierFactor},
		{Operation: "getSupplierFactorHistory", Handler: s.supplierFactorHistory},
		{Operation: "updateSupplierFactor", Handler: once(s.editSupplierFactor)},
		{Operation: "deleteSupplierFactor", Handler: s.changeSupplierFactor(record.SupplierDelete)},
		{Operation: "approveSupplierFactor", Handler: once(s.changeSupplierFactor(record.SupplierApprove))},
		{Operation: "rejectSupplierFactor", Handler: once(s.changeSupplierFactor(record.SupplierReject))},
		{Operation: "withdrawSupplierFactor", Handler: once(s.changeSupplierFactor(record.SupplierWithdraw))},

		{Operation: "listEvents", Handler: s.listEvents},
		{Operation: "createEvent", Handler: once(s.createEvent)},
		{Operation: "getEventByReference", Handler: s.getEventByReference},
		{Operation: "putEventByReference", Handler: write(s.putEventByReference)},
		{Operation: "getEvent", Handler: s.getEvent},
		{Operation: "getEventHistory", Handler: s.eventHistory},
		{Operation: "updateEvent", Handler: write(s.editEvent)},
		{Operation: "deleteEvent", Handler: write(s.deleteEvent)},

		{Operation: "listRecordTypes", Handler: recordTypes},
		{Operation: "getRecordType", Resolve: teams.KnownType, Handler: oneRecordType},
		{Operation: "getRecordTypeTemplate", Resolve: teams.KnownType, Handler: template},
		{Operation: "getLocationIndex", Handler: locationIndex.send},
		{Operation: "getPlaceIndex", Handler: placeIndex.send},
		{Operation: "getLocation", Handler: location},

		{Operation: "exportRecords", Handler: s.export},
		{Operation: "listRecords", Resolve: teams.KnownType, Handler: s.listRecords},
		{Operation: "createRecord", Resolve: teams.KnownType, Handler: once(s.createRecord)},
		{Operation: "createRecords", Resolve: teams.KnownType, Handler: once(s.createBatch)},
		{Operation: "submitRecords", Resolve: teams.KnownType, Handler: once(s.moveMany("submitRecords", record.Submit))},
		{Operation: "importRecords", Resolve: s.roomForFile, Handler: once(s.importFile)},
		{Operation: "importMixed", Resolve: s.roomForFile, Handler: once(s.importFile)},
		{Operation: "withdrawRecords", Resolve: teams.KnownType, Handler: once(s.moveMany("withdrawRecords", record.Withdraw))},
		{Operation: "deleteRecords", Resolve: teams.KnownType, Handler: once(s.moveMany("deleteRecords", record.Delete))},
		{Operation: "listImports", Handler: s.listImports},
		{Operation: "getImport", Handler: s.getImport},
		{Operation: "listImportErrors", Handler: s.listImportErrors},
		{Operation: "getBadRows", Handler: s.badRowsFile},
		{Operation: "undoImport", Handler: once(s.undoImport)},
		{Operation: "submitImport", Handler: once(s.moveImport("submitImport", record.Submit))},
		{Operation: "approveImport", Handler: once(s.moveImport("approveImport", record.Approve))},
		{Operation: "getRecordByReference", Resolve: teams.KnownType, Handler: s.getByReference},
		{Operation: "putRecordByReference", Resolve: teams.KnownType, Handler: write(s.putByReference)},
		{Operation: "deleteRecordByReference", Resolve: teams.KnownType, Handler: once(s.deleteByReference)},
		{Operation: "getRecord", Resolve: teams.KnownType, Handler: s.getRecord},
		{Operation: "updateRecord", Resolve: teams.KnownType, Handler: write(s.editRecord)},
		{Operation: "deleteRecord", Resolve: teams.KnownType, Handler: once(s.deleteRecord)},
		{Operation: "listOrigins", Resolve: teams.KnownType, Handler: s.origins},
		{Operation: "getRecordHistory", Resolve: teams.KnownType, Handler: s.history},
		{Operation: "submitRecord", Resolve: teams.KnownType, Handler: once(s.move(record.Submit))},
		{Operation: "withdrawRecord", Resolve: teams.KnownType, Handler: once(s.move(record.Withdraw))},
	}
}
