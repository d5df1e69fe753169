package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/tests/generate"
)

// held is a record that exists or existed.
type held struct{ event, typ, id string }

// world is what generated requests are about: the organization they work in, with
// objects in every state, and two others whose contents must never be visible.
type world struct {
	s       *system
	callers map[string]*caller // of the organization, by role, and the stranger
	types   map[string]*openapi3.Schema
	names   []string // of types, sorted
	// headings are those of tables, by type and field.
	headings map[string]map[string][]string

	events   []string
	records  []held
	gone     []string // deleted events, for ids that were once valid
	imports  []held
	users    []string
	sessions []string
	tags     []string
	keys     []string
	setups   []string

	victim  *caller
	victims map[string]string // ids of the victim's objects, by the name of the parameter
	foreign []string          // ids and words that only their owners may see
	before  string
}

// canary is in every text of the victim organization.
const canary = "CANARY-7f3a91"

func newWorld(t *testing.T, s *system, document *openapi3.T) *world {
	t.Helper()
	w := &world{s: s, callers: map[string]*caller{}, types: map[string]*openapi3.Schema{}}
	for _, branch := range document.Components.Schemas["RecordInput"].Value.AnyOf {
		w.types[branch.Value.Title] = branch.Value
		w.names = append(w.names, branch.Value.Title)
	}
	slices.Sort(w.names)
	for _, role := range []string{"user", "manager", "admin"} {
		w.callers[role] = s.as(t, role+"@example.test")
	}
	w.victim = w.foreigner(t, "Victim "+canary, "victim@other.test")
	w.callers["stranger"] = w.foreigner(t, "Stranger Ltd", "stranger@other.test")
	w.learnHeadings()
	w.fill()
	w.fillVictim()
	w.before = w.snapshot()
	return w
}

func (w *world) foreigner(t *testing.T, name, email string) *caller {
	t.Helper()
	org := w.s.organization(t, name, "enterprise")
	w.s.account(t, org, email, identity.Admin)
	return w.s.as(t, email)
}

// example returns a valid input of a type, from the document.
func (w *world) example(r *rand.Rand, typ string) generate.Object {
	text := generate.Encode(generate.Pick(r, w.types[typ].Examples))
	v, _ := generate.Decode(text)
	o, _ := v.(generate.Object)
	return o
}

// fill creates an event with records of every type, in every state, an empty event and
// a deleted one.
func (w *world) fill() {
	user, manager := w.callers["user"], w.callers["manager"]
	for _, title := range []string{"Filled", "Empty", "Deleted"} {
		id := manager.post("/events", map[string]any{"title": title, "country": "GB", "attendees": 50, "startDate": "2026-06-10", "endDate": "2026-06-11"}).want(http.StatusCreated).str("_id")
		w.events = append(w.events, id)
	}
	w.gone = []string{w.events[2]}
	manager.do(http.MethodDelete, "/events/"+w.events[2], nil, nil).want(http.StatusOK)
	w.events = w.events[:2]
	r := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // which example is of no matter
	moves := [][]string{{}, {"submit"}, {"submit", "review"}, {"submit", "approve"}, {"submit", "request-changes"}, {"submit", "reject"}}
	for i, typ := range w.names {
		for j := range 2 {
			path := "/events/" + w.events[0] + "/" + typ
			id := user.post(path, string(generate.Encode(w.example(r, typ)))).want(http.StatusCreated).str("_id")
			w.records = append(w.records, held{w.events[0], typ, id})
			for _, move := range moves[(2*i+j)%len(moves)] {
				manager.post(path+"/"+id+"/"+move, map[string]any{"comment": "because"}).want(http.StatusOK)
			}
		}
	}
	w.users = append(w.users, w.callers["admin"].post("/users", map[string]any{"email": "spare@example.test", "role": "user"}).want(http.StatusCreated).str("_id"))
	w.callers["user"].result(w.events[0], w.counted())
}

// counted is how many of the records of fill it has approved.
func (w *world) counted() int {
	n := 0
	for i := range w.records {
		if i%6 == 3 {
			n++
		}
	}
	return n
}

// fillVictim fills the victim organization with everything that could leak, and records
// where it is.
func (w *world) fillVictim() {
	v := w.victim
	event := v.post("/events", map[string]any{"title": canary, "country": "GB", "attendees": 10, "description": canary + " description",
		"boundary": map[string]any{"included": []string{"waste"}, "excluded": []map[string]string{{"type": "water", "reason": canary}}}}).want(http.StatusCreated).str("_id")
	record := approved(v, v, event, "waste", map[string]any{"treatment": "landfill", "weightKg": 77.25, "description": canary, "externalReference": canary,
		"metadata": map[string]string{"k": canary}, "evidence": []map[string]string{{"name": canary, "url": "https://example.org/" + canary}}})
	waiting := v.post("/events/"+event+"/venue", map[string]any{"electricityKWh": 12345, "name": canary}).want(http.StatusCreated).str("_id")
	v.post("/events/"+event+"/venue/"+waiting+"/submit", nil).want(http.StatusOK)
	v.result(event, 1)
	account := v.post("/users", map[string]any{"email": strings.ToLower(canary) + "@other.test", "role": "manager", "name": canary}).want(http.StatusCreated).str("_id")
	w.victims = map[string]string{"eventId": event, "recordId": record, "type": "waste", "userId": account, "revision": "1", "other": "1",
		"sessionId": v.get("/auth/sessions").want(http.StatusOK).str("items", 0, "_id")}
	w.foreign = []string{canary, strings.ToLower(canary), event, record, waiting, account, w.victims["sessionId"]}
}

var expiring = regexp.MustCompile(`"lastUsedAt":"[^"]*"`)

// snapshot returns everything the victim can read, byte by byte.
func (w *world) snapshot() string {
	var out []string
	event := "/events/" + w.victims["eventId"]
	record := event + "/waste/" + w.victims["recordId"]
	for _, path := range []string{"/organization", "/organization/audit", "/users", "/users/" + w.victims["userId"], "/events", event, event + "/export", event + "/waste", record,
		record + "/history", event + "/venue", event + "/review", "/review", event + "/results", event + "/results/history", event + "/results/1",
		event + "/results/explain", event + "/results/report", event + "/results/preview", "/auth/me", "/auth/sessions"} {
		a := w.victim.get(path)
		if a.status != http.StatusOK {
			a.t.Errorf("the victim's %s: %d %s", path, a.status, a.body)
		}
		out = append(out, path+" "+expiring.ReplaceAllString(string(a.body), ""))
	}
	return strings.Join(out, "\n")
}

// learn records the objects that a response says were created.
func (w *world) learn(q *generated, a *answer) {
	if tag := a.header.Get("ETag"); tag != "" {
		w.tags = keep(w.tags, tag)
	}
	if a.status < 200 || a.status > 299 || q.caller == "stranger" || q.wire.get("X-Dry-Run") == "true" || len(a.body) == 0 {
		return
	}
	var data struct {
		Data struct {
			ID         string `json:"_id"`
			SetupToken string
			Items      []struct {
				ID     string `json:"_id"`
				Record struct {
					ID string `json:"_id"`
				}
			}
		}
	}
	if json.Unmarshal(a.body, &data) != nil {
		return
	}
	id := data.Data.ID
	switch q.operation.id {
	case "createEvent":
		w.events = keep(w.events, id)
	case "deleteEvent":
		w.events = slices.DeleteFunc(w.events, func(e string) bool { return e == id })
		w.gone = keep(w.gone, id)
	case "createRecord":
		w.records = keep(w.records, held{q.path["eventId"], q.path["type"], id})
	case "createRecords":
		for _, item := range data.Data.Items {
			if item.Record.ID != "" {
				w.records = keep(w.records, held{q.path["eventId"], q.path["type"], item.Record.ID})
			}
		}
	case "importRecords", "importMixed":
		w.imports = keep(w.imports, held{q.path["eventId"], q.path["type"], id})
	case "createUser":
		w.users = keep(w.users, id)
		w.setups = keep(w.setups, data.Data.SetupToken)
	case "listSessions":
		for _, item := range data.Data.Items {
			w.sessions = keep(w.sessions, item.ID)
		}
	}
}

// keep appends to a list and, if it is long, drops elements from its middle.
func keep[T any](list []T, v T) []T {
	const most = 200
	if len(list) >= most {
		list = slices.Delete(list, most/4, most/2)
	}
	return append(list, v)
}

// judge checks the whole state after the last request.
func (w *world) judge(t *testing.T) {
	t.Helper()
	w.s.anonymous(t).get("/health/ready").want(http.StatusOK)
	if after := w.snapshot(); after != w.before {
		t.Errorf("what the other organization sees has changed:\n%s\n%s", w.before, after)
	}
	w.s.checkLines(t)
	admin := w.s.as(t, "admin@example.test")
	// One more record counts, whatever the requests have done. Switching four eyes off,
	// if the requests have switched it on, takes two administrators.
	w.s.account(t, w.s.org, "second-admin@example.test", identity.Admin)
	admin.do(http.MethodPatch, "/organization", map[string]any{"policy": nil}, nil)
	w.s.as(t, "second-admin@example.test").do(http.MethodPatch, "/organization", map[string]any{"policy": nil}, nil).want(http.StatusOK)
	approved(w.s.user(t), w.s.manager(t), w.events[0], "waste", map[string]any{"treatment": "landfill", "weightKg": 1})
	recomputed := 0
	for page := 1; ; page++ {
		list := admin.get(fmt.Sprintf("/events?limit=100&page=%d", page)).want(http.StatusOK)
		items, _ := list.data("items").([]any)
		if len(items) == 0 {
			break
		}
		for i := range items {
			if w.recompute(t, admin, list.str("items", i, "_id")) {
				recomputed++
			}
		}
	}
	t.Logf("%d results recalculated", recomputed)
	if recomputed == 0 {
		t.Error("no event has a result")
	}
}

// recompute compares the result of an event with its records: it counts exactly the
// approved ones, and its report is right to the last digit.
func (w *world) recompute(t *testing.T, c *caller, event string) bool {
	t.Helper()
	want := map[string]string{}
	for _, typ := range w.names {
		for page := 1; ; page++ {
			list := c.get(fmt.Sprintf("/events/%s/%s?limit=100&page=%d", event, typ, page)).want(http.StatusOK)
			items, _ := list.data("items").([]any)
			for i := range items {
				if list.str("items", i, "status") == "approved" {
					want[list.str("items", i, "_id")] = list.number("items", i, "footprint", "kgCO2e")
				}
			}
			if len(items) < 100 {
				break
			}
		}
	}
	if len(want) == 0 {
		return false
	}
	c.result(event, len(want))
	report := c.get("/events/" + event + "/results/report")
	verdict, err := bundle.Verify(report.body)
	if err != nil || len(verdict.Differences) > 0 {
		t.Errorf("event %s: the report does not match its inputs: %v %v", event, err, verdict.Differences)
	}
	records, _ := report.at("records").([]any)
	for i := range records {
		id, _ := report.at("records", i, "_id").(string)
		if got := fmt.Sprint(report.at("records", i, "kgCO2e")); want[id] != got {
			t.Errorf("event %s: record %s counts %s and shows %q", event, id, got, want[id])
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("event %s: approved but not counted: %v", event, want)
	}
	return true
}
