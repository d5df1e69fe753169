package calculation

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// categoryMove is a scope, or a category of scope 3, that differs between two
// results.
type categoryMove struct {
	Scope      int            `json:"scope"`
	Category   string         `json:"category,omitempty"`
	From       footprint.Mass `json:"from"`
	To         footprint.Mass `json:"to"`
	Difference footprint.Mass `json:"differenceKgCO2e"`
}

// addMoves adds the differences of the total's interval and of the categories. An interval is not a sum over records,
// so its whole difference has the kind of the change, or of several together.
func (v *diffView) addMoves(from, to resulttree.Result) error {
	before, err := breakdownOf(from)
	if err != nil {
		return err
	}
	after, err := breakdownOf(to)
	if err != nil {
		return err
	}
	kind := ""
	for _, p := range v.Parts {
		switch kind {
		case "", p.Kind:
			kind = p.Kind
		default:
			kind = kindBoth
		}
	}
	for _, end := range []struct {
		figure   string
		from, to footprint.Mass
	}{{"low", before.Total.Low, after.Total.Low}, {"high", before.Total.High, after.Total.High}} {
		difference := end.to.Sub(end.from)
		f := figureView{Figure: end.figure, From: &end.from, To: &end.to, Difference: &difference, Parts: []figurePart{}}
		if !difference.IsZero() && kind != "" {
			f.add(kind, difference)
		}
		v.Intervals = append(v.Intervals, f)
	}
	v.Categories = movesBetween(before, after)
	return nil
}

func breakdownOf(r resulttree.Result) (total.Breakdown, error) {
	sum, err := r.Sum()
	return sum.Breakdown(r.Context), err
}

// movesBetween returns scopes 1 and 2 and the categories of scope 3 that differ.
func movesBetween(before, after total.Breakdown) []categoryMove {
	out := []categoryMove{}
	move := func(scope int, category string, from, to footprint.Mass) {
		if from != to {
			out = append(out, categoryMove{scope, category, from, to, to.Sub(from)})
		}
	}
	move(1, "", before.ByScope.Scope1, after.ByScope.Scope1)
	move(2, "", before.ByScope.Scope2, after.ByScope.Scope2)
	in := func(b total.Breakdown, category string) (m footprint.Mass) {
		for _, c := range b.ByScope3Category {
			if c.Category == category {
				m = c.KgCO2e
			}
		}
		return m
	}
	var names []string
	for _, c := range slices.Concat(before.ByScope3Category, after.ByScope3Category) {
		names = append(names, c.Category)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		move(3, name, in(before, name), in(after, name))
	}
	return out
}
