package sheet

import (
	"cmp"
	"encoding/json"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// dimensions are the width and the height of things.
type dimensions struct {
	*table
	perItem *perItem
	sides   []side
	sizes   []int // columns of both sides in one cell, of some rows at least
}

// dimensionHeads are headings, without their unit, of the sides of what is cut to size, normalized by plain.
var dimensionHeads = [...]wordlist.List{"widthHeads", "heightHeads"}

// findSides finds the columns of width and height of a table of materials without areas and weights: Width (m), Höhe (cm).
func (r *dimensions) findSides() {
	if r.typ != "materials" || r.heading("areaM2", "weightKg", "items", "sheets") || len(r.perItem.of) > 0 {
		return
	}
	for at, head := range r.heads {
		if r.columns[at].Name == "sheetSize" { // Format, of paper or of anything
			r.sizes = append(r.sizes, at)
		} else if r.free(at) && sizeHeads.Has(plain(head)) {
			r.sizes = append(r.sizes, at)
			r.claim(placeAt(at), "areaM2", suffices)
		}
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

// sizeHeads are headings of both sides together, normalized by plain.
const sizeHeads wordlist.List = "sizeHeads"

// sizeIn is a size of two sides in a cell: 85x200cm, 2 m x 3 m, 594 × 841 mm.
var sizeIn = regexp.MustCompile(`(?i)^\s*(\d+(?:[.,]\d+)?)\s*(mm|cm|m)?\s*(?:x|×|\*|by|auf)\s*(\d+(?:[.,]\d+)?)\s*(mm|cm|m)\s*$`)

// sized returns the area of one piece of a row that has its size, in square metres; nil if it has none.
func (r *dimensions) sized(row *row) (area *big.Rat, at int) {
	for _, at := range r.sizes {
		m := sizeIn.FindStringSubmatch(Unguard(oneCell(row.cells, at)))
		if m == nil {
			continue
		}
		area := big.NewRat(1, 1)
		for _, s := range [][2]string{{m[1], cmp.Or(m[2], m[4])}, {m[3], m[4]}} {
			n, err := units.ParseNumber(s[0], units.Format{})
			if err != nil {
				return nil, at
			}
			area.Mul(area, units.Rat(n)).Mul(area, cmp.Or(smallUnits[strings.ToLower(s[1])], big.NewRat(1, 1)))
		}
		return area, at
	}
	return nil, -1
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
	if len(r.sides)+len(r.sizes) == 0 || row.has("areaM2") {
		return nil
	}
	area := big.NewRat(1, 1)
	if len(r.sides) == 0 {
		size, at := r.sized(row)
		if size == nil {
			return nil
		}
		area = size
		r.use(at)
		row.remove("sheetSize")
	}
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
