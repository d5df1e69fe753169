package sheet

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// Headings of the names of drivers, of whom each vehicle has one, and texts for a battery-electric car, normalized by plain.
const (
	driverHeads  wordlist.List = "driverHeads"
	electricCars wordlist.List = "electricCars"
)

// vehicleKind is what a text says of the vehicle of a journey: Small petrol car, E-Auto, SUV (hybrid). Empty: it does not say
// that.
type vehicleKind struct{ mode, size, fuel string }

// carOf returns the kind of car that a text names, and none if it names another vehicle, or says what the record has no field for.
func carOf(text string) (kind vehicleKind) {
	if electricCars.Has(plain(text)) {
		return vehicleKind{mode: "car", fuel: "battery_electric"}
	}
	sizes, fuels := columnOf("ground-transport", "size").values, columnOf("ground-transport", "fuel").values
	modes, rest := columnOf("ground-transport", "mode").values, ""
	for _, word := range wordsOf(text) {
		size, fuel := sizes[key(word)], fuels[key(word)]
		switch {
		case kind.size == "" && slices.Contains([]string{"small", "medium", "large"}, size):
			kind.size = size
			if modes[key(word)] != "" { // Kleinwagen
				rest += " " + word
			}
		case kind.fuel == "" && fuel != "":
			kind.fuel = fuel
		default:
			rest += " " + word
		}
	}
	if kind.mode = answeredMode("ground-transport", rest, modes); kind.mode != "car" {
		return vehicleKind{}
	}
	return kind
}

// putKind sets the fields of a kind of vehicle; what other columns say of its size and fuel stays.
func (b *body) putKind(kind vehicleKind) {
	for _, field := range [...][2]string{{"mode", kind.mode}, {"size", kind.size}, {"fuel", kind.fuel}} {
		if field[1] != "" && !b.has(field[0]) {
			b.put(field[0], field[1])
		}
	}
}

// drivenBy makes one vehicle of a row with the name of its driver, if vehicles of its mode count as a whole.
func (r *travellers) drivenBy(row *row) *apperr.Detail {
	if !r.driver.found() || row.has("passengers") || row.has("vehicles") || r.countsTickets(row.cells) {
		return nil
	}
	if wholeVehicles.Has(row.text("mode")) && oneName(Unguard(oneCell(row.cells, r.driver.index()))) {
		row.put("vehicles", 1)
	}
	return nil
}
