package calculation

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// partsOf returns the parts of the difference for one record: one, or two if factors and method changed successively.
func partsOf(r resulttree.RecordChange, older, newer resulttree.Result, contexts map[int64]resulttree.Result) ([]changeView, error) {
	whole := changeView{ID: r.RecordID(), Type: r.Type}
	var err error
	if whole.Before, err = massOf(r.Before); err != nil {
		return nil, err
	}
	if whole.After, err = massOf(r.After); err != nil {
		return nil, err
	}
	switch {
	case whole.Before == nil:
		whole.Kind, whole.KgCO2e = kindAdded, *whole.After
		return []changeView{whole}, nil
	case whole.After == nil:
		whole.Kind, whole.KgCO2e = kindRemoved, whole.Before.Neg()
		return []changeView{whole}, nil
	}
	whole.KgCO2e = whole.After.Sub(*whole.Before)
	if r.Before.Hash != r.After.Hash {
		whole.Kind = kindChanged
		return []changeView{whole}, nil
	}
	if whole.Kind = contextKind(older, newer); whole.Kind != kindBoth {
		return []changeView{whole}, nil
	}
	if parts, ok := stepwise(r, contexts); ok {
		return parts, nil
	}
	return []changeView{whole}, nil
}

// stepwise separates the changes of factors from those of the method, if each step of the record is one or the other.
// The figure before a step is valid in every context before it.
func stepwise(r resulttree.RecordChange, contexts map[int64]resulttree.Result) ([]changeView, bool) {
	revs := slices.Sorted(maps.Keys(contexts))
	var parts []changeView
	for _, step := range r.Steps {
		at, known := slices.BinarySearch(revs, step.ContextRev)
		if !known || at == 0 {
			return nil, false
		}
		from, errFrom := massOf(step.Before)
		to, errTo := massOf(step.After)
		if errors.Join(errFrom, errTo) != nil || from == nil || to == nil || step.Before.Hash != step.After.Hash {
			return nil, false
		}
		kind := contextKind(contexts[revs[at-1]], contexts[revs[at]])
		if kind == kindBoth {
			return nil, false
		}
		part := slices.IndexFunc(parts, func(p changeView) bool { return p.Kind == kind })
		if part < 0 {
			part, parts = len(parts), append(parts, changeView{ID: r.RecordID(), Type: r.Type, Kind: kind, Before: from})
		}
		parts[part].After = to
		parts[part].KgCO2e = parts[part].KgCO2e.Add(to.Sub(*from))
	}
	return parts, true
}

// massOf returns the contribution of a record; nil if it did not count.
func massOf(h resulttree.Child) (*footprint.Mass, error) {
	if h.Key == "" {
		return nil, nil //nolint:nilnil // no record is no fault
	}
	m, err := footprint.ParseMicrograms(h.Value)
	if err != nil {
		return nil, fmt.Errorf("compare results: record %s counted %q: %w", h.Key, h.Value, err)
	}
	return &m, nil
}
