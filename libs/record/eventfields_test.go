package record_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// twoEvents are two events that differ in every field that a history names.
func twoEvents() (one, other record.Event) {
	attendees, virtual, more := int64(20), int64(5), int64(21)
	one = record.Event{
		Title: "Gala", StartDate: "2026-05-01", EndDate: "2026-05-02", Attendees: &attendees, VirtualAttendees: &virtual, Country: "DE", Timezone: "Europe/Berlin",
		Place: "Kiel", Location: footprint.Venue{Name: "Kiel", Region: "SH", Country: "DE", GeonameID: 7, Latitude: "54.3", Longitude: "10.1"}, Description: "Spring",
		Boundary: json.RawMessage(`{"included":["waste"]}`), Method: record.Method{RadiativeForcing: true, GWP: "AR6", Engine: "2.3.0"}, FactorSet: "desnz-2026",
		Reference: "E-1", Metadata: map[string]string{"a": "1", "b": "2"}, Team: []record.TeamMember{{ID: "ann", Role: record.TeamReviewer}},
		Compensation: []record.Compensation{{Kind: "offset", KgCO2e: decimal.FromInt(3), Description: "Peat", Registry: "R"}}, ContextRev: 5,
	}
	other = record.Event{
		Title: "Ball", StartDate: "2026-06-01", EndDate: "2026-06-03", Attendees: &more, VirtualAttendees: &more, Country: "FR", Timezone: "Europe/Paris",
		Place: "Lyon", Location: footprint.Venue{Name: "Lyon", Country: "FR", Latitude: "45.7", Longitude: "4.8"}, Description: "Summer",
		Boundary: json.RawMessage(`{"included":[]}`), Method: record.Method{GWP: "published"}, FactorSet: "desnz-2024",
		Reference: "E-2", Metadata: map[string]string{"b": "3"}, Team: []record.TeamMember{{ID: "bob", Role: record.TeamViewer}, {ID: "eve", Role: record.TeamReviewer}},
		Compensation: []record.Compensation{{Kind: "removal", KgCO2e: decimal.FromInt(4), Description: "Char"}}, ContextRev: 5, Deleted: true,
	}
	return one, other
}

// TestEveryFieldIsChangedAndUndone: the changes between two states of an event make one of the other, in both directions,
// and leave what they were derived from as it is.
func TestEveryFieldIsChangedAndUndone(t *testing.T) {
	t.Parallel()
	one, other := twoEvents()
	if n, want := len(record.EventChanges(one, other)), len(record.EventFields()); n != want {
		t.Fatalf("%d of %d fields differ", n, want)
	}
	states := map[string]record.Event{"one": one, "other": other, "none": {ContextRev: 5}}
	for from, before := range states {
		for to, after := range states {
			was := record.EventChanges(record.Event{}, before)
			changed := record.EventChanges(before, after)
			e := before
			if err := e.ApplyChanges(changed); err != nil {
				t.Errorf("%s to %s: %v", from, to, err)
			}
			if left := record.EventChanges(e, after); len(left) > 0 {
				t.Errorf("%s to %s: still different in %s, %s", from, to, left[0].Field, left[0].Before)
			}
			if !reflect.DeepEqual(e, after) {
				t.Errorf("%s to %s: %+v, want %+v", from, to, e, after)
			}
			back, err := record.EventEntry{Changed: changed, ContextRev: 5}.Undone(e)
			if left := record.EventChanges(back, before); err != nil || len(left) > 0 || (back.ContextRev == 4) != (from != to) {
				t.Errorf("%s to %s undone: different in %+v, context %d, %v", from, to, left, back.ContextRev, err)
			}
			if now := record.EventChanges(record.Event{}, before); !reflect.DeepEqual(now, was) {
				t.Errorf("%s to %s changed %s", from, to, from)
			}
		}
	}
	e := one
	if err := e.ApplyChanges([]record.FieldChange{{Field: "colour", After: json.RawMessage(`"red"`)}}); err == nil {
		t.Error("a field that does not exist is changed")
	}
}

// TestWhichFieldsAreGoverned: what a figure, or what it covers, depends on takes a reason or a second manager; each field
// is guarded against a change of it in between.
func TestWhichFieldsAreGoverned(t *testing.T) {
	t.Parallel()
	governed := []string{"startDate", "endDate", "attendees", "virtualAttendees", "country", "boundary", "method", "factorSet", "place", "location", "compensation", "deleted"}
	one, other := twoEvents()
	for _, c := range record.EventChanges(one, other) {
		alone := []record.FieldChange{c}
		want := slices.Contains(governed, c.Field)
		if record.Governed(alone) != want || (record.Proposal{Kind: record.EventChanged, Changed: alone}).MovesFigure() != want {
			t.Errorf("%s is governed: %t", c.Field, !want)
		}
		if !(record.Proposal{Kind: record.EventDeleted, Changed: alone}).MovesFigure() {
			t.Errorf("a deletion with a change of %s moves no figure", c.Field)
		}
		e := other
		if err := e.ApplyChanges(alone); apperr.CodeOf(err) != apperr.ProposalStale || len(record.EventChanges(e, other)) > 0 {
			t.Errorf("%s of another event: %v", c.Field, err)
		}
	}
	if record.Governed(nil) {
		t.Error("nothing is governed")
	}
}
