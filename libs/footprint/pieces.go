package footprint

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// sheetSizes are the paper formats with a known area.
var sheetSizes = [...]string{"A0", "A1", "A2", "A3", "A4", "A5", "A6", "DL"}

// usualGrams is the weight of a square metre of paper that the rows of sheets
// are of.
var usualGrams = decimal.FromInt(80)

// pieces is a weight found by counting.
type pieces struct {
	kg quantity
	// row is the default whose range widens the interval; empty for none.
	row *factors.Default
	// field is the counted field, better the one that would be exact.
	field, better string
	// each is the weight of a piece, of a sheet at usualGrams or of a square metre, in grams.
	each decimal.Decimal
}

// counted returns the weight of a material given by sheets, pieces or area; false if there is none.
func (m *materials) counted(row *materialRowsOf) (pieces, bool) {
	table := factors.Supplement()
	switch {
	case m.WeightKg != nil || m.AreaM2 != nil && m.GramsPerM2 != nil:
		return pieces{}, false
	case m.Sheets > 0 && row.sheets:
		size := m.SheetSize
		if size == "" {
			size = "A4"
		}
		d, ok := table.Default("weight.sheet." + size)
		if !ok {
			return pieces{}, false
		}
		q := whole(m.Sheets).by(d.Value).perThousand()
		if m.GramsPerM2 == nil {
			return pieces{q, &d, "sheets", "gramsPerM2", d.Value}, true
		}
		n, _ := usualGrams.Int64()
		return pieces{q.by(*m.GramsPerM2).times(1, n), nil, "sheets", "", d.Value}, true
	case m.Items > 0 && row.piece != "":
		d, ok := table.Default(row.piece)
		if !ok {
			return pieces{}, false
		}
		return pieces{whole(m.Items).by(d.Value).perThousand(), &d, "items", "weightKg", d.Value}, true
	case m.AreaM2 != nil && row.sheet != "":
		d, ok := table.Default(row.sheet)
		if !ok {
			return pieces{}, false
		}
		return pieces{exactly(*m.AreaM2).by(d.Value).perThousand(), &d, "areaM2", "gramsPerM2", d.Value}, true
	}
	return pieces{}, false
}

// weighed adds a notice about how pieces were weighed, and widens the interval accordingly.
func (c *calculation) weighed(p pieces) {
	if p.row == nil {
		c.note(NoticePieces, p.field, "The weight is %s kg, by the area of the sheets and gramsPerM2.", p.kg)
		c.least = max(c.least, Calculated)
		return
	}
	c.note(NoticePieces, p.field, "The weight is %s kg, at %s %s (%s). %s would be better.", p.kg, p.row.Value, p.row.Unit, p.row.Quantity, p.better)
	c.assume(NoticePieces, p.better, spreadOf(*p.row))
	c.least = max(c.least, Estimated)
	if strings.HasPrefix(p.row.Detail, "CHOICE") {
		c.least = Assumed
	}
}

// usesOfHired is the row of the uses that are assumed.
const usesOfHired = "choice.hired.uses"

// uses returns how often hired things are used over their life, as stated or as
// assumed.
func (c *calculation) uses(m *materials) int64 {
	if m.UsesOverLife > 0 {
		return m.UsesOverLife
	}
	d, ok := c.stand(usesOfHired, "usesOverLife")
	n, whole := d.Value.Int64()
	if !ok || !whole || n < 1 {
		return 1
	}
	c.defaultTo("usesOverLife")
	c.note(NoticeUsesAssumed, "usesOverLife", "%d uses over the life of the hired material were assumed. The hirer's figure would be better.", n)
	c.assume(NoticeUsesAssumed, "usesOverLife", spreadOf(d))
	c.least = Assumed
	return n
}

// CountedByPieces reports whether records of a material may have a number of pieces instead of a weight.
func CountedByPieces(material string) bool {
	row := materialRow(material)
	return row != nil && (row.item != "" || row.piece != "")
}
