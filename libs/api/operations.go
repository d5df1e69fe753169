package api

import (
	"net/http"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Operations returns the table of the API. It is a function, not a variable, so that
// nobody can change it.
func Operations() Table {
	const (
		get    = http.MethodGet
		post   = http.MethodPost
		patch  = http.MethodPatch
		remove = http.MethodDelete

		event = "/events/{eventId}"
		sub   = event + "/{type}"
		item  = sub + "/{recordId}"

		anyone  = identity.RoleNone
		user    = identity.User
		manager = identity.Manager
		admin   = identity.Admin
	)
	return Table{
		{ID: "health", Method: get, Path: "/health", Least: anyone},
		{ID: "healthLive", Method: get, Path: "/health/live", Least: anyone},
		{ID: "healthReady", Method: get, Path: "/health/ready", Least: anyone},
		{ID: "docs", Method: get, Path: "/docs", Least: anyone},
		{ID: "openapi", Method: get, Path: "/openapi.json", Least: anyone},
		{ID: "openidConfiguration", Method: get, Path: "/.well-known/openid-configuration", Root: true, Least: anyone},
		{ID: "jwks", Method: get, Path: "/.well-known/jwks.json", Root: true, Least: anyone},
		{ID: "reportKeys", Method: get, Path: "/.well-known/report-keys.json", Root: true, Least: anyone},

		{ID: "login", Method: post, Path: "/auth/login", Least: anyone},
		{ID: "refresh", Method: post, Path: "/auth/refresh", Least: anyone},
		{ID: "setUpAccount", Method: post, Path: "/auth/setup", Least: anyone},
		{ID: "logout", Method: post, Path: "/auth/logout", Least: user, Reach: Account},
		{ID: "me", Method: get, Path: "/auth/me", Least: user, Reach: Account},
		{ID: "changePassword", Method: post, Path: "/auth/password", Least: user, Reach: Account},
		{ID: "listSessions", Method: get, Path: "/auth/sessions", Least: user, Reach: Account},
		{ID: "endSession", Method: remove, Path: "/auth/sessions/{sessionId}", Least: user, Reach: Account},

		{ID: "listUsers", Method: get, Path: "/users", Least: admin, Reach: Organization},
		{ID: "createUser", Method: post, Path: "/users", Least: admin, Reach: Organization},
		{ID: "getUser", Method: get, Path: "/users/{userId}", Least: admin, Reach: Organization},
		{ID: "updateUser", Method: patch, Path: "/users/{userId}", Least: admin, Reach: Organization},
		{ID: "deleteUser", Method: remove, Path: "/users/{userId}", Least: admin, Reach: Organization},

		{ID: "getOrganization", Method: get, Path: "/organization", Least: user, Reach: Organization},
		{ID: "updateOrganization", Method: patch, Path: "/organization", Least: admin, Reach: Organization},
		{ID: "listAuditLog", Method: get, Path: "/organization/audit", Least: admin, Reach: Organization},

		{ID: "listRecordTypes", Method: get, Path: "/record-types", Least: user},
		{ID: "getRecordType", Method: get, Path: "/record-types/{type}", Least: user},
		{ID: "getRecordTypeTemplate", Method: get, Path: "/record-types/{type}/template", Least: user},
		{ID: "getLocationIndex", Method: get, Path: "/locations/index", Least: user},
		{ID: "getLocation", Method: get, Path: "/locations/{code}", Least: user},
		{ID: "listFactorSets", Method: get, Path: "/factor-sets", Least: user},
		{ID: "getFactorSet", Method: get, Path: "/factor-sets/{setId}", Least: user},

		{ID: "listEvents", Method: get, Path: "/events", Least: user, Reach: Organization},
		{ID: "createEvent", Method: post, Path: "/events", Least: manager, Reach: Organization},
		{ID: "getEvent", Method: get, Path: event, Least: user, Reach: Organization},
		{ID: "updateEvent", Method: patch, Path: event, Least: manager, Reach: Organization},
		{ID: "deleteEvent", Method: remove, Path: event, Least: manager, Reach: Organization},
		{ID: "exportRecords", Method: get, Path: event + "/export", Least: user, Reach: Organization},
		{ID: "adoptFactorSet", Method: post, Path: event + "/factor-set", Least: manager, Reach: Organization},

		{ID: "listRecords", Method: get, Path: sub, Least: user, Reach: Organization},
		{ID: "createRecord", Method: post, Path: sub, Least: user, Reach: Organization},
		{ID: "createRecords", Method: post, Path: sub + "/batch", Least: user, Reach: Organization},
		{ID: "submitRecords", Method: post, Path: sub + "/submit", Least: user, Reach: Organization},
		{ID: "importRecords", Method: post, Path: sub + "/import", Least: user, Reach: Organization},
		{ID: "getImport", Method: get, Path: event + "/imports/{importId}", Least: user, Reach: Organization},
		{ID: "getRecord", Method: get, Path: item, Least: user, Reach: Organization},
		{ID: "updateRecord", Method: patch, Path: item, Least: user, Reach: Organization, Others: manager},
		{ID: "deleteRecord", Method: remove, Path: item, Least: user, Reach: Organization, Others: manager},
		{ID: "getRecordHistory", Method: get, Path: item + "/history", Least: user, Reach: Organization},
		{ID: "submitRecord", Method: post, Path: item + "/submit", Least: user, Reach: Organization},
		{ID: "withdrawRecord", Method: post, Path: item + "/withdraw", Least: user, Reach: Organization, Others: manager},

		{ID: "listReviewQueue", Method: get, Path: "/review", Least: manager, Reach: Organization},
		{ID: "listEventReviewQueue", Method: get, Path: event + "/review", Least: manager, Reach: Organization},
		{ID: "approveRecords", Method: post, Path: event + "/review/approve", Least: manager, Reach: Organization},
		{ID: "claimRecord", Method: post, Path: item + "/review", Least: manager, Reach: Organization},
		{ID: "approveRecord", Method: post, Path: item + "/approve", Least: manager, Reach: Organization},
		{ID: "requestChanges", Method: post, Path: item + "/request-changes", Least: manager, Reach: Organization},
		{ID: "rejectRecord", Method: post, Path: item + "/reject", Least: manager, Reach: Organization},
		{ID: "reopenRecord", Method: post, Path: item + "/reopen", Least: manager, Reach: Organization},

		{ID: "getResult", Method: get, Path: event + "/results", Least: user, Reach: Organization},
		{ID: "listResultHistory", Method: get, Path: event + "/results/history", Least: user, Reach: Organization},
		{ID: "explainResult", Method: get, Path: event + "/results/explain", Least: user, Reach: Organization},
		{ID: "getReport", Method: get, Path: event + "/results/report", Least: user, Reach: Organization},
		{ID: "previewResult", Method: get, Path: event + "/results/preview", Least: manager, Reach: Organization},
		{ID: "getResultRevision", Method: get, Path: event + "/results/{revision}", Least: user, Reach: Organization},
		{ID: "compareResults", Method: get, Path: event + "/results/{revision}/diff/{other}", Least: user, Reach: Organization},
	}
}
