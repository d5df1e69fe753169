package e2e

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestLimitsOfThePlan verifies that a limit of the plan other than that on events is
// refused with 402 and its own code, dry run or not, and writes nothing; other
// organizations, and plans without limits, are unaffected.
func TestLimitsOfThePlan(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		const bob = "org/bob/manager"
		store, clock := open(), newMovable()
		for id, plan := range map[record.OrgID]string{"org": "bounded", "other": "team"} {
			if err := store.InsertOrganization(t.Context(), record.Organization{ID: id, Name: string(id), Plan: plan, Rev: 1}); err != nil {
				t.Fatal(err)
			}
		}
		p := newPair(t, store, clock)
		event := func(as string) string {
			t.Helper()
			return "/events/" + p.ask(as, http.MethodPost, "/events", `{"title":"Ball","country":"GB"}`).want(http.StatusCreated).str("_id")
		}
		const flight = `{"from":"LHR","to":"JFK","passengers":1,"tripType":"round_trip","class":"economy"}`
		count := func(as, list string, want int64) {
			t.Helper()
			if got := p.ask(as, http.MethodGet, list+"?limit=1", "").want(http.StatusOK).number("pagination", "total"); got != strconv.FormatInt(want, 10) {
				t.Errorf("%s has %s records, want %d", list, got, want)
			}
		}
		refused := func(a *answer, code string) {
			t.Helper()
			a.wantError(http.StatusPaymentRequired, "PLAN_LIMIT_EXCEEDED")
			if !strings.Contains(string(a.body), `"`+code+`"`) || !strings.Contains(string(a.body), "The plan bounded includes") {
				t.Errorf("%s: %s, want %s", a.what, a.body, code)
			}
		}
		csv := func(rows int) string { return "from,to,passengers,externalReference\n" + lines(rows) }
		file := []string{"Content-Type", "text/csv"}
		dry := []string{"X-Dry-Run", "true"}

		ball := event(bob)
		flights := ball + "/flights"
		if a := p.ask(bob, http.MethodGet, "/organization", "").want(http.StatusOK); a.number("planLimits", "recordsPerEvent") != "5" || a.number("planLimits", "rowsPerImport") != "6" {
			t.Errorf("limits: %s", a.body)
		}
		if a := p.ask("other/eve/admin", http.MethodGet, "/organization", "").want(http.StatusOK); !strings.Contains(string(a.body), `"planLimits":{"rowsPerImport":null,"openImports":null,"recordsPerEvent":null,"recordsPerOrganization":null}`) {
			t.Errorf("limits of another plan: %s", a.body)
		}
		for range 3 {
			p.ask(bob, http.MethodPost, flights, flight).want(http.StatusCreated)
		}
		// Three of five exist: a batch of three is refused as a whole.
		three := `{"items":[` + flight + "," + flight + "," + flight + `]}`
		refused(p.ask(bob, http.MethodPost, flights+"/batch", three), "EVENT_RECORDS")
		refused(p.ask(bob, http.MethodPost, flights+"/batch", three, dry...), "EVENT_RECORDS")
		refused(p.ask(bob, http.MethodPost, flights+"/import", csv(3), file...), "EVENT_RECORDS")
		refused(p.ask(bob, http.MethodPost, flights+"/import", csv(7), file...), "IMPORT_ROWS")
		refused(p.ask(bob, http.MethodPost, flights+"/import", csv(7), append(file, dry...)...), "IMPORT_ROWS")
		refused(p.ask(bob, http.MethodPost, flights+"/import?onDuplicate=skip", csv(3), append(file, dry...)...), "EVENT_RECORDS")
		count(bob, flights, 3)
		count(bob, ball+"/imports", 0)

		// Whether the rows are new is known only later: then the import fails as a
		// whole.
		late := p.ask(bob, http.MethodPost, flights+"/import?onDuplicate=skip", csv(3), file...).want(http.StatusAccepted).str("_id")
		refused(p.ask(bob, http.MethodPost, flights+"/import", csv(1), file...), "OPEN_IMPORTS")
		if err := p.importer.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a := p.ask(bob, http.MethodGet, ball+"/imports/"+late, "").want(http.StatusOK); a.str("status") != "failed" || !strings.Contains(string(a.body), "PLAN_LIMIT_EXCEEDED") {
			t.Errorf("the late import: %s", a.body)
		}
		count(bob, flights, 3)

		p.ask(bob, http.MethodPost, flights+"/import", csv(2), file...).want(http.StatusAccepted)
		if err := p.importer.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		count(bob, flights, 5)
		refused(p.ask(bob, http.MethodPost, flights, flight), "EVENT_RECORDS")
		refused(p.ask(bob, http.MethodPost, flights, flight, dry...), "EVENT_RECORDS")
		refused(p.ask(bob, http.MethodPut, flights+"/by-reference/new", flight), "EVENT_RECORDS")
		// Rows of existing records are not new.
		same := p.ask(bob, http.MethodPost, flights+"/import?onDuplicate=update&again=true", csv(2), file...).want(http.StatusAccepted).str("_id")
		if err := p.importer.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if a := p.ask(bob, http.MethodGet, ball+"/imports/"+same, "").want(http.StatusOK); a.str("status") != "completed" {
			t.Errorf("an import of existing records: %s", a.body)
		}
		// Deleting does not free quota.
		gone := p.ask(bob, http.MethodGet, flights+"?limit=1", "").want(http.StatusOK)
		id, _, _ := strings.Cut(strings.SplitN(string(gone.body), `"_id":"`, 2)[1], `"`)
		p.ask(bob, http.MethodDelete, flights+"/"+id, "").want(http.StatusOK)
		refused(p.ask(bob, http.MethodPost, flights, flight), "EVENT_RECORDS")

		// Three of the organization's eight are left, in any event.
		second := event(bob) + "/flights"
		for range 3 {
			p.ask(bob, http.MethodPost, second, flight).want(http.StatusCreated)
		}
		refused(p.ask(bob, http.MethodPost, second, flight), "ORGANIZATION_RECORDS")
		refused(p.ask(bob, http.MethodPost, second+"/import", csv(1), file...), "ORGANIZATION_RECORDS")
		count(bob, second, 3)
		theirs := event("other/eve/admin") + "/flights"
		for range 9 {
			p.ask("other/eve/admin", http.MethodPost, theirs, flight).want(http.StatusCreated)
		}
	})
}

// lines are rows of a file of flights with references.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("LHR,JFK,1,r" + strconv.Itoa(i) + "\n")
	}
	return b.String()
}
