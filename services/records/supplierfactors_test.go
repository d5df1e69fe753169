package records_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const greenPower = `{"name":"Green Power","kgCO2ePerUnit":0.5,"unit":"kwh","source":"Disclosure 2025","evidence":[{"name":"d.pdf","sha256":"` +
	"abababababababababababababababababababababababababababababababab" + `"}]}`

const marie = "org1.marie.manager"

// TestSupplierFactorIsReviewed: a factor from its proposal to its withdrawal, with four-eyes control, and its copies
// in records.
func TestSupplierFactorIsReviewed(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.send(root, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true}}`).want(http.StatusOK, "")
	h.send(ada, http.MethodPost, "/supplier-factors", greenPower).want(http.StatusForbidden, "FORBIDDEN")
	for _, bad := range []string{
		`{}`, strings.Replace(greenPower, "Green Power", "=cmd()", 1), strings.Replace(greenPower, "Green Power", "a@2", 1), strings.Replace(greenPower, `,"sha256"`, `,"url":"https://x.test/","x"`, 1),
		strings.Replace(greenPower, `0.5`, `-1`, 1), strings.Replace(greenPower, `{`, `{"validFrom":"2026-02-01","validTo":"2026-01-31",`, 1), strings.Replace(greenPower, `{`, `{"uncertaintyFactor":1,`, 1),
	} {
		h.send(planck, http.MethodPost, "/supplier-factors", bad).want(http.StatusBadRequest, "VALIDATION_ERROR")
	}
	if dry := h.send(planck, http.MethodPost, "/supplier-factors", greenPower, "X-Dry-Run", "true").want(http.StatusCreated, ""); dry.text("reference") != "Green Power@1" {
		t.Errorf("rehearsed: %s", dry.body)
	}
	made := h.send(planck, http.MethodPost, "/supplier-factors", greenPower, "Idempotency-Key", "one").want(http.StatusCreated, "")
	path := "/supplier-factors/" + made.text("_id")
	if again := h.send(planck, http.MethodPost, "/supplier-factors", greenPower, "Idempotency-Key", "one"); again.text("_id") != made.text("_id") {
		t.Errorf("repeated: %s", again.body)
	}
	if made.text("status") != "proposed" || made.text("unit") != "kWh" || made.text("stage") != "combined" || made.header.Get("Location") != "/api/v2"+path {
		t.Errorf("made: %v %s", made.header, made.body)
	}
	h.send(alien, http.MethodGet, path, "").want(http.StatusNotFound, "SUPPLIER_FACTOR_NOT_FOUND")

	// A factor that is not approved cannot be used.
	event := h.event()
	const shots = `{"supplierFactor":"green power","quantity":100,"description":"Cooling"}`
	if refused := h.send(ada, http.MethodPost, event+"/custom", shots).want(http.StatusBadRequest, "VALIDATION_ERROR"); !strings.Contains(refused.body, "UNKNOWN_SUPPLIER_FACTOR") {
		t.Errorf("refused: %s", refused.body)
	}
	edited := h.send(planck, http.MethodPatch, path, `{"kgCO2ePerUnit":0.25,"validTo":"2026-12-31"}`, "If-Match", made.header.Get("ETag")).want(http.StatusOK, "")
	h.send(planck, http.MethodPatch, path, `{"stage":"direct"}`, "If-Match", made.header.Get("ETag")).want(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
	h.send(planck, http.MethodPatch, path, `{"name":"Another"}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
	h.send(planck, http.MethodPost, path+"/approve", "").want(http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN")
	h.send(marie, http.MethodPost, path+"/approve", "", "X-Dry-Run", "true").want(http.StatusOK, "")
	approved := h.send(marie, http.MethodPost, path+"/approve", `{"comment":"Seen."}`, "If-Match", edited.header.Get("ETag")).want(http.StatusOK, "")
	if approved.text("status") != "approved" || approved.text("kgCO2ePerUnit") != "0.25" || approved.text("comment") != "Seen." {
		t.Errorf("approved: %s", approved.body)
	}
	h.send(planck, http.MethodPatch, path, `{"kgCO2ePerUnit":9}`).want(http.StatusConflict, "INVALID_TRANSITION")

	// A record stores the version: 100 × 0.25.
	r := h.send(ada, http.MethodPost, event+"/custom", shots).want(http.StatusCreated, "")
	if r.text("supplierFactor") != "Green Power@1" || r.text("kgCO2e") != "25" {
		t.Errorf("the record is %s", r.body)
	}
	next := h.send(marie, http.MethodPost, "/supplier-factors", strings.Replace(greenPower, "Green Power", "GREEN power", 1)).want(http.StatusCreated, "")
	if next.text("reference") != "Green Power@2" {
		t.Errorf("the next version is %s", next.body)
	}
	h.send(planck, http.MethodPost, "/supplier-factors/"+next.text("_id")+"/approve", "").want(http.StatusOK, "")
	same := h.send(ada, http.MethodPatch, event+"/custom/"+r.text("_id"), `{"description":"Cooling of the hall"}`).want(http.StatusOK, "")
	if same.text("supplierFactor") != "Green Power@1" || same.text("kgCO2e") != "25" {
		t.Errorf("a new version moved the record: %s", same.body)
	}
	if moved := h.send(ada, http.MethodPatch, event+"/custom/"+r.text("_id"), `{"supplierFactor":"Green Power"}`).want(http.StatusOK, ""); moved.text("supplierFactor") != "Green Power@2" || moved.text("kgCO2e") != "50" {
		t.Errorf("adopted: %s", moved.body)
	}

	// After a withdrawal it remains where it is used, and its name no longer resolves to it.
	h.send(planck, http.MethodPost, "/supplier-factors/"+next.text("_id")+"/withdraw", "").want(http.StatusBadRequest, "VALIDATION_ERROR")
	h.send(planck, http.MethodPost, "/supplier-factors/"+next.text("_id")+"/withdraw", `{"comment":"Recalled."}`).want(http.StatusOK, "")
	if kept := h.send(ada, http.MethodPatch, event+"/custom/"+r.text("_id"), `{"quantity":10}`).want(http.StatusOK, ""); kept.text("kgCO2e") != "5" || !strings.Contains(kept.body, "SUPPLIER_FACTOR_WITHDRAWN") {
		t.Errorf("kept: %s", kept.body)
	}
	if fresh := h.send(ada, http.MethodPost, event+"/custom", shots).want(http.StatusCreated, ""); fresh.text("supplierFactor") != "Green Power@1" {
		t.Errorf("the name means %s", fresh.body)
	}
	h.send(ada, http.MethodPost, event+"/custom", strings.Replace(shots, "{", `{"date":"2027-03-01",`, 1)).want(http.StatusBadRequest, "VALIDATION_ERROR")

	if list := h.send(ada, http.MethodGet, "/supplier-factors", "").want(http.StatusOK, ""); strings.Index(list.body, "Green Power@2") > strings.Index(list.body, "Green Power@1") {
		t.Errorf("listed: %s", list.body)
	}
	history := h.send(ada, http.MethodGet, path+"/history", "").want(http.StatusOK, "")
	for _, want := range []string{`"action":"approve"`, `"comment":"Seen."`, `"fourEyes":true`, `"changed":["kgCO2ePerUnit","validTo"]`, `"total":3`} {
		if !strings.Contains(history.body, want) {
			t.Errorf("the history lacks %s: %s", want, history.body)
		}
	}
	// Proposals can be deleted, and their version numbers are not reused.
	third := h.send(planck, http.MethodPost, "/supplier-factors", greenPower).want(http.StatusCreated, "")
	h.send(planck, http.MethodDelete, path, "").want(http.StatusConflict, "INVALID_TRANSITION")
	h.send(planck, http.MethodDelete, "/supplier-factors/"+third.text("_id"), "").want(http.StatusOK, "")
	h.send(planck, http.MethodGet, "/supplier-factors/"+third.text("_id"), "").want(http.StatusNotFound, "SUPPLIER_FACTOR_NOT_FOUND")
	fourth := h.send(planck, http.MethodPost, "/supplier-factors", greenPower).want(http.StatusCreated, "")
	if fourth.text("version") != "4" {
		t.Errorf("the next is %s", fourth.body)
	}
	h.send(marie, http.MethodPost, "/supplier-factors/"+fourth.text("_id")+"/reject", `{"comment":"No."}`).want(http.StatusOK, "")
}

// TestWhoEditedASupplierFactorDoesNotApproveIt: even if somebody else has edited it later.
func TestWhoEditedASupplierFactorDoesNotApproveIt(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.send(root, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true}}`).want(http.StatusOK, "")
	path := "/supplier-factors/" + h.send(root, http.MethodPost, "/supplier-factors", greenPower).want(http.StatusCreated, "").text("_id")
	h.send(planck, http.MethodPatch, path, `{"kgCO2ePerUnit":0.0001}`).want(http.StatusOK, "")
	h.send(root, http.MethodPatch, path, `{"source":"Statement of 2026"}`).want(http.StatusOK, "")
	for _, by := range []string{planck, root} {
		h.send(by, http.MethodPost, path+"/approve", "").want(http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN")
	}
	h.send(marie, http.MethodPost, path+"/approve", "").want(http.StatusOK, "")
}

// A change to the existing value makes no revision and no new editor.
func TestSupplierFactorThatSaysItAlready(t *testing.T) {
	t.Parallel()
	h := start(t)
	h.send(root, http.MethodPatch, "/organization", `{"policy":{"fourEyes":true}}`).want(http.StatusOK, "")
	made := h.send(planck, http.MethodPost, "/supplier-factors", greenPower).want(http.StatusCreated, "")
	path, tag := "/supplier-factors/"+made.text("_id"), made.header.Get("ETag")
	for _, same := range []string{`{}`, `{"kgCO2ePerUnit":0.50,"source":"Disclosure 2025"}`, `{"validTo":null}`} {
		if r := h.send(marie, http.MethodPatch, path, same).want(http.StatusOK, ""); r.text("revision") != "1" || r.header.Get("ETag") != tag {
			t.Errorf("%s: %s %s", same, r.header.Get("ETag"), r.body)
		}
	}
	h.send(marie, http.MethodPost, path+"/approve", "").want(http.StatusOK, "")
	h.send(planck, http.MethodPatch, path, `{}`).want(http.StatusConflict, "INVALID_TRANSITION")
}

// TestEvidenceOfASupplierFactorIsKept: the documents are served as they were named, and the audit log says that a proposal
// was deleted, in its name, whose white space does not distinguish it.
func TestEvidenceOfASupplierFactorIsKept(t *testing.T) {
	t.Parallel()
	h := start(t)
	made := h.send(planck, http.MethodPost, "/supplier-factors", strings.Replace(strings.Replace(greenPower, "Green Power", "Green  Power", 1), `"name":"d.pdf"`,
		`"name":"d.pdf","url":"https://x.test/d.pdf"`, 1)).want(http.StatusCreated, "")
	path := "/supplier-factors/" + made.text("_id")
	if got := h.send(ada, http.MethodGet, path, "").want(http.StatusOK, ""); !strings.Contains(got.body, `"url":"https://x.test/d.pdf"`) || got.text("reference") != "Green Power@1" {
		t.Errorf("served: %s", got.body)
	}
	gone := h.send(planck, http.MethodDelete, path, "").want(http.StatusOK, "")
	if note, err := base64.RawURLEncoding.DecodeString(gone.header.Get("X-Ecf-Audit")); err != nil || !strings.Contains(string(note), "Green Power@1 deleted, ") {
		t.Errorf("the audit log is told %s, %v", note, err)
	}
}

// TestSupplierFactorsAreMetered verifies that the gateway is told what a factor and a change of it store, and nothing of
// a dry run.
func TestSupplierFactorsAreMetered(t *testing.T) {
	t.Parallel()
	h := start(t)
	stored := func(a answer) int {
		t.Helper()
		n, err := strconv.Atoi(a.header.Get("X-Ecf-Stored"))
		if err != nil && a.header.Get("X-Ecf-Stored") != "" {
			t.Error(err)
		}
		return n
	}
	if n := stored(h.send(planck, http.MethodPost, "/supplier-factors", greenPower, "X-Dry-Run", "true").want(http.StatusCreated, "")); n != 0 {
		t.Errorf("a dry run stores %d bytes", n)
	}
	made := h.send(planck, http.MethodPost, "/supplier-factors", greenPower).want(http.StatusCreated, "")
	if n, want := stored(made), 2*len(greenPower); n != want {
		t.Errorf("a factor stores %d bytes, want %d", n, want)
	}
	change := `{"comment":"` + strings.Repeat("x", 1000) + `"}`
	if n, want := stored(h.send(marie, http.MethodPost, "/supplier-factors/"+made.text("_id")+"/reject", change).want(http.StatusOK, "")), 2*len(change); n != want {
		t.Errorf("a decision stores %d bytes, want %d", n, want)
	}
}

// TestFieldsOfSupplierFactors: each field is served as it was sent, and each fault is refused alone, by its name.
func TestFieldsOfSupplierFactors(t *testing.T) {
	t.Parallel()
	h := start(t)
	const hash = "abababababababababababababababababababababababababababababababab"
	fields := map[string]string{
		"name": `"Green Power"`, "kgCO2ePerUnit": `0.5`, "unit": `"m²"`, "stage": `"upstream"`, "scope3Category": `"4 Upstream transportation and distribution"`, "validFrom": `"2026-01-01"`, "validTo": `"2026-01-01"`,
		"source": `"Disclosure 2025"`, "uncertaintyFactor": `1.2`, "evidence": `[{"name":"d.pdf","url":"https://x.test/d"},{"sha256":"` + hash + `"}]`,
	}
	body := func(field, value string) string {
		changed := maps.Clone(fields)
		if changed[field] = value; value == "" {
			delete(changed, field)
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(changed)) {
			parts = append(parts, strconv.Quote(name)+":"+changed[name])
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	made := h.send(planck, http.MethodPost, "/supplier-factors", body("name", fields["name"])).want(http.StatusCreated, "")
	for _, a := range []answer{made, h.send(ada, http.MethodGet, "/supplier-factors/"+made.text("_id"), "").want(http.StatusOK, "")} {
		for field, value := range fields {
			if !strings.Contains(a.body, strconv.Quote(field)+":"+value) {
				t.Errorf("%s is not %s: %s", field, value, a.body)
			}
		}
	}
	for _, c := range []struct{ field, value, fault string }{
		{"name", "", "name"}, {"kgCO2ePerUnit", "", "kgCO2ePerUnit"}, {"unit", "", "unit"}, {"source", "", "source"}, {"evidence", "", "evidence"},
		{"name", `"=cmd()"`, "name"}, {"name", `"a@2"`, "name"}, {"unit", `"+kWh"`, "unit"}, {"kgCO2ePerUnit", `-1`, "kgCO2ePerUnit"}, {"kgCO2ePerUnit", `1000001`, "kgCO2ePerUnit"},
		{"stage", `"other"`, "stage"}, {"scope3Category", `"16"`, "scope3Category"}, {"validTo", `"2025-12-31"`, "validTo"}, {"uncertaintyFactor", `1`, "uncertaintyFactor"},
		{"source", `""`, "source"}, {"evidence", `[]`, "evidence"}, {"evidence", `[{}]`, "evidence[0].name"}, {"evidence", `[{"name":"d.pdf"}]`, "evidence[0].sha256"},
		{"evidence", `[{"sha256":"ab"}]`, "evidence[0].sha256"}, {"evidence", `[{"sha256":"` + hash + `","name":""}]`, "evidence[0].name"},
	} {
		refused := h.send(planck, http.MethodPost, "/supplier-factors", body(c.field, c.value)).want(http.StatusBadRequest, "VALIDATION_ERROR")
		if !strings.Contains(refused.body, `"field":"`+c.fault+`"`) || strings.Count(refused.body, `"field"`) != 1 {
			t.Errorf("%s %s: %s, want one fault of %s", c.field, c.value, refused.body, c.fault)
		}
	}
	// Each limit of time may be there without the other.
	for _, field := range []string{"validFrom", "validTo", "stage", "scope3Category", "uncertaintyFactor"} {
		if a := h.send(planck, http.MethodPost, "/supplier-factors", body(field, "")).want(http.StatusCreated, ""); strings.Contains(a.body, strconv.Quote(field)) && field != "stage" {
			t.Errorf("without %s: %s", field, a.body)
		}
	}
}
