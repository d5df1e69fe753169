package records_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/libs/workbook"
	"github.com/eventcarbon/ecf/services/records"
	"github.com/eventcarbon/ecf/services/records/imports"
)

const (
	ada    = "org1.ada.user"
	bob    = "org1.bob.user"
	planck = "org1.max.manager"
	root   = "org1.root.admin"
	alien  = "org2.eve.admin"
)

// harness is the service over the embedded engine.
type harness struct {
	endImports func() // ends the importer, which reads by itself
	t          *testing.T
	app        *fiber.App
	db         *sqlitex.DB
	store      *sqlitestore.Store
	clock      atomic.Int64
	notified   atomic.Int64
}

func (h *harness) Notify(context.Context, record.OrgID, record.EventID) { h.notified.Add(1) }

func (h *harness) now() time.Time { return time.UnixMilli(h.clock.Add(1000)) }

func start(t *testing.T) *harness {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := sqlitestore.New(db)
	h := &harness{t: t, store: store, db: db}
	h.clock.Store(time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC).UnixMilli())
	quotas, err := settings.ParseQuotas("free=3,team=50,enterprise=unlimited")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	importer := imports.New(store, log, h.now)
	spool := web.NewSpool(t.TempDir())
	t.Cleanup(func() { _ = spool.Remove() })
	h.app, err = records.New(records.Deps{Spool: spool, Store: store, Notifier: h, Members: members(), Verifier: webtest.Tokens{}, Quotas: quotas, Importer: importer, Logger: log, Now: h.now})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = importer.Run(ctx)
	}()
	h.endImports = func() { stop(); <-ended }
	t.Cleanup(h.endImports)
	for _, org := range []record.OrgID{"org1", "org2"} {
		if err := store.InsertOrganization(t.Context(), record.Organization{ID: org, Name: string(org), Plan: "free", Rev: 1}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// answer is a response.
type answer struct {
	t      *testing.T
	what   string
	status int
	header http.Header
	body   string
	data   map[string]any
	code   string
}

// send makes a request; header alternates names and values.
func (h *harness) send(as, method, path, body string, header ...string) answer {
	h.t.Helper()
	got := webtest.Send(h.t, h.app, as, method, "/api/v2"+path, body, header...)
	var read struct {
		Data  map[string]any
		Error struct{ Code string }
	}
	if strings.HasPrefix(got.Header.Get("Content-Type"), "application/json") && got.Header.Get("Content-Encoding") == "" && len(got.Body) > 0 {
		if err := json.Unmarshal(got.Body, &read); err != nil {
			h.t.Fatalf("%s %s: %v: %.500s", method, path, err, got.Body)
		}
	}
	return answer{h.t, method + " " + path, got.Status, got.Header, string(got.Body), read.Data, read.Error.Code}
}

// want fails the test if the response has another status or code.
func (a answer) want(status int, code string) answer {
	a.t.Helper()
	if a.status != status || a.code != code {
		a.t.Fatalf("%s: %d %s, want %d %s: %.700s", a.what, a.status, a.code, status, code, a.body)
	}
	return a
}

func (a answer) text(name string) string { return fmt.Sprint(a.data[name]) }

// event creates an event and returns its path.
func (h *harness) event() string {
	h.t.Helper()
	return "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Meeting","country":"GB"}`).want(http.StatusCreated, "").text("_id")
}

const bin = `{"treatment":"landfill","weightKg":10}`

// TestEventIsKept: an event from its creation to its deletion, including conditional requests with an older revision.
func TestEventIsKept(t *testing.T) {
	t.Parallel()
	h := start(t)
	made := h.send(planck, http.MethodPost, "/events", `{"title":"Meeting","country":"GB","attendees":80}`).want(http.StatusCreated, "")
	path := "/events/" + made.text("_id")
	if made.text("revision") != "1" || made.header.Get("Location") != "/api/v2"+path || made.header.Get("ETag") == "" {
		t.Errorf("created: %v %s", made.header, made.body)
	}
	h.send(alien, http.MethodGet, path, "").want(http.StatusNotFound, "EVENT_NOT_FOUND")
	h.send(ada, http.MethodPatch, path, `{"attendees":90}`).want(http.StatusForbidden, "FORBIDDEN")
	h.send(planck, http.MethodPatch, path, `{"attendees":"many"}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	edited := h.send(planck, http.MethodPatch, path, `{"attendees":90}`, "If-Match", made.header.Get("ETag")).want(http.StatusOK, "")
	if edited.text("revision") != "2" || edited.text("attendees") != "90" || edited.text("title") != "Meeting" {
		t.Errorf("edited: %s", edited.body)
	}
	h.send(planck, http.MethodPatch, path, `{"attendees":70}`, "If-Match", made.header.Get("ETag")).want(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	if now := h.send(ada, http.MethodGet, path, ""); now.text("attendees") != "90" {
		t.Errorf("a refused change was made: %s", now.body)
	}
	if same := h.send(ada, http.MethodGet, path, "", "If-None-Match", h.send(ada, http.MethodGet, path, "").header.Get("ETag")); same.status != http.StatusNotModified || same.body != "" {
		t.Errorf("unchanged: %d %s", same.status, same.body)
	}
	rehearsed := h.send(planck, http.MethodDelete, path, "", "X-Dry-Run", "true").want(http.StatusOK, "")
	if rehearsed.header.Get("X-Dry-Run") != "true" {
		t.Errorf("rehearsed: %v", rehearsed.header)
	}
	h.send(planck, http.MethodGet, path, "").want(http.StatusOK, "")
	h.send(planck, http.MethodDelete, path, "").want(http.StatusOK, "")
	h.send(planck, http.MethodGet, path, "").want(http.StatusNotFound, "EVENT_NOT_FOUND")
}

// TestEventsOfThePlan: an event beyond the quota is rejected, and a deleted one still counts.
func TestEventsOfThePlan(t *testing.T) {
	t.Parallel()
	h := start(t)
	for range 3 {
		h.event()
	}
	h.send(planck, http.MethodPost, "/events", `{"title":"One more","country":"GB"}`).want(http.StatusPaymentRequired, "QUOTA_EXCEEDED")
	h.send("org2.eve.admin", http.MethodPost, "/events", `{"title":"Theirs","country":"GB"}`).want(http.StatusCreated, "")
}

// TestRecordIsKept: a record from its creation to its submission, and who may change it in which state.
func TestRecordIsKept(t *testing.T) {
	t.Parallel()
	h := start(t)
	list := h.event() + "/waste"
	made := h.send(ada, http.MethodPost, list, bin).want(http.StatusCreated, "")
	path := list + "/" + made.text("_id")
	if made.text("status") != "unsubmitted" || made.text("submitted") != "false" || made.data["footprint"] == nil {
		t.Errorf("created: %s", made.body)
	}
	h.send(bob, http.MethodPatch, path, `{"weightKg":11}`).want(http.StatusForbidden, "FORBIDDEN")
	h.send(ada, http.MethodPatch, path, `{"weightKg":-1,"treatment":"sea"}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	if e := h.send(ada, http.MethodPatch, path, `{"weightKg":12}`, "If-Match", made.header.Get("ETag")).want(http.StatusOK, ""); e.text("revision") != "2" {
		t.Errorf("edited: %s", e.body)
	}
	if same := h.send(ada, http.MethodPatch, path, `{"weightKg":12}`).want(http.StatusOK, ""); same.text("revision") != "2" {
		t.Errorf("an edit without a difference made a revision: %s", same.body)
	}
	h.send(ada, http.MethodPost, path+"/submit", "").want(http.StatusOK, "")
	h.send(ada, http.MethodPatch, path, `{"weightKg":13}`).want(http.StatusConflict, "RECORD_LOCKED")
	h.send(ada, http.MethodPost, path+"/withdraw", "").want(http.StatusOK, "")
	history := h.send(ada, http.MethodGet, path+"/history", "").want(http.StatusOK, "")
	var moves []string
	for _, item := range history.data["items"].([]any) {
		moves = append(moves, fmt.Sprint(item.(map[string]any)["action"]))
	}
	if got := strings.Join(moves, " "); got != "withdraw submit edit create" && got != "create edit submit withdraw" {
		t.Errorf("history: %s: %.900s", got, history.body)
	}
	h.send(ada, http.MethodDelete, path, "").want(http.StatusOK, "")
	h.send(ada, http.MethodGet, path, "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	if h.notified.Load() != 0 {
		t.Errorf("%d notifications, though nothing was approved", h.notified.Load())
	}
}

// TestReferenceIsTakenOnce: an external reference of a record is unique within its event and type, and free again
// after a deletion.
func TestReferenceIsTakenOnce(t *testing.T) {
	t.Parallel()
	h := start(t)
	list := h.event() + "/waste"
	named := `{"treatment":"landfill","weightKg":10,"externalReference":"Bin 7"}`
	first := h.send(ada, http.MethodPost, list, named).want(http.StatusCreated, "")
	h.send(ada, http.MethodPost, list, named).want(http.StatusConflict, "DUPLICATE_REFERENCE")
	h.send(ada, http.MethodDelete, list+"/"+first.text("_id"), "").want(http.StatusOK, "")
	h.send(ada, http.MethodPost, list, named).want(http.StatusCreated, "")
}

// TestRepeatedCreation with its key is one creation and one answer.
func TestRepeatedCreation(t *testing.T) {
	t.Parallel()
	h := start(t)
	list := h.event() + "/waste"
	first := h.send(ada, http.MethodPost, list, bin, "Idempotency-Key", "line-1").want(http.StatusCreated, "")
	again := h.send(ada, http.MethodPost, list, bin, "Idempotency-Key", "line-1").want(http.StatusCreated, "")
	if first.body != again.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("first %.300s\nagain %v %.300s", first.body, again.header, again.body)
	}
	h.send(ada, http.MethodPost, list, `{"treatment":"landfill","weightKg":11}`, "Idempotency-Key", "line-1").want(http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	if n := h.total(list); n != 1 {
		t.Errorf("%d records", n)
	}
}

func (h *harness) total(list string) int {
	h.t.Helper()
	a := h.send(ada, http.MethodGet, list, "").want(http.StatusOK, "")
	return int(a.data["pagination"].(map[string]any)["total"].(float64))
}

// TestBatch: each record separately, in order; a bad one has its fault and does not affect the others.
func TestBatch(t *testing.T) {
	t.Parallel()
	h := start(t)
	list := h.event() + "/waste"
	a := h.send(ada, http.MethodPost, list+"/batch", `{"items":[`+bin+`,{"treatment":"landfill"},`+bin+`,{"treatment":"sea","weightKg":1}]}`).want(http.StatusOK, "")
	var got []string
	for _, item := range a.data["items"].([]any) {
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		switch item := string(text); {
		case strings.Contains(item, `"record"`):
			got = append(got, "record")
		case strings.Contains(item, `"items[1].weightKg"`):
			got = append(got, "weightKg")
		case strings.Contains(item, `"items[3].treatment"`):
			got = append(got, "treatment")
		default:
			got = append(got, item)
		}
	}
	if want := "record weightKg record treatment"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := h.total(list); n != 2 {
		t.Errorf("%d records", n)
	}
}

// TestListsArePages: newest first, exact totals, and 304 for an unchanged page, even if others change.
func TestListsArePages(t *testing.T) {
	t.Parallel()
	h := start(t)
	list, other := h.event()+"/waste", h.event()+"/waste"
	var ids []string
	for range 5 {
		ids = append(ids, h.send(ada, http.MethodPost, list, bin).want(http.StatusCreated, "").text("_id"))
	}
	h.send(ada, http.MethodDelete, list+"/"+ids[2], "").want(http.StatusOK, "")
	page := h.send(bob, http.MethodGet, list+"?page=2&limit=3", "").want(http.StatusOK, "")
	items := page.data["items"].([]any)
	if p := page.data["pagination"].(map[string]any); len(items) != 1 || items[0].(map[string]any)["_id"] != ids[0] || p["total"] != 4.0 {
		t.Errorf("the second page: %.700s", page.body)
	}
	tag := page.header.Get("ETag")
	h.send(ada, http.MethodPost, other, bin).want(http.StatusCreated, "")
	if a := h.send(bob, http.MethodGet, list+"?page=2&limit=3", "", "If-None-Match", tag); a.status != http.StatusNotModified {
		t.Errorf("after a change elsewhere: %d", a.status)
	}
	h.send(ada, http.MethodPatch, list+"/"+ids[0], `{"weightKg":20}`).want(http.StatusOK, "")
	h.send(bob, http.MethodGet, list+"?page=2&limit=3", "", "If-None-Match", tag).want(http.StatusOK, "")
	h.send(bob, http.MethodGet, list+"?page=0", "").want(http.StatusBadRequest, "VALIDATION_ERROR")
}

// TestImportedFile: a file is checked whole before any row is stored.
func TestImportedFile(t *testing.T) {
	t.Parallel()
	h := start(t)
	list := h.event() + "/waste"
	run := func(file string) answer {
		t.Helper()
		began := h.send(ada, http.MethodPost, list+"/import", file, "Content-Type", "text/csv").want(http.StatusAccepted, "")
		where := strings.TrimSuffix(list, "/waste") + "/imports/" + began.text("_id")
		var now answer
		testkit.Eventually(t, 10*time.Second, func() error {
			now = h.send(ada, http.MethodGet, where, "").want(http.StatusOK, "")
			if s := now.text("status"); s != "completed" && s != "failed" {
				return fmt.Errorf("the import is %s", s)
			}
			return nil
		})
		return now
	}
	if a := run("treatment,weightKg\nlandfill,10\nsea,11\n"); a.text("status") != "failed" || !strings.Contains(a.body, "treatment") || h.total(list) != 0 {
		t.Errorf("with a bad row: %d records, %s", h.total(list), a.body)
	}
	if a := run("treatment,weightKg\nlandfill,10\nlandfill,11\n"); a.text("status") != "completed" || h.total(list) != 2 {
		t.Errorf("good rows: %d records, %s", h.total(list), a.body)
	}
}

// TestExport has a line for each record, guarded against formulas, and refuses
// other organizations.
func TestExport(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	h.send(ada, http.MethodPost, event+"/waste", `{"treatment":"landfill","weightKg":10,"description":"=1+1"}`).want(http.StatusCreated, "")
	h.send(alien, http.MethodGet, event+"/export", "").want(http.StatusNotFound, "EVENT_NOT_FOUND")
	a := h.send(ada, http.MethodGet, event+"/export", "")
	if lines := strings.Split(strings.TrimSpace(a.body), "\n"); a.status != http.StatusOK || len(lines) != 2 || !strings.Contains(lines[1], "'=1+1") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if same := h.send(ada, http.MethodGet, event+"/export", "", "If-None-Match", a.header.Get("ETag")); same.status != http.StatusNotModified {
		t.Errorf("unchanged: %d", same.status)
	}
}

// TestExportAsAWorkbook: numbers, dates and truth values can be calculated with and sorted by, and
// texts are none of them.
func TestExportAsAWorkbook(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	h.send(ada, http.MethodPost, event+"/waste", `{"treatment":"landfill","weightKg":10.50,"date":"2026-09-01","description":"=1+1 at Köln"}`).want(http.StatusCreated, "")
	h.send(ada, http.MethodPost, event+"/flights", flightBody).want(http.StatusCreated, "")
	a := h.send(ada, http.MethodGet, event+"/export", "", "Accept", workbook.MediaType)
	if a.status != http.StatusOK || a.header.Get("Content-Type") != workbook.MediaType || !strings.Contains(a.header.Get("Content-Disposition"), ".xlsx") || a.header.Get("Vary") != "Accept" {
		t.Fatalf("%d %v", a.status, a.header)
	}
	if same := h.send(ada, http.MethodGet, event+"/export", "", "Accept", workbook.MediaType, "If-None-Match", a.header.Get("ETag")); same.status != http.StatusNotModified {
		t.Errorf("unchanged: %d", same.status)
	}
	if table := h.send(ada, http.MethodGet, event+"/export", "", "If-None-Match", a.header.Get("ETag")); table.status != http.StatusOK || table.header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("the table under the tag of the workbook: %d", table.status)
	}
	book, err := excelize.OpenReader(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	rows, err := book.GetRows("Records")
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows, %v; want 3", len(rows), err)
	}
	csv := h.send(ada, http.MethodGet, event+"/export", "").body
	if head, _, _ := strings.Cut(csv, "\r\n"); strings.Join(rows[0], ",") != head {
		t.Errorf("the headings %v, want %s", rows[0], head)
	}
	for name, want := range map[string]struct {
		value string
		kind  excelize.CellType
	}{
		"type":        {"waste", excelize.CellTypeInlineString},
		"submitted":   {"FALSE", excelize.CellTypeBool},
		"weightKg":    {"10.5", excelize.CellTypeUnset},
		"date":        {"2026-09-01", excelize.CellTypeUnset},
		"description": {"'=1+1 at Köln", excelize.CellTypeInlineString},
	} {
		column, err := excelize.ColumnNumberToName(slices.Index(rows[0], name) + 1)
		if err != nil {
			t.Fatal(err)
		}
		value, err := book.GetCellValue("Records", column+"3")
		if err != nil {
			t.Fatal(err)
		}
		if kind, err := book.GetCellType("Records", column+"3"); err != nil || value != want.value || kind != want.kind {
			t.Errorf("%s is %q of kind %v, %v; want %q of kind %v", name, value, kind, err, want.value, want.kind)
		}
	}
}

// TestPolicyIsTheAdmins: only an administrator changes it, and a misspelt one
// is noticed.
func TestPolicyIsTheAdmins(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.send(planck, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true}}`).want(http.StatusForbidden, "FORBIDDEN")
	if a := h.send(root, http.MethodPatch, "/organization", `{"policy":{"foureyes":true}}`).want(http.StatusOK, ""); !strings.Contains(a.body, `"policy.foureyes"`) {
		t.Errorf("nothing is said of the unknown field: %s", a.body)
	}
	h.send(root, http.MethodPatch, "/organization", `{"policy":{"foureyes":true}}`, "Prefer", "handling=strict").want(http.StatusBadRequest, "VALIDATION_ERROR")
	on := h.send(root, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true}}`).want(http.StatusOK, "")
	if policy, ok := on.data["policy"].(map[string]any); !ok || policy["fourEyes"] != true {
		t.Errorf("four eyes are not on: %s", on.body)
	}
}

// TestAPolicyCanAlwaysBeChangedAgain changes a policy on many days, one time more than a day permits: the limit is
// per day, and every state is stored.
func TestAPolicyCanAlwaysBeChangedAgain(t *testing.T) {
	t.Parallel()
	h := start(t)
	changes := 0
	change := func() answer {
		changes++
		return h.send(root, http.MethodPatch, "/organization", fmt.Sprintf(`{"policy":{"autoApproveBelowKg":%d}}`, changes))
	}
	for range 3 {
		for range record.PoliciesADay {
			change().want(http.StatusOK, "")
		}
		if a := change().want(http.StatusConflict, "INVALID_TRANSITION"); !strings.Contains(a.body, `"POLICY_LIMIT"`) || !strings.Contains(a.body, "can be changed again after 20") {
			t.Errorf("the refusal does not say when the policy can be changed: %s", a.body)
		}
		h.send(root, http.MethodPatch, "/organization", `{"name":"Another"}`).want(http.StatusOK, "")
		h.clock.Add((25 * time.Hour).Milliseconds())
	}
	o, err := h.store.Organization(t.Context(), "org1")
	if err != nil {
		t.Fatal(err)
	}
	all, err := record.PolicyHistory(t.Context(), h.store, o)
	if err != nil || len(o.Policies) > record.KeptPolicies || len(all) != 3*record.PoliciesADay+1 {
		t.Errorf("%d states, %d of them in the document, %v", len(all), len(o.Policies), err)
	}
}

// TestAttendeeTravelIsKept accepts origins in a body and in a file, serves counts and a hash, and pages through the
// rows.
func TestAttendeeTravelIsKept(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Meeting","country":"GB","place":"Brighton, GB"}`).want(http.StatusCreated, "").text("_id")
	list := event + "/attendee-travel"
	made := h.send(ada, http.MethodPost, list, `{"origins":[{"place":"Leeds","people":8,"mode":"train","name":"Ada Lovelace"},{"place":"Berlin","country":"DE","people":3,"mode":"plane"}]}`).want(http.StatusCreated, "")
	set, _ := made.data["originSet"].(map[string]any)
	if set["people"] != 11.0 || set["rows"] != 2.0 || len(fmt.Sprint(set["hash"])) != 64 || made.data["origins"] != nil || strings.Contains(made.body, "Lovelace") {
		t.Errorf("made %s", made.body)
	}
	one := list + "/" + made.text("_id")
	history := h.send(ada, http.MethodGet, one+"/history", "").want(http.StatusOK, "")
	if want := fmt.Sprintf(`"origins":{"rows":2,"people":11,"hash":"%v"}`, set["hash"]); !strings.Contains(history.body, want) {
		t.Errorf("the history has no %s: %s", want, history.body)
	}
	page := h.send(ada, http.MethodGet, one+"/origins?limit=1&page=2", "").want(http.StatusOK, "")
	if items, _ := page.data["items"].([]any); len(items) != 1 || !strings.Contains(page.body, `"Berlin"`) || strings.Contains(page.body, "Leeds") {
		t.Errorf("second page %s", page.body)
	}
	if again := h.send(ada, http.MethodGet, one+"/origins?limit=1&page=2", "", "If-None-Match", page.header.Get("ETag")); again.status != http.StatusNotModified {
		t.Errorf("unchanged: %d", again.status)
	}
	h.send(ada, http.MethodGet, event+"/waste/"+made.text("_id")+"/origins", "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	h.send(alien, http.MethodGet, one+"/origins", "").want(http.StatusNotFound, "RECORD_NOT_FOUND")

	// The preview of another destination: by record, and by event.
	was := figure(made.data["footprint"])
	other := h.send(ada, http.MethodPatch, one, `{"to":"Leeds, GB"}`, "X-Dry-Run", "true").want(http.StatusOK, "")
	if w := other.data["whatIf"].(map[string]any); figure(w["attendeeTravel"].(map[string]any)["before"]) != was || figure(w["attendeeTravel"].(map[string]any)["after"]) != figure(other.data["footprint"]) ||
		w["total"] == nil || figure(other.data["footprint"]) == was {
		t.Errorf("to Leeds: %s", other.body)
	}
	moved := h.send(planck, http.MethodPatch, event, `{"place":"Leeds, GB"}`, "X-Dry-Run", "true").want(http.StatusOK, "")
	if w := moved.data["whatIf"].(map[string]any); figure(w["attendeeTravel"].(map[string]any)["before"]) != was || figure(w["attendeeTravel"].(map[string]any)["after"]) != figure(other.data["footprint"]) {
		t.Errorf("the event in Leeds: %s", moved.body)
	}
	for what, a := range map[string]answer{"record": other, "event": moved} { // which reads all that counts
		if !strings.HasPrefix(a.header.Get("RateLimit"), `"expensive";r=`) || !strings.HasPrefix(a.header.Get("RateLimit-Policy"), `"expensive";q=`) {
			t.Errorf("a rehearsal of the %s is not scheduled as expensive: %v", what, a.header)
		}
	}
	if plain := h.send(planck, http.MethodPatch, event, `{"title":"Meeting 2"}`, "X-Dry-Run", "true").want(http.StatusOK, ""); plain.header.Get("RateLimit") != "" {
		t.Errorf("a rehearsal that reads one event is expensive: %v", plain.header)
	}
	if now := h.send(ada, http.MethodGet, one, "").want(http.StatusOK, ""); figure(now.data["footprint"]) != was {
		t.Errorf("a rehearsal changed the record: %s", now.body)
	}
}

// TestRecordsOfABatchShareTheirHints: all have the faults of misspelled names, and the first ones suggestions.
func TestRecordsOfABatchShareTheirHints(t *testing.T) {
	t.Parallel()
	h := start(t)
	one := `{"from":"LHX","to":"JFX","passengers":1}`
	a := h.send(ada, http.MethodPost, h.event()+"/flights/batch", `{"items":[`+strings.Repeat(one+",", 19)+one+`]}`).want(http.StatusOK, "")
	if faults, hints := strings.Count(a.body, `"UNKNOWN_CODE"`), strings.Count(a.body, `"suggestions"`); faults != 40 || hints != 10 {
		t.Errorf("%d faults, %d with suggestions: %.300s", faults, hints, a.body)
	}
}

func figure(of any) any {
	f, _ := of.(map[string]any)
	return f["kgCO2e"]
}

// TestFileOfOrigins creates one record from a list of people, without their names.
func TestFileOfOrigins(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	list := event + "/attendee-travel"
	file := "Name,Home town,Country,Transport,E-mail\nAda Lovelace,Leeds,United Kingdom,train,ada@example.org\nMax Planck,Berlin,DE,plane,max@example.org\nEmmy Noether,Leeds,,Train,,one cell too many: Noether\nNo One,Springfield,US,,\n"
	h.send(ada, http.MethodPost, list+"/import?partial=true", file, "Content-Type", "text/csv").want(http.StatusBadRequest, "VALIDATION_ERROR")
	began := h.send(ada, http.MethodPost, list+"/import?partial=true&to=Brighton", file, "Content-Type", "text/csv").want(http.StatusAccepted, "")
	where := event + "/imports/" + began.text("_id")
	var now answer
	testkit.Eventually(t, 10*time.Second, func() error {
		now = h.send(ada, http.MethodGet, where, "").want(http.StatusOK, "")
		if s := now.text("status"); s != "completed" && s != "failed" {
			return fmt.Errorf("the import is %s", s)
		}
		return nil
	})
	if now.text("status") != "completed" || now.text("imported") != "3" || now.text("failed") != "1" || now.text("ignoredColumns") != "[Name E-mail]" {
		t.Fatalf("import: %s", now.body)
	}
	records := h.send(ada, http.MethodGet, list, "").want(http.StatusOK, "")
	items, _ := records.data["items"].([]any)
	if len(items) != 1 {
		t.Fatalf("records: %s", records.body)
	}
	made := items[0].(map[string]any)
	if set := made["originSet"].(map[string]any); set["rows"] != 2.0 || set["people"] != 3.0 {
		t.Errorf("record: %v", made)
	}
	origins := h.send(ada, http.MethodGet, list+"/"+fmt.Sprint(made["_id"])+"/origins", "").want(http.StatusOK, "")
	bad := h.send(ada, http.MethodGet, where+"/bad-rows", "")
	faults := h.send(ada, http.MethodGet, where+"/errors", "")
	if bad.status != http.StatusOK || !strings.Contains(bad.body, "Springfield") {
		t.Errorf("bad rows: %d %s", bad.status, bad.body)
	}
	for _, word := range []string{"Ada", "Lovelace", "Planck", "Noether", "No One", "example.org"} {
		for _, a := range []answer{now, records, origins, bad, faults} {
			if strings.Contains(a.body, word) {
				t.Errorf("%s has %s: %s", a.what, word, a.body)
			}
		}
	}
	// An export has whole records, and can be imported as such.
	export := h.send(ada, http.MethodGet, event+"/export", "")
	copied := h.event() + "/attendee-travel"
	h.send(ada, http.MethodPost, copied+"/import", export.body, "Content-Type", "text/csv").want(http.StatusAccepted, "")
	testkit.Eventually(t, 10*time.Second, func() error {
		if h.total(copied) != 1 {
			return fmt.Errorf("%d records were copied", h.total(copied))
		}
		return nil
	})
	again := h.send(ada, http.MethodGet, copied, "").data["items"].([]any)[0].(map[string]any)
	if figure(again["footprint"]) != figure(made["footprint"]) || fmt.Sprint(again["originSet"]) != fmt.Sprint(made["originSet"]) {
		t.Errorf("copied: %v, want %v", again, made)
	}
	if undone := h.send(ada, http.MethodPost, where+"/undo", "").want(http.StatusOK, ""); undone.text("removed") != "1" {
		t.Errorf("undone: %s", undone.body)
	}
}

// TestPlaceIndexIsServed serves the compressed index of towns, with versions that caches may keep indefinitely.
func TestPlaceIndexIsServed(t *testing.T) {
	t.Parallel()
	h := start(t)
	packed := h.send(ada, http.MethodGet, "/locations/places", "", "Accept-Encoding", "gzip")
	if packed.status != http.StatusOK || packed.header.Get("Content-Encoding") != "gzip" || packed.header.Get("Cache-Control") != "private, no-cache" {
		t.Fatalf("%d %v", packed.status, packed.header)
	}
	tag := packed.header.Get("ETag")
	if again := h.send(ada, http.MethodGet, "/locations/places", "", "Accept-Encoding", "gzip", "If-None-Match", tag); again.status != http.StatusNotModified {
		t.Errorf("unchanged: %d", again.status)
	}
	kept := h.send(ada, http.MethodGet, "/locations/places?v="+strings.Trim(tag, `"`), "", "Accept-Encoding", "gzip")
	if !strings.Contains(kept.header.Get("Cache-Control"), "immutable") {
		t.Errorf("a version: %v", kept.header)
	}
	if older := h.send(ada, http.MethodGet, "/locations/places?v=0", "", "Accept-Encoding", "gzip"); strings.Contains(older.header.Get("Cache-Control"), "immutable") {
		t.Errorf("another version: %v", older.header)
	}
	if airports := h.send(ada, http.MethodGet, "/locations/index", "", "Accept-Encoding", "gzip"); len(airports.body) > 200_000 {
		t.Errorf("the index of airports has grown to %d bytes", len(airports.body))
	}
}
