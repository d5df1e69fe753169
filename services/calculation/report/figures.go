package report

import (
	"fmt"
	"math/big"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

// rounded writes a mass in a unit of so many kilograms, with so many decimals.
func (l *language) rounded(m footprint.Mass, kilogramsPerUnit int64, decimals int) string {
	r := new(big.Rat).SetFrac(m.Big(), new(big.Int).Mul(big.NewInt(1_000_000_000), big.NewInt(kilogramsPerUnit)))
	return l.number(explain.Grouped(r.FloatString(decimals)))
}

// thousandKilograms is the mass from which tonnes are shown.
var thousandKilograms = footprint.MassOf(1_000_000_000_000)

// kg writes a mass in kilograms: whole ones from ten kilograms on, with two decimals from one on and grams below that.
// 4.626 kg, with three decimals, would read as 4,626 kg to people who separate thousands by a point, and the other way
// around.
func (l *language) kg(m footprint.Mass) string {
	switch {
	case m.Cmp(footprint.MassOf(10_000_000_000)) >= 0 || m.IsZero():
		return l.rounded(m, 1, 0)
	case m.Cmp(footprint.MassOf(1_000_000_000)) >= 0:
		return l.rounded(m, 1, 2)
	case m.Sign() > 0 && m.Cmp(footprint.MassOf(500_000)) < 0:
		return "<" + l.number("0.001")
	}
	return l.rounded(m, 1, 3)
}

// threeDigits writes kilograms as the console writes them, with three significant digits: beside tables, whose columns have the same
// decimals for all, a figure stands alone.
func (l *language) threeDigits(m footprint.Mass) string {
	if m.Cmp(footprint.MassOf(10_000_000_000)) < 0 || m.Cmp(footprint.MassOf(100_000_000_000)) >= 0 {
		return l.kg(m)
	}
	return l.rounded(m, 1, 1)
}

// inTonnes writes the total with its interval, in tonnes from one tonne on.
func (l *language) inTonnes(i total.Interval) amount {
	if i.KgCO2e.Cmp(footprint.MassOf(10_000_000_000)) < 0 { // a tenth of a kilogram is too coarse for less than ten
		return amount{l.kg(i.KgCO2e), "kg", l.kg(i.Low), l.kg(i.High)}
	}
	unit, per, decimals := "kg", int64(1), 1
	if i.KgCO2e.Cmp(thousandKilograms) >= 0 {
		unit, per, decimals = l.text("tonnes"), 1000, 1
		if i.KgCO2e.Cmp(footprint.MassOf(10_000_000_000_000)) < 0 {
			decimals = 2
		}
	}
	return amount{l.rounded(i.KgCO2e, per, decimals), unit, l.rounded(i.Low, per, decimals), l.rounded(i.High, per, decimals)}
}

func (l *language) rowOf(label string, records int64, i total.Interval, total footprint.Mass) row {
	return row{Name: label, Records: l.count(records), Kg: l.kg(i.KgCO2e), Share: l.percent(i.KgCO2e, total), Low: l.kg(i.Low), High: l.kg(i.High)}
}

func (l *language) shareRow(label string, m, total footprint.Mass) row {
	return row{Name: label, Kg: l.kg(m), Share: l.percent(m, total)}
}

// perMille returns part / whole in thousandths, rounded; 0 if whole is zero.
func perMille(part, whole footprint.Mass) int64 {
	if whole.IsZero() {
		return 0
	}
	n := new(big.Int).Mul(part.Big(), big.NewInt(2000))
	n.Add(n, whole.Big())
	return n.Div(n, new(big.Int).Lsh(whole.Big(), 1)).Int64()
}

// percent writes a share to a tenth of a percent; what is there but less is said
// to be less.
func (l *language) percent(part, whole footprint.Mass) string {
	n := perMille(part, whole)
	if n == 0 && part.Sign() > 0 {
		return l.text("<%s%%", l.number("0.1"))
	}
	return l.permille(n)
}

func (l *language) permille(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return l.text("%s%%", l.number(fmt.Sprintf("%s%d.%d", sign, n/10, n%10)))
}
