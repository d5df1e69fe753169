package records_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// eventBody holds the counts and the result of an event.
type eventBody struct {
	Counts *record.Counts
	Result *struct {
		Revision int64
		Status   string
		Total    json.RawMessage
	}
}

// bodyOf reads the event of an answer, or the first one of a list.
func bodyOf(a answer) eventBody {
	a.t.Helper()
	var read struct {
		Data struct {
			eventBody
			Items []eventBody
		}
	}
	if err := json.Unmarshal([]byte(a.body), &read); err != nil {
		a.t.Fatalf("%s: %v", a.what, err)
	}
	if len(read.Data.Items) > 0 {
		return read.Data.Items[0]
	}
	return read.Data.eventBody
}

// TestEventsCarryCountsAndResult follows an event whose records change: the counts are exact in the event and in the
// list, the strong tag covers them and the result, and If-Match compares only the revision of the event.
func TestEventsCarryCountsAndResult(t *testing.T) {
	t.Parallel()
	h := start(t)
	created := h.send(planck, http.MethodPost, "/events", `{"title":"Fair","country":"DE"}`).want(http.StatusCreated, "")
	path := "/events/" + created.text("_id")
	read := func(from string) answer { return h.send(ada, http.MethodGet, from, "") }
	if tag := created.header.Get("ETag"); tag != read(path).header.Get("ETag") {
		t.Error("an event is created under another tag than it is read")
	}
	seen := map[string]bool{}
	check := func(want record.Counts, result string) {
		t.Helper()
		for _, from := range []string{path, "/events"} {
			a := read(from).want(http.StatusOK, "")
			body, tag, got := bodyOf(a), a.header.Get("ETag"), ""
			if r := body.Result; r != nil {
				got = fmt.Sprint(r.Revision, " ", r.Status, " ", string(r.Total))
			}
			if body.Counts == nil || *body.Counts != want || got != result {
				t.Errorf("GET %s: counts %+v, result %q; want %+v, %q", from, body.Counts, got, want, result)
			}
			if seen[tag] || tag == "" {
				t.Errorf("GET %s: the tag %s stood for another answer", from, tag)
			}
			seen[tag] = true
			if again := h.send(ada, http.MethodGet, from, "", "If-None-Match", tag); again.status != http.StatusNotModified {
				t.Errorf("GET %s with its own tag: %d", from, again.status)
			}
		}
	}
	check(record.Counts{}, "")
	first := read(path).header.Get("ETag")
	var made []string
	for range 3 {
		made = append(made, h.send(ada, http.MethodPost, path+"/waste", `{"treatment":"landfill","weightKg":5}`).want(http.StatusCreated, "").text("_id"))
	}
	check(record.Counts{Unsubmitted: 3}, "")
	h.send(ada, http.MethodPost, path+"/waste/"+made[0]+"/submit", "").want(http.StatusOK, "")
	check(record.Counts{Unsubmitted: 2, Submitted: 1}, "")
	h.send(ada, http.MethodDelete, path+"/waste/"+made[1], "").want(http.StatusOK, "")
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "")
	total := json.RawMessage(`{"kgCO2e":2.5,"low":1,"high":4}`)
	put := func(version int64, total json.RawMessage) {
		t.Helper()
		err := h.store.PutHeadline(t.Context(), "org1", record.EventID(filepath.Base(path)), record.Headline{Version: version, Revision: version, Total: total})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(1, total)
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "1 current "+string(total))

	// The tag is of an event without records and without a result; its revision
	// is still the same.
	changed := h.send(planck, http.MethodPatch, path, `{"attendees":10}`, "If-Match", first).want(http.StatusOK, "")
	h.send(planck, http.MethodPatch, path, `{"attendees":11}`, "If-Match", first).want(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	if changed.header.Get("ETag") != read(path).header.Get("ETag") {
		t.Error("an event is changed under another tag than it is read")
	}
	// The change increased the context revision, and no recalculation followed.
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "1 recalculating "+string(total))
	put(2, nil)
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "")
}
