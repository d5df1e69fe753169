package total

import (
	"encoding/json"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/plainjson"
)

// Preview is the footprint that a record shows.
type Preview struct {
	KgCO2e    footprint.Mass     `json:"kgCO2e"`
	Low       footprint.Mass     `json:"low"`
	High      footprint.Mass     `json:"high"`
	FactorSet string             `json:"factorSet"`
	Defaulted []string           `json:"defaulted"`
	Notices   []footprint.Notice `json:"notices"`
}

// AppendJSON appends the preview as encoding/json writes it.
func (p *Preview) AppendJSON(b []byte) ([]byte, error) {
	b = append(b, '{')
	for _, m := range [...]struct {
		name string
		mass footprint.Mass
	}{{"kgCO2e", p.KgCO2e}, {"low", p.Low}, {"high", p.High}} {
		b = m.mass.AppendKilograms(plainjson.AppendName(b, m.name))
	}
	b = plainjson.AppendMember(b, "factorSet", p.FactorSet)
	b = append(plainjson.AppendName(b, "defaulted"), '[')
	for i, field := range p.Defaulted {
		if i > 0 {
			b = append(b, ',')
		}
		b = plainjson.AppendString(b, field)
	}
	b = append(plainjson.AppendName(append(b, ']'), "notices"), '[')
	if len(p.Notices) > 0 {
		notices, err := json.Marshal(p.Notices)
		if err != nil {
			return nil, err
		}
		b = append(b, notices[1:len(notices)-1]...)
	}
	return append(b, "]}"...), nil
}

// PreviewOf returns the footprint to show for a record. The notices of Decode
// are not in it: put them in front.
func PreviewOf(e *footprint.Evaluation, factorSet string) Preview {
	of := Of(e)
	return of.Preview(e, factorSet)
}

// Preview is PreviewOf if the contribution of the evaluation, c, is known.
func (c *Contribution) Preview(e *footprint.Evaluation, factorSet string) Preview {
	sum := c.interval()
	p := Preview{KgCO2e: sum.KgCO2e, Low: sum.Low, High: sum.High, FactorSet: factorSet,
		Defaulted: e.Defaulted, Notices: e.Notices}
	p.Notices = narrowing(e)
	if p.Defaulted == nil {
		p.Defaulted = []string{}
	}
	if p.Notices == nil {
		p.Notices = []footprint.Notice{}
	}
	return p
}

// narrowing returns the notices of a record, with the interval that it would have with the field that one of them
// asks for.
func narrowing(e *footprint.Evaluation) []footprint.Notice {
	finer := e.Narrowed()
	if finer == nil {
		return e.Notices
	}
	of := Of(finer)
	sum := of.interval()
	notices := slices.Clone(e.Notices)
	for i := range notices {
		if n := notices[i].WouldNarrowTo; n != nil {
			notices[i].WouldNarrowTo = &footprint.Narrowing{Field: n.Field, Low: sum.Low, High: sum.High}
		}
	}
	return notices
}

// Interval returns the total of all records with its bounds.
func (c *Contribution) Interval() Interval { return c.interval() }

func (c *Contribution) interval() Interval {
	return c.intervalOf(c.cells, func(*count) bool { return true })
}

// intervalOf returns the interval of some cells: those of all records selected by of.
func (c *Contribution) intervalOf(cells []cell, of func(*count) bool) Interval {
	if !c.second() {
		return interval(cells)
	}
	moments := rowMoments(uses(cells))
	for i := range c.counts {
		if of(&c.counts[i]) {
			moments = moments.add(c.counts[i].Own)
		}
	}
	if c.Records() == 1 { // not cached: single records are read once and rarely equal
		return moments.makeInterval(sumOf(cells))
	}
	return moments.interval(sumOf(cells))
}
