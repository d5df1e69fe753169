package records

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestBoundaryNotices: a boundary that names no type, or contradicts itself, is stored with a notice.
func TestBoundaryNotices(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"boundary":{"included":["flights","venue"],"excluded":[{"type":"waste","reason":"r"}]}}`:                     nil,
		`{"boundary":{"included":["flight","flights","flights"]}}`:                                                     {"boundary.included[0] flights", "boundary.included[2] "},
		`{"boundary":{"included":["waste"],"excluded":[{"type":"waste","reason":"r"},{"type":"hotel","reason":"r"}]}}`: {"boundary.excluded[0].type ", "boundary.excluded[1].type "},
		`{"boundary":{"excluded":[{"type":"waste","reason":"r"},{"type":"waste","reason":"another"}]}}`:                {"boundary.excluded[1].type "},
		`{"boundary":null}`: nil,
		`{"attendees":5}`:   nil,
	} {
		r, err := fields.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		event := record.Event{Title: "T", Boundary: []byte(`{"included":["stored before"]}`)}
		readEvent(r, &event, false)
		var got []string
		for _, n := range boundaryNotices(r, event) {
			text := n.Field + " "
			if len(n.Suggestions) > 0 {
				text += n.Suggestions[0]
			}
			if got = append(got, text); n.Code != boundaryUnclear || n.Message == "" {
				t.Errorf("%s: %+v", body, n)
			}
		}
		if r.Err() != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", body, got, r.Err(), want)
		}
	}
}
