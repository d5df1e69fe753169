package records_test

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
)

// TestNumbersInDoubt: an ambiguous number is rejected unless the request or the other numbers of the file determine
// the format. With comma separators the decimal separator is a point, unless the file is German or declares
// otherwise; our own exports are unambiguous.
func TestNumbersInDoubt(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	h.send(ada, http.MethodPost, event+"/waste", `{"treatment":"landfill","weightKg":1.125}`).want(http.StatusCreated, "")
	export := h.send(ada, http.MethodGet, event+"/export", "").want(http.StatusOK, "").body
	if !strings.Contains(export, "1.125") {
		t.Fatal(export)
	}
	const doubted = `"code":"AMBIGUOUS_NUMBER"`
	for name, c := range map[string]struct{ path, file, want string }{
		"in doubt":     {"/waste/import", "treatment;weightKg\nlandfill;1.200\n", doubted},
		"with a comma": {"/waste/import", "treatment,weightKg\nlandfill,\"1,200\"\n", doubted},
		"declared":     {"/waste/import?decimal=point", "treatment;weightKg\nlandfill;1.200\n", ""},
		"by example":   {"/waste/import?numberFormat=1.234%2C5", "treatment;weightKg\nlandfill;1.200\n", ""},
		"settled":      {"/waste/import", "treatment;weightKg\nlandfill;1.200\nlandfill;0.25\n", ""},
		"contradicted": {"/waste/import", "treatment;weightKg\nlandfill;1.200\nlandfill;0.25\nlandfill;0,25\n", doubted},
		"commas":       {"/waste/import", "treatment,weightKg\nlandfill,1.200\n", ""},
		"German heads": {"/waste/import", "Entsorgung,weightKg\nDeponie,1.200\n", doubted},
		"our export":   {"/import", export, ""},
	} {
		got := h.send(ada, http.MethodPost, event+c.path, c.file, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "")
		if want := cmp.Or(c.want, `"status":"completed"`); !strings.Contains(got.body, want) {
			t.Errorf("%s: %s, want %s", name, got.body, want)
		}
	}
}

// TestUnknownParametersOfAnImport: a misspelled parameter is reported, and rejected with strict handling, so that an
// intended dry run never imports.
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
	// The file has not been imported, so it still can be.
	h.send(ada, http.MethodPost, to, file, "Content-Type", "text/csv").want(http.StatusAccepted, "")
}

// TestUnknownColumnsOfAStrictImport: strict handling applies to files of one type, of several and of attendee travel,
// whose other columns are dropped.
func TestUnknownColumnsOfAStrictImport(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	for name, c := range map[string]struct{ path, good, bad, field, suggestion string }{
		"one type":        {"waste/import", "treatment,weightKg\nlandfill,1\n", "treatment,weightKg,materail\nlandfill,1,leftovers\n", "materail", "material"},
		"no head":         {"waste/import", "treatment,weightKg\nlandfill,3\n", "treatment,weightKg,\nlandfill,3,\nlandfill,3,5\n", "column C", ""},
		"several":         {"import", "type,treatment,weightKg\nwaste,landfill,2\n", "type,treatment,weightKg,colour\nwaste,landfill,2,red\n", "colour", ""},
		"attendee travel": {"attendee-travel/import?to=London", "place,country,people\nParis,FR,3\n", "place,country,people,email\nParis,FR,3,a@example.org\n", "email", ""},
	} {
		to := event + "/" + c.path
		lenient := h.send(ada, http.MethodPost, to, c.bad, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "")
		if lenient.header.Get("Preference-Applied") != "" || !strings.Contains(lenient.body, `"ignoredColumns":["`+c.field+`"]`) {
			t.Errorf("%s, without a preference: %s", name, lenient.body)
		}
		for _, rehearsed := range []string{"true", "false"} {
			refused := h.send(ada, http.MethodPost, to, c.bad, "Content-Type", "text/csv", "Prefer", "handling=strict", "X-Dry-Run", rehearsed).want(http.StatusBadRequest, "VALIDATION_ERROR")
			if refused.header.Get("Preference-Applied") != "handling=strict" || !strings.Contains(refused.body, `"field":"`+c.field+`","code":"UNKNOWN_FIELD"`) ||
				!strings.Contains(refused.body, c.suggestion) {
				t.Errorf("%s: %s", name, refused.body)
			}
		}
		taken := h.send(ada, http.MethodPost, to, c.good, "Content-Type", "text/csv", "Prefer", "handling=strict").want(http.StatusAccepted, "")
		if taken.header.Get("Preference-Applied") != "handling=strict" {
			t.Errorf("%s: a file without such a column has no Preference-Applied", name)
		}
	}
	// Every export has the fields of the service, and they are accepted in an import.
	h.send(ada, http.MethodPost, event+"/import", "_id,type,status,treatment,weightKg\n1,waste,unsubmitted,landfill,3\n", "Content-Type", "text/csv", "Prefer", "handling=strict").want(http.StatusAccepted, "")
}
