package e2e

import (
	"context"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone"
)

// moved describes how to call an operation that can move a total or an intensity: on an
// event with two records, one approved and one submitted, so that it does, and by whom.
type moved struct {
	by   func(*tenant) *caller
	call func(c *caller, event, approved, submitted, draft string) *answer
}

func byManager(t *tenant) *caller { return t.manager }

// movers are the operations that can move a published figure. Under the policy that
// approves small records a submission moves it too.
func movers() map[string]moved {
	waste := func(event, id, move string) string { return "/events/" + event + "/waste/" + id + "/" + move }
	return map[string]moved{
		"updateEvent": {byManager, func(c *caller, event, _, _, _ string) *answer {
			return c.do(http.MethodPatch, "/events/"+event, map[string]any{"attendees": 7}, nil)
		}},
		"deleteEvent": {byManager, func(c *caller, event, _, _, _ string) *answer {
			return c.do(http.MethodDelete, "/events/"+event, nil, nil)
		}},
		"adoptFactorSet": {byManager, func(c *caller, event, _, _, _ string) *answer {
			return c.post("/events/"+event+"/factor-set", map[string]any{"factorSet": "desnz-2024"})
		}},
		"approveRecord": {byManager, func(c *caller, event, _, submitted, _ string) *answer {
			return c.post(waste(event, submitted, "approve"), nil)
		}},
		"approveRecords": {byManager, func(c *caller, event, _, submitted, _ string) *answer {
			return c.post("/events/"+event+"/review/approve", map[string]any{"ids": []string{submitted}})
		}},
		"reopenRecord": {byManager, func(c *caller, event, approved, _, _ string) *answer {
			return c.post(waste(event, approved, "reopen"), map[string]any{"comment": "why"})
		}},
		"reopenRecords": {byManager, func(c *caller, event, approved, _, _ string) *answer {
			return c.post("/events/"+event+"/review/reopen", map[string]any{"ids": []string{approved}, "comment": "why"})
		}},
		"submitRecord": {func(t *tenant) *caller { return t.user }, func(c *caller, event, _, _, draft string) *answer {
			return c.post(waste(event, draft, "submit"), nil)
		}},
		"submitRecords": {func(t *tenant) *caller { return t.user }, func(c *caller, event, _, _, draft string) *answer {
			return c.post("/events/"+event+"/waste/submit", map[string]any{"ids": []string{draft}})
		}},
	}
}

// decides is the operation that moves a figure by approving a proposal of someone else;
// it ends the walk.
const decides = "approveEventChange"

// still are the operations that write but never move a figure, with the reason.
var still = map[string]string{
	"login": "accounts", "refresh": "accounts", "logout": "accounts", "setUpAccount": "accounts", "changePassword": "accounts", "endSession": "accounts",
	"createUser": "accounts", "createSetupLink": "accounts", "updateUser": "accounts", "deleteUser": "accounts", "updateMe": "accounts", "lookUpInvitation": "accounts", "acceptInvitation": "accounts",
	"updateOrganization":   "a policy moves nothing that was decided",
	"createSupplierFactor": "a proposal moves nothing", "updateSupplierFactor": "a proposal moves nothing", "deleteSupplierFactor": "a proposal moves nothing",
	"approveSupplierFactor": "records that use an older version keep it", "rejectSupplierFactor": "a proposal moves nothing",
	"withdrawSupplierFactor": "records that use it keep it",
	"createEvent":            "it has no records", "rejectEventChange": "nothing happens", "assessEventChange": "it says what would happen",
	"signOffEvent": "it freezes the figure", "withdrawSignOff": "it opens the event, and the figure stays",
	"previewRows": "nothing is stored", "rehearseEvent": "nothing is stored",
	"createRecord": "drafts do not count", "createRecords": "drafts do not count", "importRecords": "drafts do not count", "importMixed": "drafts do not count",
	"updateRecord": "drafts only: approved records are locked", "deleteRecord": "drafts only: approved records are locked",
	"withdrawRecord": "it was submitted, not approved", "claimRecord": "it was submitted, not approved",
	"withdrawRecords": "they were submitted, not approved", "deleteRecords": "drafts only: approved records are locked",
	"undoImport": "drafts only: approved records are kept", "putRecordByReference": "drafts only: approved records are locked",
	"deleteRecordByReference": "drafts only: approved records are locked",
	"requestChangesOfRecords": "they were submitted, not approved", "rejectRecords": "they were submitted, not approved",
	"requestChanges": "it was submitted, not approved", "rejectRecord": "it was submitted, not approved",
}

// sameMoves are operations that move a figure in the same way as another one in the
// walk: for the records of an import, or for an event by its reference.
var sameMoves = map[string]string{"putEventByReference": "updateEvent", "submitImport": "submitRecords", "approveImport": "approveRecords"}

// TestWhatMovesAFigureNamesItsActor verifies that each operation that can move a total
// or an intensity leaves exactly one history entry that names the caller. A new
// operation that writes must be added to one of the lists above.
func TestWhatMovesAFigureNamesItsActor(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ours := s.furnish(t)
	walk := movers()
	for _, o := range api.Operations() {
		_, moves := walk[o.ID]
		_, stays := still[o.ID]
		if same, ok := sameMoves[o.ID]; ok {
			_, moves = walk[same]
		}
		if o.Method != http.MethodGet && !moves && !stays && o.ID != decides {
			t.Errorf("%s is missing from the walk: add it to one of the lists in this file, depending on whether it can move a figure", o.ID)
		}
	}
	db, err := sqlitex.Open(t.Context(), filepath.Join(s.settings.Data.Dir.Path, standalone.DatabaseFile), recordsqlite.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	store := recordsqlite.New(db)
	ours.admin.do(http.MethodPatch, "/organization", map[string]any{"policy": map[string]any{"autoApproveBelowKg": 50}}, nil).want(http.StatusOK)
	for id, m := range walk {
		event, approvedID, submitted, draft := ours.eventToMove()
		c := m.by(ours)
		actor := c.get("/auth/me").want(http.StatusOK).str("_id")
		before := entriesBy(t, store, record.OrgID(ours.org), record.EventID(event), actor)
		if a := m.call(c, event, approvedID, submitted, draft); a.status > 299 {
			t.Errorf("%s: %d %s", id, a.status, a.body)
			continue
		}
		if got := entriesBy(t, store, record.OrgID(ours.org), record.EventID(event), actor) - before; got != 1 {
			t.Errorf("%s left %d history entries that name the caller, want 1", id, got)
		}
	}
	event, _, _, _ := ours.eventToMove()
	ours.admin.do(http.MethodPatch, "/organization", map[string]any{"policy": map[string]any{"fourEyes": true}}, nil).want(http.StatusOK)
	change := ours.manager.do(http.MethodPatch, "/events/"+event, map[string]any{"attendees": 7}, nil).want(http.StatusAccepted).str("change", "_id")
	ours.admin.get("/events/" + event + "/changes").want(http.StatusOK) // calculates the effect
	decider := ours.admin.get("/auth/me").want(http.StatusOK).str("_id")
	before := entriesBy(t, store, record.OrgID(ours.org), record.EventID(event), decider)
	ours.admin.post("/events/"+event+"/changes/"+change+"/approve", nil).want(http.StatusOK)
	if got := entriesBy(t, store, record.OrgID(ours.org), record.EventID(event), decider) - before; got != 1 {
		t.Errorf("%s left %d history entries that name the caller, want 1", decides, got)
	}
}

// eventToMove creates an event with an approved record, a submitted record and a draft
// that the policy approves.
func (ours *tenant) eventToMove() (event, approvedID, submitted, draft string) {
	event = ours.manager.post("/events", map[string]any{"title": "Walked", "country": "GB", "attendees": 10, "startDate": "2026-06-01"}).want(http.StatusCreated).str("_id")
	large := map[string]any{"treatment": "landfill", "weightKg": 100_000}
	approvedID = approved(ours.user, ours.manager, event, "waste", large)
	submitted = ours.user.post("/events/"+event+"/waste", large).want(http.StatusCreated).str("_id")
	ours.user.post("/events/"+event+"/waste/"+submitted+"/submit", nil).want(http.StatusOK)
	draft = ours.user.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1}).want(http.StatusCreated).str("_id")
	return event, approvedID, submitted, draft
}

// entriesBy counts the history entries of an event and its records that name an actor.
func entriesBy(t *testing.T, store *recordsqlite.Store, org record.OrgID, event record.EventID, actor string) (n int) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	e, err := store.EventContext(ctx, org, event)
	must(err)
	// The newest entry is in the event; the history may have a copy.
	entries, err := store.EventEntries(ctx, org, event, 0, math.MaxInt32)
	must(err)
	entries = slices.DeleteFunc(entries, func(x record.EventEntry) bool { return x.Rev >= e.Last.Rev })
	for _, x := range append(entries, e.Last) {
		if x.By.ID == actor {
			n++
		}
	}
	records, err := store.RecordsAfter(ctx, org, record.Place{Event: event}, 1000)
	must(err)
	for _, r := range records {
		if r.Event != event {
			continue
		}
		entries, err := store.Entries(ctx, org, r.ID)
		must(err)
		entries = slices.DeleteFunc(entries, func(x record.Entry) bool { return x.Rev >= r.Last.Rev })
		for _, x := range append(entries, r.Last) {
			if x.By.ID == actor {
				n++
			}
		}
	}
	return n
}
