// Package explain explains the figure of a record in words and numbers:
// each line with its formula, its factor, and the publication of the factor.
package explain

import (
	"time"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
)

// maxLines bounds the explained lines of one record: attendee travel may have thousands, whose origins are read
// separately.
const maxLines = 2000

// Record is one counted record, explained.
type Record struct {
	ID        record.ID `json:"_id"`
	Type      string    `json:"type"`
	Revision  int64     `json:"revision"`
	CreatedAt string    `json:"createdAt"`
	// Fields is the input that was calculated.
	Fields any `json:"fields"`
	// Method describes in one line how records of the type are calculated.
	Method string         `json:"method"`
	KgCO2e footprint.Mass `json:"kgCO2e"`
	Low    footprint.Mass `json:"low"`
	High   footprint.Mass `json:"high"`
	Lines  []Line         `json:"lines"`
	// LinesInAll is the number of lines if Lines has only the first ones.
	LinesInAll int `json:"linesInAll,omitempty"`
	// Defaulted names the fields that were absent and got a default that moves
	// the figure.
	Defaulted []string           `json:"defaulted"`
	Notices   []footprint.Notice `json:"notices"`
	// VarianceShare is the record's share of the variance of the total.
	VarianceShare total.VarianceShare `json:"varianceShare"`
}

// Line is one product of a quantity and a factor, explained.
type Line struct {
	// Formula is the calculation of the line in words and numbers.
	Formula string `json:"formula"`
	footprint.Line
	// Factor is null for a figure supplied with the record.
	Factor *Factor `json:"factor"`
}

// Factor is the publication of a figure.
type Factor struct {
	Activity string `json:"activity"`
	Detail   string `json:"detail"`
	Region   string `json:"region"`
	// Year is null when the source is undated.
	Year           *int   `json:"year"`
	Source         string `json:"source"`
	SourceLocation string `json:"sourceLocation"`
	Licence        string `json:"licence"`
	// BestBefore is the day (YYYY-MM-DD) after which a newer figure should be used, for a supplier factor the last
	// day of its validity; empty for none.
	BestBefore string `json:"bestBefore,omitempty"`
}

// Of explains a counted record under the context of a result, whose variance it
// has a share of.
func Of(c record.Counted, ev footprint.EventContext, whole total.Variance) (Record, error) {
	evaluation, err := footprint.Evaluate(c.Type, c.Fields, ev)
	if err != nil {
		return Record{}, err
	}
	preview := total.PreviewOf(&evaluation, ev.FactorSet)
	lines, inAll := evaluation.Lines, 0
	if len(lines) > maxLines {
		lines, inAll = lines[:maxLines], len(lines)
	}
	return Record{
		ID: c.ID, Type: c.Type, Revision: c.Rev, CreatedAt: time.UnixMilli(c.CreatedAt).UTC().Format("2006-01-02T15:04:05.000Z"),
		Fields: footprint.WithoutOrigins(c.Type, c.Fields), Method: footprint.Formula(c.Type),
		KgCO2e: preview.KgCO2e, Low: preview.Low, High: preview.High,
		Lines: Lines(c, lines, ev), LinesInAll: inAll, Defaulted: preview.Defaulted, Notices: preview.Notices,
		VarianceShare: whole.Share(total.Of(&evaluation).Deviations()),
	}, nil
}

// Lines explains the lines of a record.
func Lines(c record.Counted, lines []footprint.Line, ev footprint.EventContext) []Line {
	out := make([]Line, 0, len(lines))
	set, err := factors.ByID(ev.FactorSet)
	supplier := footprint.SupplierFactorOf(c.Type, c.Fields)
	of := footprint.ProductsOf(c.Type, c.Fields, ev)
	for _, l := range lines {
		line := Line{Line: l}
		if err == nil { // the lines were calculated with it
			if f, ok := set.Factor(l.FactorID); ok {
				line.Factor = factorOf(f, cite(f))
			}
		}
		if supplier != nil && l.FactorID == supplier.RowID() {
			row := supplier.Row()
			line.Factor = factorOf(row, factors.Cite(row.Source, row.SourceLocation))
			line.Factor.BestBefore = supplier.ValidTo // the rule of published figures is not theirs
		}
		line.Formula = formula(of, l)
		out = append(out, line)
	}
	return out
}

// citations are of rows of sets, which are few and are cited by many lines: a fifth of the
// time of a table of lines was spent on them. What suppliers state is not among them.
var citations = lru.New[citation, factors.Citation](maxCitations)

// maxCitations is more than the sources of any edition.
const maxCitations = 1024

// citation is the source of a row.
type citation struct{ source, location string }

// cite is factors.Cite for a row of a set.
func cite(f factors.Factor) factors.Citation {
	key := citation{f.Source, f.SourceLocation}
	cited, ok := citations.Get(key)
	if !ok {
		cited = factors.Cite(f.Source, f.SourceLocation)
		citations.Put(key, cited)
	}
	return cited
}

func factorOf(f factors.Factor, cited factors.Citation) *Factor {
	out := &Factor{Activity: f.Activity, Detail: f.Detail, Region: f.Region, Source: cited.Publication, SourceLocation: cited.Located(), Licence: f.Licence,
		BestBefore: f.BestBefore()}
	if f.Year != 0 {
		year := f.Year
		out.Year = &year
	}
	return out
}
