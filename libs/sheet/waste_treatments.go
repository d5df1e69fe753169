package sheet

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// treatments are the columns of the share of one treatment.
type treatments struct {
	*table
	shares []treatmentColumn
	// whole is what the shares of the row come to of which each is read as a row of its own; nil while rows are read as they are.
	whole *big.Rat
}

// besideTreatments are words around a treatment in the heading of its share, and shareEndings what such words end in.
const (
	besideTreatments wordlist.List = "besideTreatments"
	shareEndings     wordlist.List = "shareEndings"
	percentWords     wordlist.List = "percentWords"
)

// treatmentColumn is a column of the share or, with a unit, the weight of waste that goes to one treatment, such as Recycled %
// and Recycled (kg).
type treatmentColumn struct {
	at        int
	treatment string
	unit      *units.Unit
}

// findTreatments finds the columns of shares and weights of treatments of waste.
func (r *treatments) findTreatments() {
	if r.typ != "waste" {
		return
	}
	for at, head := range r.heads {
		stem, symbol, _ := unitOfHead(head)
		unit, err := units.ByName(symbol, "mass")
		if err == nil {
			head = stem
		}
		if !r.free(at) || err != nil && !strings.Contains(head, "%") && !percentWords.HasAny(wordsOf(head)) {
			continue
		}
		var words []string
		for _, word := range wordsOf(head) {
			for _, ending := range shareEndings.All() {
				word = strings.TrimSuffix(word, ending)
			}
			if word != "" && !besideTreatments.Has(word) && !percentWords.Has(word) {
				words = append(words, word)
			}
		}
		if treatment := columnOf(r.typ, "treatment").values[key(strings.Join(words, ""))]; treatment != "" {
			r.shares = append(r.shares, treatmentColumn{at, treatment, unit})
			r.columns[at].Type = "number"
			r.use(at)
		}
	}
}

// treated sets the treatment of waste all of which goes to one, and returns the fault of a row with several.
func (r *treatments) treated(row *row) *apperr.Detail {
	for _, column := range r.shares {
		cell := Unguard(oneCell(row.cells, column.at))
		n, filled, fault := r.partNumber(column.at, strings.TrimSpace(strings.TrimSuffix(cell, "%")))
		if fault != nil {
			return fault
		}
		share := units.Rat(n)
		if column.unit != nil && filled && share.Sign() > 0 {
			if fault := r.treatedWeight(&row.body, column, share, row.cells); fault != nil {
				return fault
			}
			continue
		}
		switch {
		case !filled || share.Sign() == 0:
			continue
		case r.whole != nil && share.Cmp(hundredPercent) < 0 && !row.has("treatment") && r.takeShare(row, share):
		case share.Cmp(hundredPercent) != 0:
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{"treatment", "weightKg"},
				Message: fmt.Sprintf("%s is %.40q, and a record has one treatment. Write a row for each, with the weight that goes to it.", r.heads[column.at], cell)}
		case row.has("treatment") && row.text("treatment") != column.treatment:
			return &apperr.Detail{Field: r.heads[column.at], Code: fields.NotAllowed, Suggestions: []string{"treatment"},
				Message: fmt.Sprintf("%s is %.40q, and %s is %.40q. Correct one of them, or leave the column out.", r.heads[column.at], cell, r.headingOf("treatment"), row.text("treatment"))}
		}
		row.put("treatment", column.treatment)
	}
	return nil
}

// hundredPercent is all of a weight, and offPercent by how much rounded shares may come to another sum.
var hundredPercent, offPercent = big.NewRat(100, 1), big.NewRat(1, 10)

// takeShare makes the weight of a row that of a share of it; false if it has none.
func (r *treatments) takeShare(row *row, share *big.Rat) bool {
	kg, _, _, known := r.measure("weightKg", &row.body)
	if !known {
		return false
	}
	part := new(big.Rat).Mul(kg, share)
	row.remove("weightKg")
	return row.setRounded("weightKg", part.Quo(part, r.whole)) == nil
}

// sharesOf returns the places of the shares of treatments that a row has, and what they come to, if there are several and they
// are all of it but for rounding.
func (r *treatments) sharesOf(cells []string) (filled []int, sum *big.Rat) {
	sum = new(big.Rat)
	for _, column := range r.shares {
		cell := strings.TrimSpace(strings.TrimSuffix(Unguard(oneCell(cells, column.at)), "%"))
		if n, ok, fault := r.partNumber(column.at, cell); column.unit == nil && ok && fault == nil && n.Sign() > 0 {
			filled = append(filled, column.at)
			sum.Add(sum, units.Rat(n))
		}
	}
	if off := new(big.Rat).Sub(sum, hundredPercent); len(filled) < 2 || off.Abs(off).Cmp(offPercent) > 0 {
		return nil, nil
	}
	return filled, sum
}

// treatedWeight sets weight and treatment of a row whose weight is below that of a treatment, and returns the fault of a row of
// which another part goes elsewhere.
func (r *treatments) treatedWeight(b *body, column treatmentColumn, weight *big.Rat, cells []string) *apperr.Detail {
	target, _ := units.OfField("weightKg")
	kg := target.Convert(weight, column.unit)
	counted, _, _, known := r.measure("weightKg", b)
	if b.has("weightKg") && (!known || counted.Cmp(kg) != 0) || b.has("treatment") && b.text("treatment") != column.treatment {
		return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{"treatment", "weightKg"},
			Message: fmt.Sprintf("%s is %.40q, and a record has one treatment. Write a row for each, with the weight that goes to it.", r.heads[column.at], oneCell(cells, column.at))}
	}
	b.put("treatment", column.treatment)
	if b.has("weightKg") {
		return nil
	}
	return b.setRounded("weightKg", kg)
}
