package sheet

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/units"
)

// sideHeads are headings, without their unit, of the sides of what is cut to size, normalized by plain.
var sideHeads = [2][]string{{"width", "breite", "largeur", "anchura"}, {"height", "length", "höhe", "länge", "hauteur", "longueur", "altura"}}

// findSides finds the columns of width and height of a table of materials without areas and weights: Width (m), Höhe (cm).
func (r *Reader) findSides() {
	if r.typ != "materials" || r.o.Rules == 0 || r.heading("areaM2", "weightKg", "items", "sheets") || len(r.each) > 0 || slices.Contains(r.heads, "_id") {
		return
	}
	var found []side
	for _, heads := range sideHeads {
		at := slices.IndexFunc(r.heads, func(head string) bool {
			stem, _, ok := unitOfHead(head)
			return ok && slices.Contains(heads, plain(stem))
		})
		if at < 0 || r.columns[at].Name != "" || r.columns[at].Type != "" {
			return
		}
		_, word, _ := unitOfHead(r.heads[at])
		unit, err := units.ByName(word, "length")
		if err != nil {
			return
		}
		found = append(found, side{at, unit})
	}
	r.sides = found
	for _, s := range found {
		r.columns[s.at].Type = "number"
		r.use(s.at)
	}
	r.countPieces()
}

// side is a column of one side, in the unit of its heading.
type side struct {
	at   int
	unit *units.Unit
}

// takeSides sets the area of a row to that of its pieces.
func (r *Reader) takeSides(b *body, cells []string) *apperr.Detail {
	if len(r.sides) == 0 || b.has("areaM2") {
		return nil
	}
	target, _ := units.OfField(distanceField)
	area := big.NewRat(1000*1000, 1) // km² in m²
	for _, s := range r.sides {
		n, filled, fault := r.partNumber(s.at, oneCell(cells, s.at))
		if fault != nil || !filled {
			return fault
		}
		area.Mul(area, target.Convert(units.Rat(n), s.unit))
	}
	if at := r.countAt(eachColumn{of: ofPiece}, cells); at >= 0 {
		n, fault := r.exactly(at, cells[at])
		if fault != nil {
			return fault
		}
		area.Mul(area, units.Rat(n))
		b.counted = append(b.counted, at)
		r.use(at)
	}
	n, err := units.Rounded(area)
	if err != nil || n.IsZero() {
		return nil // the decoder of the record asks for an amount
	}
	b.set("areaM2", json.RawMessage(n.String()))
	return nil
}
