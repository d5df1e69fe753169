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
		case share.Cmp(big.NewRat(100, 1)) != 0:
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
