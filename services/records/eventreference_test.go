package records_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestEventsHaveReferences: an event is found, created and replaced by the client's
// own key, which no other event of the organization has.
func TestEventsHaveReferences(t *testing.T) {
	t.Parallel()
	h := start(t)
	const reference = `CRM/2026 "7"?#%2F`
	path := "/events/by-reference/" + url.PathEscape(reference)
	h.send(planck, http.MethodGet, path, "").want(http.StatusNotFound, "EVENT_NOT_FOUND")

	body := `{"title":"Gala","country":"GB","attendees":20,"metadata":{"costCentre":"4711"}}`
	h.send(planck, http.MethodPut, path, body, "X-Dry-Run", "true").want(http.StatusCreated, "")
	h.send(planck, http.MethodPut, path, body, "If-Match", `"1.x"`).want(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	made := h.send(planck, http.MethodPut, path, body, "If-None-Match", "*").want(http.StatusCreated, "")
	id := made.text("_id")
	if made.data["externalReference"] != reference || made.header.Get("Location") != "/api/v2/events/"+id {
		t.Fatalf("created: %s, Location %s", made.body, made.header.Get("Location"))
	}
	h.send(planck, http.MethodPut, path, body, "If-None-Match", "*").want(http.StatusPreconditionFailed, "PRECONDITION_FAILED")

	same := h.send(planck, http.MethodPut, path, body).want(http.StatusOK, "")
	if same.data["revision"] != 1.0 || same.data["_id"] != id {
		t.Errorf("the same again made a revision: %s", same.body)
	}
	less := h.send(planck, http.MethodPut, path, `{"title":"Gala dinner","externalReference":`+quoted(reference)+`}`).want(http.StatusOK, "")
	if less.data["revision"] != 2.0 || less.data["country"] != nil || less.data["metadata"] != nil || less.data["title"] != "Gala dinner" {
		t.Errorf("what was absent was not emptied: %s", less.body)
	}
	read := h.send(planck, http.MethodGet, path, "").want(http.StatusOK, "")
	if read.data["_id"] != id || read.header.Get("ETag") == "" {
		t.Errorf("read by reference: %s", read.body)
	}
	h.send(alien, http.MethodGet, path, "").want(http.StatusNotFound, "EVENT_NOT_FOUND")
	h.send(ada, http.MethodPut, path, body).want(http.StatusForbidden, "FORBIDDEN")

	// The reference of another event is refused, and that event is named.
	taken := h.send(planck, http.MethodPost, "/events", `{"title":"Other","externalReference":`+quoted(reference)+`}`).want(http.StatusConflict, "DUPLICATE_REFERENCE")
	other := h.send(planck, http.MethodPost, "/events", `{"title":"Other"}`).want(http.StatusCreated, "")
	otherPath := "/events/" + other.text("_id")
	patched := h.send(planck, http.MethodPatch, otherPath, `{"externalReference":`+quoted(reference)+`}`).want(http.StatusConflict, "DUPLICATE_REFERENCE")
	rehearsed := h.send(planck, http.MethodPatch, otherPath, `{"externalReference":`+quoted(reference)+`}`, "X-Dry-Run", "true").want(http.StatusConflict, "DUPLICATE_REFERENCE")
	for _, a := range []answer{taken, patched, rehearsed} {
		if !strings.Contains(a.body, `"eventId":"`+id+`"`) || !strings.Contains(a.body, `"field":"externalReference"`) {
			t.Errorf("%s does not name the event that has the reference: %s", a.what, a.body)
		}
	}
	h.send(planck, http.MethodDelete, "/events/"+id, "").want(http.StatusOK, "")
	h.send(planck, http.MethodPatch, otherPath, `{"externalReference":`+quoted(reference)+`}`).want(http.StatusOK, "")

	for _, bad := range []string{`"."`, `".."`, `""`, `5`, quoted(strings.Repeat("x", 129))} {
		h.send(planck, http.MethodPatch, otherPath, `{"externalReference":`+bad+`}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	}
	h.send(planck, http.MethodPut, "/events/by-reference/"+strings.Repeat("x", 129), `{"title":"Long"}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	h.send(planck, http.MethodPut, "/events/by-reference/one", `{"title":"Two","externalReference":"two"}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
}

func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"` }

// TestAPatchOfAnEventThatChangesNothing verifies that it makes no revision, no history entry and no proposal, and
// requires no reason.
func TestAPatchOfAnEventThatChangesNothing(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.send(planck, http.MethodPost, "/events", `{"title":"Gala","country":"GB","attendees":20,"externalReference":"A","metadata":{"k":"v"}}`).want(http.StatusCreated, "")
	path := "/events/" + event.text("_id")
	flight := h.send(ada, http.MethodPost, path+"/flights", `{"from":"LHR","to":"JFK","passengers":1}`).want(http.StatusCreated, "")
	h.approve(flight.text("_id"))
	h.send(root, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true,"requireReason":true}}`).want(http.StatusOK, "")

	for _, body := range []string{`{}`, `{"attendees":20}`, `{"country":"gb","title":"Gala","metadata":{"k":"v"}}`, `{"comment":"nothing"}`, `{"description":null}`} {
		a := h.send(bobManager, http.MethodPatch, path, body).want(http.StatusOK, "")
		if a.data["revision"] != 1.0 || a.header.Get("ETag") == "" || a.data["openChanges"] != nil || a.data["updatedAt"] != event.data["updatedAt"] {
			t.Errorf("PATCH %s changed something: %s", body, a.body)
		}
	}
	history := h.send(planck, http.MethodGet, path+"/history", "").want(http.StatusOK, "")
	if n := len(history.data["items"].([]any)); n != 1 {
		t.Errorf("%d history entries, want the creation alone: %s", n, history.body)
	}
	h.send(bobManager, http.MethodPatch, path, `{}`, "If-Match", `"9.x"`).want(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	h.send(bobManager, http.MethodPatch, path, `{"attendees":21}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	h.send(bobManager, http.MethodPatch, path, `{"attendees":21,"comment":" \u200b"}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	h.send(bobManager, http.MethodPatch, path, `{"attendees":21,"comment":"counted again"}`).want(http.StatusAccepted, "")
}

const bobManager = "org1.bob.manager"

// approve makes a record count, as the review service would.
func (h *harness) approve(id string) { h.move(id, record.Submit, record.Approve) }

// move makes transitions of a record, as the services would.
func (h *harness) move(id string, moves ...record.Move) {
	h.t.Helper()
	found, err := h.store.RecordsByID(h.t.Context(), "org1", []record.ID{record.ID(id)})
	if err != nil || len(found) != 1 {
		h.t.Fatalf("record %s: %d, %v", id, len(found), err)
	}
	flow := record.Workflow{Store: h.store, History: h.store, Now: h.now, NewMark: func() string { return record.NewMark(h.now()) }}
	for _, m := range moves {
		request := record.Request{Org: "org1", Key: found[0].Key(), Move: m, Comment: "because", By: record.Actor{ID: "max", Name: "max", Role: identity.Manager}}
		if _, err := flow.Apply(h.t.Context(), request); err != nil {
			h.t.Fatal(err)
		}
	}
}

// TestARepeatedProposalIsTheSame verifies that a change that waits for a second manager is proposed once, however often
// it is sent: a PUT by reference is safe to repeat, and sent again by every synchronization until it is decided.
func TestARepeatedProposalIsTheSame(t *testing.T) {
	t.Parallel()
	h := start(t)
	const put, named = `{"title":"Gala","country":"GB","attendees":21}`, "/events/by-reference/A"
	event := h.send(planck, http.MethodPut, named, `{"title":"Gala","country":"GB","attendees":20}`).want(http.StatusCreated, "")
	path := "/events/" + event.text("_id")
	h.approve(h.send(ada, http.MethodPost, path+"/flights", `{"from":"LHR","to":"JFK","passengers":1}`).want(http.StatusCreated, "").text("_id"))
	h.send(root, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true}}`).want(http.StatusOK, "")
	seen := map[string]string{}
	for _, c := range []struct {
		name, as, method, path, body string
		new                          bool
	}{
		{"a replacement", bobManager, http.MethodPut, named, put, true},
		{"the replacement again", bobManager, http.MethodPut, named, put, false},
		{"the same as a change", bobManager, http.MethodPatch, path, `{"attendees":21}`, false},
		{"of somebody else", planck, http.MethodPut, named, put, true},
		{"with a reason", bobManager, http.MethodPatch, path, `{"attendees":21,"comment":"Counted again."}`, true},
		{"another one", bobManager, http.MethodPatch, path, `{"attendees":22}`, true},
		{"and again", bobManager, http.MethodPut, named, put, false},
		{"a deletion", bobManager, http.MethodDelete, path, "", true},
		{"the deletion again", bobManager, http.MethodDelete, path, "", false},
	} {
		a := h.send(c.as, c.method, c.path, c.body).want(http.StatusAccepted, "")
		id, _ := a.data["change"].(map[string]any)["_id"].(string)
		if _, known := seen[id]; known == c.new || id == "" || a.header.Get("ETag") == "" {
			t.Errorf("%s: the proposal %s of %v", c.name, id, seen)
		}
		seen[id] = c.name
	}
	if now := h.send(planck, http.MethodGet, path, "").want(http.StatusOK, ""); now.data["openChanges"] != float64(len(seen)) || now.data["revision"] != float64(1+len(seen)) {
		t.Errorf("%d proposals: %s", len(seen), now.body)
	}
}
