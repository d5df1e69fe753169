package sheet

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

// modeDistances are the columns of the distance by one mode.
type modeDistances struct {
	*table
	of []modeColumn
}

// modeColumn is a column of the distance by one mode, such as Sea km, Bahn (km) and Distance by road.
type modeColumn struct {
	at   int
	mode string
}

// findModeDistances finds the columns of the distance by one mode.
func (r *modeDistances) findModeDistances() {
	if r.typ != "freight" && r.typ != "ground-transport" {
		return
	}
	for at, head := range r.heads {
		if mode := r.modeOfDistance(head); mode != "" && r.free(at) {
			r.of = append(r.of, modeColumn{at, mode})
			r.claim(placeAt(at), "", suffices)
			r.use(at)
		}
	}
}

// modeOfDistance returns the mode whose distance a heading names; empty if it names none.
func (r *modeDistances) modeOfDistance(head string) string {
	length, _ := units.OfField(distanceField)
	var others []string
	distance := false
	for _, word := range wordsOf(head) {
		_, err := units.ByName(word, length.Dimension)
		switch {
		case err == nil && len(word) > 1 || distanceHeads.Has(word):
			distance = true
		case !besideModes.Has(word):
			others = append(others, word)
		}
	}
	if !distance || len(others) == 0 {
		return ""
	}
	return columnOf(r.typ, "mode").values[key(strings.Join(others, ""))]
}

// byModes sets mode and distance of a row that has its distance below that of a mode, and returns the fault of a row with
// several modes, which are a record each.
func (r *modeDistances) byModes(row *row) *apperr.Detail {
	var first *modeColumn
	for i := range r.of {
		column := &r.of[i]
		cell := oneCell(row.cells, column.at)
		km, ok := r.distance(column.at, cell)
		if !ok {
			if _, _, fault := r.partNumber(column.at, cell); fault != nil {
				return fault
			}
			continue
		}
		if km.Sign() == 0 {
			continue
		}
		if mode := row.text("mode"); first != nil || mode != "" && mode != column.mode {
			return r.severalModes(&row.body, first, column, row.cells)
		}
		first = column
		if !row.has(distanceField) {
			continue
		}
		if counted, _, _, known := r.measure(distanceField, &row.body); known && counted.Cmp(km) != 0 {
			return &apperr.Detail{Field: r.heads[column.at], Code: fields.NotAllowed, Suggestions: []string{distanceField},
				Message: fmt.Sprintf("%s is %.40q, and %s is another distance. Write a row for each leg, or leave one of the columns out.", r.heads[column.at], cell, r.headingOf(distanceField))}
		}
	}
	if first == nil {
		return nil
	}
	row.put("mode", first.mode)
	if row.has(distanceField) {
		return nil
	}
	km, _ := r.distance(first.at, oneCell(row.cells, first.at))
	return row.setRounded(distanceField, km)
}

// severalModes is the fault of a row that went by another mode too, besides that of its mode or of the first column.
func (r *modeDistances) severalModes(b *body, first, other *modeColumn, cells []string) *apperr.Detail {
	beside := fmt.Sprintf("the mode is %s", b.text("mode"))
	if first != nil {
		beside = fmt.Sprintf("%s is %.40q", r.heads[first.at], oneCell(cells, first.at))
	}
	return &apperr.Detail{Field: r.heads[other.at], Code: SeveralRecords, Suggestions: []string{"mode", distanceField},
		Message: fmt.Sprintf("%s is %.40q, and %s: a record has one mode. Write a row for each leg, with its mode and its distance.", r.heads[other.at], oneCell(cells, other.at), beside)}
}
