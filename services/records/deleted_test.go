package records_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
)

// TestHistoriesOfWhatWasDeleted: only managers can read who deleted a record or an event, and records of a deleted
// event are inaccessible.
func TestHistoriesOfWhatWasDeleted(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	made := func() string {
		return event + "/waste/" + h.send(ada, http.MethodPost, event+"/waste", bin).want(http.StatusCreated, "").text("_id")
	}
	gone, stays, many := made(), made(), made()
	deleted := h.send(ada, http.MethodDelete, gone, "").want(http.StatusOK, "")
	if note, _ := base64.RawURLEncoding.DecodeString(deleted.header.Get("X-Ecf-Audit")); !strings.Contains(string(note), `"record.delete"`) || !strings.Contains(string(note), gone) {
		t.Errorf("the audit log is not given the record: %s", note)
	}
	id := many[strings.LastIndex(many, "/")+1:]
	several := h.send(ada, http.MethodPost, event+"/waste/delete", `{"ids":["`+id+`"]}`).want(http.StatusOK, "")
	if note, _ := base64.RawURLEncoding.DecodeString(several.header.Get("X-Ecf-Audit")); !strings.Contains(string(note), id) {
		t.Errorf("the audit log is not given the record: %s", note)
	}
	if a := h.send(ada, http.MethodDelete, stays, "", "X-Dry-Run", "true").want(http.StatusOK, ""); a.header.Get("X-Ecf-Audit") != "" {
		t.Error("a rehearsal is in the audit log")
	}

	h.send(planck, http.MethodGet, gone, "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	h.send(ada, http.MethodGet, gone+"/history", "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	h.send(alien, http.MethodGet, gone+"/history", "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	h.send(planck, http.MethodGet, strings.Replace(gone, "/waste/", "/flights/", 1)+"/history", "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	history := h.send(planck, http.MethodGet, gone+"/history", "").want(http.StatusOK, "")
	newest := history.data["items"].([]any)[0].(map[string]any)
	if newest["action"] != "delete" || newest["by"].(map[string]any)["_id"] != "ada" {
		t.Errorf("the history does not say who deleted it: %s", history.body)
	}

	h.send(planck, http.MethodDelete, event, `{"comment":"held elsewhere"}`).want(http.StatusOK, "")
	h.send(planck, http.MethodGet, stays, "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	h.send(ada, http.MethodGet, stays+"/history", "").want(http.StatusNotFound, "RECORD_NOT_FOUND")
	h.send(planck, http.MethodGet, stays+"/history", "").want(http.StatusOK, "")
	h.send(ada, http.MethodGet, event+"/history", "").want(http.StatusNotFound, "EVENT_NOT_FOUND")
	h.send(alien, http.MethodGet, event+"/history", "").want(http.StatusNotFound, "EVENT_NOT_FOUND")
	ended := h.send(planck, http.MethodGet, event+"/history", "").want(http.StatusOK, "")
	if newest := ended.data["items"].([]any)[0].(map[string]any); newest["action"] != "delete" || newest["comment"] != "held elsewhere" {
		t.Errorf("the history does not say who deleted the event: %s", ended.body)
	}
}
