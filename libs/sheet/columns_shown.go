package sheet

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/units"
)

// ShownColumn is what has to be known of a column of a workbook to write its numbers as they
// are shown.
type ShownColumn struct {
	// Number: the column is a field of numbers.
	Number bool
	// Day: the column has days.
	Day bool
	// Used: the column affects what is imported.
	Used bool
	// money: it has amounts of money. measured: it has a physical quantity, in the unit own,
	// or where that is empty, in those of its cells.
	money, measured bool
	own             string
}

// ShownColumns returns the columns of a head.
func ShownColumns(head []string, typ string, o Options) []ShownColumn {
	r := newInterpreter(typ, o)
	_ = r.readHead(head) // what is wrong with it is told by who reads the rows
	out := make([]ShownColumn, len(head))
	for i, c := range r.columns {
		target, measured := units.OfField(c.Name)
		out[i] = ShownColumn{Number: c.number(), Used: r.used(i), Day: c.Name == "date" || slices.Contains(r.lodging.stay, i), money: c.Name == moneyField && typ == "purchases",
			measured: c.number() && (measured || slices.Contains(r.quantity, i)), own: target.Symbol}
		if r.inUnit[i] != "" {
			out[i].own = r.inUnit[i]
		}
		for _, each := range r.perItem.of {
			if target, measured := units.OfField(each.field.Name); each.at == i {
				out[i].measured, out[i].own, out[i].money = measured, cmp.Or(each.unit, target.Symbol), each.field.Name == moneyField
			}
		}
	}
	return out
}

// used reports whether a column affects the records: a field, or what one is derived from.
func (in *interpreter) used(at int) bool {
	return in.columns[at].Name != "" || slices.Contains(in.quantity, at) || in.isClaimed(at, shown) ||
		in.counts[at] != "" && len(in.perItem.of)+len(in.dimensions.sides) > 0
}

// Takes reports whether the number of a cell is to be written with what its format shows beside
// it: a unit or a currency, where the column does not say the same. Of a column without units a
// format says nothing that matters.
func (c ShownColumn) Takes(shown string) bool {
	_, sign := signs[shown]
	currency := sign || len(shown) == 3 && strings.Trim(shown, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	if c.money {
		return currency || isThousands(shown)
	}
	if !c.measured {
		return false
	}
	for _, dimension := range units.Dimensions() {
		u, err := units.ByName(shown, dimension)
		_, unclear := errors.AsType[*units.AmbiguousUnitError](err)
		if err == nil && u.Symbol == c.own {
			return false
		}
		if err == nil || unclear {
			return true
		}
	}
	return sign
}
