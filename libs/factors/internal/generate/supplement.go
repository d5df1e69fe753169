package main

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// supplement writes the table of rows that the editions lack and all of them use. Its lines are those of a set, and
// in addition range, the published low and high of the preceding factor or default.
type supplement struct {
	out  bytes.Buffer
	seen map[string]map[string]string
	ids  map[string]bool
	err  error
}

func (s *supplement) line(cells ...string) { s.out.WriteString(strings.Join(cells, "\t") + "\n") }

// number returns the number of a text that occurs many times, and writes it at
// its first use.
func (s *supplement) number(kind, text string) string {
	if n, ok := s.seen[kind][text]; ok {
		return n
	}
	n := strconv.Itoa(len(s.seen[kind]))
	s.seen[kind][text] = n
	s.line(kind, n, text)
	return n
}

// entry is a row of the supplement.
type entry struct {
	id, category, activity, detail, unit, value, low, high, region, year, source, place, licence string
}

// check records the first fault: a duplicate id or an invalid figure.
func (s *supplement) check(e entry) bool {
	if s.err == nil && s.ids[e.id] {
		s.err = fmt.Errorf("%s occurs twice", e.id)
	}
	s.ids[e.id] = true
	for _, figure := range []string{e.value, e.low, e.high} {
		if _, err := decimal.Parse(figure); err != nil && figure != "" && s.err == nil {
			s.err = fmt.Errorf("%s: %q: %w", e.id, figure, err)
		}
	}
	return s.err == nil && e.value != ""
}

func (s *supplement) rangeOf(e entry) {
	if e.low != "" && e.high != "" {
		s.line("range", e.id, e.low, e.high)
	}
}

func (s *supplement) factor(e entry) {
	if !s.check(e) {
		return
	}
	source, place, licence := s.number("source", e.source), s.number("place", e.place), s.number("licence", e.licence)
	s.line("factor", e.id, e.id, e.category, e.activity, e.detail, e.unit, e.value, "", "", "", "", e.region, e.year, source, place, licence, "")
	s.rangeOf(e)
}

func (s *supplement) value(e entry) {
	if !s.check(e) {
		return
	}
	source, place, licence := s.number("source", e.source), s.number("place", e.place), s.number("licence", e.licence)
	s.line("default", e.id, e.activity, e.detail, e.value, e.unit, e.region, e.year, source, place, licence)
	s.rangeOf(e)
}

// entryOf reads the columns that most tables of the second collection share.
func entryOf(r row) entry {
	id, activity, value := r["factor_id"], r["activity"], r["kgco2e_per_unit"]
	if id == "" {
		id, activity, value = r["default_id"], r["quantity"], r["value"]
	}
	return entry{id: id, category: r["category"], activity: activity, detail: r["detail"], unit: r["unit"], value: value,
		low: r["low"], high: r["high"], region: r["region"], year: r["year"], source: r["source"], place: r["source_location"], licence: r["licence"]}
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slug(text string) string {
	return strings.Trim(notSlug.ReplaceAllString(strings.ToLower(text), "_"), "_")
}

const supplementID = "intake-2026"

func buildSupplement(tables map[string][]row) ([]byte, error) {
	s := &supplement{ids: map[string]bool{}, seen: map[string]map[string]string{"licence": {}, "source": {}, "place": {}}}
	s.line("set", supplementID, "2026")
	for _, table := range []string{"accommodation_extra", "catering_extra", "materials_extra"} {
		for _, r := range tables[table] {
			s.factor(entryOf(r))
		}
	}
	for _, table := range []string{"generator_defaults", "venue_basic", "attendee_travel_defaults", "choices"} {
		for _, r := range tables[table] {
			s.value(entryOf(r))
		}
	}
	s.quantities(tables)
	s.spend(tables)
	return s.out.Bytes(), s.err
}

// quantities writes the conversions of counts to amounts: bins, densities, weights, the fuel of generators, modes of
// travel.
func (s *supplement) quantities(tables map[string][]row) {
	for _, r := range tables["generators"] {
		s.value(entry{id: r["id"], activity: "diesel of a generator of " + r["rated_kw"] + " kW at load " + r["load_fraction"], value: r["diesel_litres_per_hour"],
			unit: "litre/h", region: "GLOBAL", year: "2020", source: "Approximate diesel generator consumption chart, the same at four manufacturers and dealers",
			place: "https://oer.enviraj.com/general/diesel-generator-fuel-consumption-chart", licence: "facts quoted from the named source"})
	}
	for _, r := range tables["waste_containers"] {
		e := entry{id: r["id"], activity: r["container"], detail: r["note"], value: r["litres"], unit: "litre", region: "GB",
			source: r["source"], place: r["source_location"], licence: r["licence"]}
		s.value(e)
		e.id, e.activity, e.value, e.unit = e.id+".full", "full of general waste: "+e.activity, r["full_general_waste_kg"], "kg"
		s.value(e)
	}
	for _, r := range tables["waste_density"] {
		e := entryOf(r)
		e.id, e.activity, e.value, e.unit = r["id"], r["stream"], r["kg_per_m3"], "kg/m3"
		s.value(e)
	}
	for _, r := range tables["material_weights"] {
		e := entryOf(r)
		e.id, e.activity, e.value, e.unit = r["id"], r["item"], r["grams"], "g/"+r["per"]
		s.value(e)
	}
	for _, r := range tables["mode_split"] {
		e := entryOf(r)
		e.id, e.activity, e.detail, e.value, e.unit = r["id"], r["mode"], r["population"], r["share"], "fraction"
		s.value(e)
	}
}

// spend writes kg per unit of currency: the UK multipliers of each year, and the
// US supply chain factors with margins.
func (s *supplement) spend(tables map[string][]row) {
	for _, r := range tables["spend_factors_uk_sic"] {
		for year := 2015; year <= 2023; year++ {
			y := strconv.Itoa(year)
			s.factor(entry{id: "spend.uk." + slug(r["sic_group"]) + "." + y, category: "purchases", activity: r["title"], detail: "basic prices of " + y + ", without VAT",
				unit: "GBP", value: r["kgco2e_per_gbp_"+y], region: "GB", year: y, source: "Defra and University of Leeds, UK footprint multipliers by SIC, 2015 to 2023",
				place: "SIC " + r["sic_group"] + ", column " + y, licence: "Open Government Licence v3.0"})
		}
	}
	for _, r := range tables["spend_factors_us_naics6"] {
		s.factor(entry{id: "spend.us." + r["naics_2017"], category: "purchases", activity: r["title"], detail: "purchaser prices of 2022, margins included",
			unit: "USD", value: r["kgco2e_per_2022usd_with_margins"], region: "US", year: "2022", source: "US EPA Supply Chain Greenhouse Gas Emission Factors v1.3 by NAICS-6",
			place: "NAICS 2017 " + r["naics_2017"], licence: "US public domain"})
	}
}
