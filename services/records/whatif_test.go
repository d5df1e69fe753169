package records_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
)

// TestAnotherPlaceMovesAllAttendeeTravel: the figure of attendee travel in the preview of another place is that of every
// record of it, however many there are and whatever was deleted among them.
func TestAnotherPlaceMovesAllAttendeeTravel(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Meeting","country":"GB","place":"Brighton, GB"}`).want(http.StatusCreated, "").text("_id")
	list := event + "/attendee-travel"
	one := `{"origins":[{"place":"Leeds","people":8,"mode":"train"}]}`
	first := h.send(ada, http.MethodPost, list, one).want(http.StatusCreated, "")
	each, _ := figure(first.data["footprint"]).(float64)
	h.send(ada, http.MethodPost, list+"/batch", `{"items":[`+strings.Repeat(one+",", 69)+one+`]}`).want(http.StatusOK, "")
	h.send(ada, http.MethodDelete, list+"/"+first.text("_id"), "").want(http.StatusOK, "")
	moved := h.send(planck, http.MethodPatch, event, `{"place":"York, GB"}`, "X-Dry-Run", "true").want(http.StatusOK, "")
	w, _ := moved.data["whatIf"].(map[string]any)
	travel, _ := w["attendeeTravel"].(map[string]any)
	if before, _ := figure(travel["before"]).(float64); math.Abs(before-70*each) > 1e-3 || w["total"] == nil {
		t.Errorf("70 records of %v kg each: %.400s", each, moved.body)
	}
}
