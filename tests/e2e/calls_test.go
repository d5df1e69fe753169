package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// tenant is an organization that has an object for every operation to be called on, all
// of them created by the account "user".
type tenant struct {
	*system
	user, colleague, manager, admin *caller
	// ids are the values of the path parameters except recordId, which depends on the
	// operation.
	ids     map[string]string
	records map[record.Status]string
	// setupToken belongs to an account that waits to be set up.
	setupToken string
}

// furnish fills the system's organization.
func (s *system) furnish(t *testing.T) *tenant {
	t.Helper()
	s.account(t, s.org, "colleague@example.test", identity.User)
	ours := &tenant{
		system: s, user: s.user(t), colleague: s.as(t, "colleague@example.test"), manager: s.manager(t), admin: s.as(t, "admin@example.test"),
		ids: map[string]string{"type": "waste", "revision": "1", "other": "1", "code": "LHR", "reference": "ours-1"}, records: map[record.Status]string{},
	}
	event := ours.manager.post("/events", map[string]any{"title": "Ours", "country": "GB", "externalReference": ours.ids["reference"]}).want(http.StatusCreated).str("_id")
	ours.ids["eventId"] = event
	waste := map[string]any{"treatment": "landfill", "weightKg": 1000}
	named := map[string]any{"treatment": "landfill", "weightKg": 1000, "externalReference": ours.ids["reference"]}
	ours.records[record.Unsubmitted] = ours.user.post("/events/"+event+"/waste", named).want(http.StatusCreated).str("_id")
	submitted := ours.user.post("/events/"+event+"/waste", waste).want(http.StatusCreated).str("_id")
	ours.user.post("/events/"+event+"/waste/"+submitted+"/submit", nil).want(http.StatusOK)
	ours.records[record.Submitted] = submitted
	ours.records[record.Approved] = approved(ours.user, ours.manager, event, "waste", waste)
	ours.user.result(event, 1)
	ours.ids["importId"] = ours.user.do(http.MethodPost, "/events/"+event+"/waste/import?partial=true", "treatment,weightKg\nlandfill,1\nlandfil,1\n",
		map[string]string{"Content-Type": "text/csv"}).want(http.StatusAccepted).str("_id")
	testkit.Eventually(t, 30*time.Second, func() error {
		if a := ours.user.get("/events/" + event + "/imports/" + ours.ids["importId"]); a.str("status") != string(record.Completed) {
			return fmt.Errorf("not imported yet: %s", a.body)
		}
		return nil
	})
	ours.ids["setId"] = ours.user.get("/factor-sets").want(http.StatusOK).str("items", 0, "id")
	ours.ids["userId"] = ours.colleague.get("/auth/me").want(http.StatusOK).str("_id")
	ours.ids["factorId"] = ours.manager.post("/supplier-factors", power).want(http.StatusCreated).str("_id")
	ours.ids["changeId"] = "2y0anwrrxjg5m1h1vf0v7qj1hp"
	ours.ids["sessionId"] = ours.session(ours.user)
	ours.setupToken = ours.admin.post("/users", map[string]any{"email": "new@example.test", "role": "user"}).want(http.StatusCreated).str("setupToken")
	return ours
}

// power is a supplier's factor.
var power = map[string]any{"name": "Power", "kgCO2ePerUnit": 0.02, "unit": "kWh", "source": "Disclosure 2025",
	"evidence": []any{map[string]any{"name": "disclosure.pdf", "sha256": strings.Repeat("ab", 32)}}}

// session returns the id of a caller's session.
func (ours *tenant) session(c *caller) string {
	c.t.Helper()
	return c.get("/auth/sessions").want(http.StatusOK).str("items", 0, "_id")
}

// call is one request of an operation.
type call struct {
	method, path string
	body         any
	header       map[string]string
}

// call returns a valid request of an operation; ids given in instead replace the
// tenant's own.
func (ours *tenant) call(o api.Operation, instead map[string]string) (call, error) {
	ids := maps.Clone(ours.ids)
	ids["recordId"] = ours.records[stateFor(o.ID)]
	maps.Copy(ids, instead)
	c := call{method: o.Method, path: o.Path, header: map[string]string{}}
	if o.Root {
		c.path = "/" + c.path
	}
	for _, name := range o.Params() {
		if ids[name] == "" {
			return call{}, fmt.Errorf("%s: no value for {%s}; add one in this file", o.ID, name)
		}
		c.path = strings.ReplaceAll(c.path, "{"+name+"}", ids[name])
	}
	switch o.Method {
	case http.MethodGet, http.MethodDelete:
		return c, nil
	}
	body, known := ours.bodies()[o.ID]
	if !known {
		return call{}, fmt.Errorf("%s: no body; add one in this file", o.ID)
	}
	c.body = body
	if o.ID == "importRecords" || o.ID == "importMixed" {
		c.header["Content-Type"] = "text/csv"
	}
	return c, nil
}

// stateFor returns the state of the record that an operation is called on.
func stateFor(operation string) record.Status {
	switch operation {
	case "withdrawRecord", "claimRecord", "approveRecord", "requestChanges", "rejectRecord":
		return record.Submitted
	case "reopenRecord":
		return record.Approved
	}
	return record.Unsubmitted
}

// refusedFor returns the code with which an operation is refused even to permitted
// callers, because the tenant has signed nothing and proposed nothing; empty for one
// that succeeds.
func refusedFor(operation string) string {
	switch operation {
	case "lookUpInvitation", "acceptInvitation":
		return "NOT_FOUND"
	case "withdrawSignOff", "withdrawSupplierFactor":
		return "INVALID_TRANSITION"
	case "approveEventChange", "assessEventChange", "rejectEventChange":
		return "PROPOSAL_NOT_FOUND"
	case "explainResultRevision", "getRevisionReport":
		return "REVISION_NOT_KEPT"
	}
	return ""
}

// bodies are the bodies that each operation that writes is sent; nil for none.
func (ours *tenant) bodies() map[string]any {
	waste := map[string]any{"treatment": "landfill", "weightKg": 1}
	why := map[string]any{"comment": "why"}
	return map[string]any{
		"login":        map[string]any{"email": "user@example.test", "password": password},
		"refresh":      map[string]any{"refreshToken": ours.user.refresh},
		"setUpAccount": map[string]any{"setupToken": ours.setupToken, "password": password},
		// A token that belongs to no account is refused.
		"lookUpInvitation": map[string]any{"token": "o.u.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
		"acceptInvitation": map[string]any{"token": "o.u.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"},
		"logout":           nil,
		"updateMe":         map[string]any{"defaultOrganization": ours.org},
		"changePassword":   map[string]any{"currentPassword": password, "newPassword": "another long enough password"},

		"createUser":         map[string]any{"email": "newer@other.test", "role": "user"},
		"createSetupLink":    nil,
		"updateUser":         map[string]any{"name": "Someone"},
		"updateOrganization": map[string]any{"name": "Renamed"},

		"createSupplierFactor": power, "updateSupplierFactor": map[string]any{"validTo": "2027-01-31"},
		"approveSupplierFactor": nil, "rejectSupplierFactor": why, "withdrawSupplierFactor": why,

		"createEvent": map[string]any{"title": "Another"},
		"updateEvent": map[string]any{"title": "Taken over"},
		// Nothing is proposed and no result is signed: these are refused for what they
		// name, after the permission check.
		"signOffEvent": map[string]any{"revision": 1, "statement": "Final."}, "withdrawSignOff": why,
		"approveEventChange": nil, "assessEventChange": nil, "rejectEventChange": nil,
		"adoptFactorSet": map[string]any{"factorSet": ours.ids["setId"]},
		"rehearseEvent":  map[string]any{"attendees": 10},
		"previewRows":    map[string]any{"items": []any{map[string]any{"type": "waste", "fields": waste}}},

		"putEventByReference":  map[string]any{"title": "By reference"},
		"putRecordByReference": map[string]any{"treatment": "landfill", "weightKg": 3},
		"withdrawRecords":      map[string]any{"ids": []string{ours.records[record.Submitted]}},
		"deleteRecords":        map[string]any{"ids": []string{ours.records[record.Unsubmitted]}},
		"undoImport":           nil, "submitImport": nil, "approveImport": nil,
		"requestChangesOfRecords": map[string]any{"ids": []string{ours.records[record.Submitted]}, "comment": "why"},
		"rejectRecords":           map[string]any{"ids": []string{ours.records[record.Submitted]}, "comment": "why"},
		"reopenRecords":           map[string]any{"ids": []string{ours.records[record.Approved]}, "comment": "why"},

		"createRecord":   waste,
		"createRecords":  map[string]any{"items": []any{waste}},
		"importMixed":    "type,treatment,weightKg\nwaste,landfill,3\n",
		"importRecords":  "treatment,weightKg\nlandfill,2\n",
		"updateRecord":   map[string]any{"weightKg": 2},
		"submitRecord":   nil,
		"submitRecords":  map[string]any{"ids": []string{ours.records[record.Unsubmitted]}},
		"withdrawRecord": nil,
		"claimRecord":    nil,
		"approveRecord":  nil,
		"approveRecords": map[string]any{"ids": []string{ours.records[record.Submitted]}},
		"requestChanges": why,
		"rejectRecord":   why,
		"reopenRecord":   why,
	}
}

// make makes the call; a dry run changes nothing.
func (k call) make(c *caller, rehearsed bool) *answer {
	c.t.Helper()
	header := maps.Clone(k.header)
	if rehearsed {
		header["X-Dry-Run"] = "true"
	}
	return c.do(k.method, k.path, k.body, header)
}

// never returns ids that are well-formed but do not exist: the tenant's own, reversed.
func (ours *tenant) never(o api.Operation) map[string]string {
	turned := map[string]string{}
	for _, name := range o.Params() {
		id := ours.ids[name]
		if name == "recordId" {
			id = ours.records[stateFor(o.ID)]
		}
		if strings.HasSuffix(name, "Id") && name != "setId" {
			runes := []rune(id)
			slices.Reverse(runes)
			turned[name] = string(runes)
		}
	}
	return turned
}

// snapshot returns everything that the organization can read of itself.
func (ours *tenant) snapshot() string {
	event := "/events/" + ours.ids["eventId"]
	answers := []*answer{
		ours.user.get("/events"), ours.user.get(event), ours.user.get(event + "/history"), ours.user.get(event + "/imports"), ours.user.get("/supplier-factors"), ours.user.get(event + "/waste"), ours.user.get(event + "/results"),
		ours.manager.get("/review"), ours.admin.get("/users"), ours.user.get("/organization"), ours.user.get("/auth/me"), ours.colleague.get("/auth/me"),
	}
	for _, id := range ours.records {
		answers = append(answers, ours.user.get(event+"/waste/"+id+"/history"))
	}
	var all []json.RawMessage
	for _, a := range answers {
		all = append(all, a.want(http.StatusOK).body)
	}
	slices.SortFunc(all, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		ours.user.t.Fatal(err)
	}
	return string(text)
}

// names are the words that must not be visible outside: first those of the
// organization, then the ids.
func (ours *tenant) names() []string {
	names := []string{ours.org, "Example Ltd", "Ours", "@example.test"}
	for _, name := range []string{"eventId", "importId", "factorId", "userId", "sessionId"} {
		names = append(names, ours.ids[name])
	}
	return slices.AppendSeq(names, maps.Values(ours.records))
}

var requestIDField = regexp.MustCompile(`"requestId":"[^"]*"`)

// same returns the header and the body of a response without what differs in every response.
func same(a *answer) string {
	header := a.header.Clone()
	for _, name := range []string{"Date", "X-Request-Id", "Content-Length", "Ratelimit"} {
		header.Del(name)
	}
	return fmt.Sprint(header, requestIDField.ReplaceAllString(string(a.body), ""))
}
