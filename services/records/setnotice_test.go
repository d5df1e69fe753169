package records_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// setNotices returns the notices of a response about the event's factor set: code and the set to adopt.
func setNotices(a answer) string {
	var all []string
	list, _ := a.data["notices"].([]any)
	for _, one := range list {
		n, _ := one.(map[string]any)
		if code, _ := n["code"].(string); strings.HasPrefix(code, "FACTOR_SET_") {
			suggestions, _ := n["suggestions"].([]any)
			all = append(all, strings.TrimPrefix(code, "FACTOR_SET_")+" "+strings.Trim(fmt.Sprint(suggestions), "[]"))
		}
	}
	return strings.Join(all, "|")
}

// TestEventsTellOfTheirSet: every response with an event reports that its factor set is of another year, and which
// one it can adopt; a change of dates does not change the set.
func TestEventsTellOfTheirSet(t *testing.T) {
	t.Parallel()
	const newer, older = "NEWER_THAN_EVENT desnz-2022", "OLDER_THAN_EVENT desnz-2026"
	h := start(t)
	check := func(a answer, want string) {
		t.Helper()
		if got := setNotices(a); got != want || a.data["factorSet"] != "desnz-2024" {
			t.Errorf("%s: %q on %v, want %q", a.what, got, a.data["factorSet"], want)
		}
	}
	const of2022 = `{"title":"Gala","country":"GB","startDate":"2022-06-01"}`
	check(h.send(planck, http.MethodPost, "/events", of2022, "X-Dry-Run", "true").want(http.StatusCreated, ""), newer)
	made := h.send(planck, http.MethodPost, "/events", of2022).want(http.StatusCreated, "")
	check(made, newer)
	path := "/events/" + made.text("_id")
	read := h.send(ada, http.MethodGet, path, "").want(http.StatusOK, "")
	check(read, newer)
	rehearsed := h.send(planck, http.MethodPatch, path, `{"startDate":"2028-06-01"}`, "X-Dry-Run", "true").want(http.StatusOK, "")
	check(rehearsed, older)
	check(h.send(planck, http.MethodPatch, path, `{"startDate":"2028-06-01"}`).want(http.StatusOK, ""), older)
	check(h.send(planck, http.MethodPatch, path, `{"title":"Gala"}`).want(http.StatusOK, ""), older)
	check(h.send(ada, http.MethodGet, path, "").want(http.StatusOK, ""), older)
	check(h.send(planck, http.MethodPatch, path, `{"startDate":"2024-06-01"}`).want(http.StatusOK, ""), "")
	check(h.send(planck, http.MethodPatch, path, `{"startDate":null}`).want(http.StatusOK, ""), "")

	const byReference = "/events/by-reference/gala-22"
	check(h.send(planck, http.MethodPut, byReference, of2022).want(http.StatusCreated, ""), newer)
	check(h.send(planck, http.MethodPut, byReference, `{"title":"Gala","startDate":"2028-06-01"}`).want(http.StatusOK, ""), older)
	check(h.send(ada, http.MethodGet, byReference, "").want(http.StatusOK, ""), older)
}

// TestTheSetToAdoptIsInTheTag: a response from before a newer set was available is outdated, but its condition is
// still valid for a write.
func TestTheSetToAdoptIsInTheTag(t *testing.T) {
	t.Parallel()
	h := start(t)
	made := h.send(planck, http.MethodPost, "/events", `{"title":"Gala","country":"GB","startDate":"2022-06-01"}`).want(http.StatusCreated, "")
	path := "/events/" + made.text("_id")
	tag := h.send(ada, http.MethodGet, path, "").want(http.StatusOK, "").header.Get("ETag")
	without := strings.Replace(tag, "+desnz-2022", "", 1)
	if without == tag {
		t.Fatalf("the tag %s does not name the set", tag)
	}
	h.send(ada, http.MethodGet, path, "", "If-None-Match", tag).want(http.StatusNotModified, "")
	h.send(ada, http.MethodGet, path, "", "If-None-Match", without).want(http.StatusOK, "")
	h.send(planck, http.MethodPatch, path, `{"title":"Ball"}`, "If-Match", without).want(http.StatusOK, "")
}
