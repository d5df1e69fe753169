package records_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// TestTextsThatMislead: no text of an event or record changes the direction of what stands beside it or
// holds what nobody sees. The error names the field, that of a file the row and the column.
func TestTextsThatMislead(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	made := event + "/waste/" + h.send(ada, http.MethodPost, event+"/waste", bin).want(http.StatusCreated, "").text("_id")
	const bad = `a\u202eb`
	for _, c := range []struct{ method, path, body, field string }{
		{http.MethodPost, "/events", `{"title":"` + bad + `"}`, "title"},
		{http.MethodPatch, event, `{"description":"` + bad + `"}`, "description"},
		{http.MethodPatch, event, `{"metadata":{"desk":"` + bad + `"}}`, "metadata.desk"},
		{http.MethodPatch, event, `{"externalReference":"` + bad + `"}`, "externalReference"},
		{http.MethodPatch, event, `{"boundary":{"excluded":[{"type":"water","reason":"` + bad + `"}]}}`, "boundary.excluded[0].reason"},
		{http.MethodPatch, event, `{"title":"Fine","comment":"` + bad + `"}`, "comment"},
		{http.MethodPost, event + "/waste", `{"treatment":"landfill","weightKg":10,"description":"` + bad + `"}`, "description"},
		{http.MethodPost, event + "/waste", `{"treatment":"landfill","weightKg":10,"externalReference":"` + bad + `"}`, "externalReference"},
		{http.MethodPost, event + "/venue", `{"electricityKWh":10,"name":"` + bad + `"}`, "name"},
		{http.MethodPost, event + "/waste", `{"treatment":"landfill","weightKg":10,"evidence":[{"name":"` + bad + `"}]}`, "evidence[0].name"},
		{http.MethodPatch, made, `{"description":"` + bad + `"}`, "description"},
		{http.MethodPatch, made, `{"metadata":{"desk":"\u001b[31m"}}`, "metadata.desk"},
		{http.MethodPut, "/events/by-reference/a%E2%80%AEb", `{"title":"Fine"}`, "externalReference"},
		{http.MethodPut, event + "/waste/by-reference/a%E2%80%AEb", bin, "externalReference"},
	} {
		as := planck
		if strings.Contains(c.path, "/waste") || strings.Contains(c.path, "/venue") {
			as = ada
		}
		a := h.send(as, c.method, c.path, c.body).want(http.StatusBadRequest, "VALIDATION_ERROR")
		if !strings.Contains(a.body, fmt.Sprintf(`"field":%q,"code":"BAD_FORMAT"`, c.field)) {
			t.Errorf("%s %s: %s", a.what, c.body, a.body)
		}
	}
	if a := h.send(ada, http.MethodPost, event+"/waste", `{"treatment":"landfill","weightKg":10,"a\u202eb":1}`).want(http.StatusCreated, ""); strings.Contains(a.body, "\u202e") || !strings.Contains(a.body, "\"field\":\"a\ufffdb\"") {
		t.Errorf("an unknown field: %+q", a.body)
	}
	file := "treatment,weightKg,description,x\u202ey\nlandfill,1,fine,\nlandfill,2,a\u202eb,\n"
	got := h.imported(event+"/imports/"+h.send(ada, http.MethodPost, event+"/waste/import", file, "Content-Type", "text/csv").want(http.StatusAccepted, "").text("_id"), "failed")
	if !strings.Contains(got.body, `"row":3`) || !strings.Contains(got.body, `"column":"description"`) || !strings.Contains(got.body, "U+202E") || !strings.Contains(got.body, "\"ignoredColumns\":[\"x\ufffdy\"]") {
		t.Errorf("imported: %s", got.body)
	}
}

// TestMisleadingTextsFromBefore: what earlier releases stored stays readable, moves through the workflow,
// and is repaired by a change of the field.
func TestMisleadingTextsFromBefore(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	made := event + "/waste/" + h.send(ada, http.MethodPost, event+"/waste", `{"treatment":"landfill","weightKg":10,"description":"MARKED"}`).want(http.StatusCreated, "").text("_id")
	err := h.db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		for _, statement := range []string{`UPDATE records SET fields = replace(fields, 'MARKED', 'a' || char(0x202e) || 'b')`, `UPDATE events SET body = replace(body, '"Meeting"', '"a' || char(0x202e) || 'b"')`} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{made, event} {
		if a := h.send(ada, http.MethodGet, path, "").want(http.StatusOK, ""); !strings.Contains(a.body, "a\u202eb") {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	h.send(planck, http.MethodPatch, event, `{"attendees":5}`).want(http.StatusOK, "")
	h.send(ada, http.MethodPost, made+"/submit", "").want(http.StatusOK, "")
	h.send(ada, http.MethodPost, made+"/withdraw", "").want(http.StatusOK, "")
	if a := h.send(ada, http.MethodPatch, made, `{"weightKg":11}`).want(http.StatusBadRequest, "VALIDATION_ERROR"); !strings.Contains(a.body, `"field":"description"`) {
		t.Errorf("another field: %s", a.body)
	}
	h.send(ada, http.MethodPatch, made, `{"weightKg":11,"description":"ab"}`).want(http.StatusOK, "")
}
