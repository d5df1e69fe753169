package sheet

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/units"
)

// magnitudes are those of the numbers of a column in a large unit, of which an event has no thousands beside a few: 5.400 below
// Menge (t) beside 6,4 is rather a weighbridge's 5.4.
type magnitudes struct {
	// largest is the largest number that has one reading.
	largest float64
	// seen: there is one with decimals.
	seen bool
	// thousands: a number has another reading that is a thousand or more.
	thousands bool
}

const (
	// fewOfUnit is below what a column has of a large unit where thousands of it are absurd.
	fewOfUnit = 100
	// largeUnit is how many of the unit of a field a large one has at least: tonnes, megawatt hours.
	largeUnit = 1000
)

// largeUnits returns the columns of numbers in large units, by their places.
func (t *table) largeUnits() map[int]*magnitudes {
	of := map[int]*magnitudes{}
	for at, c := range t.columns {
		target, measured := units.OfField(c.Name)
		if !measured || t.inUnit[at] == "" {
			continue
		}
		if u, err := units.ByName(t.inUnit[at], target.Dimension); err == nil && target.Convert(big.NewRat(1, 1), u).Cmp(big.NewRat(largeUnit, 1)) >= 0 {
			of[at] = &magnitudes{}
		}
	}
	return of
}

// add considers a cell. Nothing is to be considered of other columns.
func (m *magnitudes) add(cell string) {
	if m == nil {
		return
	}
	cell = Unguard(strings.TrimSpace(cell))
	if HasTwoReadings(cell) {
		m.thousands = m.thousands || strings.Contains(cell, ".")
		return
	}
	if n, err := strconv.ParseFloat(strings.Replace(cell, ",", ".", 1), 64); err == nil {
		m.largest = max(m.largest, n)
		m.seen = m.seen || strings.Contains(cell, ",")
	} else if strings.ContainsAny(cell, "123456789") {
		m.largest = fewOfUnit // 1.234,5
	}
}

// absurd reports whether the numbers with two readings are thousands of the unit beside a few of it.
func (m *magnitudes) absurd() bool { return m.thousands && m.seen && m.largest < fewOfUnit }
