package records_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestUnknownParametersOfAnImport: a misspelled parameter is named, refused under
// strict handling, and never asks for a rehearsal that then imports.
func TestUnknownParametersOfAnImport(t *testing.T) {
	t.Parallel()
	h := start(t)
	to := h.event() + "/waste/import"
	file := "treatment,weightKg\nlandfill,1\n"
	named := h.send(ada, http.MethodPost, to+"?dateorder=dmy", file, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "")
	if got := named.body; !strings.Contains(got, `"notices":[{"code":"UNKNOWN_FIELD_IGNORED"`) || !strings.Contains(got, `"field":"dateorder","suggestions":["dateOrder"]`) {
		t.Errorf("named: %s", got)
	}
	if got := h.send(ada, http.MethodPost, to+"?dateOrder=dmy&encoding=windows-1252", file, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "").body; strings.Contains(got, `"notices":[{"code":"UNKNOWN`) {
		t.Errorf("known: %s", got)
	}
	strict := h.send(ada, http.MethodPost, to+"?dateorder=dmy&partail=true", file, "Content-Type", "text/csv", "Prefer", "handling=strict").want(http.StatusBadRequest, "VALIDATION_ERROR")
	for _, want := range []string{`"field":"dateorder","code":"UNKNOWN_FIELD"`, `"field":"partail","code":"UNKNOWN_FIELD"`, `"suggestions":["partial"]`} {
		if !strings.Contains(strict.body, want) {
			t.Errorf("strict: %s, want %s", strict.body, want)
		}
	}
	for _, name := range []string{"dryRun", "dry-run", "x-dry-run", "DRY_RUN"} {
		refused := h.send(ada, http.MethodPost, to+"?"+name+"=true", file, "Content-Type", "text/csv").want(http.StatusBadRequest, "VALIDATION_ERROR")
		if !strings.Contains(refused.body, "X-Dry-Run") {
			t.Errorf("%s: %s", name, refused.body)
		}
	}
	// The file has never been imported, so it can be.
	h.send(ada, http.MethodPost, to, file, "Content-Type", "text/csv").want(http.StatusAccepted, "")
}
