package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestSamplesInCurl runs the documented sample of every operation, one after the other
// in one shell. Its variables refer to existing objects, so every sample must succeed,
// and use no unknown field.
func TestSamplesInCurl(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("NOT TESTED: there is no curl")
	}
	stage, samples := staged(t, "Shell")
	var script strings.Builder
	script.WriteString("curl() { command curl --retry 5 -w '\\n%{http_code}' \"$@\"; }\n")
	for _, sample := range samples {
		fmt.Fprintf(&script, "(\n")
		for _, name := range slices.Sorted(maps.Keys(sample.Variables)) {
			fmt.Fprintf(&script, "%s='%s'\n", name, sample.Variables[name])
		}
		fmt.Fprintf(&script, "%s\n) 2>&1\nprintf '\\036'\n", sample.Source)
	}
	cmd := program(t, "bash", stage.dir(), "-c", script.String())
	out, err := cmd.CombinedOutput()
	answers := strings.Split(string(out), "\x1e")
	if err != nil || len(answers) != len(samples)+1 {
		t.Fatalf("%v, %d answers to %d samples", err, len(answers), len(samples))
	}
	for i, sample := range samples {
		text := strings.TrimSpace(answers[i])
		status := text[max(0, len(text)-3):]
		if !strings.HasPrefix(status, "2") || sample.ID != "openapi" && sample.ID != "docs" && strings.Contains(text, `_IGNORED"`) {
			t.Errorf("%s:\n%s\n%.2000s", sample.ID, sample.Source, text)
		}
	}
}

// staged starts a server with an object for everything that samples name, and returns
// the samples in a language, in an order in which all of them can succeed.
func staged(t *testing.T, language string) (*sampleStage, []sampleCall) {
	t.Helper()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	stage := newSampleStage(t, start(t, nil))
	var calls []sampleCall
	for _, o := range inSampleOrder(d.Operations) {
		call := sampleCall{ID: o.ID, Source: sampleOf(t, d, o, language), Variables: stage.common()}
		maps.Copy(call.Variables, stage.variables[o.ID])
		calls = append(calls, call)
	}
	return stage, calls
}

// sampleCall is a sample with the values of its variables, named as in a shell.
type sampleCall struct {
	ID, Source string
	Variables  map[string]string
}

// inSampleOrder sorts operations so that those that end something come last.
func inSampleOrder(operations []spec.Operation) []spec.Operation {
	rank := func(o spec.Operation) int {
		switch {
		case o.ID == "deleteEvent":
			return 2
		case o.Method == "DELETE":
			return 1
		}
		return 0
	}
	operations = slices.Clone(operations)
	slices.SortStableFunc(operations, func(a, b spec.Operation) int { return rank(a) - rank(b) })
	return operations
}

// sampleOf returns the sample of an operation in a language.
func sampleOf(t *testing.T, d spec.Document, o spec.Operation, language string) string {
	t.Helper()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(d.JSON(), &document); err != nil {
		t.Fatal(err)
	}
	var described struct {
		Samples []struct{ Lang, Source string } `json:"x-codeSamples"`
	}
	if err := json.Unmarshal(document.Paths[o.Path][strings.ToLower(o.Method)], &described); err != nil {
		t.Fatal(err)
	}
	var languages []string
	for _, sample := range described.Samples {
		languages = append(languages, sample.Lang)
	}
	if !slices.Equal(languages, []string{"Shell", "Python", "TypeScript", "Go"}) {
		t.Fatalf("%s has samples in %v", o.ID, languages)
	}
	return described.Samples[slices.Index(languages, language)].Source
}

// sampleStage is an organization that has an object for everything that samples name.
type sampleStage struct {
	*testing.T
	*system
	user, manager, admin *caller
	event                string
	// variables are those of an operation that differ from the common ones.
	variables map[string]map[string]string
	shared    map[string]string
	made      int
}

func newSampleStage(t *testing.T, s *system) *sampleStage {
	t.Helper()
	g := &sampleStage{T: t, system: s, user: s.user(t), manager: s.manager(t), admin: s.as(t, "admin@example.test"), variables: map[string]map[string]string{}}
	g.event = g.newEvent("samples")
	g.approved(g.event)
	signed, open, governed := g.newEvent("signed"), g.newEvent("open"), g.newEvent("governed")
	g.approved(governed)
	g.approved(signed)
	g.approved(open)
	g.records()
	g.imports()
	g.people()
	g.factors()
	g.user.result(signed, 1)
	g.user.result(open, 1)
	g.user.result(g.event, 3) // including those to be reopened
	g.approved(g.event)
	g.user.result(g.event, 4)
	g.sign(signed)
	for _, id := range []string{"withdrawSignOff", "explainResultRevision", "getRevisionReport"} {
		g.variables[id] = map[string]string{"EVENT_ID": signed}
	}
	g.variables["signOffEvent"] = map[string]string{"EVENT_ID": open}
	g.variables["deleteEvent"] = map[string]string{"EVENT_ID": g.newEvent("deleted")}
	g.variables["putEventByReference"] = map[string]string{"REFERENCE": "new"}
	g.user.result(governed, 1)
	g.changes(map[string]string{"approveEventChange": governed, "assessEventChange": open, "rejectEventChange": open})
	return g
}

func (g *sampleStage) dir() string {
	g.Helper()
	dir := g.TempDir()
	for name, text := range map[string]string{"records.csv": "nights,rooms,country\n2,3,GB\n", "event.csv": "type,nights,rooms,weightKg,treatment\naccommodation,2,3,,\nwaste,,,5,landfill\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			g.Fatal(err)
		}
	}
	return dir
}

// common returns the variables that all samples have.
func (g *sampleStage) common() map[string]string {
	if g.shared == nil {
		g.shared = map[string]string{"HOST": g.url, "BASE": g.url + "/api/v2", "TOKEN": g.admin.token, "EVENT_ID": g.event,
			"RECORD_ID": g.draft(), "TYPE": "accommodation", "REFERENCE": "samples", "CODE": "LHR", "SET_ID": "desnz-2026", "REVISION": "1", "OTHER": "2",
			"EMAIL": "user@example.test", "PASSWORD": password, "ORGANIZATION_ID": g.org}
	}
	return maps.Clone(g.shared)
}

func (g *sampleStage) newEvent(reference string) string {
	return g.manager.post("/events", map[string]any{"title": "Samples", "country": "GB", "externalReference": reference}).want(201).str("_id")
}

func (g *sampleStage) approved(event string) {
	approved(g.user, g.manager, event, "accommodation", map[string]any{"nights": 1, "rooms": 1})
}

func (g *sampleStage) draft() string {
	g.made++
	return g.user.post("/events/"+g.event+"/accommodation", map[string]any{"nights": 1, "rooms": 1, "externalReference": fmt.Sprint("R", g.made)}).want(201).str("_id")
}

// record returns the id of a record after some moves.
func (g *sampleStage) record(moves ...string) string {
	id := g.draft()
	for _, move := range moves {
		who := g.user
		if move == "approve" {
			who = g.manager
		}
		who.post("/events/"+g.event+"/accommodation/"+id+"/"+move, nil).want(200)
	}
	return id
}

// records makes the records that samples move.
func (g *sampleStage) records() {
	for id, moves := range map[string][]string{
		"submitRecord": nil, "submitRecords": nil, "updateRecord": nil, "deleteRecord": nil, "deleteRecords": nil,
		"withdrawRecord": {"submit"}, "withdrawRecords": {"submit"}, "claimRecord": {"submit"}, "approveRecord": {"submit"},
		"requestChanges": {"submit"}, "rejectRecord": {"submit"}, "approveRecords": {"submit"}, "rejectRecords": {"submit"},
		"requestChangesOfRecords": {"submit"}, "reopenRecord": {"submit", "approve"}, "reopenRecords": {"submit", "approve"},
	} {
		g.variables[id] = map[string]string{"RECORD_ID": g.record(moves...)}
	}
	for _, id := range []string{"getRecordByReference", "deleteRecordByReference"} {
		g.draft()
		g.variables[id] = map[string]string{"REFERENCE": fmt.Sprint("R", g.made)}
	}
	// The first use of the places reads them, which takes long on a busy machine.
	var travel *answer
	testkit.Eventually(g, 30*time.Second, func() error {
		travel = g.user.do("POST", "/events/"+g.event+"/attendee-travel", map[string]any{"to": "LHR", "origins": []any{map[string]any{"code": "CDG", "people": 3}}},
			map[string]string{"Idempotency-Key": "travel"})
		if travel.status != 201 {
			return fmt.Errorf("%d %s", travel.status, travel.body)
		}
		return nil
	})
	g.variables["listOrigins"] = map[string]string{"TYPE": "attendee-travel", "RECORD_ID": travel.str("_id")}
}

// imports makes the imports that samples read, submit, approve and undo.
func (g *sampleStage) imports() {
	csv := map[string]string{"Content-Type": "text/csv"}
	imported := func(rows string) map[string]string {
		event := g.newEvent(fmt.Sprint("import ", rows))
		id := g.user.do("POST", "/events/"+event+"/accommodation/import?partial=true", "nights,rooms\n"+rows, csv).want(202).str("_id")
		testkit.Eventually(g, 30*time.Second, func() error {
			if a := g.user.get("/events/" + event + "/imports/" + id); a.str("status") != "completed" {
				return fmt.Errorf("import: %s", a.body)
			}
			return nil
		})
		return map[string]string{"EVENT_ID": event, "IMPORT_ID": id}
	}
	read := imported("1,1\n1,none\n")
	for _, id := range []string{"getImport", "listImports", "listImportErrors", "getBadRows"} {
		g.variables[id] = read
	}
	g.variables["undoImport"], g.variables["submitImport"], g.variables["approveImport"] = imported("2,2\n"), imported("3,3\n"), imported("4,4\n")
	waiting := g.variables["approveImport"]
	g.user.post("/events/"+waiting["EVENT_ID"]+"/imports/"+waiting["IMPORT_ID"]+"/submit", nil).want(200)
	for _, id := range []string{"importRecords", "importMixed"} {
		g.variables[id] = map[string]string{"EVENT_ID": g.newEvent(id)}
	}
}

// people makes the accounts, sessions and invitations that samples name.
func (g *sampleStage) people() {
	account := func(name string) *caller {
		g.account(g.T, g.org, name+"@example.test", identity.User)
		return g.as(g.T, name+"@example.test")
	}
	leaving := account("leaving")
	id := leaving.get("/auth/me").want(200).str("_id")
	g.variables["logout"] = map[string]string{"TOKEN": account("parting").token}
	g.variables["changePassword"] = map[string]string{"TOKEN": account("careful").token}
	g.variables["endSession"] = map[string]string{"TOKEN": leaving.token, "SESSION_ID": leaving.get("/auth/sessions").want(200).str("items", 0, "_id")}
	for _, operation := range []string{"getUser", "updateUser", "deleteUser"} {
		g.variables[operation] = map[string]string{"USER_ID": id}
	}
	g.variables["createSetupLink"] = map[string]string{"USER_ID": account("forgetful").get("/auth/me").want(200).str("_id")}
	g.variables["refresh"] = map[string]string{"REFRESH_TOKEN": g.user.refresh}
	invite := func(who *caller, email string) map[string]string {
		return map[string]string{"SETUP_TOKEN": who.post("/users", map[string]any{"email": email, "role": "user"}).want(201).str("setupToken")}
	}
	g.variables["setUpAccount"] = invite(g.admin, "new@example.test")
	other := g.organization(g.T, "Other", "team")
	g.account(g.T, other, "boss@other.test", identity.Admin)
	g.variables["lookUpInvitation"] = invite(g.admin, "asked@example.test")
	g.variables["acceptInvitation"] = invite(g.as(g.T, "boss@other.test"), "admin@example.test")
}

// factors makes the supplier factors that samples name.
func (g *sampleStage) factors() {
	for i, id := range []string{"getSupplierFactor", "getSupplierFactorHistory", "updateSupplierFactor", "deleteSupplierFactor",
		"approveSupplierFactor", "rejectSupplierFactor", "withdrawSupplierFactor"} {
		body := maps.Clone(power)
		body["name"] = fmt.Sprint("Power ", i)
		factor := g.manager.post("/supplier-factors", body).want(201).str("_id")
		g.variables[id] = map[string]string{"FACTOR_ID": factor}
		if id == "withdrawSupplierFactor" {
			g.admin.post("/supplier-factors/"+factor+"/approve", nil).want(200)
		}
	}
}

// sign signs the first revision of an event.
func (g *sampleStage) sign(event string) {
	g.manager.post("/events/"+event+"/sign-off", map[string]any{"revision": 1, "statement": "Final."}).want(202)
	testkit.Eventually(g, 30*time.Second, func() error {
		if a := g.manager.get("/events/" + event).want(200); a.str("signOff", "state") != "signed" {
			return fmt.Errorf("not signed yet: %s", a.body)
		}
		return nil
	})
}

// changes sets four eyes and makes the proposals that samples decide.
func (g *sampleStage) changes(events map[string]string) {
	g.admin.do("PATCH", "/organization", map[string]any{"policy": map[string]any{"fourEyes": true}}, nil).want(200)
	attendees := 100
	for id, event := range events {
		attendees++
		change := g.manager.do("PATCH", "/events/"+event, map[string]any{"attendees": attendees}, nil).want(202).str("change", "_id")
		g.variables[id] = map[string]string{"EVENT_ID": event, "CHANGE_ID": change}
		g.manager.get("/events/" + event + "/changes").want(200) // it calculates the effect
	}
}
