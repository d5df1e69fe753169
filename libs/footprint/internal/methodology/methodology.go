// Package methodology generates the page that explains the calculation. Every
// figure of the page is looked up in the tables or calculated by the engine, so
// the page matches the program.
package methodology

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
)

// text is the page, and sections are the texts of the record types, by templates named after them.
var (
	//go:embed methodology.tmpl
	text string
	//go:embed sections.tmpl
	sections string
)

// Write writes the page for the newest factor set and the newest engine.
func Write(w io.Writer) error {
	set, _ := factors.ForStart("")
	p := &page{Set: set, Sets: factors.Sets(), Types: footprint.Types(), Groups: footprint.Groups(),
		Engine: footprint.NewestEngine, references: make(map[reference]int)}
	t, err := template.New("methodology").Funcs(template.FuncMap{
		"formula": footprint.Formula, "description": footprint.Description, "join": strings.Join, "list": func(s ...string) []string { return s },
		"notice": notice, "travellers": footprint.Travellers, "unused": footprint.UnusedRows, "biomass": footprint.BiomassRows, "engine1": func() string { return footprint.Engine1 }, "engine2": func() string { return footprint.Engine2 }, "engine3": func() string { return footprint.Engine3 }, "engine4": func() string { return footprint.Engine4 },
	}).Parse(sections + text)
	if err != nil {
		return err
	}
	p.template = t
	return t.Execute(w, p)
}

// section is a record type's section of the page.
type section struct{ Number, Title, Type string }

// Sections lists the sections of the record types in their order.
func (p *page) Sections() (out []section) {
	for i, typ := range p.Types {
		title := strings.ToUpper(typ[:1]) + strings.ReplaceAll(typ[1:], "-", " ")
		out = append(out, section{Number: fmt.Sprintf("6.%d", i+1), Title: title, Type: typ})
	}
	return out
}

// Section returns the text of a type's section: the template of its name, or else the type's own text.
func (p *page) Section(typ string) (string, error) {
	named := p.template.Lookup("section-" + typ)
	if named == nil {
		if footprint.Method(typ) == "" {
			return "", fmt.Errorf("the record type %s has no section on methods: describe it in its doc's method", typ)
		}
		return footprint.Method(typ) + "\n\n", nil
	}
	var b strings.Builder
	err := named.Execute(&b, p)
	return b.String(), err
}

// page is the data of the template.
type page struct {
	Set    *factors.Set
	Sets   []*factors.Set
	Types  []string
	Groups []string
	Engine string

	template   *template.Template
	grids      *grids // cached
	references map[reference]int
	// sources are those that the page has named so far, in the order of their
	// numbers.
	sources []reference
}

type reference struct{ Source, Licence string }

// row is one line of a table of factors.
type row struct {
	Label    string
	ID       string
	Value    string
	Upstream string
	Unit     string
	Region   string
	Year     string
	Source   string
	Scope    string
	Stage    string
}

func notice(code string) (string, error) {
	meaning := footprint.NoticeMeaning(code)
	if meaning == "" {
		return "", fmt.Errorf("no meaning of the notice %s", code)
	}
	return "`" + code + "`: " + meaning, nil
}

// cite numbers the source of a factor.
func (p *page) cite(source, licence string) string {
	r := reference{source, licence}
	n, ok := p.references[r]
	if !ok {
		p.sources = append(p.sources, r)
		n = len(p.sources)
		p.references[r] = n
	}
	return fmt.Sprintf("[%d]", n)
}

func yearText(year int) string {
	if year == 0 {
		return "undated"
	}
	return fmt.Sprint(year)
}

func (p *page) row(f *factors.Factor) row {
	r := row{ID: f.ID, Value: f.KgCO2e.String(), Upstream: "not published", Unit: f.Unit, Region: f.Region,
		Year: yearText(f.Year), Source: p.cite(f.Source, f.Licence)}
	if u := p.Set.Complete(f, func(f *factors.Factor) bool { return f.WTT.Published }); u != nil {
		r.Upstream = u.WTT.Decimal.String()
	}
	return r
}

// Factor finds a factor of the set, or of the tables beside the sets, by its series.
func (p *page) Factor(series string) (row, error) {
	f := cmp.Or(p.Set.Ref(series), factors.Supplement().Ref(series))
	if f == nil {
		return row{}, fmt.Errorf("no factor %q", series)
	}
	return p.row(f), nil
}

// Rows finds factors by their series.
func (p *page) Rows(series ...string) (out []row, err error) {
	for _, s := range series {
		r, err := p.Factor(s)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Value returns the figure of a default of the set, without its unit.
func (p *page) Value(id string) (string, error) {
	d, ok := p.Set.Default(id)
	if !ok {
		return "", fmt.Errorf("no default %q", id)
	}
	return d.Value.String(), nil
}

// Defaults finds the activity defaults of the ids, as rows.
func (p *page) Defaults(ids ...string) (out []row, err error) {
	for _, id := range ids {
		d, ok := p.Set.Default(id)
		if !ok {
			return nil, fmt.Errorf("no default %q", id)
		}
		out = append(out, row{Label: d.Quantity + ": " + d.Detail, ID: id, Value: d.Value.String(), Unit: d.Unit, Region: d.Region,
			Year: yearText(d.Year), Source: p.cite(d.Source, d.Licence)})
	}
	return out, nil
}

// Count counts the series between a prefix and a suffix, without further dots.
func (p *page) Count(prefix, suffix string) int { return len(p.between(prefix, suffix)) }

// Between lists in capitals the parts of the series between prefix and suffix.
func (p *page) Between(prefix, suffix string) string {
	names := p.between(prefix, suffix)
	slices.Sort(names)
	return strings.ToUpper(strings.Join(names, ", "))
}

func (p *page) between(prefix, suffix string) (out []string) {
	for _, f := range p.Set.Factors() {
		middle, ok := strings.CutPrefix(f.Series, prefix)
		if !ok {
			continue
		}
		if middle, ok = strings.CutSuffix(middle, suffix); ok && middle != "" && !strings.Contains(middle, ".") {
			out = append(out, middle)
		}
	}
	return out
}

// flightRow is a haul and class with and without radiative forcing.
type flightRow struct {
	Haul, Class, Year, Source      string
	Without, With, CO2, WellToTank string
	Ratio                          string
}

// Flights returns all flight factors of the set, haul by haul.
func (p *page) Flights() ([]flightRow, error) {
	var out []flightRow
	for _, name := range p.between("desnz-flight-", "-norf") {
		haul, class, ok := strings.Cut(name, "-")
		norf, rf := p.Set.Ref("desnz-flight-"+name+"-norf"), p.Set.Ref("desnz-flight-"+name+"-rf")
		if !ok || rf == nil || !norf.GasSplit() || !rf.GasSplit() {
			return nil, fmt.Errorf("flights of %q are not complete", name)
		}
		r := p.row(norf)
		out = append(out, flightRow{Haul: words(haul), Class: words(class), Year: r.Year, Source: r.Source, Without: r.Value,
			With: rf.KgCO2e.String(), CO2: norf.CO2.Decimal.String(), WellToTank: r.Upstream,
			Ratio: ratio(rf.CO2.Decimal, norf.CO2.Decimal).FloatString(2)})
	}
	return out, nil
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

func ratio(a, b decimal.Decimal) *big.Rat {
	x, _ := new(big.Rat).SetString(a.String())
	y, _ := new(big.Rat).SetString(b.String())
	return x.Quo(x, y)
}

// EarthRadiusKm is the radius of the sphere of distances.
func (p *page) EarthRadiusKm() string {
	return strconv.FormatFloat(locations.EarthRadius/1000, 'f', -1, 64)
}

// Airports counts the known airports.
func (p *page) Airports() int { return len(locations.Airports()) }

// Cities counts the city codes.
func (p *page) Cities() int { return len(locations.Cities()) }

// Countries counts the countries.
func (p *page) Countries() int { return len(locations.Countries()) }

// Hauls counts the countries in the table of hauls.
func (p *page) Hauls() (known int) {
	for _, c := range locations.Countries() {
		if _, ok := locations.HaulOf(c.Code); ok {
			known++
		}
	}
	return known
}

// Pedigree is the table of uncertainty factors: an indicator and its factors by
// score.
func (p *page) Pedigree() ([][]string, error) {
	var out [][]string
	for _, name := range [...]string{"reliability", "completeness", "temporal correlation", "geographical correlation", "further technological correlation"} {
		line := []string{name}
		for score := 1; score <= 5; score++ {
			u, ok := p.Set.Pedigree(name, score)
			if !ok {
				return nil, fmt.Errorf("no pedigree factor %s %d", name, score)
			}
			line = append(line, u.String())
		}
		out = append(out, line)
	}
	return out, nil
}

// Licences lists the licences of the rows of the set with how many rows each
// has.
func (p *page) Licences() []string {
	count := make(map[string]int)
	for _, f := range p.Set.Factors() {
		count[f.Licence]++
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%s (%d rows)", name, count[name]))
	}
	return out
}

// Licence returns the licence of a factor.
func (p *page) Licence(series string) (string, error) {
	f := p.Set.Ref(series)
	if f == nil {
		return "", fmt.Errorf("no factor %q", series)
	}
	return f.Licence, nil
}

// Numbered lists the sources named so far as cells of a table.
func (p *page) Numbered() []string {
	out := make([]string, 0, len(p.sources))
	for i, r := range p.sources {
		cited := factors.Cite(r.Source, "")
		if cited.Transcription != "" {
			cited.Publication += "; read in the transcription " + cited.Transcription
		}
		out = append(out, fmt.Sprintf("[%d] | %s | %s", i+1, cited.Publication, r.Licence))
	}
	return out
}
