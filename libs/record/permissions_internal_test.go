package record

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
)

// TestWorkflowAndPermissionsAgree: the workflow checks the role again for each move. It must agree with the table of
// permissions, for single and bulk operations.
func TestWorkflowAndPermissionsAgree(t *testing.T) {
	t.Parallel()
	table := api.Operations()
	made := map[Move][]string{
		Edit: {"updateRecord", "putRecordByReference"}, Delete: {"deleteRecord", "deleteRecordByReference", "undoImport"},
		Submit: {"submitRecord", "submitRecords", "submitImport"}, Withdraw: {"withdrawRecord"},
		Review: {"claimRecord"}, Approve: {"approveRecord", "approveRecords", "approveImport"}, RequestChanges: {"requestChanges", "requestChangesOfRecords"},
		Reject: {"rejectRecord", "rejectRecords"}, Reopen: {"reopenRecord", "reopenRecords"},
	}
	for _, r := range rules() {
		if r.policy {
			continue // cannot be requested
		}
		if len(made[r.move]) == 0 {
			t.Errorf("no operation makes the move %s", r.move)
		}
		for _, id := range made[r.move] {
			o, ok := table.Find(id)
			if !ok || o.Least != r.role || o.Others != r.owner {
				t.Errorf("%s: the table of permissions says %s, and %s for others' records; the workflow %s and %s", id, o.Least, o.Others, r.role, r.owner)
			}
		}
	}
	for _, o := range table {
		if o.Others == 0 {
			continue
		}
		if !slices.ContainsFunc(rules(), func(r rule) bool { return slices.Contains(made[r.move], o.ID) }) {
			t.Errorf("%s has a rule about others' records that no move keeps", o.ID)
		}
	}
}

// TestEntitled: which roles may have made a move that a history has. Whoever could not decide is a forgery; what is no decision
// was checked when it was made, and anybody may have had another role by now.
func TestEntitled(t *testing.T) {
	t.Parallel()
	managers, admins := []identity.Role{identity.Manager, identity.Admin}, []identity.Role{identity.Admin}
	all := append(identity.Roles(), identity.RoleNone)
	for move, want := range map[Move][]identity.Role{
		Create: all, Edit: all, Delete: all, Submit: all, Withdraw: all, "unknown": all,
		Review: managers, Approve: managers, RequestChanges: managers, Reject: managers, Reopen: managers, AutoApprove: admins,
	} {
		for _, role := range all {
			if got := Entitled(move, role); got != slices.Contains(want, role) {
				t.Errorf("%s by %s: entitled %t", move, role, got)
			}
		}
	}
}
