package record_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestFourEyesExcludeEachHand: a record that one person created, a second one changed and a third one submitted is approved by
// none of them under four-eyes control, and by each without.
func TestFourEyesExcludeEachHand(t *testing.T) {
	t.Parallel()
	as := func(id string) record.Actor { return record.Actor{ID: id, Name: id, Role: identity.Manager} }
	for _, fourEyes := range []bool{true, false} {
		for id, hadAHand := range map[string]bool{creator.ID: true, "editor": true, "submitter": true, "nobody": false} {
			_, w := newFlow(t, record.Unsubmitted)
			w.Policy = policyOf(fourEyes)
			for _, step := range []record.Request{request(record.Edit, as("editor")), request(record.Submit, as("submitter"))} {
				if _, err := w.Apply(t.Context(), step); err != nil {
					t.Fatal(step.Move, err)
				}
			}
			want := apperr.Code("")
			if fourEyes && hadAHand {
				want = apperr.SelfApprovalForbidden
			}
			if _, err := w.Apply(t.Context(), request(record.Approve, as(id))); apperr.CodeOf(err) != want {
				t.Errorf("four eyes %t: approved by %s: %v, want %q", fourEyes, id, err, want)
			}
		}
	}
}

// TestComments: decisions against a record need a comment, other moves may have one, and none is longer than is shown.
func TestComments(t *testing.T) {
	t.Parallel()
	required := map[record.Move]bool{record.RequestChanges: true, record.Reject: true, record.Reopen: true}
	for _, m := range moves {
		for _, c := range []struct {
			comment string
			refused bool
		}{
			{"", required[m]}, {"ä", false}, {strings.Repeat("ä", record.MaxComment), false}, {strings.Repeat("ä", record.MaxComment+1), true},
		} {
			if err := record.CheckComment(m, c.comment); (err != nil) != c.refused {
				t.Errorf("%s with a comment of %d bytes: %v", m, len(c.comment), err)
			}
		}
	}
}
