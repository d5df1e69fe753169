package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

//go:embed page.css
var style string

// formerStyles are the SHA-256 of the former styles of pages. A signed page is stored byte for byte, with its
// original style, which must still be permitted.
var formerStyles = []string{
	"1aYpqaa0kcrX2GQvuvFPnjEeIfC1tgyHC1Njb0XQqHw=",
	"5KuMx5a3ZRbLA3QlMMjv6FIWVOIns6cUhn40oBb4VM4=",
	"dQ+nMVMqN2LgHpXwES+5TXAxMfSghKtfCKJTCD3vUco=",
	"A6p9nam25nSBiCbv45JIQ05YxPL8Di5uDtadL905z+U=",
	"DB2FpqYSExyFUwbuKBQhKFoSNj1Bap2npbJeoRnmdhw=",
	"29LiW3XHU9NCg4+MwDheSqjeYQKEXkazTM4U7HcdbLM=",
	"P25/epuH228DlCZPdFqIjgP9oSQ4/q5MSXygDvt9a5A=",
	"/hF4ksjlp11UOTi+6U/znoGksVvMnBodBx5dhzG6fQ8=",
	"32yOC7rXES9hbg6Uqhcw+z/E7FROwZutnPvB06IbxqE=",
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
	// wholeLines are the most lines and notices of a record that is not divided between two pages: a quarter of one.
	wholeLines = 8
)

// page is what the page says; see [language.document].
type page struct {
	// Language is that of the page; Translated reports whether it is another than English, and
	// TranslationOf names the documents of a signed edition that it is a translation of.
	Language                   string
	Translated                 bool
	TranslationOf              string
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
	// Biogenic is the CO2 of biomass, which is outside of the scopes.
	Biogenic     string
	Next         []row
	Findings     []said
	Notices      []phrase
	Failed       []string
	Compensation []compensationRow
	Included     []string
	Excluded     []exclusion
	Methods      []fact
	DirectOnly   string
	// ShortFlights reports whether flights outside the UK count by one factor, which
	// understates the short ones.
	ShortFlights bool
	Set          string
	Annex        []annexRecord
	Left         *left
	Factors      []bundle.Factor
	// PastBest states how many of Factors were past their best on the first day of the event.
	PastBest     string
	Attributions []string
	Proof        []fact
	// SignedWith is the id of the key that signed the JSON version; empty if none did.
	SignedWith string
	SinceWhen  string
}

type fact struct{ Name, Value string }

type exclusion struct{ Type, Reason string }

// amount is a mass for people.
type amount struct{ Value, Unit, Low, High string }

// row is a line of a table.
type row struct {
	Name, Records, Kg, Share, Low, High string
}

// cells of tables with intervals, of those with shares alone, and of what to measure next.
func (r row) interval() []string { return []string{r.Name, r.Records, r.Kg, r.Share, r.Low, r.High} }
func (r row) share() []string    { return []string{r.Name, r.Kg, r.Share} }
func (r row) variance() []string { return []string{r.Name, r.Kg, r.Low, r.High, r.Share} }

func cells[T any](rows []T, of func(T) []string) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		out[i] = of(r)
	}
	return out
}

// total is the last row of a table.
func (l *language) total(r row) row {
	r.Name = l.text("Total")
	return r
}

// said is a finding with its text.
type said struct {
	Severity string
	Said     phrase
}

// left is the number of records that the annex omits, and their sum.
type left struct{ Name, Rest string }

type annexRecord struct {
	ID, Type, Title, Kg string
	Notices             []phrase
	Lines               []annexLine
	// Whole reports whether the record is short enough to stay on one page.
	Whole bool
}

// annexLine is a line of a record, with the heading of the leg of the journey that begins with it.
type annexLine struct {
	explain.Line
	Way string
}

// HTML writes the page in one of [footprint.Languages]. It needs nothing from elsewhere, so it
// can be saved, sent and printed.
func HTML(w io.Writer, d Data, tag string) error {
	l, err := languageOf(tag)
	if err != nil {
		return err
	}
	return l.write(w, d)
}

// write writes the page, whole or not at all.
func (l *language) write(w io.Writer, d Data) error {
	var out bytes.Buffer
	if err := l.document(l.pageOf(d)).Render(&out); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	_, err := w.Write(beforeUnit.ReplaceAll(out.Bytes(), []byte("$1\u00a0$2")))
	return err
}

// beforeUnit is the space between a number and its unit, where a line must not end.
var beforeUnit = regexp.MustCompile(`(\d) ((?:kg|km|kWh|tonnes|Tonnen)\b)`)

func (l *language) pageOf(d Data) page {
	r, some := d.Result, d.some()
	total, rows := r.Total.KgCO2e, factorsOf(d, some.Largest)
	p := page{
		Language: l.tag, Translated: !l.english(), TranslationOf: l.translationOf(d.SignOff),
		Set:   setName(d.FactorSet.ID),
		Title: d.Event.Title, Dates: l.dates(d.Context), Place: l.country(d.Context.Country),
		Total: l.inTonnes(r.Total), Whole: l.rowOf("", int64(some.Records), r.Total, total), Failed: d.Failed, Factors: rows,
		PastBest: l.pastBest(rows, d.Context.StartDate), Attributions: explain.Attributions(rows),
		ScopesChart: l.scopesChart(r.ByScope, total), QualityChart: l.qualityChart(r.DataQuality),
	}
	for _, n := range footprint.WithSetNotice(r.Notices, d.Context) {
		p.Notices = append(p.Notices, l.notice(n))
	}
	p.Findings = l.findings(d.Findings)
	if r.PerAttendeeKg != nil {
		p.PerAttendee = l.threeDigits(*r.PerAttendeeKg)
	}
	if r.PerAttendeeDayKg != nil {
		p.PerDay = l.threeDigits(*r.PerAttendeeDayKg)
	}
	for _, t := range r.ByType {
		p.Types = append(p.Types, l.rowOf(l.typeName(t.Type), t.Records, t.Interval, total))
	}
	for _, g := range r.ByGroup {
		p.Groups = append(p.Groups, l.rowOf(l.groupName(g.Group), g.Records, g.Interval, total))
	}
	p.TypesChart, p.GroupsChart = l.typesChart(r), l.groupsChart(r)
	for _, c := range r.ByScope3Category {
		p.Categories = append(p.Categories, l.shareRow(l.category(c.Category), c.KgCO2e, total))
	}
	p.Scopes = []row{l.shareRow(l.text("Scope 1: own fuels and vehicles"), r.ByScope.Scope1, total),
		l.shareRow(l.text("Scope 2: own electricity and heat"), r.ByScope.Scope2, total), l.shareRow(l.text("Scope 3: everything else"), r.ByScope.Scope3, total)}
	p.Stages = []row{l.shareRow(l.text("Direct: burning or generation"), r.ByStage.Direct, total),
		l.shareRow(l.text("Upstream: fuel supply and grid losses"), r.ByStage.Upstream, total), l.shareRow(l.text("Combined: published as one life-cycle figure"), r.ByStage.Combined, total)}
	p.Gases = []row{l.shareRow(l.text("Carbon dioxide"), r.ByGas.CO2, total), l.shareRow(l.text("Methane"), r.ByGas.CH4, total), l.shareRow(l.text("Nitrous oxide"), r.ByGas.N2O, total),
		l.shareRow(l.text("Aviation, other than CO₂ (radiative forcing)"), r.ByGas.AviationNonCO2, total), l.shareRow(l.text("Not split by gas in the source"), r.ByGas.Unsplit, total)}
	p.Market, p.Interval, p.Tables = l.marketOf(r.MarketBased), l.intervalWords(d), l.tablesOf(d)
	if !r.ExtrapolatedKg.IsZero() {
		p.Extrapolated = l.kg(r.ExtrapolatedKg)
	}
	p.Biogenic = l.kg(r.OutsideScopes.BiogenicCO2Kg)
	if r.ExcludingAttendeeTravelKg != total {
		p.WithoutAttendeeTravel = l.kg(r.ExcludingAttendeeTravelKg)
	}
	p.Intro, p.Organization = l.intro(d), d.Organization
	p.SinceWhen = l.sinceWhen(d.Earlier, d.Result.Revision)
	for _, c := range d.Causes {
		p.Causes = append(p.Causes, l.cause(c))
	}
	if d.SignOff != nil {
		p.Statement = d.SignOff.Statement
	}
	p.facts(l, d, some.Records)
	p.Next = l.next(some)
	p.annex(l, d, some)
	return p
}

func (p *page) facts(l *language, d Data, records int) {
	r := d.Result
	p.Facts = []fact{
		{l.text("Counted records"), l.count(int64(records))},
		{l.text("Attendees"), l.orUnsaid(d.Context.Attendees)},
		{l.text("Factor set"), setName(d.FactorSet.ID)},
		{l.text("Result"), l.text("Revision %d, %s", r.Revision, l.minute(r.CalculatedAt))},
	}
	if d.SignOff != nil {
		p.Facts = append(p.Facts, fact{l.text("Signed off by"), l.signedBy(d.SignOff)})
		if d.changedSinceSigned() {
			p.Facts = append(p.Facts, fact{l.text("Since the sign-off"), l.text("The event was changed in what no figure depends on, such as its title. The signed documents are those of edition %d.", d.SignOff.Edition)})
		}
	} else {
		p.Facts = append(p.Facts, fact{l.text("Sign-off"), l.text("Not signed off")})
	}
	if e := d.Earlier; e != nil {
		p.Facts = append(p.Facts, fact{l.text("Edition before"), l.earlier(e)})
	}
	forcing := l.text("Included, for the CO₂ of flights and air freight only")
	if !d.Context.RadiativeForcing {
		forcing = l.text("Not included")
	}
	potential := l.text("As published with each factor (AR5 for the UK factors)")
	if d.Context.GWP == "AR6" {
		potential = l.text("IPCC AR6, for factors with a published gas split")
	}
	p.Methods = []fact{{l.text("Consolidation approach"), l.text("Operational control: energy and vehicles that the organiser controls are in scopes 1 and 2, as stated for each record")},
		{l.text("Radiative forcing"), forcing}, {l.text("Global warming potentials"), potential}, {l.text("Calculation engine"), d.EngineVersion}}
	p.Proof = []fact{
		{l.text("Result"), l.text("event %s, revision %d", d.Event.ID, r.Revision)},
		{l.text("Hash of all inputs"), r.InputsHash},
		{l.text("Hash of the report"), d.Hashes.Content},
		{l.text("Factor set"), d.FactorSet.ID + ", SHA-256 " + d.FactorSet.Version},
	}
	if d.Signature != nil {
		p.SignedWith = d.Signature.KeyID
		p.Proof = append(p.Proof, fact{l.text("Signed with the key"), d.Signature.KeyID})
	}
	p.boundary(l, d)
	p.Compensation = l.compensationOf(d.About.Compensation)
	var direct []string
	for _, f := range d.Factors {
		p.ShortFlights = p.ShortFlights || strings.Contains(f.ID, "-flight-international_non_uk-")
		if f.Category == "venue" && strings.HasPrefix(f.Series, "elec.") && f.WellToTank == nil && !strings.Contains(f.Activity, "life cycle") && !strings.HasSuffix(f.Series, "td_loss") {
			direct = append(direct, l.country(f.Region))
		}
	}
	slices.Sort(direct)
	p.DirectOnly = strings.Join(slices.Compact(direct), ", ")
}

// annex lists the largest records with all their lines, and sums up the rest.
func (p *page) annex(l *language, d Data, some Some) {
	largest := slices.Clone(some.Largest)
	slices.SortStableFunc(largest, func(a, b bundle.Record) int { return b.KgCO2e.Cmp(a.KgCO2e) })
	for _, r := range largest {
		entry := annexRecord{ID: r.ID, Type: l.typeName(r.Type), Title: l.titleOf(r), Kg: l.kg(r.KgCO2e), Lines: l.annexLines(linesOf(r, d.Context))}
		if said := l.assumed(r.Type, r.Defaulted); said != "" {
			entry.Notices = append(entry.Notices, phrase{text: said})
		}
		for _, n := range r.Notices {
			// Several lines of a record can have the same notice.
			if said := l.notice(n); !slices.Contains(entry.Notices, said) {
				entry.Notices = append(entry.Notices, said)
			}
		}
		entry.Whole = len(entry.Lines)+len(entry.Notices) <= wholeLines
		p.Annex = append(p.Annex, entry)
	}
	if rest := some.Records - len(largest); rest > 0 {
		name, format := l.text("%s more records", l.count(int64(rest))), "with %s kg (%s) are in the CSV version."
		if rest == 1 {
			name, format = l.text("1 more record"), "with %s kg (%s) is in the CSV version."
		}
		p.Left = &left{name, l.text(format, l.kg(some.Rest), l.percent(some.Rest, d.Result.Total.KgCO2e))}
	}
}

// annexLines puts above the first line of each part of a way what it is of: attendee travel
// has many, from several places.
func (l *language) annexLines(lines []explain.Line) []annexLine {
	out := make([]annexLine, len(lines))
	before := ""
	for i, line := range lines {
		out[i].Line = line
		if line.Leg == nil {
			continue
		}
		way := l.wayOf(*line.Leg)
		if way != before {
			out[i].Way = way
		}
		before = way
	}
	return out
}

// next names the records to measure next. Lines of one factor err together,
// those of different factors apart, as in the interval of the total.
func (l *language) next(some Some) []row {
	var rows []row
	for _, m := range some.Next {
		if m.Share.Millionths() < 1000 {
			break // the page shows tenths of a percent
		}
		label := l.typeName(m.Type)
		if t := l.titleOf(m.Record); t != "" {
			label += ": " + t
		}
		rows = append(rows, row{Name: label, Kg: l.kg(m.KgCO2e), Low: l.kg(m.Low), High: l.kg(m.High), Share: l.permille(m.Share.Millionths() / 1000)})
	}
	return rows
}

// boundary reads what the event includes and excludes.
func (p *page) boundary(l *language, d Data) {
	var b struct {
		Included []string
		Excluded []exclusion
	}
	_ = json.Unmarshal(d.Event.Boundary, &b) // what does not read says nothing
	for _, typ := range b.Included {
		p.Included = append(p.Included, l.inSentence(l.typeName(typ)))
	}
	for _, x := range b.Excluded {
		p.Excluded = append(p.Excluded, exclusion{l.typeName(x.Type), x.Reason})
	}
}
