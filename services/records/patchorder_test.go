package records_test

import (
	"net/http"
	"testing"
)

// TestUnreadableChangesAreReportedFirst: a body that cannot be read is an error of the request, whether the record is
// there, locked, of somebody else or changed since. Its values are checked with those of the record.
func TestUnreadableChangesAreReportedFirst(t *testing.T) {
	t.Parallel()
	h := start(t)
	list := h.event() + "/waste"
	locked := list + "/" + h.send(ada, http.MethodPost, list, bin).want(http.StatusCreated, "").text("_id")
	h.send(ada, http.MethodPost, locked+"/submit", "").want(http.StatusOK, "")
	for _, body := range []string{`{`, `[]`, `{"weightKg":1,"weightKg":2}`} {
		for _, path := range []string{locked, list + "/nope", "/events/nope/waste/nope"} {
			h.send(ada, http.MethodPatch, path, body).want(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		h.send(bob, http.MethodPatch, locked, body).want(http.StatusBadRequest, "VALIDATION_ERROR")
		h.send(ada, http.MethodPatch, locked, body, "If-Match", `"other"`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	}
	h.send(ada, http.MethodPatch, list+"/nope", `{"weightKg":-1}`).want(http.StatusNotFound, "RECORD_NOT_FOUND")
	h.send(ada, http.MethodPatch, locked, `{"weightKg":-1}`).want(http.StatusConflict, "RECORD_LOCKED")
}
