package records_test

import (
	"fmt"
	"net/http"
	"testing"
)

// TestRecordsOverwrittenInABatch: with one reference twice in a batch the last one counts, and the others say so where what
// they had is gone.
func TestRecordsOverwrittenInABatch(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	item := func(reference string, kg int) string {
		return fmt.Sprintf(`{"treatment":"landfill","weightKg":%d,"externalReference":%q}`, kg, reference)
	}
	for range 2 { // created, and of records that exist
		a := h.send(ada, http.MethodPost, event+"/waste/batch", `{"onDuplicate":"update","items":[`+item("A", 1)+","+item("B", 2)+","+item("A", 3)+","+item("B", 2)+","+item("A", 4)+","+item("C", 5)+`]}`).want(http.StatusOK, "")
		for i, want := range []string{"items[4]", "", "items[4]", "", "", ""} {
			got := ""
			if notices, ok := a.data["items"].([]any)[i].(map[string]any)["notices"].([]any); ok && len(notices) == 1 {
				n := notices[0].(map[string]any)
				if got = fmt.Sprint(n["suggestions"].([]any)[0]); n["code"] != "OVERWRITTEN_BY_LATER" || n["field"] != fmt.Sprintf("items[%d].externalReference", i) {
					t.Errorf("items[%d]: %v", i, n)
				}
			}
			if got != want {
				t.Errorf("items[%d] is overwritten by %q, want %q: %s", i, got, want, a.body)
			}
		}
		if kg := h.send(ada, http.MethodGet, event+"/waste/by-reference/A", "").want(http.StatusOK, "").data["weightKg"]; kg != 4.0 {
			t.Errorf("the record weighs %v, want 4", kg)
		}
	}
}
