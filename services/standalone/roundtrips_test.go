package standalone_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// countsTable has the number of store accesses of each operation; benchmarks is the page that shows some of them.
	countsTable = "../../docs/benchmarks/commands.tsv"
	benchmarks  = "../../docs/benchmarks.md"
)

// countedRoute is a request of an operation. Something was written since the request before it.
type countedRoute struct {
	operation string
	// variant distinguishes several requests of an operation.
	variant string
	// state is that of the record that the path names, or of as many that the body names.
	state  record.Status
	many   int
	body   string
	header []string
	// org is the owner of the event; empty: the organization with a result.
	org string
	// unchanged: nothing was written since.
	unchanged bool
}

func (r countedRoute) String() string {
	return strings.TrimSuffix(r.operation+", "+r.variant, ", ")
}

const (
	waste = `{"treatment":"landfill","weightKg":12}`
	why   = `{"comment":"why"}`
	many  = `{"ids":[{ids}]}`
	whys  = `{"ids":[{ids}],"comment":"why"}`
)

// countedRoutes are the counted requests: reads before writes, which would change what is read.
func countedRoutes() []countedRoute {
	keyed := []string{"Idempotency-Key", "k1"}
	return []countedRoute{
		{operation: "listRecordTypes"}, {operation: "getRecordType"}, {operation: "getRecordTypeTemplate"},
		{operation: "getLocationIndex"}, {operation: "getPlaceIndex"}, {operation: "getLocation"},
		{operation: "listFactorSets"}, {operation: "getFactorSet"},
		{operation: "openidConfiguration"}, {operation: "jwks"}, {operation: "reportKeys"},

		{operation: "getOrganization"}, {operation: "listEvents"}, {operation: "getEvent"}, {operation: "getEventByReference"}, {operation: "getEventHistory"},
		{operation: "listRecords"}, {operation: "getRecord", state: record.Unsubmitted}, {operation: "getRecord", variant: "nothing written since", state: record.Unsubmitted, unchanged: true},
		{operation: "getRecordByReference", state: record.Unsubmitted}, {operation: "getRecordHistory", state: record.Submitted},
		{operation: "listReviewQueue"}, {operation: "listEventReviewQueue"},
		{operation: "getResult"}, {operation: "listResultHistory"}, {operation: "getResultRevision"}, {operation: "explainResult"}, {operation: "compareResults"},

		// How many of several approvals share one reading of the event, and which of several
		// deletions notes the numbers of all, is a matter of time: these are of one record.
		{operation: "claimRecord", state: record.Submitted}, {operation: "approveRecord", state: record.Submitted},
		{operation: "approveRecord", variant: "with an Idempotency-Key", state: record.Submitted, header: keyed},
		{operation: "requestChanges", state: record.Submitted, body: why}, {operation: "rejectRecord", state: record.Submitted, body: why},
		{operation: "reopenRecord", state: record.Approved, body: why},
		{operation: "approveRecords", variant: "1 of them", state: record.Submitted, body: many, many: 1}, {operation: "requestChangesOfRecords", variant: "3 of them", state: record.Submitted, body: whys, many: 3},
		{operation: "rejectRecords", variant: "3 of them", state: record.Submitted, body: whys, many: 3}, {operation: "reopenRecords", variant: "1 of them", state: record.Approved, body: whys, many: 1},

		{operation: "createRecord", body: waste}, {operation: "createRecord", variant: "with an Idempotency-Key", body: waste, header: keyed},
		{operation: "createRecords", variant: "3 of them", body: `{"items":[` + waste + `,` + waste + `,` + waste + `]}`},
		{operation: "updateRecord", state: record.Unsubmitted, body: `{"weightKg":2}`},
		{operation: "submitRecord", state: record.Unsubmitted}, {operation: "submitRecord", variant: "approved by policy", state: record.Unsubmitted, org: "automatic"},
		{operation: "withdrawRecord", state: record.Submitted}, {operation: "deleteRecord", state: record.Unsubmitted},
		{operation: "submitRecords", variant: "3 of them", state: record.Unsubmitted, body: many, many: 3}, {operation: "withdrawRecords", variant: "3 of them", state: record.Submitted, body: many, many: 3},
		{operation: "deleteRecords", variant: "1 of them", state: record.Unsubmitted, body: many, many: 1},
		{operation: "putRecordByReference", state: record.Unsubmitted, body: waste}, {operation: "deleteRecordByReference", state: record.Unsubmitted},
		{operation: "createEvent", body: `{"title":"Another","country":"GB"}`}, {operation: "updateEvent", body: `{"title":"Renamed"}`},
		{operation: "putEventByReference", body: `{"title":"By reference","country":"GB"}`},

		{operation: "login", body: `{"email":"root@example.test","password":"` + countedPassword + `"}`}, {operation: "me"}, {operation: "listSessions"},
		{operation: "listUsers"}, {operation: "getUser"}, {operation: "listMembers"}, {operation: "listAuditLog"},
		{operation: "refresh", body: `{"refreshToken":"{refresh}"}`}, {operation: "logout"},
	}
}

// notCounted are the other operations, by why they are not counted.
func notCounted() map[string]string {
	return map[string]string{
		"done by a person to an account, a few times a year": "setUpAccount lookUpInvitation acceptInvitation updateMe changePassword endSession createUser updateUser createSetupLink deleteUser listOrganizations",
		"done to an organization or its suppliers' factors, a few times a year": "updateOrganization listSupplierFactors createSupplierFactor getSupplierFactor getSupplierFactorHistory updateSupplierFactor " +
			"deleteSupplierFactor approveSupplierFactor rejectSupplierFactor withdrawSupplierFactor",
		"done a few times in the life of an event": "deleteEvent signOffEvent withdrawSignOff listEventChanges approveEventChange assessEventChange rejectEventChange adoptFactorSet",
		"asks as often as there are rows, or segments of an event": "exportRecords importRecords importMixed listImports listImportErrors getBadRows undoImport submitImport approveImport getImport listOrigins " +
			"getReport previewResult previewRows rehearseEvent explainResultRevision getRevisionReport",
	}
}

// TestEveryOperationIsCounted: an operation has a request that is counted, or is among
// those that are not, with the reason.
func TestEveryOperationIsCounted(t *testing.T) {
	t.Parallel()
	said := map[string]int{}
	for _, r := range countedRoutes() {
		said[r.operation] |= 1
	}
	for _, operations := range notCounted() {
		for operation := range strings.FieldsSeq(operations) {
			if said[operation]&2 != 0 {
				t.Errorf("%s is twice among those that are not counted", operation)
			}
			said[operation] |= 2
		}
	}
	for _, o := range api.Operations() {
		if !slices.Contains(api.Backends(), o.Service) {
			continue
		}
		switch said[o.ID] {
		case 0:
			t.Errorf("%s: its requests to the store are not counted; add it to countedRoutes, or to notCounted with the reason", o.ID)
		case 3:
			t.Errorf("%s is counted, and among those that are not", o.ID)
		}
		delete(said, o.ID)
	}
	for operation := range said {
		t.Errorf("%s is no operation of a service", operation)
	}
}

// TestRoundTripsToTheStore verifies the store accesses of each request, on both engines: exactly those in the table.
// ECF_KEEP_COUNTS rewrites the table.
func TestRoundTripsToTheStore(t *testing.T) {
	t.Parallel()
	routes := countedRoutes()
	onSQLite, onMongoDB := newCounted(t, sqliteEngine(t)).countAll(routes), newCounted(t, mongoEngine(t)).countAll(routes)
	var table strings.Builder
	table.WriteString("operation\tvariant\treads\ttransactions\twrites\tcommands\n")
	for i, r := range routes {
		fmt.Fprintf(&table, "%s\t%s\t%d\t%d\t%d\t%d\n", r.operation, r.variant, onSQLite[i].reads, onSQLite[i].transactions, onSQLite[i].writes, onMongoDB[i].commands)
	}
	if os.Getenv("ECF_KEEP_COUNTS") != "" {
		must(t, os.WriteFile(countsTable, []byte(table.String()), 0o600))
		return
	}
	kept, err := os.ReadFile(countsTable)
	must(t, err)
	got, want := strings.Split(table.String(), "\n"), strings.Split(string(kept), "\n")
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("counted, and not in %s: %q", countsTable, line)
		}
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("in %s, and not counted: %q", countsTable, line)
		}
	}
}

// countAll counts the requests, one after the other.
func (c *counted) countAll(routes []countedRoute) []roundTrips {
	c.t.Helper()
	automatic := c.newEvent("automatic", "")
	for range 2 { // revisions
		c.approve()
		c.settle()
	}
	type request struct {
		operation  api.Operation
		path, body string
	}
	requests := make([]request, len(routes))
	for i, r := range routes {
		o, ok := api.Operations().Find(r.operation)
		if !ok {
			c.t.Fatalf("no operation %s", r.operation)
		}
		event := c.event
		if r.org != "" {
			event = automatic
		}
		values := map[string]string{
			"{eventId}": string(event.ID), "{type}": "waste", "{revision}": "1", "{other}": "2", "{code}": "LHR", "{setId}": "desnz-2026",
			"{userId}": c.user, "{sessionId}": c.session, "{reference}": "ours", "{refresh}": c.refresh,
		}
		if r.state != "" && !strings.Contains(r.body, "{ids}") {
			values["{recordId}"] = c.record(event, r.state, fmt.Sprint("r", i))
			if strings.Contains(o.Path, "{type}") {
				values["{reference}"] = fmt.Sprint("r", i)
			}
		}
		if strings.Contains(r.body, "{ids}") {
			var ids []string
			for range r.many {
				ids = append(ids, `"`+c.record(event, r.state, "")+`"`)
			}
			values["{ids}"] = strings.Join(ids, ",")
		}
		path := o.Path
		if !o.Root {
			path = web.BasePath + path
		}
		requests[i] = request{o, fill(path, values), fill(r.body, values)}
	}
	// The record of a path is the same for all variants that read it.
	for i := 1; i < len(routes); i++ {
		if routes[i].unchanged {
			requests[i] = requests[i-1]
		}
	}
	c.settle()
	all := make([]roundTrips, len(routes))
	for i, r := range routes {
		all[i] = c.count(r, requests[i].operation, requests[i].path, requests[i].body)
	}
	return all
}

func fill(text string, values map[string]string) string {
	for name, value := range values {
		text = strings.ReplaceAll(text, name, value)
	}
	return text
}

// TestDocumentedRoundTrips compares the rows of the page of benchmarks with the table.
func TestDocumentedRoundTrips(t *testing.T) {
	t.Parallel()
	kept, err := os.ReadFile(countsTable)
	must(t, err)
	table := map[string]string{}
	for line := range strings.Lines(string(kept)) {
		if row := strings.Split(strings.TrimSpace(line), "\t"); len(row) == 6 {
			table[strings.TrimSuffix("`"+row[0]+"`, "+row[1], ", ")] = strings.Join(row[2:], " | ")
		}
	}
	for name, cells := range tableOf(t, "| operation | SQLite: reads | transactions that read | durable writes | MongoDB: commands |") {
		if table[name] != cells {
			t.Errorf("%s has %q for %s, and the table %q", benchmarks, cells, name, table[name])
		}
	}
}

// tableOf returns the rows of the table below a heading of the page of benchmarks: the other cells by the first one.
func tableOf(t *testing.T, heading string) map[string]string {
	t.Helper()
	page, err := os.ReadFile(benchmarks)
	must(t, err)
	_, table, ok := strings.Cut(string(page), heading+"\n")
	rows := map[string]string{}
	for line := range strings.Lines(table) {
		name, cells, row := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |\n"), " | ")
		if !row {
			if strings.HasPrefix(line, "|") {
				continue // the rule below the heading
			}
			break
		}
		rows[name] = cells
	}
	if !ok || len(rows) < 5 {
		t.Fatalf("%s has no table %q with rows, or few of them: %q", benchmarks, heading, rows)
	}
	return rows
}
