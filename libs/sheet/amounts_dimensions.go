package sheet

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// dimensions are the width and the height of things.
type dimensions struct {
	*table
	perItem *perItem
	sides   []side
}

// dimensionHeads are headings, without their unit, of the sides of what is cut to size, normalized by plain.
var dimensionHeads = [...]wordlist.List{"widthHeads", "heightHeads"}

// findSides finds the columns of width and height of a table of materials without areas and weights: Width (m), Höhe (cm).
func (r *dimensions) findSides() {
	if r.typ != "materials" || r.heading("areaM2", "weightKg", "items", "sheets") || len(r.perItem.of) > 0 {
		return
	}
	var found []side
	for _, heads := range dimensionHeads {
		at := slices.IndexFunc(r.heads, func(head string) bool {
			stem, _, ok := unitOfHead(head)
			return ok && heads.Has(plain(stem))
		})
		if at < 0 || !r.free(at) {
			return
		}
		_, word, _ := unitOfHead(r.heads[at])
		metres := smallUnits[word]
		if unit, err := units.ByName(word, "length"); err == nil {
			target, _ := units.OfField(distanceField)
			metres = new(big.Rat).Mul(target.Convert(big.NewRat(1, 1), unit), big.NewRat(1000, 1))
		}
		if metres == nil {
			return
		}
		found = append(found, side{at, metres})
	}
	r.sides = found
	for _, s := range found {
		r.columns[s.at].Type = "number"
		r.claim(placeAt(s.at), "areaM2", suffices|shown)
		r.use(s.at)
	}
	r.countPieces()
}

// smallUnits are units that only sides are in, and no distance, in metres.
var smallUnits = map[string]*big.Rat{"cm": big.NewRat(1, 100), "mm": big.NewRat(1, 1000)}

// side is a column of one side; metres is one of the unit of its heading.
type side struct {
	at     int
	metres *big.Rat
}

// takeSides sets the area of a row to that of its pieces.
func (r *dimensions) takeSides(row *row) *apperr.Detail {
	if len(r.sides) == 0 || row.has("areaM2") {
		return nil
	}
	area := big.NewRat(1, 1)
	for _, s := range r.sides {
		n, filled, fault := r.partNumber(s.at, oneCell(row.cells, s.at))
		if fault != nil || !filled {
			return fault
		}
		area.Mul(area, units.Rat(n)).Mul(area, s.metres)
	}
	if at := r.perItem.countAt(eachColumn{of: ofPiece}, row.cells); at >= 0 {
		n, fault := r.exactly(at, row.cells[at])
		if fault != nil {
			return fault
		}
		area.Mul(area, units.Rat(n))
		row.counted = append(row.counted, at)
		r.use(at)
	}
	n, err := units.Rounded(area)
	if err != nil || n.IsZero() {
		return nil // the decoder of the record asks for an amount
	}
	row.set("areaM2", json.RawMessage(n.String()))
	return nil
}
