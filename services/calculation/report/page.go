package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/services/calculation/explain"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

//go:embed page.html
var pageTemplate string

//go:embed page.css
var style string

// formerStyles are the SHA-256 of the styles that pages were written with before the
// present one. A signed page is kept byte for byte, with the style of its day, and is
// still to be shown as it was signed.
var formerStyles = []string{
	"1aYpqaa0kcrX2GQvuvFPnjEeIfC1tgyHC1Njb0XQqHw=",
	"5KuMx5a3ZRbLA3QlMMjv6FIWVOIns6cUhn40oBb4VM4=",
	"dQ+nMVMqN2LgHpXwES+5TXAxMfSghKtfCKJTCD3vUco=",
	"A6p9nam25nSBiCbv45JIQ05YxPL8Di5uDtadL905z+U=",
}

func hashOfStyle() string {
	sum := sha256.Sum256([]byte(style))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// ContentSecurityPolicy lets a page show its own style and nothing else: no
// script, no image, no font, nothing from anywhere.
func ContentSecurityPolicy() string {
	styles := "'sha256-" + strings.Join(append([]string{hashOfStyle()}, formerStyles...), "' 'sha256-") + "'"
	return "default-src 'none'; style-src " + styles + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

const (
	// AnnexRecords bounds the records a page lists; all are in the other forms.
	AnnexRecords = 300
)

// page is what the template shows.
type page struct {
	Style                      template.CSS
	Title, Dates, Place, Intro string
	Organization               string
	Statement                  string
	Causes                     []string
	Total                      amount
	Whole                      row // the total, as the last row of tables
	PerAttendee, PerDay        string
	Facts                      []fact
	Types, Groups, Categories  []row
	Scopes, Stages, Gases      []row
	TypesChart                 barChart
	GroupsChart                barChart
	QualityChart               stack
	ScopesChart                stack
	Market                     *marketPage
	Interval                   string
	Tables                     []tablePage
	Extrapolated               string
	WithoutAttendeeTravel      string
	Next                       []row
	Findings                   []findings.Finding
	Notices                    []string
	Failed                     []string
	Compensation               []compensationRow
	Included                   []string
	Excluded                   []exclusion
	Methods                    []fact
	DirectOnly                 []string
	// ShortFlights reports whether flights outside the UK count by one factor, which
	// understates the short ones.
	ShortFlights bool
	Set          string
	Annex        []annexRecord
	Left         *row
	Factors      []bundle.Factor
	// PastBest says how many of Factors are past their best on the first day of the event.
	PastBest     string
	Attributions []string
	Proof        []fact
	Signed       bool
}

type fact struct{ Name, Value string }

type exclusion struct{ Type, Reason string }

// amount is a mass for people.
type amount struct{ Value, Unit, Low, High string }

// row is a line of a table.
type row struct {
	Name, Records, Kg, Share, Low, High string
}

type annexRecord struct {
	ID, Type, Title, Kg string
	Notices             []string
	Lines               []annexLine
}

// annexLine is a line of a record, and the part of a way that it and those after it are of.
type annexLine struct {
	explain.Line
	Way string
}

// HTML writes the page. It needs nothing from elsewhere, so it can be saved,
// sent and printed.
func HTML(w io.Writer, d Data) error {
	t, err := template.New("report").Funcs(template.FuncMap{"unit": explain.Unit, "year": yearOfRow, "value": valueOf, "bestBefore": bestBefore}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	var out bytes.Buffer // whole or not at all
	if err := t.Execute(&out, pageOf(d)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err = out.WriteTo(w)
	return err
}

func pageOf(d Data) page {
	r, some := d.Result, d.some()
	total := r.Total.KgCO2e
	p := page{
		Style: template.CSS(style), //nolint:gosec // our own file
		Set:   d.FactorSet.ID,
		Title: d.Event.Title, Dates: dates(d.Context), Place: d.Context.Country,
		Total: inTonnes(r.Total), Whole: rowOf("Total", int64(some.Records), r.Total, total), Failed: d.Failed, Factors: d.Factors,
		PastBest: pastBest(d.Factors, d.Context.StartDate), Attributions: explain.Attributions(d.Factors), Signed: d.Signature != nil,
		ScopesChart: scopesChart(r.ByScope, total), QualityChart: qualityChart(r.DataQuality),
	}
	for _, n := range footprint.WithSetNotice(r.Notices, d.Context) {
		p.Notices = append(p.Notices, legible(n.Message))
	}
	for _, f := range d.Findings {
		f.Message = legible(f.Message)
		p.Findings = append(p.Findings, f)
	}
	if r.PerAttendeeKg != nil {
		p.PerAttendee = kg(*r.PerAttendeeKg)
	}
	if r.PerAttendeeDayKg != nil {
		p.PerDay = kg(*r.PerAttendeeDayKg)
	}
	for _, t := range r.ByType {
		p.Types = append(p.Types, rowOf(name(t.Type), t.Records, t.Interval, total))
	}
	for _, g := range r.ByGroup {
		p.Groups = append(p.Groups, rowOf(name(g.Group), g.Records, g.Interval, total))
	}
	p.TypesChart, p.GroupsChart = typesChart(r), groupsChart(r)
	for _, c := range r.ByScope3Category {
		label := c.Category
		if label == footprint.CategoryOptional {
			label = "Optional: travel and stays of attendees and exhibitors"
		}
		p.Categories = append(p.Categories, shareRow(label, c.KgCO2e, total))
	}
	p.Scopes = []row{shareRow("Scope 1: own fuels and vehicles", r.ByScope.Scope1, total),
		shareRow("Scope 2: own electricity and heat", r.ByScope.Scope2, total), shareRow("Scope 3: everything else", r.ByScope.Scope3, total)}
	p.Stages = []row{shareRow("Direct: burning or generation", r.ByStage.Direct, total),
		shareRow("Upstream: fuel supply and grid losses", r.ByStage.Upstream, total), shareRow("Combined: published as one life-cycle figure", r.ByStage.Combined, total)}
	p.Gases = []row{shareRow("Carbon dioxide", r.ByGas.CO2, total), shareRow("Methane", r.ByGas.CH4, total), shareRow("Nitrous oxide", r.ByGas.N2O, total),
		shareRow("Aviation, other than CO₂ (radiative forcing)", r.ByGas.AviationNonCO2, total), shareRow("Not split by gas in the source", r.ByGas.Unsplit, total)}
	p.Market, p.Interval, p.Tables = marketOf(r.MarketBased), intervalWords(d), tablesOf(d)
	if !r.ExtrapolatedKg.IsZero() {
		p.Extrapolated = kg(r.ExtrapolatedKg)
	}
	if r.ExcludingAttendeeTravelKg != total {
		p.WithoutAttendeeTravel = kg(r.ExcludingAttendeeTravelKg)
	}
	p.Intro, p.Organization, p.Causes = intro(d), d.Organization, d.Causes
	if d.SignOff != nil {
		p.Statement = d.SignOff.Statement
	}
	p.facts(d, some.Records)
	p.Next = next(some)
	p.annex(d, some)
	return p
}

func (p *page) facts(d Data, records int) {
	r := d.Result
	p.Facts = []fact{
		{"Counted records", explain.Grouped(fmt.Sprint(records))},
		{"Attendees", orUnsaid(d.Context.Attendees)},
		{"Factor set", fmt.Sprintf("%s (%d)", d.FactorSet.ID, d.FactorSet.Year)},
		{"Result", fmt.Sprintf("Revision %d, %s", r.Revision, minute(r.CalculatedAt))},
	}
	if d.SignOff != nil {
		p.Facts = append(p.Facts, fact{"Signed off by", signedBy(d.SignOff)})
	} else {
		p.Facts = append(p.Facts, fact{"Sign-off", "Not signed off"})
	}
	forcing := "Included, for the CO₂ of flights and air freight only"
	if !d.Context.RadiativeForcing {
		forcing = "Not included"
	}
	potential := "As published with each factor (AR5 for the UK factors)"
	if d.Context.GWP == "AR6" {
		potential = "IPCC AR6, for factors with a published gas split"
	}
	p.Methods = []fact{{"Radiative forcing", forcing}, {"Global warming potentials", potential}, {"Calculation engine", d.EngineVersion}}
	p.Proof = []fact{
		{"Result", fmt.Sprintf("event %s, revision %d", d.Event.ID, r.Revision)},
		{"Hash of all inputs", r.InputsHash},
		{"Hash of the report", d.Hashes.Content},
		{"Factor set", d.FactorSet.ID + ", SHA-256 " + d.FactorSet.Version},
	}
	if d.Signature != nil {
		p.Proof = append(p.Proof, fact{"Signed with the key", d.Signature.KeyID})
	}
	p.boundary(d)
	p.Compensation = compensationOf(d.About.Compensation)
	for _, f := range d.Factors {
		p.ShortFlights = p.ShortFlights || strings.Contains(f.ID, "-flight-international_non_uk-")
		if f.Category == "venue" && strings.HasPrefix(f.Series, "elec.") && f.WellToTank == nil && !strings.Contains(f.Activity, "life cycle") && !strings.HasSuffix(f.Series, "td_loss") {
			p.DirectOnly = append(p.DirectOnly, f.Region)
		}
	}
	slices.Sort(p.DirectOnly)
	p.DirectOnly = slices.Compact(p.DirectOnly)
}

// annex lists the largest records with all their lines, and sums up the rest.
func (p *page) annex(d Data, some Some) {
	largest := slices.Clone(some.Largest)
	slices.SortStableFunc(largest, func(a, b bundle.Record) int { return b.KgCO2e.Cmp(a.KgCO2e) })
	for _, r := range largest {
		entry := annexRecord{ID: r.ID, Type: name(r.Type), Title: titleOf(r), Kg: kg(r.KgCO2e), Lines: annexLines(linesOf(r, d.Context))}
		for _, n := range r.Notices {
			entry.Notices = append(entry.Notices, legible(n.Message))
		}
		p.Annex = append(p.Annex, entry)
	}
	if rest := some.Records - len(largest); rest > 0 {
		left := shareRow(fmt.Sprintf("%s more records", explain.Grouped(fmt.Sprint(rest))), some.Rest, d.Result.Total.KgCO2e)
		p.Left = &left
	}
}

// annexLines puts above the first line of each part of a way what it is of: attendee travel
// has many, from several places.
func annexLines(lines []explain.Line) []annexLine {
	out := make([]annexLine, len(lines))
	before := ""
	for i, l := range lines {
		out[i].Line = l
		if l.Leg == nil {
			continue
		}
		way := wayOf(*l.Leg)
		if way != before {
			out[i].Way = way
		}
		before = way
	}
	return out
}

// next names the records to measure next. Lines of one factor err together,
// those of different factors apart, as in the interval of the total.
func next(some Some) []row {
	var rows []row
	for _, m := range some.Next {
		if m.Share.Millionths() < 1000 {
			break // the page shows tenths of a percent
		}
		label := name(m.Type)
		if t := titleOf(m.Record); t != "" {
			label += ": " + t
		}
		rows = append(rows, row{Name: label, Kg: kg(m.KgCO2e), Low: kg(m.Low), High: kg(m.High), Share: permille(m.Share.Millionths() / 1000)})
	}
	return rows
}
