package governed

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// scene is what one person finds: an event with records in all states, and a factor of the library.
type scene struct {
	*system
	// counted was approved by max; waiting was submitted by ursula, draft created by her.
	counted, waiting, draft string
	made                    int
	imported                string // an import of ursula, of which one record is approved
	used                    string // an approved factor, which counted uses
}

// attempt is what mia, a manager, or ada, an administrator, try alone to move a figure that others have approved.
type attempt struct {
	as   string // mia if empty
	on   func(*system) *fiber.App
	path func(*scene) string
	body func(*scene) any
	head []string
	// decides marks a decision on records of others, or one that takes a record out of the figure: it moves the figure
	// of an event that is not signed, and the revision names it.
	decides bool
}

func (s *scene) item(id string) string { return base + "/waste/" + id }

func at(path string) func(*scene) string { return func(*scene) string { return path } }
func sends(body any) func(*scene) any    { return func(*scene) any { return body } }

// because is a body with the reason that the policy asks for.
func because(more map[string]any) func(*scene) any {
	body := maps.Clone(more)
	if body == nil {
		body = map[string]any{}
	}
	body["comment"] = "Because."
	return sends(body)
}

// tonnes are the fields of a record of 500 tonnes.
func tonnes(reference string) map[string]any {
	return fieldsOf(line{typ: "waste", amount: 5_000}, reference)
}

func factor(name string, kilograms float64) map[string]any {
	return map[string]any{"name": name, "kgCO2ePerUnit": kilograms, "unit": "piece", "source": "Study of 2026", "evidence": []map[string]any{{"name": "Study", "url": "https://example.org/study.pdf", "sha256": strings.Repeat("0", 64)}}}
}

// eventValues are, for each field of an event, a value that it does not have yet. The test fails for a field without one.
func eventValues() map[string]any {
	return map[string]any{
		"title": "Renamed", "startDate": "2026-05-20", "endDate": "2026-06-09", "attendees": 7, "virtualAttendees": 100_000, "country": "PL", "timezone": "Europe/Warsaw",
		"place": "Leeds, GB", "description": "Another", "boundary": map[string]any{"included": []string{"flights"}, "excluded": []any{}},
		"method": map[string]any{"gwp": "AR6", "radiativeForcing": false}, "metadata": map[string]string{"a": "b"}, "externalReference": "renamed",
		"compensation": []map[string]any{{"kind": "offset", "kgCO2e": 1_000_000, "description": "All of it"}},
		"team":         map[string]any{"members": []map[string]any{{"userId": "mia", "role": "reviewer"}, {"userId": "max", "role": "reviewer"}, {"userId": "ursula", "role": "contributor"}}},
	}
}

// attempts are by operation, at least one of each that writes. An operation of accounts has no access to the stores of
// figures: who may decide is checked with each decision.
func attempts() map[string][]attempt {
	ids := func(of ...func(*scene) string) func(*scene) any {
		return func(s *scene) any {
			all := make([]string, len(of))
			for i, id := range of {
				all[i] = id(s)
			}
			return map[string]any{"ids": all, "comment": "Because."}
		}
	}
	counted, waiting, draft := func(s *scene) string { return s.counted }, func(s *scene) string { return s.fresh(true) }, func(s *scene) string { return s.fresh(false) }
	all := ids(counted, waiting, draft)
	on := func(app func(*system) *fiber.App, id func(*scene) string, move string, body func(*scene) any) attempt {
		return attempt{on: app, path: func(s *scene) string { return strings.TrimSuffix(s.item(id(s))+"/"+move, "/") }, body: body}
	}
	each := func(app func(*system) *fiber.App, move string, body func(*scene) any) []attempt {
		return []attempt{on(app, counted, move, body), on(app, waiting, move, body), on(app, draft, move, body)}
	}
	decision := func(a attempt) []attempt { a.decides = true; return []attempt{a} }
	library := func(id func(*scene) string, move string, body func(*scene) any) attempt {
		return attempt{on: ofRecords, path: func(s *scene) string { return strings.TrimSuffix("/supplier-factors/"+id(s)+"/"+move, "/") }, body: body}
	}
	used, proposed := func(s *scene) string { return s.used }, func(s *scene) string { return s.propose() }
	factors := func(move string, body func(*scene) any) []attempt {
		return []attempt{library(used, move, body), library(proposed, move, body)}
	}
	ofImport := func(move string) attempt {
		return attempt{on: ofRecords, path: func(s *scene) string { return base + "/imports/" + s.imported + "/" + move }}
	}
	change := func(s *scene) string {
		a := s.ask(s.recordsApp, http.MethodPatch, base, "mia", map[string]any{"attendees": 3, "comment": "Because."})
		change, _ := a.data["change"].(map[string]any)
		return base + "/changes/" + fmt.Sprint(change["_id"])
	}
	onChange := func(move string) []attempt {
		return []attempt{{on: ofCount, path: func(s *scene) string { return change(s) + "/" + move }}}
	}
	file := "externalReference,treatment,weightKg\ncounted,landfill,500000\nwaiting,landfill,500000\n"
	table := []string{"Content-Type", "text/csv"}
	a := map[string][]attempt{
		"updateOrganization": {
			{as: "ada", on: ofRecords, path: at("/organization"), body: sends(map[string]any{"policy": map[string]any{"fourEyes": false, "requireReason": false, "autoApproveBelowKg": 1_000_000}})},
			{as: "ada", on: ofRecords, path: at("/organization"), body: sends(map[string]any{"policy": nil})},
			{as: "ada", on: ofRecords, path: at("/organization"), body: sends(map[string]any{"name": "Other"})},
		},
		"createSupplierFactor":   {{on: ofRecords, path: at("/supplier-factors"), body: sends(factor("Factor 1", 900))}},
		"updateSupplierFactor":   factors("", sends(map[string]any{"kgCO2ePerUnit": 900})),
		"deleteSupplierFactor":   factors("", nil),
		"approveSupplierFactor":  factors("approve", nil),
		"rejectSupplierFactor":   factors("reject", because(nil)),
		"withdrawSupplierFactor": factors("withdraw", because(nil)),

		"createEvent":         {{on: ofRecords, path: at("/events"), body: sends(map[string]any{"title": "Second", "externalReference": "gala"})}},
		"putEventByReference": {{on: ofRecords, path: at("/events/by-reference/gala"), body: because(map[string]any{"title": "Gala", "attendees": 9})}},
		"adoptFactorSet":      {{on: ofCount, path: at(base + "/factor-set"), body: because(map[string]any{"factorSet": "desnz-2025"})}, {on: ofCount, path: at(base + "/factor-set"), body: because(map[string]any{"engine": "2.2.0"})}},
		"signOffEvent":        {{on: ofCount, path: at(base + "/sign-off"), body: sends(map[string]any{"revision": 1, "statement": "Mine."})}},
		"approveEventChange":  onChange("approve"), "assessEventChange": onChange("assess"), "rejectEventChange": onChange("reject"),

		"createRecord":  {{on: ofRecords, path: at(base + "/waste"), body: sends(tonnes("counted"))}, {on: ofRecords, path: at(base + "/waste"), body: sends(tonnes("new"))}},
		"createRecords": {{on: ofRecords, path: at(base + "/waste/batch"), body: sends(map[string]any{"onDuplicate": "update", "items": []any{tonnes("counted"), tonnes("waiting")}})}},
		"importRecords": {{on: ofRecords, path: at(base + "/waste/import?onDuplicate=update&partial=true"), body: sends(file), head: table}},
		"importMixed":   {{on: ofRecords, path: at(base + "/import?onDuplicate=update&partial=true"), body: sends("type," + strings.TrimSuffix(strings.ReplaceAll(file, "\n", "\nwaste,"), "waste,")), head: table}},
		"undoImport":    {ofImport("undo")}, "submitImport": {ofImport("submit")}, "approveImport": decision(ofImport("approve")),
		"submitRecords": {{on: ofRecords, path: at(base + "/waste/submit"), body: all}}, "withdrawRecords": {{on: ofRecords, path: at(base + "/waste/withdraw"), body: all}},
		"deleteRecords":           {{on: ofRecords, path: at(base + "/waste/delete"), body: all}},
		"putRecordByReference":    {{on: ofRecords, path: at(base + "/waste/by-reference/counted"), body: sends(tonnes("counted"))}},
		"deleteRecordByReference": {{on: ofRecords, path: at(base + "/waste/by-reference/counted")}},
		"updateRecord":            each(ofRecords, "", sends(map[string]any{"weightKg": 500_000})),
		"submitRecord":            each(ofRecords, "submit", nil),
		"withdrawRecord":          each(ofRecords, "withdraw", nil),
		"deleteRecord":            {on(ofRecords, counted, "", nil)},

		"claimRecord":             {on(ofReview, counted, "review", nil)},
		"approveRecords":          decision(attempt{on: ofReview, path: at(base + "/review/approve"), body: all}),
		"requestChangesOfRecords": {{on: ofReview, path: at(base + "/review/request-changes"), body: all}},
		"rejectRecords":           {{on: ofReview, path: at(base + "/review/reject"), body: all}},
		"reopenRecords":           decision(attempt{on: ofReview, path: at(base + "/review/reopen"), body: ids(counted)}),
		"approveRecord":           decision(on(ofReview, waiting, "approve", nil)),
		"requestChanges":          {on(ofReview, counted, "request-changes", because(nil))},
		"rejectRecord":            {on(ofReview, counted, "reject", because(nil))},
		"reopenRecord":            decision(on(ofReview, counted, "reopen", because(nil))),

		"previewRows":   {{on: ofCount, path: at(base + "/results/preview"), body: sends(map[string]any{"items": []any{map[string]any{"type": "waste", "fields": tonnes("x")}}})}},
		"rehearseEvent": {{on: ofCount, path: at(base + "/results/rehearsal"), body: sends(map[string]any{"attendees": 3})}},
		// What follows ends the scene.
		"withdrawSignOff": {{on: ofCount, path: at(base + "/sign-off/withdraw"), body: because(nil)}},
		"deleteEvent":     {{on: ofRecords, path: at(base), body: because(nil)}},
	}
	values := eventValues()
	for _, field := range slices.Sorted(maps.Keys(values)) {
		a["updateEvent"] = append(a["updateEvent"], attempt{on: ofRecords, path: at(base), body: because(map[string]any{field: values[field]})})
	}
	return a
}

// set makes the scene. Without four eyes and reasons, one person may move a figure, but not unseen.
func (s *system) set(t *testing.T, strict bool) *scene {
	t.Helper()
	s.t = t
	c := &scene{system: s}
	s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPatch, base, "mia", map[string]any{"externalReference": "gala", "compensation": []map[string]any{{"kind": "removal", "kgCO2e": 5, "description": "Peat"}}}))
	if strict {
		s.rule(map[string]any{"fourEyes": true, "requireReason": true})
	}
	c.used = c.propose()
	s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPost, "/supplier-factors/"+c.used+"/approve", "max", nil))
	bought := fmt.Sprint(s.want(http.StatusCreated, s.ask(s.recordsApp, http.MethodPost, base+"/custom", "ursula",
		map[string]any{"description": "Chairs", "supplierFactor": "Factor 1", "quantity": 10})).data["_id"])
	c.imported = fmt.Sprint(s.want(http.StatusAccepted, s.ask(s.recordsApp, http.MethodPost, base+"/waste/import", "ursula",
		"externalReference,treatment,weightKg\ncounted,landfill,1000\nlate,landfill,1000\n", "Content-Type", "text/csv")).data["_id"])
	s.sweep()
	rows, err := s.records.RecordRange(t.Context(), org, record.Sub{Event: event, Type: "waste"}, 1, 10)
	must(t, err)
	for _, r := range rows {
		if r.Reference == "counted" {
			c.counted = string(r.ID)
		}
	}
	c.waiting, c.draft = c.fresh(true), c.fresh(false)
	for _, path := range []string{c.item(c.counted), base + "/custom/" + bought} {
		s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPost, path+"/submit", "ursula", nil))
		s.want(http.StatusOK, s.ask(s.reviewApp, http.MethodPost, path+"/approve", "max", nil))
	}
	s.calculate(-1, false)
	return c
}

// fresh returns a record of ursula that no attempt has touched: of a signed event the one that was made before.
func (s *scene) fresh(submitted bool) string {
	s.t.Helper()
	e, err := s.system.records.Event(s.t.Context(), org, event)
	must(s.t, err)
	if e.Gate.State == record.GateSigned {
		return map[bool]string{true: s.waiting, false: s.draft}[submitted]
	}
	s.made++
	id := fmt.Sprint(s.want(http.StatusCreated, s.ask(s.recordsApp, http.MethodPost, base+"/waste", "ursula",
		fieldsOf(line{typ: "waste", amount: 10}, fmt.Sprint("record ", s.made)))).data["_id"])
	if submitted {
		s.want(http.StatusOK, s.ask(s.recordsApp, http.MethodPost, s.item(id)+"/submit", "ursula", nil))
	}
	return id
}

// propose returns a factor that mia proposes.
func (s *scene) propose() string {
	s.t.Helper()
	s.made++
	return fmt.Sprint(s.want(http.StatusCreated, s.ask(s.recordsApp, http.MethodPost, "/supplier-factors", "mia", factor(fmt.Sprint("Factor ", s.made), 2))).data["_id"])
}

// rejectAll rejects the changes that attempts have proposed.
func (s *system) rejectAll() {
	s.t.Helper()
	e, err := s.records.EventContext(s.t.Context(), org, event)
	must(s.t, err)
	for _, p := range e.Proposals {
		s.want(http.StatusOK, s.ask(s.countApp, http.MethodPost, base+"/changes/"+p.ID+"/reject", "max", nil))
	}
}

// sweep imports the files that wait.
func (s *system) sweep() {
	s.t.Helper()
	must(s.t, imports.New(s.records, slog.New(slog.DiscardHandler), s.now).Sweep(s.t.Context()))
}

// published returns the figures of the newest result and of its report, without what is written there about drafts and
// with the texts of the event: those are not governed. It is empty once the event is deleted.
func (s *system) published() (figures string, revision int64, causes string) {
	s.t.Helper()
	a := s.ask(s.countApp, http.MethodGet, base+"/results", "ada", nil)
	if a.status != http.StatusOK {
		return a.code, 0, ""
	}
	r, err := s.results.Result(s.t.Context(), org, event)
	must(s.t, err)
	causes = fmt.Sprint(a.data["cause"])
	for _, name := range []string{"cause", "counts", "findings", "measureNext", "revision", "calculatedAt"} {
		delete(a.data, name)
	}
	text, err := json.Marshal(a.data)
	must(s.t, err)
	table := s.ask(s.countApp, http.MethodGet, base+"/results/report", "ada", nil, "Accept", "text/csv")
	return string(text) + string(table.body), r.Revision, causes
}

// TestOnePersonMovesNoFigureUnseen lets one manager or administrator send each operation that writes, with bodies that
// would move a figure which others have approved. Under four-eyes control, nothing that they do alone may move it but
// decisions on records; otherwise it moves with a revision that names who did it; and of a signed event it does not move.
// What moves a figure, or is proposed, is entered into the audit log; decisions on records are in their histories.
// An operation, or a field of an event, that is not tried here fails the test.
func TestOnePersonMovesNoFigureUnseen(t *testing.T) {
	t.Parallel()
	all := attempts()
	var order []string
	for _, o := range api.Operations() {
		if o.Method == http.MethodGet || o.Service == api.Auth || o.Service == api.Gateway || o.ID == "lookUpInvitation" {
			continue
		}
		if len(all[o.ID]) == 0 {
			t.Errorf("%s writes, and is not tried", o.ID)
		}
		order = append(order, o.ID)
	}
	if len(order) != len(all) {
		t.Errorf("%d operations are tried, there are %d", len(all), len(order))
	}
	tried := slices.Collect(maps.Keys(eventValues()))
	for _, field := range record.EventFields() {
		if !slices.Contains(append(tried, "location", "factorSet", "deleted"), field) { // these have operations, and place sets location
			t.Errorf("the field %s of an event is not tried", field)
		}
	}
	last := []string{"withdrawSignOff", "deleteEvent"} // they end the scene
	order = append(slices.DeleteFunc(order, func(id string) bool { return slices.Contains(last, id) }), last...)
	for name, open := range engines() {
		if name != "sqlite" && !testkit.Long(t) {
			continue // the rules are those of the services
		}
		for _, rules := range []string{"four eyes", "none", "signed"} {
			t.Run(name+"/"+rules, func(t *testing.T) {
				t.Parallel()
				s := found(t, open)
				c := s.set(t, rules == "four eyes")
				if rules == "signed" {
					s.signed()
				}
				for _, id := range order {
					if rules == "signed" && id == "withdrawSignOff" {
						continue // the other tests withdraw sign-offs
					}
					for i, a := range all[id] {
						s.alone(fmt.Sprintf("%s, attempt %d", id, i+1), id, c, a, rules)
					}
				}
			})
		}
	}
}

// alone makes an attempt, and compares the figures before and after it.
func (s *system) alone(what, id string, c *scene, a attempt, rules string) {
	s.t.Helper()
	o, ok := api.Operations().Find(id)
	if !ok {
		s.t.Fatalf("%s: there is no such operation", what)
	}
	if a.as == "" {
		a.as = "mia"
	}
	var body any
	if a.body != nil {
		body = a.body(c)
	}
	path := a.path(c)
	figures, revision, _ := s.published()
	answer := s.ask(a.on(s), o.Method, path, a.as, body, a.head...)
	s.settled()
	if a.head != nil {
		s.sweep()
	}
	s.calculate(-1, false)
	now, next, causes := s.published()
	if answer.status >= http.StatusInternalServerError || answer.status == http.StatusNotFound && answer.code == "NOT_FOUND" {
		s.t.Errorf("%s: %d %.300s", what, answer.status, answer.body)
	}
	s.t.Logf("%s by %s: %d %s, moved: %t", what, a.as, answer.status, answer.code, now != figures)
	if next > 0 {
		s.rejectAll()
	}
	if (now != figures || answer.status == http.StatusAccepted) && answer.status < http.StatusMultipleChoices && !a.decides && a.head == nil && !answer.audited {
		s.t.Errorf("%s by %s (%d) is not entered into the audit log", what, a.as, answer.status)
	}
	switch {
	case now == figures:
	case rules == "signed", rules == "four eyes" && !a.decides:
		s.t.Errorf("%s by %s alone moves what was approved (%d):\n%s\nwas\n%s", what, a.as, answer.status, now, figures)
	case next == 0 && id == "deleteEvent":
	case next <= revision || !strings.Contains(causes, a.as):
		s.t.Errorf("%s by %s moves figures of revision %d unseen: it is %d now, of %s", what, a.as, revision, next, causes)
	}
}
