package methodology

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// evaluate evaluates a record in a British event with the engine of the page.
func (p *page) evaluate(typ, body string) (footprint.Evaluation, error) {
	ev := footprint.EventContext{Country: "GB", StartDate: fmt.Sprintf("%d-01-01", p.Set.Year), RadiativeForcing: true, GWP: "published", FactorSet: p.Set.ID, Engine: footprint.Pin(p.Engine)}
	d, err := footprint.Decode(typ, []byte(body), ev)
	if err != nil {
		return footprint.Evaluation{}, err
	}
	if len(d.Notices) > 0 {
		return footprint.Evaluation{}, fmt.Errorf("%s %s: %v", typ, body, d.Notices)
	}
	return footprint.Evaluate(typ, d.Fields, ev)
}

// Said returns the text of a record's notice.
func (p *page) Said(typ, body, code string) (string, error) {
	e, err := p.evaluate(typ, body)
	if err != nil {
		return "", err
	}
	for _, n := range e.Notices {
		if n.Code == code {
			return "`" + code + "`: " + n.Message, nil
		}
	}
	return "", fmt.Errorf("%s %s has no notice %s", typ, body, code)
}

// Lines returns the lines of a record, one row for each.
func (p *page) Lines(typ, body string) ([]row, error) {
	e, err := p.evaluate(typ, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", typ, body, err)
	}
	out := make([]row, 0, len(e.Lines))
	for _, l := range e.Lines {
		r := row{ID: l.FactorID, Year: "-", Source: "-", Region: "-"}
		if f, ok := p.Set.Factor(l.FactorID); ok {
			r = p.row(&f)
		}
		r.Value, r.Unit, r.Stage, r.Scope = l.KgPerUnit.String(), l.Unit, l.Stage, fmt.Sprintf("Scope %d", l.Scope)
		if l.Category != "" {
			r.Scope += ", category " + l.Category
		}
		out = append(out, r)
	}
	return out, nil
}

// Cases evaluates each combination of the schema's values of some fields, and returns a row for each that has a
// factor. body is the rest of the record, without its braces.
func (p *page) Cases(typ, body string, names ...string) ([]row, error) {
	var schema struct {
		Properties map[string]struct {
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(footprint.Schema(typ), &schema); err != nil {
		return nil, err
	}
	combinations := []string{""}
	labels := []string{""}
	for _, name := range names {
		var nextBodies, nextLabels []string
		for i := range combinations {
			for _, v := range schema.Properties[name].Enum {
				nextBodies = append(nextBodies, fmt.Sprintf("%s%q:%q,", combinations[i], name, v))
				nextLabels = append(nextLabels, strings.TrimSpace(labels[i]+" "+words(v)))
			}
		}
		combinations, labels = nextBodies, nextLabels
	}
	var out []row
	for i := range combinations {
		lines, err := p.Lines(typ, "{"+combinations[i]+body+"}")
		if _, ok := errors.AsType[*apperr.Error](err); ok {
			continue // no factor, or an invalid combination
		}
		if err != nil {
			return nil, err
		}
		r := lines[0]
		r.Label, r.Upstream = labels[i], ""
		for _, l := range lines[1:] {
			if l.Stage == footprint.Upstream {
				if r.Upstream != "" {
					r.Upstream += " + "
				}
				r.Upstream += l.Value
				if l.Year != r.Year {
					r.Upstream += " (" + l.Year + ")"
				}
			}
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no case of %s by %v", typ, names)
	}
	return out, nil
}

// scored is a record with its data quality and interval.
type scored struct {
	Label, Quality string
	Scores         [5]int
	GSD2           string
}

// Scored returns the scores of the first line of a record.
func (p *page) Scored(label, typ, body string) (scored, error) {
	e, err := p.evaluate(typ, body)
	if err != nil {
		return scored{}, fmt.Errorf("%s %s: %w", typ, body, err)
	}
	l := e.Lines[0]
	return scored{Label: label, Quality: l.Quality.String(), Scores: l.Scores, GSD2: big.NewRat(int64(l.GSD2), 1_000_000).FloatString(3)}, nil
}
