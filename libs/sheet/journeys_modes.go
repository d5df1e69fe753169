package sheet

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// trainHeads are headings of the trains that were taken, vehicleHeads of kinds of vehicles, and productHeads of what railways and taxi companies sell, such as
// ICE and UberX, normalized by plain.
const (
	trainHeads   wordlist.List = "trainHeads"
	vehicleHeads wordlist.List = "vehicleHeads"
	productHeads wordlist.List = "productHeads"
)

// findMode finds the columns that determine the mode of journeys in a table that has no column of modes.
func (r *travellers) findMode() {
	if r.typ != "ground-transport" && r.typ != "freight" || r.heading("mode") {
		return
	}
	for at, head := range r.heads {
		name := plain(head)
		if r.free(at) && (namesVehicle(name) || r.typ == "ground-transport" && serviceHeads.Has(name)) || r.typ == "ground-transport" && at == r.typeAt.index() {
			r.modes = append(r.modes, at)
			r.claim(placeAt(at), "", tells)
		}
	}
}

// mode sets the mode of a row by its train or by the product that was sold: ICE, TGV 6607, UberX.
func (r *travellers) mode(row *row) *apperr.Detail {
	row.putKind(row.vehicle)
	for _, at := range r.modes {
		cell := Unguard(oneCell(row.cells, at))
		if r.typ == "freight" {
			if mode := columnOf(r.typ, "mode").values[key(cell)]; mode != "" && !row.has("mode") {
				row.set("mode", json.RawMessage(strconv.Quote(mode)))
				r.use(at)
			}
			continue
		}
		if row.has("mode") {
			continue
		}
		if kind := carOf(cell); kind.mode != "" {
			row.putKind(kind)
			r.use(at)
			continue
		}
		mode := ""
		if namesVehicle(plain(r.heads[at])) {
			mode = modeNamed(cell, trainHeads.Has(plain(r.heads[at])))
		}
		if mode == "" {
			mode = answeredMode(r.typ, withoutWords(cell, besideServices), columnOf(r.typ, "mode").values)
		}
		if mode == "" && productHeads.Has(plain(r.heads[at])) {
			mode = trainAmong(cell)
		}
		if mode != "" {
			row.set("mode", json.RawMessage(strconv.Quote(mode)))
			r.use(at)
		}
	}
	return nil
}

// namesVehicle reports whether a heading, as plain writes it, is that of trains, of vehicles or of what was sold, below which the
// first words name a mode, and of no kinds of services and expenses, among which there is other than journeys.
func namesVehicle(name string) bool {
	return trainHeads.Has(name) || productHeads.Has(name) || vehicleHeads.Has(name)
}

// besideServices are words beside a mode in the name of a service or an expense: Train fare, Taxi rides.
const besideServices wordlist.List = "besideServices"

// withoutWords returns a text without some words.
func withoutWords(text string, words wordlist.List) string {
	if !words.HasAny(wordsOf(text)) {
		return text
	}
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(word string) bool { return words.Has(strings.ToLower(word)) }), " ")
}

// trainAmong returns the mode of a train among the words of what a railway sold: Super Sparpreis ICE.
func trainAmong(product string) string {
	values := columnOf("ground-transport", "mode").values
	for word := range strings.FieldsSeq(product) {
		if mode := values[key(word)]; mode == "rail" || mode == "international_rail" {
			return mode
		}
	}
	return ""
}

// modeNamed returns the mode that a text names by its first words; empty if it names none. The mode of any kind of train is
// rail.
func modeNamed(text string, train bool) string {
	values, words := columnOf("ground-transport", "mode").values, strings.Fields(text)
	for n := min(len(words), 2); n > 0; n-- {
		if mode := values[key(strings.Join(words[:n], ""))]; mode != "" {
			return mode
		}
	}
	if _, truth := fields.Truth(text); train && !truth && slices.ContainsFunc(words, func(word string) bool { return strings.Trim(word, "-–—./?") != "" }) {
		return "rail"
	}
	return ""
}

// byRoad sets the mode of freight whose vehicle goes by road.
func byRoad(row *row) *apperr.Detail {
	if row.typ == "freight" && row.values["mode"] == nil && roadVehicle(row.text("vehicle")) {
		row.set("mode", json.RawMessage(`"road"`))
	}
	return nil
}

// roadVehicle reports whether a vehicle of freight is one that goes by road.
func roadVehicle(vehicle string) bool {
	return vehicle == "van" || vehicle == "hgv" || strings.HasPrefix(vehicle, "van_") || strings.HasPrefix(vehicle, "hgv_")
}
