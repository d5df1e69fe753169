package resulttree

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestCausesOfTheSameGroundAreOne: an approval of a hundred records is one cause, with the latest time. Another action,
// person or comment is another cause.
func TestCausesOfTheSameGroundAreOne(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	cause := func(action, by, comment string, minutes int, ids ...record.ID) Cause {
		return Cause{Action: action, By: record.Actor{ID: by}, Comment: comment, At: at.Add(time.Duration(minutes) * time.Minute), Records: int64(len(ids)), RecordIDs: ids}
	}
	first := append(make([]record.ID, 0, 4), "a")
	got := MergeCauses(nil, cause("approve", "max", "", 1, first...), cause("approve", "max", "", 3, "b", "a"), cause("approve", "max", "", 2, "c"),
		cause("reopen", "max", "", 4, "a"), cause("approve", "ada", "", 5, "d"), cause("approve", "max", "checked", 6, "e"))
	merged := cause("approve", "max", "", 3, "a", "b", "c")
	merged.Records = 4 // changes, of which two were of one record
	want := []Cause{merged, cause("reopen", "max", "", 4, "a"), cause("approve", "ada", "", 5, "d"), cause("approve", "max", "checked", 6, "e")}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if rest := first[:2]; rest[1] != "" {
		t.Errorf("what belongs to the caller is now %q", rest)
	}
	fields := MergeCauses(nil, Cause{Action: ActionEvent, Fields: []string{"title"}}, Cause{Action: ActionEvent, Fields: []string{"title", "country"}})
	if len(fields) != 1 || !slices.Equal(fields[0].Fields, []string{"title", "country"}) {
		t.Errorf("the changes of the event are %+v", fields)
	}
}

// TestCausesAreBounded: the last of maxCauses counts the records of all others.
func TestCausesAreBounded(t *testing.T) {
	t.Parallel()
	var all []Cause
	for i := range maxCauses + 5 {
		all = MergeCauses(all, Cause{Action: "approve", Comment: fmt.Sprint(i), Records: 2, Fields: []string{fmt.Sprint("f", i)}})
	}
	for i, c := range all[:maxCauses-1] {
		if c.Action != "approve" || c.Comment != fmt.Sprint(i) || c.Records != 2 {
			t.Errorf("%d: %+v", i, c)
		}
	}
	if last := all[len(all)-1]; len(all) != maxCauses || last.Action != ActionOther || last.Records != 2*6 || len(last.Fields) != 6 {
		t.Errorf("%d causes, the last is %+v", len(all), last)
	}
	ids := make([]record.ID, maxCauseRecords+1)
	for i := range ids {
		ids[i] = record.ID(fmt.Sprint(i))
	}
	one := MergeCauses([]Cause{{Action: "reject"}}, Cause{Action: "reject", Records: int64(len(ids)), RecordIDs: ids})
	if len(one) != 1 || one[0].Records != int64(len(ids)) || !slices.Equal(one[0].RecordIDs, ids[:maxCauseRecords]) {
		t.Errorf("%d causes of %d records, %d named", len(one), one[0].Records, len(one[0].RecordIDs))
	}
}
