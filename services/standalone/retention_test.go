package standalone_test

import (
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// TestResultsPrune: without the setting nothing is dropped; with it the command drops older revisions while a server
// runs, and a dry run counts them.
func TestResultsPrune(t *testing.T) {
	t.Parallel()
	a := startAudited(t)
	results, event := sqlitestore.New(a.db), record.EventID(a.event)
	r, err := results.Result(t.Context(), record.OrgID(a.org), event)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // revisions of last year
		r.CalculatedAt = time.Now().AddDate(-1, 0, int(r.Revision))
		if err := results.InsertRevision(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		r.Version, r.Revision, r.Previous = r.Version+1, r.Revision+1, r.Digest()
		if err := results.PutResult(t.Context(), r, r.Version-1); err != nil {
			t.Fatal(err)
		}
		headline, err := resulttree.HeadlineOf(r)
		if err == nil {
			err = recordsqlite.New(a.db).PutHeadline(t.Context(), r.Org, event, headline)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.run("", "results", "prune"); err == nil || !strings.Contains(err.Error(), "ECF_RESULT_RETENTION is 0") {
		t.Fatalf("without the setting: %v", err)
	}
	a.env["ECF_RESULT_RETENTION"] = "1h"
	if _, err := a.run("", "results", "prune"); err == nil || !strings.Contains(err.Error(), "24h") {
		t.Fatalf("with an hour: %v", err)
	}
	a.env["ECF_RESULT_RETENTION"] = "720h"
	for _, step := range []struct{ flag, want string }{
		{"--dry-run", "2 revisions of 1 events would be deleted"},
		{"--dry-run=false", "2 revisions of 1 events deleted"},
		{"--dry-run=false", "0 revisions of 0 events deleted"},
	} {
		if got := a.must("", "results", "prune", step.flag); got != a.org+": "+step.want {
			t.Errorf("%s: %q, want %q", step.flag, got, step.want)
		}
	}
	if out, err := a.run("", "audit", "verify"); err != nil {
		t.Errorf("afterwards audit verify: %v\n%s", err, out)
	}
}
