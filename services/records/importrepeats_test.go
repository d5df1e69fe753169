package records_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestAFileThatRepeatsRecords: a file that has grown since it was imported is a new file; rows that repeat existing
// records are reported in the dry run and with the import.
func TestAFileThatRepeatsRecords(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	send := func(path, file string, header ...string) answer {
		t.Helper()
		return h.send(ada, http.MethodPost, event+path, file, append(header, "Content-Type", "text/csv")...).want(http.StatusAccepted, "")
	}
	var told string
	notices := func(a answer) (records []string) {
		told = ""
		all, _ := a.data["notices"].([]any)
		for _, n := range all {
			n, _ := n.(map[string]any)
			if n["code"] != "POSSIBLE_DUPLICATES" {
				t.Errorf("notice %v", n)
			}
			told += n["message"].(string)
			for _, id := range n["suggestions"].([]any) {
				records = append(records, id.(string))
			}
		}
		return records
	}
	for name, c := range map[string]struct{ path, first, more, other, message string }{
		"waste": {"/waste/import", "treatment,weightKg,date\nlandfill,10,2026-05-12\nlandfill,11,2026-05-12\nlandfill,10,2026-05-12\n",
			"landfill,10,2026-05-13\n", "treatment,weightKg,date\nrecycling,10,2026-05-12\n", "3 of the 4 rows"},
		"attendees": {"/attendee-travel/import?to=London", "place,country,people\nParis,FR,3\nLyon,FR,2\nBonn,DE,4\n", "Ulm,DE,1\n", "place,country,people\nParis,FR,3\nRome,IT,2\nOslo,NO,4\n", "contains all 9 people of an existing"},
	} {
		if got := notices(send(c.path, c.first, "X-Dry-Run", "true")); len(got) > 0 {
			t.Errorf("%s: nothing is there yet, and repeated is %v", name, got)
		}
		h.imported(event+"/imports/"+send(c.path, c.first).text("_id"), "completed")
		var want []string
		for _, r := range h.send(ada, http.MethodGet, event+strings.Split(c.path, "/import")[0], "").want(http.StatusOK, "").data["items"].([]any) {
			want = append(want, r.(map[string]any)["_id"].(string))
		}
		check := func(what string, a answer) {
			t.Helper()
			got := notices(a)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) || !strings.Contains(told, c.message) {
				t.Errorf("%s, %s: repeated are %v (%s), want %v (%s)", name, what, got, told, want, c.message)
			}
		}
		check("rehearsed", send(c.path, c.first+c.more, "X-Dry-Run", "true"))
		if got := notices(send(c.path, c.other, "X-Dry-Run", "true")); len(got) > 0 {
			t.Errorf("%s: of other things repeated are %v", name, got)
		}
		done := h.imported(event+"/imports/"+send(c.path, c.first+c.more).text("_id"), "completed")
		check("imported", done)
	}
	// A part of a list is found as well; a list of another place is not.
	if notices(send("/attendee-travel/import?to=London", "place,country,people\nParis,FR,1\nLyon,FR,2\nBonn,DE,4\n", "X-Dry-Run", "true")); !strings.Contains(told, "All people in this file are also among the") {
		t.Errorf("a part: %s", told)
	}
	if got := notices(send("/attendee-travel/import?to=Leeds&again=true", "place,country,people\nParis,FR,3\nLyon,FR,2\nBonn,DE,4\n", "X-Dry-Run", "true")); len(got) > 0 {
		t.Errorf("to another place: %v", got)
	}
	// With an unknown parameter there is still one list of notices.
	both := send("/waste/import?colour=red", "treatment,weightKg,date\nlandfill,11,2026-05-12\n", "X-Dry-Run", "true")
	if !strings.Contains(both.body, "UNKNOWN_FIELD_IGNORED") || !strings.Contains(both.body, "1 of the 1 rows") || strings.Count(both.body, `"notices"`) != 1 {
		t.Errorf("both: %s", both.body)
	}
}

// TestTheSameAttendeesToAnotherPlace: a file of attendees that was imported is the same again with the
// same destination, however it is written, and another one with another destination.
func TestTheSameAttendeesToAnotherPlace(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Tour","country":"GB","place":"London"}`).want(http.StatusCreated, "").text("_id")
	const file = "place,country,people\nParis,FR,3\nLyon,FR,2\n"
	send := func(to string) answer {
		t.Helper()
		return h.send(ada, http.MethodPost, event+"/attendee-travel/import"+to, file, "Content-Type", "text/csv")
	}
	h.imported(event+"/imports/"+send("").want(http.StatusAccepted, "").text("_id"), "completed")
	for _, same := range []string{"", "?to=London", "?to=london,%20GB"} {
		send(same).want(http.StatusConflict, "DUPLICATE_FILE")
	}
	h.imported(event+"/imports/"+send("?to=Leeds").want(http.StatusAccepted, "").text("_id"), "completed")
	send("?to=leeds").want(http.StatusConflict, "DUPLICATE_FILE")
	send("?to=London").want(http.StatusConflict, "DUPLICATE_FILE")
	send("?to=York").want(http.StatusAccepted, "")
}

// TestAFileIsTheSameAsLongAsSomethingOfItIsLeft verifies that the undo of an import permits its file again only once
// nothing of the import is left: otherwise what was edited or approved would be entered, and counted, twice.
func TestAFileIsTheSameAsLongAsSomethingOfItIsLeft(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	const file = "treatment,weightKg\nlandfill,11\nlandfill,12\nlandfill,13\n"
	send := func() answer {
		t.Helper()
		return h.send(ada, http.MethodPost, event+"/waste/import", file, "Content-Type", "text/csv")
	}
	at := event + "/imports/" + send().want(http.StatusAccepted, "").text("_id")
	h.imported(at, "completed")
	rows := h.send(ada, http.MethodGet, event+"/waste", "").want(http.StatusOK, "").data["items"].([]any)
	edited, approved := rows[0].(map[string]any)["_id"].(string), rows[1].(map[string]any)["_id"].(string)
	h.send(ada, http.MethodPatch, event+"/waste/"+edited, `{"weightKg":14}`).want(http.StatusOK, "")
	h.approve(approved)
	undo := func(removed, kept, refused float64) {
		t.Helper()
		got := h.send(planck, http.MethodPost, at+"/undo", "").want(http.StatusOK, "")
		if got.data["removed"] != removed || got.data["kept"] != kept || got.data["refused"] != refused {
			t.Errorf("undo: %.400s", got.body)
		}
	}
	undo(1, 1, 1)
	send().want(http.StatusConflict, "DUPLICATE_FILE")
	h.send(planck, http.MethodDelete, event+"/waste/"+edited, "").want(http.StatusOK, "")
	undo(0, 0, 1)
	send().want(http.StatusConflict, "DUPLICATE_FILE")
	h.move(approved, record.Reopen)
	h.send(planck, http.MethodDelete, event+"/waste/"+approved, "").want(http.StatusOK, "")
	undo(0, 0, 0)
	send().want(http.StatusAccepted, "")
}
