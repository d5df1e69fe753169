package sheet

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/units"
)

// Numbers detects the number format of a file from all of its numbers, if it is not
// given: 1.200 is twelve hundred in a file with 1.234,5 and one and a fifth in a file with
// 0.25. The zero value has seen none.
type Numbers struct {
	// left are the formats in which every number so far is valid.
	left []string
	seen bool
	// points and commas: a number with that sign has two readings.
	points, commas bool
}

const separators = "., '’‘´`ʼ\u00a0\u202f\u2009"

// Add considers a cell of a numeric column, with or without a unit. Text that is not a number in any format is
// ignored.
func (n *Numbers) Add(cell string) {
	number, _, _ := money(Unguard(strings.TrimSpace(cell)))
	if end := strings.IndexFunc(number, func(r rune) bool { return !strings.ContainsRune("0123456789"+separators, r) }); end >= 0 {
		number = number[:end]
	}
	if number = strings.TrimRight(number, separators); !strings.ContainsAny(number, separators) {
		return // digits only have one interpretation
	}
	if !n.seen {
		n.seen, n.left = true, units.Formats()
	}
	if ambiguous(number) != nil {
		n.points = n.points || strings.Contains(number, ".")
		n.commas = n.commas || strings.Contains(number, ",")
	}
	readable := func(format string) bool {
		f, _ := units.ParseFormat(format)
		_, err := units.ParseNumber(number, f)
		return err == nil
	}
	if slices.ContainsFunc(units.Formats(), readable) {
		n.left = slices.DeleteFunc(n.left, func(format string) bool { return !readable(format) })
	}
}

// Format returns the common format of all numbers if one of them is ambiguous and the others determine it; else an
// empty text.
func (n *Numbers) Format() string {
	if !n.points && !n.commas || len(n.left) == 0 {
		return ""
	}
	first, _ := units.ParseFormat(n.left[0])
	for _, other := range n.left[1:] {
		if f, _ := units.ParseFormat(other); f.Decimal != first.Decimal {
			return ""
		}
	}
	return n.left[0]
}

// residue returns the fault of a number that is what a calculation of a spreadsheet leaves of nothing, such as 1E-30: as an
// amount it would count nothing, and be taken for one.
func (in *interpreter) residue(at int, cell string) *apperr.Detail {
	if in.reading != interpreted || !strings.ContainsAny(cell, "eE") {
		return nil
	}
	n, err := strconv.ParseFloat(strings.Replace(cell, ",", ".", 1), 64)
	if err != nil || n == 0 || math.Abs(n) >= leastAmount {
		return nil
	}
	return &apperr.Detail{Field: in.heads[at], Code: fields.OutOfRange,
		Message: fmt.Sprintf("%s is %.40s, which is less than any amount: spreadsheets leave such numbers of a difference of nothing. Write the amount, or 0.", in.heads[at], cell)}
}

// leastAmount is below what no amount of a record is, in any unit.
const leastAmount = 1e-6

// ambiguous returns the error of a number that has two readings; nil for any other text.
func ambiguous(cell string) *units.AmbiguousNumberError {
	_, err := units.ParseNumber(cell, units.Format{})
	e, _ := errors.AsType[*units.AmbiguousNumberError](err)
	return e
}

// HasTwoReadings reports whether a text is a number that may be another one, such as
// 1.200.
func HasTwoReadings(text string) bool { return ambiguous(text) != nil }

// ambiguousNumber is the fault of such a number.
func (t *table) ambiguousNumber(at int, e *units.AmbiguousNumberError) *apperr.Detail {
	return &apperr.Detail{Field: t.heads[at], Code: footprint.AmbiguousNumber, Suggestions: e.Readings[:], Message: e.Error() + ". " + footprint.DeclareNumbers}
}

// twoReadings returns the fault of an ambiguous number in a file whose number format is neither declared nor evident.
// Unless Doubts is set, the point is the decimal separator.
func (t *table) twoReadings(i int, cell string) *apperr.Detail {
	if t.declared() != "" {
		return nil
	}
	e := ambiguous(cell)
	if e == nil || !strings.Contains(cell, ",") && !t.o.Doubts && !t.semicolons {
		return nil
	}
	return t.ambiguousNumber(i, e)
}
