package total

import (
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// A type and a group are sums of whole records, whose moments a count has. A scope and a stage are sums of some lines
// of records: the addition of the activity between those lines is stored for each of them, from engine 2.3.0 on.

// partOwn is the addition of the activity of records to the moments of a scope or stage.
type partOwn struct {
	// Part is the number of the scope, or the name of the stage.
	Part string
	Own  own
}

func compareParts(a, b partOwn) int { return strings.Compare(a.Part, b.Part) }

func addParts(a, b partOwn) partOwn { return partOwn{a.Part, a.Own.add(b.Own)} }

// partsOf are the scopes and stages, in the order of their names.
var partsOf = []string{"1", "2", "3", footprint.Combined, footprint.Direct, footprint.Upstream}

// ofPart reports whether a line or cell of a scope and stage is of a part.
func ofPart(part string, scope int, stage string) bool {
	return part == stage || part == strconv.Itoa(scope)
}

// partMoments returns the additions of the activity of a record to the moments of its scopes and stages; whole is
// that to the moments of all its lines.
func partMoments(lines []footprint.Line, engine string, whole own) []partOwn {
	if !footprint.Since(engine, footprint.Engine5) || whole.Variance == nil {
		return nil
	}
	out, some := make([]partOwn, 0, len(partsOf)), make([]footprint.Line, 0, len(lines))
	for _, part := range partsOf {
		some = some[:0]
		for i := range lines {
			if ofPart(part, lines[i].Scope, lines[i].Stage) {
				some = append(some, lines[i])
			}
		}
		if len(some) == 0 {
			continue
		}
		o := whole
		if len(some) < len(lines) {
			o = ownMoments(some, engine)
		}
		if o.Variance != nil {
			out = append(out, partOwn{part, o})
		}
	}
	return out
}

// Bounds are the ends of 95% of likely values.
type Bounds struct {
	Low  footprint.Mass `json:"low"`
	High footprint.Mass `json:"high"`
}

// ScopeIntervals are the intervals of Scopes.
type ScopeIntervals struct {
	Scope1 Bounds `json:"scope1"`
	Scope2 Bounds `json:"scope2"`
	Scope3 Bounds `json:"scope3"`
}

// StageIntervals are the intervals of Stages.
type StageIntervals struct {
	Direct   Bounds `json:"direct"`
	Upstream Bounds `json:"upstream"`
	Combined Bounds `json:"combined"`
}

// partIntervals returns the intervals of scopes and stages; nil before engine 2.3.0, whose sums lack the moments.
func (c *Contribution) partIntervals() (*ScopeIntervals, *StageIntervals) {
	if !footprint.Since(c.Engine(), footprint.Engine5) {
		return nil, nil
	}
	return &ScopeIntervals{c.bounds("1"), c.bounds("2"), c.bounds("3")},
		&StageIntervals{c.bounds(footprint.Direct), c.bounds(footprint.Upstream), c.bounds(footprint.Combined)}
}

func (c *Contribution) bounds(part string) Bounds {
	var cells []cell
	for i := range c.cells {
		if ofPart(part, c.cells[i].Scope, c.cells[i].Stage) {
			cells = append(cells, c.cells[i])
		}
	}
	moments := rowMoments(uses(cells))
	for _, p := range c.parts {
		if p.Part == part {
			moments = moments.add(p.Own)
		}
	}
	i := moments.interval(sumOf(cells))
	return Bounds{i.Low, i.High}
}
