package total

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// wide are the moments of one record whose activity is very uncertain: its mass and the second and third central
// moment of its lines. Its distribution determines the ends of a sum's interval, which the moments of the sum do not.
type wide struct {
	Mass            footprint.Mass
	Variance, Third *big.Int
}

// maxWide is the number of records stored with a sum, those of the greatest third moment. The others count with the
// moments of the sum.
const maxWide = 6

// wideShare is the share of the square of the mass, in hundredths, from which on
// the variance by the activity is that of a wide record.
var wideShare = big.NewInt(35)

// compareWide orders records by decreasing priority.
func compareWide(a, b wide) int {
	return cmp.Or(b.Third.Cmp(a.Third), b.Variance.Cmp(a.Variance), b.Mass.Cmp(a.Mass))
}

// addWide returns the widest of both, in order.
func addWide(a, b []wide) []wide {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, compareWide)
	return all[:min(len(all), maxWide):min(len(all), maxWide)]
}

// widened returns the moments of a record with the record itself as a wide one, if it is. Engines before 2.3.0 have
// none.
func (o own) widened(lines []footprint.Line, engine string) own {
	if !footprint.Since(engine, footprint.Engine5) || o.Variance == nil {
		return o
	}
	var mass footprint.Mass
	for i := range lines {
		mass = mass.Add(lines[i].Mass)
	}
	w := fixed.Borrow()
	defer w.Return()
	square, share, variance := &w[0], &w[1], &w[2]
	share.Mul(square.Mul(mass.SetBig(share), share), wideShare)
	if variance.Mul(o.Variance, in100).Cmp(share) <= 0 {
		return o
	}
	cells := make([]cell, len(lines))
	for i := range lines {
		cells[i] = cellOf("", &lines[i])
	}
	all := o.add(rowMoments(uses(cells)))
	if ownOf(all.Third).Sign() > 0 {
		o.Wide = []wide{{mass, all.Variance, all.Third}}
	}
	return o
}

// appendText appends the stored form of moments: variance|third, and from engine 2.3.0
// on |mass:variance:third of each wide record, separated by commas.
func (o own) appendText(b []byte, engine string) []byte {
	b = append(appendMoment(b, o.Variance), '|')
	b = appendMoment(b, o.Third)
	if !footprint.Since(engine, footprint.Engine5) {
		return b
	}
	b = append(b, '|')
	for i, w := range o.Wide {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(w.Mass.Append(b), ':')
		b = append(fixed.AppendInt(b, w.Variance), ':')
		b = fixed.AppendInt(b, w.Third)
	}
	return b
}

// appendMoment appends a moment, of which nil is 0.
func appendMoment(b []byte, n *big.Int) []byte {
	if n == nil {
		return append(b, '0')
	}
	return fixed.AppendInt(b, n)
}

// own reads the stored form of moments.
func (p *entries) own(engine string) own {
	o := own{Variance: p.moment(), Third: p.moment()}
	if !footprint.Since(engine, footprint.Engine5) {
		return o
	}
	text := p.text()
	if text == "" {
		return o
	}
	for entry := range strings.SplitSeq(text, ",") {
		q := entries{}
		q.start(strings.ReplaceAll(entry, ":", "|"))
		w := wide{q.mass(), q.moment(), q.moment()}
		q.end()
		if q.bad || w.Mass.Sign() <= 0 || w.Variance == nil || w.Third == nil {
			p.bad = true
			return o
		}
		o.Wide = append(o.Wide, w)
	}
	p.bad = p.bad || len(o.Wide) > maxWide || !slices.IsSortedFunc(o.Wide, compareWide)
	return o
}
