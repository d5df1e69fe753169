package sheet

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// distances are those of journeys beside the distance that records have.
type distances struct {
	*table
	legs    *legs
	perItem *perItem
	// of are the columns beside that of the distance, by place.
	of map[int]otherDistance
	// back is the column of the way back beside one of the way there, which is the distance.
	back place
	// whole is the column of the distance that is that of the whole of a row.
	whole place
}

const distanceField = "distanceKm"

// otherDistance is what a column beside the distance of a journey measures.
type otherDistance uint8

const (
	returnDistance otherDistance = iota + 1 // of the way back, or of both ways
	wholeDistance                           // of both ways
	oneWayDistance
)

// Words of such columns.
const (
	distanceHeads wordlist.List = "distanceHeads"
	backWords     wordlist.List = "backWords"
	bothWords     wordlist.List = "bothWords"
	drivenWords   wordlist.List = "drivenWords" // of what was driven altogether
)

// kindOfDistance returns what a column with a heading measures in addition to the distance; 0: no distance.
func kindOfDistance(head string) otherDistance {
	words := distanceWords(head)
	has := func(list wordlist.List) bool { return list.HasAny(words) }
	switch {
	case !has(distanceHeads):
		return 0
	case has(bothWords):
		return wholeDistance
	case slices.Contains(words, "oneway"), slices.Contains(words, "single"), slices.Contains(words, "einfach"), slices.Contains(words, "einfache"):
		return oneWayDistance
	case has(backWords):
		return returnDistance
	}
	return 0
}

// joinedDistances makes one word of each name of a distance there, or there and back.
var joinedDistances = strings.NewReplacer("round trip", "roundtrip", "round-trip", "roundtrip", "one way", "oneway", "one-way", "oneway", "each way", "oneway", "per way", "oneway", "per direction", "oneway", "je richtung", "oneway", "pro richtung", "oneway", "par sens", "oneway", "hin und zurück", "hinundzurück",
	"hin- und rückfahrt", "hinundzurück", "hin- und rückweg", "hinundzurück", "gesamtstrecke", "gesamt strecke", "gesamtkilometer", "gesamt kilometer", "rückfahrtkilometer", "rückfahrt kilometer")

// distanceWords returns the words of a heading, those of a return journey as one.
func distanceWords(head string) []string {
	text := joinedDistances.Replace(strings.ToLower(head))
	return wordsOf(text)
}

// findDistances finds the columns, other than the distance, with a return or a one-way distance.
func (r *distances) findDistances() {
	if r.typ != "ground-transport" && r.typ != "freight" && r.typ != "flights" {
		return
	}
	r.findBothDistances()
	r.findOneWay()
	r.findWhole()
	for at, head := range r.heads {
		if kind := kindOfDistance(head); kind != 0 && r.free(at) {
			if r.of == nil {
				r.of = map[int]otherDistance{}
			}
			r.of[at] = kind
		}
	}
}

// findOneWay makes a column of distances one way the distance, if there is no other one.
func (r *distances) findOneWay() {
	for at, head := range r.heads {
		if r.heading(distanceField) {
			return
		}
		unit := unitAmong(wordsOf(head))
		if unit == nil || kindOfDistance(head) != oneWayDistance || !r.free(at) {
			continue
		}
		r.takeDistance(at, unit)
	}
}

// findWhole makes a column of the distance of a whole row, such as Total km, the distance of a table of journeys that has
// neither another one nor places.
func (r *distances) findWhole() {
	if r.typ == "flights" || len(r.legs.of) > 0 || r.perItem.amountAt(distanceField) >= 0 || r.heading("from", "to") {
		return
	}
	for at, head := range r.heads {
		if kindOfDistance(head) != wholeDistance || !r.free(at) {
			continue
		}
		if unit := unitAmong(distanceWords(head)); unit != nil {
			r.takeDistance(at, unit)
			r.whole = placeAt(at)
			r.claim(r.whole, "", suffices)
			return
		}
	}
}

// takeDistance makes a column the distance, in a unit.
func (r *distances) takeDistance(at int, unit *units.Unit) {
	r.columns[at] = columnOf(r.typ, distanceField)
	if target, _ := units.OfField(distanceField); unit.Symbol != target.Symbol {
		r.inUnit[at] = unit.Symbol
	}
	r.use(at)
}

// takeWhole returns the fault of a row whose distance is a total that the record would count several times.
func (r *distances) takeWhole(row *row) *apperr.Detail {
	if !r.whole.found() || !row.has(distanceField) {
		return nil
	}
	ask := func(at int, once string) *apperr.Detail {
		return &apperr.Detail{Field: r.heads[r.whole.index()], Code: AmbiguousCount, Suggestions: []string{distanceField},
			Message: fmt.Sprintf("%s is %.40q, and the record would count it several times: %s is %.40q. Write how far one way of each was into a column distanceKm, or %s below %s if it is all of it.",
				r.heads[r.whole.index()], oneCell(row.cells, r.whole.index()), r.heads[at], oneCell(row.cells, at), once, r.heads[at])}
	}
	if at := r.placeOf("roundTrip"); at >= 0 && string(row.values["roundTrip"]) == "true" {
		return ask(at, "no")
	}
	each := "passengers"
	if row.has("vehicles") {
		each = "vehicles"
	}
	for _, name := range [...]string{"trips", each} {
		if at := r.placeOf(name); at >= 0 && row.number(name) > 1 {
			return ask(at, "1")
		}
	}
	for at := range r.heads[:min(len(r.heads), len(row.cells))] {
		if n, number := r.asNumber(oneCell(row.cells, at)); r.typ == "freight" && number && n > 1 && (r.counts[at] == ofTrip || r.counts[at] == ofVehicle) {
			return ask(at, "1")
		}
	}
	return nil
}

// unitAmong returns the first unit of length among words; nil if there is none.
func unitAmong(words []string) *units.Unit {
	target, _ := units.OfField(distanceField)
	for _, word := range words {
		if u, err := units.ByName(word, target.Dimension); err == nil && word != "" {
			return u
		}
	}
	return nil
}

// ways returns the fault of a row whose distance, counted once or, for a return journey, twice, differs from that in
// another column.
func (r *distances) ways(row *row) *apperr.Detail {
	switch {
	case len(r.of) == 0:
		return nil
	case !row.has(distanceField):
		return r.unusedDistance(&row.body, row.cells)
	}
	r.wentBack(row)
	counted, _, _, ok := r.measure(distanceField, &row.body)
	if !ok || counted.Sign() == 0 {
		return nil
	}
	there := string(row.values["roundTrip"]) == "true"
	for at := range row.cells {
		kind := r.of[at]
		if kind == 0 {
			continue
		}
		said, ok := r.distance(at, oneCell(row.cells, at))
		if !ok || said.Sign() == 0 {
			continue
		}
		share, _ := new(big.Rat).Quo(said, counted).Float64()
		if fits(kind, share, there) || kind == wholeDistance && row.several(share) {
			continue
		}
		counts := "one way"
		if there {
			counts = "there and back"
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{distanceField, "roundTrip"},
			Message: fmt.Sprintf("%s is %.40q, and the record would count %s, %.40q, %s. Write the distance one way with roundTrip true, or all of it with roundTrip false, and leave the other column out.",
				r.heads[at], oneCell(row.cells, at), r.headingOf(distanceField), oneCell(row.cells, slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == distanceField })), counts)}
	}
	return nil
}

// unusedDistance returns the fault of a row whose distance would be that between its places, one way, beside a column
// with the return distance.
func (r *distances) unusedDistance(b *body, cells []string) *apperr.Detail {
	if r.typ == "flights" || b.values["from"] == nil || b.values["to"] == nil || string(b.values["roundTrip"]) == "true" {
		return nil
	}
	for at := range cells {
		if said, ok := r.distance(at, oneCell(cells, at)); ok && said.Sign() > 0 && (r.of[at] == wholeDistance || r.of[at] == returnDistance) {
			return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{distanceField, "roundTrip"},
				Message: fmt.Sprintf("%s is %.40q, and the record would count the distance between its places one way. Head the column distanceKm if that is all of the distance, or say in a column roundTrip whether the journey is a return.", r.heads[at], oneCell(cells, at))}
		}
	}
	return nil
}

// fits reports whether the share that a column has of the distance is one that the record counts.
func fits(kind otherDistance, share float64, there bool) bool {
	near := func(n float64) bool { return share > 0.98*n && share < 1.02*n }
	switch kind {
	case returnDistance:
		return there && (near(1) || near(2))
	case wholeDistance:
		if there {
			return !near(1)
		}
		return !near(2)
	case oneWayDistance:
		return !near(0.5) || !there
	}
	return true
}

// several reports whether a record counts its distance as often as a total has it.
func (b *body) several(share float64) bool {
	for _, name := range [...]string{"trips", "vehicles", "passengers"} {
		if n, err := strconv.ParseFloat(string(b.values[name]), 64); err == nil && n > 1 && n > 0.98*share && n < 1.02*share {
			return true
		}
	}
	return false
}

// distance returns the distance of a cell in kilometres, by its own unit, by that of its heading, or by that of the
// distance that counts.
func (t *table) distance(at int, cell string) (*big.Rat, bool) {
	target, _ := units.OfField(distanceField)
	format, _ := units.ParseFormat(t.declared())
	m, err := units.Parse(Unguard(cell), target, format)
	if err != nil {
		return nil, false
	}
	unit := m.Unit
	words := wordsOf(t.heads[at])
	if i := slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == distanceField }); i >= 0 {
		words = append(words, t.inUnit[i])
	}
	if unit == nil {
		unit = unitAmong(words)
	}
	if unit == nil {
		return units.Rat(m.Number), true
	}
	return target.Convert(units.Rat(m.Number), unit), true
}
