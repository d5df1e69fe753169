package records_test

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestPaperLinesOverHTTP sends forty ordinary lines of an event's accounts, each with a body of only the information
// in the line: at least 36 are accepted, each within the interval of a worked answer, and the others have advice.
func TestPaperLinesOverHTTP(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../libs/footprint/testdata/paper-lines.json")
	if err != nil {
		t.Fatal(err)
	}
	var lines []struct {
		Line, Type, Notice, Fault string
		Body                      json.RawMessage
		WholeLow, WholeHigh       float64
	}
	if err := json.Unmarshal(text, &lines); err != nil || len(lines) != 40 {
		t.Fatal(len(lines), err)
	}
	h := start(t)
	event := "/events/" + h.send(planck, http.MethodPost, "/events",
		`{"title":"The books","country":"GB","startDate":"2026-05-12","endDate":"2026-05-14","attendees":1000}`).want(http.StatusCreated, "").text("_id")
	accepted := 0
	for _, l := range lines {
		a := h.send(ada, http.MethodPost, event+"/"+l.Type, string(l.Body))
		if l.Fault != "" {
			if a.status != http.StatusBadRequest || !strings.Contains(a.body, l.Fault) || !strings.Contains(a.body, "Write") {
				t.Errorf("%s: %d %s", l.Line, a.status, a.body)
			}
			continue
		}
		if a.status != http.StatusCreated {
			t.Errorf("%s: %d %s", l.Line, a.status, a.body)
			continue
		}
		accepted++
		kg, _ := figure(a.data["footprint"]).(float64)
		if kg <= 0 || l.WholeHigh > 0 && (kg < l.WholeLow || kg > l.WholeHigh) {
			t.Errorf("%s: %v kg, want %v to %v", l.Line, kg, l.WholeLow, l.WholeHigh)
		}
		if !strings.Contains(a.body, l.Notice) {
			t.Errorf("%s: the notice %s is missing in %s", l.Line, l.Notice, a.body)
		}
	}
	if accepted < 36 {
		t.Errorf("%d of %d lines were accepted", accepted, len(lines))
	}
}
