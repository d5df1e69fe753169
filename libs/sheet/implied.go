package sheet

import (
	"encoding/json"
	"slices"
	"strings"
)

// leaveOutContainers ignores the kinds of containers of waste that is weighed, in a table that does not count them:
// the weight decides.
func (r *Reader) leaveOutContainers() {
	at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "container" })
	if r.typ != "waste" || at < 0 || r.heading("containers") || !r.heading("weightKg") {
		return
	}
	r.columns[at] = Column{}
	r.ignored = append(r.ignored, at)
}

// byRoad sets the mode of freight whose vehicle goes by road.
func byRoad(b *body) {
	vehicle := b.text("vehicle")
	if b.values["mode"] == nil && (vehicle == "van" || vehicle == "hgv" || strings.HasPrefix(vehicle, "van_") || strings.HasPrefix(vehicle, "hgv_")) {
		b.set("mode", json.RawMessage(`"road"`))
	}
}
