package bundle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// calculatedBetween is how many records are calculated between two calls of Source.Between: some milliseconds of a
// processor.
const calculatedBetween = 64

// calculate returns the records of a source in the order of a bundle, their contributions, and the rows that they
// use.
func (s Source) calculate(set *factors.Set) (records []Record, parts []total.Contribution, used rows, faults []fault) {
	evaluate, consulted := evaluatorOf(set)
	ev := s.context()
	inputs := slices.Clone(s.Records)
	slices.SortStableFunc(inputs, func(a, b Input) int {
		if a.Type == b.Type { // the common case
			return cmp.Compare(a.Seq, b.Seq)
		}
		return cmp.Or(cmp.Compare(footprint.OrderOf(a.Type), footprint.OrderOf(b.Type)), strings.Compare(a.Type, b.Type), cmp.Compare(a.Seq, b.Seq))
	})
	used = rows{used: map[string]bool{}, suppliers: map[string]factors.Factor{}, consulted: map[int]factors.Factor{}}
	records, parts = make([]Record, 0, len(inputs)), make([]total.Contribution, 0, len(inputs))
	for i, in := range inputs {
		if s.Between != nil && i%calculatedBetween == calculatedBetween-1 {
			if err := s.Between(); err != nil {
				return nil, nil, used, []fault{{i, err}}
			}
		}
		r := Record{ID: in.ID, Type: in.Type, Seq: in.Seq, Revision: in.Revision, Fields: in.Fields,
			InputHash: cmp.Or(in.Hash, inputHash(in)), Lines: []footprint.Line{}, Defaulted: []string{}, Notices: []footprint.Notice{}}
		evaluation, err := evaluate(in.Type, in.Fields, ev)
		if err != nil {
			faults = append(faults, fault{i, fmt.Errorf("record %s: %w", in.ID, err)})
			records, parts = append(records, r), append(parts, total.Contribution{})
			continue
		}
		preview := total.PreviewOf(&evaluation, s.FactorSet)
		r.KgCO2e, r.Low, r.High = preview.KgCO2e, preview.Low, preview.High
		r.Lines, r.Defaulted, r.Notices = append(r.Lines, evaluation.Lines...), preview.Defaulted, preview.Notices
		for _, l := range r.Lines {
			used.used[l.FactorID] = true
		}
		if s := footprint.SupplierFactorOf(in.Type, in.Fields); s != nil {
			used.suppliers[s.RowID()] = s.Row()
		}
		records, parts = append(records, r), append(parts, total.Of(&evaluation))
	}
	if consulted != nil {
		for _, f := range consulted() {
			used.consulted[f.Index] = f
		}
	}
	return records, parts, used, faults
}

// evaluator calculates a record.
type evaluator func(typ string, fields json.RawMessage, ev footprint.EventContext) (footprint.Evaluation, error)

// evaluatorOf returns the evaluator for a set and, for the set of a pack, a function that returns the rows that were
// used.
func evaluatorOf(set *factors.Set) (evaluator, func() []factors.Factor) {
	if set.Pack == nil {
		return footprint.Evaluate, nil
	}
	traced, rows := set.Traced()
	return footprint.NewCalculator(traced).Evaluate, rows
}
