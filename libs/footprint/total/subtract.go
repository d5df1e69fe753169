package total

import (
	"math/big"
	"slices"
)

// Less subtracts other, one of the summands of c, and returns exactly the sum of the rest. ok is false if that cannot
// be determined; then the rest has to be summed. A cell whose masses become zero may have belonged to other alone or
// also to lines without mass, and if other is among the widest records of a sum, the next widest is unknown.
func (c Contribution) Less(other Contribution) (rest Contribution, ok bool) {
	if c.Engine() != other.Engine() || other.records >= c.records {
		return Contribution{}, false
	}
	out := c
	out.records -= other.records
	out.gases = c.gases.Sub(other.gases)
	for i := range out.quality {
		out.quality[i] = c.quality[i].Sub(other.quality[i])
	}
	out.extrapolated = c.extrapolated.Sub(other.extrapolated)
	out.unbased = c.unbased.Sub(other.unbased)
	out.biogenic = c.biogenic.Sub(other.biogenic)
	out.market = c.market.Sub(other.market)
	var cells, counts, parts, notices bool
	out.cells, cells = without(c.cells, other.cells, func(a, b cell) int { return a.compare(b.cellKey) }, cell.less)
	out.counts, counts = without(c.counts, other.counts, compareCounts, count.less)
	out.parts, parts = without(c.parts, other.parts, compareParts, partOwn.less)
	out.notices, notices = without(c.notices, other.notices, compareNotices, noticeSum.less)
	if !cells || !counts || !parts || !notices {
		return Contribution{}, false
	}
	return out, true
}

// without subtracts the entries of b from those of a; both are sorted. less returns the difference of two entries,
// and whether an entry remains.
func without[T any](a, b []T, order func(a, b T) int, less func(a, b T) (rest T, left, ok bool)) (out []T, ok bool) {
	if len(b) == 0 {
		return a, true
	}
	out = make([]T, 0, len(a))
	for _, n := range a {
		if len(b) == 0 || order(n, b[0]) != 0 {
			out = append(out, n)
			continue
		}
		rest, left, ok := less(n, b[0])
		if !ok {
			return nil, false
		}
		if left {
			out = append(out, rest)
		}
		b = b[1:]
	}
	return out, len(b) == 0
}

func (c cell) less(o cell) (rest cell, left, ok bool) {
	c.Mass, c.Down, c.Up = c.Mass.Sub(o.Mass), c.Down.Sub(o.Down), c.Up.Sub(o.Up)
	return c, true, !c.Mass.IsZero()
}

func (c count) less(o count) (rest count, left, ok bool) {
	c.Records -= o.Records
	c.Own, ok = c.Own.less(o.Own)
	return c, c.Records > 0, ok && (c.Records > 0 || c.Records == 0 && c.Own.isZero())
}

func (s noticeSum) less(o noticeSum) (rest noticeSum, left, ok bool) {
	s.Records -= o.Records
	s.Mass = s.Mass.Sub(o.Mass)
	return s, s.Records > 0, s.Records > 0 || s.Records == 0 && s.Mass.IsZero()
}

// less: the part contains only records that increase its variance.
func (p partOwn) less(o partOwn) (rest partOwn, left, ok bool) {
	p.Own, ok = p.Own.less(o.Own)
	left = p.Own.Variance != nil
	return p, left, ok && o.Own.Variance != nil && (left || p.Own.isZero())
}

func (o own) isZero() bool { return o.Variance == nil && o.Third == nil && len(o.Wide) == 0 }

func (o own) less(p own) (rest own, ok bool) {
	var variance, third, wide bool
	rest.Variance, variance = lessOwn(o.Variance, p.Variance)
	rest.Third, third = lessOwn(o.Third, p.Third)
	rest.Wide, wide = lessWide(o.Wide, p.Wide)
	return rest, variance && third && wide
}

func lessOwn(a, b *big.Int) (rest *big.Int, ok bool) {
	if b == nil {
		return a, true
	}
	n := new(big.Int).Sub(ownOf(a), b)
	return positive(n), n.Sign() >= 0
}

// lessWide removes records from the widest of a sum. A list that is not full is complete; otherwise the next widest
// is unknown.
func lessWide(a, b []wide) (rest []wide, ok bool) {
	if len(a) == maxWide {
		return a, len(b) == 0 || compareWide(a[maxWide-1], b[0]) < 0
	}
	rest = slices.Clone(a)
	for _, w := range b {
		at := slices.IndexFunc(rest, func(k wide) bool { return compareWide(k, w) == 0 })
		if at < 0 {
			return nil, false
		}
		rest = slices.Delete(rest, at, at+1)
	}
	return rest, true
}
