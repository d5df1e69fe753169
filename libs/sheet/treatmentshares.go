package sheet

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

// besideTreatments are words around a treatment in the heading of its share, and shareEndings what such words end in.
const (
	besideTreatments wordList = "besideTreatments"
	shareEndings     wordList = "shareEndings"
	percentWords     wordList = "percentWords"
)

// treatmentColumn is a column of the share of waste that goes to one treatment, such as Recycled %.
type treatmentColumn struct {
	at        int
	treatment string
}

// findTreatments finds the columns of shares of treatments of waste.
func (r *Reader) findTreatments() {
	if r.typ != "waste" {
		return
	}
	for at, head := range r.heads {
		if !r.free(at) || !strings.Contains(head, "%") && !percentWords.hasAny(wordsOf(head)) {
			continue
		}
		var words []string
		for _, word := range wordsOf(head) {
			for _, ending := range shareEndings.all() {
				word = strings.TrimSuffix(word, ending)
			}
			if word != "" && !besideTreatments.has(word) && !percentWords.has(word) {
				words = append(words, word)
			}
		}
		if treatment := columnOf(r.typ, "treatment").values[key(strings.Join(words, ""))]; treatment != "" {
			r.treatments = append(r.treatments, treatmentColumn{at, treatment})
			r.use(at)
		}
	}
}

// treated sets the treatment of waste all of which goes to one, and returns the fault of a row with several.
func (r *Reader) treated(b *body, cells []string) *apperr.Detail {
	for _, column := range r.treatments {
		cell := Unguard(oneCell(cells, column.at))
		n, filled, fault := r.partNumber(column.at, strings.TrimSpace(strings.TrimSuffix(cell, "%")))
		if fault != nil {
			return fault
		}
		share := units.Rat(n)
		switch {
		case !filled || share.Sign() == 0:
			continue
		case share.Cmp(big.NewRat(100, 1)) != 0:
			return &apperr.Detail{Field: r.heads[column.at], Code: SeveralRecords, Suggestions: []string{"treatment", "weightKg"},
				Message: fmt.Sprintf("%s is %.40q, and a record has one treatment. Write a row for each, with the weight that goes to it.", r.heads[column.at], cell)}
		case b.has("treatment") && b.text("treatment") != column.treatment:
			return &apperr.Detail{Field: r.heads[column.at], Code: fields.NotAllowed, Suggestions: []string{"treatment"},
				Message: fmt.Sprintf("%s is %.40q, and %s is %.40q. Correct one of them, or leave the column out.", r.heads[column.at], cell, r.Head("treatment"), b.text("treatment"))}
		}
		b.put("treatment", column.treatment)
	}
	return nil
}
