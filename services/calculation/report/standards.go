package report

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/tables"
)

// tablePage is a table of a standard as the page shows it.
type tablePage struct {
	Title, Note, MarketTotal string
	Rows                     []row
	Total                    row
}

func (l *language) tablesOf(d Data) []tablePage {
	var out []tablePage
	for _, t := range tables.Of(d.Contribution.Cells(), d.Result.MarketBased) {
		p := tablePage{Title: l.text(t.Title), Note: l.text(t.Note), Total: l.shareRow("", t.Total, t.Total)}
		for _, r := range t.Rows {
			p.Rows = append(p.Rows, l.shareRow(l.tableRow(r.Name), r.KgCO2e, t.Total))
		}
		if t.MarketBasedTotal != nil {
			p.MarketTotal = l.kg(*t.MarketBasedTotal)
		}
		out = append(out, p)
	}
	return out
}

// tableRow returns the name of a row of a table of a standard.
func (l *language) tableRow(name string) string {
	if category, ok := strings.CutPrefix(name, tables.Category); ok && !l.english() {
		return l.category(category)
	}
	return l.text(name)
}

// marketPage compares electricity by location and by contract.
type marketPage struct {
	Rows     []marketRow
	Upstream string
}

type marketRow struct{ Name, Location, Market string }

func (r marketRow) cells() []string { return []string{r.Name, r.Location, r.Market} }

// marketOf returns what can be compared; nil by engine 1.2.0, whose figure by
// contract has another boundary than the one by location.
func (l *language) marketOf(m *total.MarketBased) *marketPage {
	if m == nil || m.ByScope == nil {
		return nil
	}
	p := &marketPage{Upstream: l.kg(*m.UpstreamKg)}
	add := func(name string, d total.DualScope) {
		if !d.LocationKg.IsZero() || !d.MarketKg.IsZero() {
			p.Rows = append(p.Rows, marketRow{name, l.kg(d.LocationKg), l.kg(d.MarketKg)})
		}
	}
	add(l.text("Electricity under the organiser's control (scope 2)"), m.ByScope.Scope2)
	add(l.text("Other electricity (scope 3)"), m.ByScope.Scope3)
	add(l.text("All of scope 2, including heat and electric vehicles"), *m.Scope2)
	return p
}

// compensationRow is an offset or a removal as the page shows it.
type compensationRow struct{ Kind, Description, Where, RetiredOn, Kg string }

func (r compensationRow) cells() []string {
	return []string{r.Kind, r.Description, r.Where, r.RetiredOn, r.Kg}
}

func (l *language) compensationOf(list []record.Compensation) (rows []compensationRow) {
	for _, c := range list {
		var where []string
		for _, text := range []string{c.Standard, c.Registry, c.Reference} {
			if text != "" {
				where = append(where, text)
			}
		}
		rows = append(rows, compensationRow{l.text(c.Kind), c.Description, strings.Join(where, ", "), l.isoDate(c.RetiredOn), l.number(explain.Grouped(c.KgCO2e.String()))})
	}
	return rows
}

// intervalWords says what the interval of the total covers.
func (l *language) intervalWords(d Data) string {
	if d.EngineVersion == footprint.Engine1 {
		return l.text("The intervals reflect only the quality of the data, by a pedigree matrix. They do not include the uncertainty of the published factors, so they are narrower than a 95% interval, and they do not cover missing sources or errors in the method.")
	}
	return l.text("The 95% interval covers the uncertainty of the amounts (data quality, surveys), of the published factors (as stated by the source, or a default), and of how well they fit in time, place and technology, including what lines have in common. It does not cover sources that were not recorded, mistakes, or whether the method is right.")
}
