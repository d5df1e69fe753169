package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/tables"
)

// columns are the head of the table. New ones are added at the end.
func columns() []string {
	return []string{
		"recordId", "type", "revision", "description", "date", "group", "country", "externalReference",
		"line", "formula", "quantity", "unit", "kgCO2ePerUnit", "kgCO2e", "low", "high",
		"stage", "scope", "scope3Category", "dataQuality",
		"factorId", "factorYear", "factorRegion", "factorSource", "factorLocation", "factorLicence", "notices",
		"ghgProtocolRow", "iso14064Row", "esrsE16Row", "nzceRow",
		"legOrigin", "legMode", "legPart", "legPeople",
	}
}

// CSV writes one row per line of the counted records (RFC 4180, UTF-8). The
// kgCO2e of all rows add up to the total.
func CSV(w io.Writer, d Data) error {
	if err := Head(w); err != nil {
		return err
	}
	return Rows(w, d.Records, d.Factors, d.Context)
}

// Head writes the names of the columns.
func Head(w io.Writer) error {
	out := newTable(w)
	_ = out.Write(columns()) // out.Error returns the error
	out.Flush()
	return out.Error()
}

func newTable(w io.Writer) *csv.Writer {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	return out
}

// Rows writes the rows of some records. used has at least the rows of factors that they use.
func Rows(w io.Writer, records []bundle.Record, used []bundle.Factor, ev footprint.EventContext) error {
	out := newTable(w)
	rows := map[string]bundle.Factor{}
	for _, f := range used {
		rows[f.ID] = f
	}
	for _, r := range records {
		about := shownOf(r.Fields)
		var notices []string
		for _, n := range r.Notices {
			notices = append(notices, n.Code)
		}
		for n, l := range linesOf(r, ev) {
			var leg footprint.Leg
			people := ""
			if l.Leg != nil {
				leg, people = *l.Leg, strconv.FormatInt(l.Leg.People, 10)
			}
			cell := tables.CellOf(r.Type, &r.Lines[n])
			f := rows[l.FactorID]
			cite := factors.Cite(f.Source, f.SourceLocation)
			_ = out.Write([]string{
				r.ID, r.Type, strconv.FormatInt(r.Revision, 10), text(about.Description), about.Date, about.Group, about.Country, text(about.ExternalReference),
				strconv.Itoa(n + 1), text(l.Formula), l.Quantity, l.Unit, l.KgPerUnit.String(), l.Mass.Kilograms(), l.Low.Kilograms(), l.High.Kilograms(),
				l.Stage, strconv.Itoa(l.Scope), l.Category, l.Quality.String(),
				l.FactorID, yearOf(l.Factor), text(f.Region), text(cite.Publication), text(cite.Located()), text(f.Licence), strings.Join(notices, " "),
				tables.RowOf("ghg-protocol", cell), tables.RowOf("iso-14064-1", cell), tables.RowOf("esrs-e1-6", cell), tables.RowOf("nzce", cell),
				text(leg.Origin), leg.Mode, leg.Part, people,
			})
		}
	}
	out.Flush()
	return out.Error()
}

func yearOf(f *explain.Factor) string {
	if f == nil || f.Year == nil {
		return ""
	}
	return strconv.Itoa(*f.Year)
}

// text escapes texts that a spreadsheet would interpret as a formula.
func text(s string) string { return sheet.Guard(s) }
