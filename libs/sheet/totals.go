package sheet

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// TotalsRow is the code of a row that sums up the others.
const TotalsRow = "TOTALS_ROW"

// totalWords are what people call such a row.
var totalWords = []string{"total", "totals", "grand total", "subtotal", "sub-total", "sum", "summe", "gesamt", "gesamtsumme", "zwischensumme", "somme", "suma", "totale", "totaal"}

// sums are the sums of the columns of the rows before; they only help to know a
// totals row that has no label.
type sums struct {
	of   []float64
	rows int
}

// totals returns the fault of a row that sums up the file: one label and numbers,
// or numbers alone that are each the sum of those above. Imported, it would have
// everything count twice.
func (r *Reader) totals(cells []string) *apperr.Detail {
	label, at, texts, numbers, summed := "", 0, 0, 0, true
	values := make([]float64, len(cells))
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if n, ok := r.asNumber(cell); ok {
			values[i] = n
			numbers++
			summed = summed && i < len(r.sums.of) && math.Abs(n-r.sums.of[i]) <= 1e-9*math.Abs(n)
			continue
		}
		texts++
		if slices.Contains(totalWords, strings.Trim(strings.ToLower(cell), " :=*")) {
			label, at = cell, i
		}
	}
	if numbers > 0 && (texts == 1 && label != "" || texts == 0 && summed && r.sums.rows >= 2 && r.hasTexts()) {
		d := &apperr.Detail{Code: TotalsRow, Message: "The row sums up the others. Imported, everything would count twice; delete it from the file."}
		if label != "" {
			d.Message = fmt.Sprintf("The row is headed %s and sums up the others. Imported, everything would count twice; delete it from the file.", strconv.Quote(label))
			if at < len(r.heads) {
				d.Field = r.heads[at]
			}
		}
		return d
	}
	r.sums.rows++
	for i, n := range values {
		if i >= len(r.sums.of) {
			r.sums.of = append(r.sums.of, 0)
		}
		r.sums.of[i] += n
	}
	return nil
}

// hasTexts reports whether the file has a column of texts, which a totals row leaves
// empty.
func (r *Reader) hasTexts() bool {
	return slices.ContainsFunc(r.columns, func(c Column) bool { return c.Name != "" && !c.number() })
}

// asNumber reads a cell roughly, with or without a unit behind it.
func (r *Reader) asNumber(cell string) (float64, bool) {
	cell, _, _ = strings.Cut(cell, " ")
	if r.declared() != "" && strings.HasSuffix(r.declared(), ",5") {
		cell = strings.ReplaceAll(strings.ReplaceAll(cell, ".", ""), ",", ".")
	} else {
		cell = strings.ReplaceAll(cell, ",", "")
	}
	n, err := strconv.ParseFloat(cell, 64)
	return n, err == nil && !math.IsInf(n, 0) && !math.IsNaN(n)
}
