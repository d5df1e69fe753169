package sheet

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// leaveOutContainers ignores the kinds of containers of waste that is weighed, in a table that does not count them:
// the weight decides.
func (t *table) leaveOutContainers() {
	at := slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == "container" })
	if t.typ != "waste" || at < 0 || t.heading("containers") || !t.heading("weightKg") {
		return
	}
	t.columns[at] = Column{}
	t.ignored = append(t.ignored, at)
}

// byRoad sets the mode of freight whose vehicle goes by road.
func byRoad(row *row) *apperr.Detail {
	vehicle := row.text("vehicle")
	if row.typ == "freight" && row.values["mode"] == nil && (vehicle == "van" || vehicle == "hgv" || strings.HasPrefix(vehicle, "van_") || strings.HasPrefix(vehicle, "hgv_")) {
		row.set("mode", json.RawMessage(`"road"`))
	}
	return nil
}
