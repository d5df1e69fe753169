package records_test

import (
	"net/http"
	"testing"
)

// TestLegsOfAFileAreCounted: what a file has in columns of legs has the figure of one record with the same stops.
func TestLegsOfAFileAreCounted(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	h.send(ada, http.MethodPost, event+"/flights", `{"from":"FRA","via":["LHR"],"to":"JFK","class":"economy","passengers":2}`).want(http.StatusCreated, "")
	files := []string{
		"From,To,Leg 2 From,Leg 2 To,Class,Pax\nFRA,LHR,LHR,JFK,Y,2\n",
		"From,To,Stopover,Class,Pax\nFRA,JFK,LHR,Y,2\n",
		"Routing,Class,Pax\nFRA-LHR-JFK,Y,2\n",
	}
	for _, file := range files {
		sent := h.send(ada, http.MethodPost, event+"/flights/import", file, "Content-Type", "text/csv", "Prefer", "handling=strict").want(http.StatusAccepted, "")
		h.imported(event+"/imports/"+sent.text("_id"), "completed")
	}
	items := h.items(event + "/flights")
	if len(items) != 1+len(files) {
		t.Fatalf("%d records, want %d", len(items), 1+len(files))
	}
	figure := func(i int) float64 {
		kg, _ := items[i]["footprint"].(map[string]any)["kgCO2e"].(float64)
		return kg
	}
	for i := range items {
		if figure(i) != figure(0) || figure(i) == 0 {
			t.Errorf("record %d has %g kg, the one before %g", i, figure(i), figure(0))
		}
	}
}
