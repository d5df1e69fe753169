package report

import (
	"fmt"
	"math/big"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// The charts are SVG with positions in percent of their width, so that the page needs no script and texts keep their
// size on a narrow screen: only the bars shrink.
const (
	fullWidth = 10_000 // hundredths of a percent
	plotWidth = 9_600  // width of the largest interval; labels of the axis extend beyond it
)

// barChart shows parts of the total with their intervals.
type barChart struct {
	Bars  []bar
	Ticks []tick
	Unit  string
}

// bar is a row of a chart; places are percentages of the width.
type bar struct {
	Label, Value, Low, High string
	W, LowX, HighX          string
}

type tick struct{ X, Label string }

// percentage writes hundredths of a percent.
func percentage(n int64) string { return fmt.Sprintf("%d.%02d%%", n/100, n%100) }

type part struct {
	label string
	total.Interval
}

func (l *language) typesChart(r bundle.Result) barChart {
	var parts []part
	for _, t := range r.ByType {
		parts = append(parts, part{l.typeName(t.Type), t.Interval})
	}
	return l.bars(parts, r.Total.KgCO2e)
}

func (l *language) groupsChart(r bundle.Result) barChart {
	var parts []part
	for _, g := range r.ByGroup {
		parts = append(parts, part{l.groupName(g.Group), g.Interval})
	}
	return l.bars(parts, r.Total.KgCO2e)
}

// bars lays out one bar per part.
func (l *language) bars(parts []part, total footprint.Mass) barChart {
	var c barChart
	var most footprint.Mass
	for _, p := range parts {
		if p.High.Cmp(most) > 0 {
			most = p.High
		}
	}
	if most.IsZero() {
		return c
	}
	step, unit := axisStep(most)
	c.Unit = "kg CO₂e"
	if unit > 1 {
		c.Unit = l.text("tonnes CO₂e")
	}
	scale := func(m footprint.Mass) int64 {
		n := new(big.Int).Mul(m.Big(), big.NewInt(plotWidth))
		return n.Div(n, most.Big()).Int64()
	}
	for _, p := range parts {
		c.Bars = append(c.Bars, bar{Label: p.label, Value: l.kg(p.KgCO2e) + " kg, " + l.percent(p.KgCO2e, total), Low: l.kg(p.Low), High: l.kg(p.High),
			W: percentage(max(scale(p.KgCO2e), 10)), LowX: percentage(scale(p.Low)), HighX: percentage(scale(p.High))})
	}
	for m := (footprint.Mass{}); m.Cmp(most) <= 0; m = m.Add(step) {
		c.Ticks = append(c.Ticks, tick{percentage(scale(m)), l.rounded(m, unit, decimalsOf(step, unit))})
	}
	return c
}

// axisStep returns a step of 1, 2 or 5 times a power of ten that results in three to six ticks, and whether the axis
// is in kilograms (1) or tonnes (1000).
func axisStep(most footprint.Mass) (step footprint.Mass, unit int64) {
	unit = 1
	if most.Cmp(thousandKilograms) >= 0 {
		unit = 1000
	}
	size := big.NewInt(1000) // a milligram
	for {
		for _, factor := range []int64{1, 2, 5} {
			candidate := new(big.Int).Mul(size, big.NewInt(factor))
			if new(big.Int).Mul(candidate, big.NewInt(6)).Cmp(most.Big()) >= 0 {
				m, err := footprint.ParseMicrograms(candidate.String())
				if err != nil {
					return most, unit
				}
				return m, unit
			}
		}
		size.Mul(size, big.NewInt(10))
	}
}

// decimalsOf returns how many decimals the labels of an axis need.
func decimalsOf(step footprint.Mass, unit int64) int {
	whole := new(big.Int).Mul(big.NewInt(1_000_000_000), big.NewInt(unit))
	n := 0
	for size := step.Big(); size.Cmp(whole) < 0 && n < 9; n++ {
		size.Mul(size, big.NewInt(10))
	}
	return n
}

// stack shows shares of a whole side by side.
type stack struct{ Parts []stackPart }

type stackPart struct{ Label, Share, Class, X, W string }

// stacked draws the parts of a whole; present reports which of them are more than nothing, though they may be too small
// for a tenth of a percent.
func (l *language) stacked(labels []string, classes []string, perMilles []int64, present []bool) stack {
	var s stack
	var sum, drawn int64
	for _, n := range perMilles {
		sum += max(n, 0)
	}
	for i, n := range perMilles {
		if n < 0 || !present[i] || sum == 0 {
			continue
		}
		share := l.permille(n)
		if n == 0 {
			share = l.text("<%s%%", l.number("0.1"))
		}
		from := drawn * fullWidth / sum
		drawn += n
		s.Parts = append(s.Parts, stackPart{Label: labels[i], Share: share, Class: classes[i], X: percentage(from), W: percentage(max(drawn*fullWidth/sum-from, 10))})
	}
	return s
}

func (l *language) scopesChart(b total.Scopes, total footprint.Mass) stack {
	return l.stacked([]string{l.text("Scope 1"), l.text("Scope 2"), l.text("Scope 3")}, []string{"c1", "c2", "c3"},
		[]int64{perMille(b.Scope1, total), perMille(b.Scope2, total), perMille(b.Scope3, total)},
		[]bool{b.Scope1.Sign() > 0, b.Scope2.Sign() > 0, b.Scope3.Sign() > 0})
}

func (l *language) qualityChart(q total.DataQuality) stack {
	perMille := func(d decimal.Decimal) int64 { // shares are in millionths at most
		n := new(big.Rat).SetFrac(big.NewInt(d.Coefficient()), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale())), nil))
		n.Mul(n, big.NewRat(1000, 1))
		return new(big.Int).Div(new(big.Int).Add(new(big.Int).Lsh(n.Num(), 1), n.Denom()), new(big.Int).Lsh(n.Denom(), 1)).Int64()
	}
	return l.stacked([]string{l.text("Measured"), l.text("Calculated"), l.text("Estimated"), l.text("Assumed"), l.text("Scaled up from a survey")}, []string{"q1", "q2", "q3", "q4", "q5"},
		[]int64{perMille(q.MeasuredShare), perMille(q.CalculatedShare), perMille(q.EstimatedShare), perMille(q.AssumedShare), perMille(q.ExtrapolatedShare)},
		[]bool{!q.MeasuredShare.IsZero(), !q.CalculatedShare.IsZero(), !q.EstimatedShare.IsZero(), !q.AssumedShare.IsZero(), !q.ExtrapolatedShare.IsZero()})
}
