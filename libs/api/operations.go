package api

import (
	"net/http"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Operations returns the table of the API. It is a function, so that each caller has its own
// copy.
func Operations() Table {
	const (
		get    = http.MethodGet
		post   = http.MethodPost
		patch  = http.MethodPatch
		put    = http.MethodPut
		remove = http.MethodDelete

		event = "/events/{eventId}"
		sub   = event + "/{type}"
		item  = sub + "/{recordId}"
		named = sub + "/by-reference/{" + Reference + "}"

		eventNamed = "/events/by-reference/{" + Reference + "}"
		supplier   = "/supplier-factors/{factorId}"

		anyone  = identity.RoleNone
		viewer  = identity.Viewer
		user    = identity.User
		manager = identity.Manager
		admin   = identity.Admin

		// together is the timeout of reading all counted records of an event.
		together = 30 * time.Second
		// file is the timeout of a file of a whole event, including its download.
		file = time.Minute
		// allOfAnImport is the timeout of moving every record of an import.
		allOfAnImport = 2 * time.Minute
	)
	return pageReads(Table{
		{ID: "health", Method: get, Path: "/health", Service: Gateway, Least: anyone},
		{ID: "healthLive", Method: get, Path: "/health/live", Service: Gateway, Least: anyone},
		{ID: "healthReady", Method: get, Path: "/health/ready", Service: Gateway, Least: anyone},
		{ID: "docs", Method: get, Path: "/docs", Service: Gateway, Least: anyone},
		{ID: "openapi", Method: get, Path: "/openapi.json", Service: Gateway, Least: anyone},
		{ID: "openidConfiguration", Method: get, Path: "/.well-known/openid-configuration", Root: true, Service: Auth, Least: anyone},
		{ID: "jwks", Method: get, Path: "/.well-known/jwks.json", Root: true, Service: Auth, Least: anyone},
		{ID: "reportKeys", Method: get, Path: "/.well-known/report-keys.json", Root: true, Service: Calculation, Least: anyone},

		{ID: "login", Method: post, Path: "/auth/login", Service: Auth, Least: anyone, Limit: SignIn},
		{ID: "refresh", Method: post, Path: "/auth/refresh", Service: Auth, Least: anyone, Limit: SignIn},
		{ID: "setUpAccount", Method: post, Path: "/auth/setup", Service: Auth, Least: anyone, Limit: Setup},
		{ID: "lookUpInvitation", Method: post, Path: "/auth/invitations/lookup", Service: Records, Least: anyone, Limit: Setup},
		{ID: "acceptInvitation", Method: post, Path: "/auth/invitations/accept", Service: Auth, Least: viewer, Reach: Account},
		{ID: "logout", Method: post, Path: "/auth/logout", Service: Auth, Least: viewer, Reach: Account},
		{ID: "me", Method: get, Path: "/auth/me", Service: Auth, Least: viewer, Reach: Account},
		{ID: "updateMe", Method: patch, Path: "/auth/me", Service: Auth, Least: viewer, Reach: Account},
		{ID: "changePassword", Method: post, Path: "/auth/password", Service: Auth, Least: viewer, Reach: Account, Cost: Unscheduled},
		{ID: "listSessions", Method: get, Path: "/auth/sessions", Service: Auth, Least: viewer, Reach: Account},
		{ID: "endSession", Method: remove, Path: "/auth/sessions/{sessionId}", Service: Auth, Least: viewer, Reach: Account},

		{ID: "listUsers", Method: get, Path: "/users", Service: Auth, Least: admin, Reach: Organization, Cost: Page},
		{ID: "createUser", Method: post, Path: "/users", Service: Auth, Least: admin, Reach: Organization, Cost: Page},
		{ID: "getUser", Method: get, Path: "/users/{userId}", Service: Auth, Least: admin, Reach: Organization},
		{ID: "updateUser", Method: patch, Path: "/users/{userId}", Service: Auth, Least: admin, Reach: Organization},
		{ID: "createSetupLink", Method: post, Path: "/users/{userId}/setup-link", Service: Auth, Least: admin, Reach: Organization, Cost: Page},
		{ID: "deleteUser", Method: remove, Path: "/users/{userId}", Service: Auth, Least: admin, Reach: Organization},

		{ID: "getOrganization", Method: get, Path: "/organization", Service: Records, Least: viewer, Reach: Organization},
		{ID: "updateOrganization", Method: patch, Path: "/organization", Service: Records, Least: admin, Reach: Organization},
		{ID: "listMembers", Method: get, Path: "/organization/members", Service: Auth, Least: user, Reach: Organization, Cost: Page},
		{ID: "listOrganizations", Method: get, Path: "/organizations", Service: Records, Least: viewer, Reach: Account, Cost: Page},
		{ID: "listAuditLog", Method: get, Path: "/organization/audit", Service: Auth, Least: admin, Reach: Organization, Cost: Page},

		{ID: "listSupplierFactors", Method: get, Path: "/supplier-factors", Service: Records, Least: user, Reach: Organization, Cost: Page},
		{ID: "createSupplierFactor", Method: post, Path: "/supplier-factors", Service: Records, Least: manager, Reach: Organization},
		{ID: "getSupplierFactor", Method: get, Path: supplier, Service: Records, Least: user, Reach: Organization},
		{ID: "getSupplierFactorHistory", Method: get, Path: supplier + "/history", Service: Records, Least: user, Reach: Organization},
		{ID: "updateSupplierFactor", Method: patch, Path: supplier, Service: Records, Least: manager, Reach: Organization},
		{ID: "deleteSupplierFactor", Method: remove, Path: supplier, Service: Records, Least: manager, Reach: Organization},
		{ID: "approveSupplierFactor", Method: post, Path: supplier + "/approve", Service: Records, Least: manager, Reach: Organization},
		{ID: "rejectSupplierFactor", Method: post, Path: supplier + "/reject", Service: Records, Least: manager, Reach: Organization},
		{ID: "withdrawSupplierFactor", Method: post, Path: supplier + "/withdraw", Service: Records, Least: manager, Reach: Organization},

		{ID: "listRecordTypes", Method: get, Path: "/record-types", Service: Records, Least: viewer},
		{ID: "getRecordType", Method: get, Path: "/record-types/{type}", Service: Records, Least: viewer},
		{ID: "getRecordTypeTemplate", Method: get, Path: "/record-types/{type}/template", Service: Records, Least: viewer},
		{ID: "getLocationIndex", Method: get, Path: "/locations/index", Service: Records, Least: viewer},
		{ID: "getPlaceIndex", Method: get, Path: "/locations/places", Service: Records, Least: viewer},
		{ID: "getLocation", Method: get, Path: "/locations/{code}", Service: Records, Least: viewer},
		{ID: "listFactorSets", Method: get, Path: "/factor-sets", Service: Calculation, Least: viewer},
		{ID: "getFactorSet", Method: get, Path: "/factor-sets/{setId}", Service: Calculation, Least: viewer},

		{ID: "listEvents", Method: get, Path: "/events", Service: Records, Least: viewer, Reach: Organization, Cost: Page},
		{ID: "createEvent", Method: post, Path: "/events", Service: Records, Least: manager, Reach: Organization},
		{ID: "getEventByReference", Method: get, Path: eventNamed, Service: Records, Least: viewer, Reach: Organization},
		{ID: "putEventByReference", Method: put, Path: eventNamed, Service: Records, Least: manager, Reach: Organization},
		{ID: "getEvent", Method: get, Path: event, Service: Records, Least: viewer, Reach: Organization},
		{ID: "updateEvent", Method: patch, Path: event, Service: Records, Least: manager, Reach: Organization, RehearsalCost: Whole},
		{ID: "deleteEvent", Method: remove, Path: event, Service: Records, Least: manager, Reach: Organization},
		{ID: "getEventHistory", Method: get, Path: event + "/history", Service: Records, Least: user, Reach: Organization},
		{ID: "signOffEvent", Method: post, Path: event + "/sign-off", Service: Calculation, Least: manager, Reach: Organization, Decides: Reviewers, Cost: Whole, Timeout: together},
		{ID: "withdrawSignOff", Method: post, Path: event + "/sign-off/withdraw", Service: Calculation, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "listEventChanges", Method: get, Path: event + "/changes", Service: Calculation, Least: manager, Reach: Organization, Cost: Whole, Timeout: together},
		{ID: "approveEventChange", Method: post, Path: event + "/changes/{changeId}/approve", Service: Calculation, Least: manager, Reach: Organization, Decides: ReviewersAndTeam, Cost: Whole, Timeout: together},
		{ID: "assessEventChange", Method: post, Path: event + "/changes/{changeId}/assess", Service: Calculation, Least: manager, Reach: Organization, Decides: ReviewersAndTeam, Cost: Whole, Timeout: together},
		{ID: "rejectEventChange", Method: post, Path: event + "/changes/{changeId}/reject", Service: Calculation, Least: manager, Reach: Organization, Decides: ReviewersAndTeam},
		{ID: "exportRecords", Method: get, Path: event + "/export", Service: Records, Least: user, Reach: Organization, Cost: Whole, Timeout: file},
		{ID: "adoptFactorSet", Method: post, Path: event + "/factor-set", Service: Calculation, Least: manager, Reach: Organization, Cost: Whole,
			Timeout: 2 * time.Minute}, // an event of a million records takes about ten seconds of CPU time

		{ID: "listRecords", Method: get, Path: sub, Service: Records, Least: viewer, Reach: Organization, Cost: Page},
		{ID: "createRecord", Method: post, Path: sub, Service: Records, Least: user, Reach: Organization},
		{ID: "createRecords", Method: post, Path: sub + "/batch", Service: Records, Least: user, Reach: Organization, Cost: Page},
		{ID: "submitRecords", Method: post, Path: sub + "/submit", Service: Records, Least: user, Reach: Organization},
		{ID: "importRecords", Method: post, Path: sub + "/import", Service: Records, Least: user, Reach: Organization, Cost: Whole,
			Timeout: 30 * time.Second, BodyLimit: 16 << 20, Streamed: true},
		{ID: "importMixed", Method: post, Path: event + "/import", Service: Records, Least: user, Reach: Organization, Cost: Whole,
			Timeout: 30 * time.Second, BodyLimit: 16 << 20, Streamed: true},
		{ID: "withdrawRecords", Method: post, Path: sub + "/withdraw", Service: Records, Least: user, Reach: Organization},
		{ID: "deleteRecords", Method: post, Path: sub + "/delete", Service: Records, Least: user, Reach: Organization},
		{ID: "listImports", Method: get, Path: event + "/imports", Service: Records, Least: user, Reach: Organization, Cost: Page},
		{ID: "listImportErrors", Method: get, Path: event + "/imports/{importId}/errors", Service: Records, Least: user, Reach: Organization, Cost: Part},
		{ID: "getBadRows", Method: get, Path: event + "/imports/{importId}/bad-rows", Service: Records, Least: user, Reach: Organization, Cost: Part},
		{ID: "undoImport", Method: post, Path: event + "/imports/{importId}/undo", Service: Records, Least: user, Reach: Organization, Others: manager,
			Cost: Whole, Timeout: allOfAnImport},
		{ID: "submitImport", Method: post, Path: event + "/imports/{importId}/submit", Service: Records, Least: user, Reach: Organization,
			Cost: Whole, Timeout: allOfAnImport},
		{ID: "approveImport", Method: post, Path: event + "/imports/{importId}/approve", Service: Records, Least: manager, Reach: Organization, Decides: Reviewers,
			Cost: Whole, Timeout: allOfAnImport},
		{ID: "getImport", Method: get, Path: event + "/imports/{importId}", Service: Records, Least: user, Reach: Organization},
		{ID: "getRecordByReference", Method: get, Path: named, Service: Records, Least: user, Reach: Organization},
		{ID: "putRecordByReference", Method: put, Path: named, Service: Records, Least: user, Reach: Organization, Others: manager},
		{ID: "deleteRecordByReference", Method: remove, Path: named, Service: Records, Least: user, Reach: Organization, Others: manager},
		{ID: "getRecord", Method: get, Path: item, Service: Records, Least: viewer, Reach: Organization},
		{ID: "updateRecord", Method: patch, Path: item, Service: Records, Least: user, Reach: Organization, Others: manager, RehearsalCost: Whole},
		{ID: "deleteRecord", Method: remove, Path: item, Service: Records, Least: user, Reach: Organization, Others: manager},
		{ID: "listOrigins", Method: get, Path: item + "/origins", Service: Records, Least: user, Reach: Organization, Cost: Page},
		{ID: "getRecordHistory", Method: get, Path: item + "/history", Service: Records, Least: user, Reach: Organization, Cost: Page},
		{ID: "submitRecord", Method: post, Path: item + "/submit", Service: Records, Least: user, Reach: Organization},
		{ID: "withdrawRecord", Method: post, Path: item + "/withdraw", Service: Records, Least: user, Reach: Organization, Others: manager},

		{ID: "listReviewQueue", Method: get, Path: "/review", Service: Calculation, Least: manager, Reach: Organization, Cost: Page},
		{ID: "listEventReviewQueue", Method: get, Path: event + "/review", Service: Calculation, Least: manager, Reach: Organization, Cost: Page},
		{ID: "approveRecords", Method: post, Path: event + "/review/approve", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "requestChangesOfRecords", Method: post, Path: event + "/review/request-changes", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "rejectRecords", Method: post, Path: event + "/review/reject", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "reopenRecords", Method: post, Path: event + "/review/reopen", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "claimRecord", Method: post, Path: item + "/review", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "approveRecord", Method: post, Path: item + "/approve", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "requestChanges", Method: post, Path: item + "/request-changes", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "rejectRecord", Method: post, Path: item + "/reject", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},
		{ID: "reopenRecord", Method: post, Path: item + "/reopen", Service: Review, Least: manager, Reach: Organization, Decides: Reviewers},

		{ID: "getResult", Method: get, Path: event + "/results", Service: Calculation, Least: viewer, Reach: Organization, Cost: Page},
		{ID: "listResultHistory", Method: get, Path: event + "/results/history", Service: Calculation, Least: viewer, Reach: Organization, Cost: Page},
		{ID: "explainResult", Method: get, Path: event + "/results/explain", Service: Calculation, Least: viewer, Reach: Organization, Cost: Part},
		{ID: "getReport", Method: get, Path: event + "/results/report", Service: Calculation, Least: viewer, Reach: Organization, Cost: Whole, Timeout: file},
		{ID: "previewResult", Method: get, Path: event + "/results/preview", Service: Calculation, Least: manager, Reach: Organization, Cost: Whole, Timeout: together},
		{ID: "previewRows", Method: post, Path: event + "/results/preview", Service: Calculation, Least: user, Reach: Organization, Cost: Whole, Timeout: together},
		{ID: "rehearseEvent", Method: post, Path: event + "/results/rehearsal", Service: Calculation, Least: manager, Reach: Organization, Cost: Whole, Timeout: together},
		{ID: "getResultRevision", Method: get, Path: event + "/results/{revision}", Service: Calculation, Least: viewer, Reach: Organization, Cost: Page},
		{ID: "explainResultRevision", Method: get, Path: event + "/results/{revision}/explain", Service: Calculation, Least: viewer, Reach: Organization, Cost: Part},
		{ID: "getRevisionReport", Method: get, Path: event + "/results/{revision}/report", Service: Calculation, Least: viewer, Reach: Organization, Cost: Whole, Timeout: file},
		{ID: "compareResults", Method: get, Path: event + "/results/{revision}/diff/{other}", Service: Calculation, Least: viewer, Reach: Organization, Cost: Whole, Timeout: together},
	})
}

// pageReads sets the cost of every read that needs a token and defines none to that of a page:
// no read is so cheap that one organization may send any number of them at once.
func pageReads(t Table) Table {
	for i, o := range t {
		if o.Method == http.MethodGet && !o.Public() {
			t[i].Cost = max(o.Cost, Page)
		}
	}
	return t
}

// Pages returns what the gateway serves for browsers below the base path, and operations that
// are not part of the documented API.
func Pages() Table {
	pages := Table{
		{ID: "docsAsset", Method: http.MethodGet, Path: "/docs/{asset}", Service: Gateway},
		{ID: "setupPage", Method: http.MethodGet, Path: "/auth/setup", Service: Gateway},
	}
	for _, t := range Texts() {
		pages = append(pages, Operation{ID: t.Name, Method: http.MethodGet, Path: t.Path(), Root: true, Service: Gateway})
	}
	return pages
}

// A Text is a page made from a file of the repository and served beside the API reference.
type Text struct {
	Name, Title string
	// Source is the Markdown file, relative to the root of the repository.
	Source string
}

// Path returns the path of the text.
func (t Text) Path() string { return "/" + t.Name }

// Texts returns the texts that are served.
func Texts() []Text {
	return []Text{
		{Name: "changelog", Title: "Changelog", Source: "CHANGELOG.md"},
		{Name: "methodology", Title: "Methodology", Source: "docs/methodology.md"},
		{Name: "report-bundles", Title: "Report bundles", Source: "docs/report-bundles.md"},
		{Name: "factor-packs", Title: "Factor packs", Source: "docs/factor-packs.md"},
	}
}
