package records_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestHeaderFaultsAreCollected: errors in header fields are reported together with those in the body, and nothing is
// done.
func TestHeaderFaultsAreCollected(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	want := func(a answer, fields ...string) {
		t.Helper()
		a.want(http.StatusBadRequest, "VALIDATION_ERROR")
		for _, field := range fields {
			if !strings.Contains(a.body, `"field":"`+field+`"`) {
				t.Errorf("%s does not name %s: %s", a.what, field, a.body)
			}
		}
		if a.header.Get("ETag")+a.header.Get("Location")+a.header.Get("X-Dry-Run") != "" {
			t.Errorf("%s has fields of a success: %v", a.what, a.header)
		}
	}
	bad := `{"treatment":"sea","weightKg":-1}`
	want(h.send(ada, http.MethodPost, event+"/waste", bad, "X-Dry-Run", "maybe", "Idempotency-Key", ""), "X-Dry-Run", "Idempotency-Key", "treatment", "weightKg")
	want(h.send(ada, http.MethodPost, event+"/waste", bin, "X-Dry-Run", "maybe"), "X-Dry-Run")
	want(h.send(ada, http.MethodPost, event+"/waste", bin, "Idempotency-Key", "é"), "Idempotency-Key")
	if n := h.total(event + "/waste"); n != 0 {
		t.Errorf("%d records were stored by refused requests", n)
	}
	record := event + "/waste/" + h.send(ada, http.MethodPost, event+"/waste", bin).want(http.StatusCreated, "").text("_id")
	want(h.send(ada, http.MethodPatch, record, bad, "X-Dry-Run", "1"), "X-Dry-Run", "treatment", "weightKg")
	want(h.send(ada, http.MethodPatch, record, `{"weightKg":5}`, "X-Dry-Run", "1"), "X-Dry-Run")
	want(h.send(ada, http.MethodDelete, record, "", "X-Dry-Run", "1"), "X-Dry-Run")
	want(h.send(planck, http.MethodPatch, event, `{"title":""}`, "X-Dry-Run", "1"), "X-Dry-Run", "title")
	want(h.send(planck, http.MethodDelete, event, "", "X-Dry-Run", "1"), "X-Dry-Run")
	want(h.send(root, http.MethodPatch, "/organization", `{"name":"Other"}`, "X-Dry-Run", "1"), "X-Dry-Run")
	if a := h.send(ada, http.MethodGet, record, "").want(http.StatusOK, ""); a.data["revision"] != 1.0 {
		t.Errorf("a refused request changed the record: %s", a.body)
	}
	if a := h.send(ada, http.MethodGet, "/organization", "").want(http.StatusOK, ""); a.data["name"] != "org1" {
		t.Errorf("a refused request changed the organization: %s", a.body)
	}
}
