package records_test

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestCompensationStandsApart: offsets and removals are stored with an event, as a list that is replaced as a whole;
// they do not affect figures and are in its history.
func TestCompensationStandsApart(t *testing.T) {
	t.Parallel()
	h := start(t)
	const list = `[{"kind":"offset","kgCO2e":1200.5,"description":"Cook stoves","standard":"GS","registry":"Impact","reference":"GS1-9","retiredOn":"2026-06-01"},{"kind":"removal","kgCO2e":3,"description":"Biochar"}]`
	made := h.send(planck, http.MethodPost, "/events", `{"title":"Gala","compensation":`+list+`}`).want(http.StatusCreated, "")
	want := []any{
		map[string]any{"kind": "offset", "kgCO2e": 1200.5, "description": "Cook stoves", "standard": "GS", "registry": "Impact", "reference": "GS1-9", "retiredOn": "2026-06-01"},
		map[string]any{"kind": "removal", "kgCO2e": 3.0, "description": "Biochar"},
	}
	path := "/events/" + made.text("_id")
	if read := h.send(planck, http.MethodGet, path, "").want(http.StatusOK, ""); !reflect.DeepEqual(read.data["compensation"], want) {
		t.Errorf("read: %s", read.body)
	}
	less := h.send(planck, http.MethodPatch, path, `{"compensation":[{"kind":"removal","kgCO2e":3,"description":"Biochar"}]}`).want(http.StatusOK, "")
	if !reflect.DeepEqual(less.data["compensation"], want[1:]) || less.data["revision"] != 2.0 {
		t.Errorf("replaced: %s", less.body)
	}
	none := h.send(planck, http.MethodPatch, path, `{"compensation":null}`).want(http.StatusOK, "")
	if none.data["compensation"] != nil {
		t.Errorf("taken away: %s", none.body)
	}
	for field, body := range map[string]string{
		"compensation[0].kind":        `[{"kind":"avoidance","kgCO2e":1,"description":"x"}]`,
		"compensation[0].kgCO2e":      `[{"kind":"offset","kgCO2e":0,"description":"x"}]`,
		"compensation[0].description": `[{"kind":"offset","kgCO2e":1}]`,
		"compensation[0].retiredOn":   `[{"kind":"offset","kgCO2e":1,"description":"x","retiredOn":"June"}]`,
	} {
		refused := h.send(planck, http.MethodPatch, path, `{"compensation":`+body+`}`).want(http.StatusBadRequest, "VALIDATION_ERROR")
		if !strings.Contains(refused.body, `"field":"`+field+`"`) {
			t.Errorf("%s: %s", body, refused.body)
		}
	}
}

// TestHistoriesTakeLargeChangesWithinLimits: a history keeps every value before and after its change, so the large
// changes of a day are bounded, with the time to wait and the field. Small changes of the same event are taken.
func TestHistoriesTakeLargeChangesWithinLimits(t *testing.T) {
	t.Parallel()
	h := start(t)
	path := "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Gala"}`).want(http.StatusCreated, "").text("_id")
	kept := 0
	for i := range 100 {
		text := strings.Repeat("<", 499) + strconv.Itoa(i%10) // six bytes each in JSON
		one := `{"kind":"offset","kgCO2e":1,"description":"` + text + `","reference":"` + text + `"}`
		got := h.send(planck, http.MethodPatch, path, `{"compensation":[`+one+strings.Repeat(","+one, 49)+`]}`)
		if got.status == http.StatusOK {
			kept++
			continue
		}
		got.want(http.StatusTooManyRequests, "RATE_LIMITED")
		if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 23*3600 || wait > 24*3600 ||
			!strings.Contains(got.body, `"field":"compensation","code":"HISTORY_LIMIT"`) {
			t.Errorf("Retry-After %q: %s", got.header.Get("Retry-After"), got.body)
		}
		break
	}
	if kept < 10 || kept > 30 {
		t.Errorf("%d changes of 600 KB were taken", kept)
	}
	h.send(planck, http.MethodPatch, path, `{"title":"Ball"}`).want(http.StatusOK, "")
}
