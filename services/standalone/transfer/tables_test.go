package transfer_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// tables states how each table is copied: walked, derived by the target from the rest, or left out.
var tables = map[string]string{
	"organizations": "walked", "auto_approvals": "walked", "events": "walked", "event_history": "walked", "records": "walked", "history": "walked",
	"imports": "walked", "import_parts": "walked", "supplier_factors": "walked", "policies": "walked", "factor_packs": "walked", "idempotency_keys": "walked",
	"result_nodes": "walked", "result_node_details": "walked", "result_changes": "walked", "result_parts": "walked", "result_revisions": "walked", "results": "walked",
	"account_users": "walked", "account_sessions": "walked", "account_audit": "walked",
	// The daily count of invitations starts again.
	"account_invitations": "left",
	"account_audit_heads": "derived", "event_members": "derived", "list_counts": "derived", "list_sets": "derived", "record_counts": "derived", "result_facts": "derived", "schema_versions": "derived",
}

// A new table that has something of an organization must name it in a column org, or it would remain when the
// organization is deleted.
func TestEveryTableNamesTheOrganization(t *testing.T) {
	t.Parallel()
	db := newFile(t)
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		if slices.Contains(transfer.RowsOf("any").ByID, table) || table == "factor_packs" || table == "schema_versions" {
			continue
		}
		rows, err := db.QueryContext(t.Context(), `SELECT org FROM `+table+` LIMIT 0`)
		if err != nil {
			t.Errorf("%s has no column org: %v", table, err)
			continue
		}
		must(t, errors.Join(rows.Err(), rows.Close()))
	}
}

// A new table must be copied or derived, or it would be missing in every backup.
func TestEveryTableIsWalkedOrDerived(t *testing.T) {
	t.Parallel()
	counts, err := newFile(t).Counts(t.Context())
	must(t, err)
	if got, want := slices.Sorted(maps.Keys(counts)), slices.Sorted(maps.Keys(tables)); !slices.Equal(got, want) {
		t.Errorf("tables\n%q\nwant\n%q\nA new one has to be walked (package transfer, both engines) or derived by the stores.", got, want)
	}
}
