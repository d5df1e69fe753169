package pack

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/spelling"
)

const (
	maxText     = 1000
	maxID       = 120
	firstYear   = 1990
	lastYear    = 2100
	maxReleases = 999_999
)

var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// text checks a text that people read.
func (c *checker) text(where, s string, required bool) {
	switch {
	case required && strings.TrimSpace(s) == "":
		c.fault(where, "it must not be empty")
	case len(s) > maxText:
		c.fault(where, "it must have at most %d bytes; got %d", maxText, len(s))
	case strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		c.fault(where, "it holds characters that cannot be printed")
	}
}

func (c *checker) year(where string, year int, required bool) {
	if (required || year != 0) && (year < firstYear || year > lastYear) {
		c.fault(where, "it must be from %d to %d; got %d", firstYear, lastYear, year)
	}
}

// document checks everything but the lists of figures.
func (c *checker) document() {
	d := &c.d
	if d.Release < 1 || d.Release > maxReleases {
		c.fault("release", "it must be a whole number from 1; got %d", d.Release)
	} else if !factors.IsPackID(d.ID()) {
		c.fault("name", "it must be of lower-case letters, digits and single hyphens, begin with a letter, and have at most 70 characters; got %q", d.Name)
	}
	c.text("title", d.Title, true)
	c.text("publisher", d.Publisher, true)
	c.year("year", d.Year, true)
	if d.Base != "" {
		c.standsOn("base", d.Base)
	}
	if d.Base == "" && len(d.StandIns) == 0 {
		c.fault("standIns", "it must name a built-in set, such as %s, for what the pack lacks, or base must", factors.Sets()[0].ID)
	}
	for i, id := range d.StandIns {
		where := fmt.Sprintf("standIns[%d]", i)
		c.standsOn(where, id)
		if id == d.Base || slices.Contains(d.StandIns[:i], id) {
			c.fault(where, "%s is named twice", id)
		}
	}
	keys := map[string]bool{}
	for i, s := range d.Sources {
		where := fmt.Sprintf("sources[%d]", i)
		if s.Key == "" || len(s.Key) > maxID || keys[s.Key] {
			c.fault(where+".key", "it must be a key that no other source has; got %q", s.Key)
		}
		keys[s.Key] = true
		c.text(where+".source", s.Source, true)
		c.text(where+".licence", s.Licence, true)
	}
	if c.excerpt {
		return
	}
	if len(d.Rows) == 0 || len(d.Rows) > MaxRows {
		c.fault("rows", "there must be from 1 to %d rows; got %d", MaxRows, len(d.Rows))
	}
}

func (c *checker) standsOn(where, id string) {
	if _, ok := builtIn(id); ok {
		return
	}
	var ids []string
	for _, s := range factors.Sets() {
		ids = append(ids, s.ID)
	}
	c.fault(where, "%q is no built-in set; those are %s", id, strings.Join(ids, ", "))
}

func (c *checker) source(where, key, location string) {
	if !slices.ContainsFunc(c.d.Sources, func(s Source) bool { return s.Key == key }) {
		c.fault(where+".source", "%q is the key of none of the sources", key)
	}
	c.text(where+".location", location, true)
}

// known are the properties of a series in the built-in sets.
type known struct{ unit, category string }

// series are those of all built-in sets, and ids are their rows.
var builtInRows = sync.OnceValues(func() (series map[string]known, ids map[string][]factors.Factor) {
	series, ids = make(map[string]known), make(map[string][]factors.Factor)
	for _, set := range factors.Sets() {
		for _, f := range set.Factors() {
			series[f.Series] = known{f.Unit, f.Category}
			f.Index, f.Fallback = 0, false
			if !slices.Contains(ids[f.ID], f) {
				ids[f.ID] = append(ids[f.ID], f)
			}
		}
	}
	return series, ids
})

var (
	gridSeries  = regexp.MustCompile(`^elec\.([a-z]{2})(_[a-z0-9]{1,3})?\.(location|egrid|nga|eccc|eea|mfe|ember|residual|td_loss)$`)
	hotelSeries = regexp.MustCompile(`^acc\.hotel\.([a-z]{2})$`)
	// Flights of less than 300 miles outside the UK, of which no built-in set has rows.
	shortSeries = regexp.MustCompile(`^desnz-flight-short_outside_uk-(average|economy|premium_economy|business|first)-(rf|norf)$`)
)

// knownSeries returns the properties of a series; the calculation uses no unknown one.
func knownSeries(name string) (known, bool) {
	series, _ := builtInRows()
	if k, ok := series[name]; ok {
		return k, true
	}
	if shortSeries.MatchString(name) {
		return known{"passenger.km", "flights"}, true
	}
	for form, k := range map[*regexp.Regexp]known{gridSeries: {"kWh", "venue"}, hotelSeries: {"room_night", "accommodation"}} {
		if m := form.FindStringSubmatch(name); m != nil {
			_, ok := locations.CountryByCode(strings.ToUpper(m[1]))
			return k, ok
		}
	}
	return known{}, false
}

func nearestSeries(name string) string {
	series, _ := builtInRows()
	all := make([]string, 0, len(series))
	for s := range series {
		all = append(all, s)
	}
	slices.Sort(all)
	if near := spelling.Nearest(name, all, 3); len(near) > 0 {
		return "; the nearest are " + strings.Join(near, ", ")
	}
	return ""
}

// rows checks the rows.
func (c *checker) rows() {
	ids, series := map[string]int{}, map[string]int{}
	sources := make(map[string]Source, len(c.d.Sources))
	for _, s := range c.d.Sources {
		sources[s.Key] = s
	}
	for i := range c.d.Rows {
		if c.broken[i] {
			continue
		}
		r := &c.d.Rows[i]
		where := fmt.Sprintf("rows[%d]", i)
		if !idForm.MatchString(r.ID) || len(r.ID) > maxID {
			c.fault(where+".id", "it must be of letters, digits, dots and hyphens, at most %d; got %q", maxID, r.ID)
		}
		where += " (" + r.ID + ")"
		if first, ok := ids[r.ID]; ok {
			c.fault(where+".id", "rows[%d] has it already", first)
		}
		if first, ok := series[r.Series]; ok {
			c.fault(where+".series", "rows[%d] has %s already", first, r.Series)
		}
		ids[r.ID], series[r.Series] = i, i
		c.row(where, r, sources)
	}
}

func (c *checker) row(where string, r *Row, sources map[string]Source) {
	k, ok := knownSeries(r.Series)
	switch {
	case !ok:
		c.fault(where+".series", "no calculation looks up %q%s", r.Series, nearestSeries(r.Series))
	case r.Unit != k.unit:
		c.fault(where+".unit", "%s is per %s; got %q", r.Series, k.unit, r.Unit)
	case r.Category != k.category:
		c.fault(where+".category", "%s is in the category %q; got %q", r.Series, k.category, r.Category)
	}
	c.text(where+".activity", r.Activity, true)
	c.text(where+".detail", r.Detail, false)
	c.text(where+".region", r.Region, true)
	c.year(where+".year", r.Year, false)
	c.source(where, r.Source, r.Location)
	for _, v := range []struct {
		name  string
		value *decimal.Decimal
	}{{"kgCO2e", &r.KgCO2e}, {"co2", r.CO2}, {"ch4", r.CH4}, {"n2o", r.N2O}, {"wellToTank", r.WellToTank}, {"biogenicCO2", r.BiogenicCO2}, {"low", r.Low}, {"high", r.High}} {
		if v.value != nil && v.value.Sign() < 0 {
			c.fault(where+"."+v.name, "it must not be negative; got %s", v.value)
		}
	}
	c.gases(where, r)
	c.limits(where, r.KgCO2e, r.Low, r.High)
	c.builtIn(where, r, sources)
	c.compare(where, r)
	c.generation(where, r)
}

// gases checks that the gases add up to the total, but for rounding.
func (c *checker) gases(where string, r *Row) {
	parts := 0
	sum := new(big.Rat)
	for _, v := range []*decimal.Decimal{r.CO2, r.CH4, r.N2O} {
		if v != nil {
			parts++
			sum.Add(sum, rat(*v))
		}
	}
	const all = 3
	if parts < all {
		return
	}
	total := rat(r.KgCO2e)
	off := new(big.Rat).Abs(new(big.Rat).Sub(sum, total))
	allowed := new(big.Rat).Add(new(big.Rat).Mul(total, big.NewRat(5, 1000)), big.NewRat(2, 100_000))
	if off.Cmp(allowed) > 0 {
		c.fault(where+".kgCO2e", "co2, ch4 and n2o are in kg CO2e and add up to %s, not to %s", sum.FloatString(6), r.KgCO2e)
	}
}

func (c *checker) limits(where string, v decimal.Decimal, low, high *decimal.Decimal) {
	switch {
	case (low == nil) != (high == nil):
		c.fault(where+".low", "low and high come together")
	case low != nil && (low.Cmp(v) > 0 || high.Cmp(v) < 0):
		c.fault(where+".low", "%s to %s does not hold %s", low, high, v)
	}
}

// builtIn rejects a row with the id of a different row of a built-in set: the id would identify two figures.
func (c *checker) builtIn(where string, r *Row, sources map[string]Source) {
	_, ids := builtInRows()
	same := ids[r.ID]
	if len(same) == 0 {
		return
	}
	f := r.factor(sources)
	f.Fallback = false
	if !slices.Contains(same, f) {
		c.fault(where+".id", "a built-in set has another row of this id: take an id of its own, such as one with the year")
	}
}

// generation notes a national row of generation that is not used: from engine 2.1.0 on it needs an upstream part, of its
// own, of the same series in a built-in set, or derived. Rows of a built-in set are as they were exported.
func (c *checker) generation(where string, r *Row) {
	m := gridSeries.FindStringSubmatch(r.Series)
	if m == nil || m[2] != "" || r.WellToTank != nil || !slices.Contains([]string{"location", "egrid", "nga", "eea", "mfe"}, m[3]) {
		return
	}
	if _, ids := builtInRows(); len(ids[r.ID]) > 0 || factors.UpstreamOf(r.ID) != nil {
		return
	}
	for _, set := range factors.Sets() {
		if f, ok := set.Lookup(r.Series); ok && f.WTT.Published {
			return
		}
	}
	c.note(where+".wellToTank", "a grid of generation without it is not used from engine 2.1.0 on; elec.%s.ember takes a life-cycle figure", m[1])
}

// compare notes a figure that is far from that of the newest built-in set.
func (c *checker) compare(where string, r *Row) {
	f, ok := factors.Sets()[0].Lookup(r.Series)
	if !ok || f.KgCO2e.Sign() <= 0 {
		return
	}
	const far = 3
	now, before := rat(r.KgCO2e), rat(f.KgCO2e)
	if new(big.Rat).Mul(now, big.NewRat(far, 1)).Cmp(before) < 0 || new(big.Rat).Mul(before, big.NewRat(far, 1)).Cmp(now) < 0 {
		c.note(where+".kgCO2e", "%s is far from the %s of %s", r.KgCO2e, f.KgCO2e, f.ID)
	}
}

// defaults checks the activity defaults.
func (c *checker) defaults() {
	held := factors.Sets()[0]
	seen := map[string]bool{}
	for i, v := range c.d.Defaults {
		where := fmt.Sprintf("defaults[%d] (%s)", i, v.ID)
		if o, ok := held.Default(v.ID); !ok {
			c.fault(where+".id", "no calculation looks up %q", v.ID)
		} else if o.Unit != v.Unit {
			c.fault(where+".unit", "it is per %s; got %q", o.Unit, v.Unit)
		}
		if seen[v.ID] {
			c.fault(where+".id", "it is there twice")
		}
		seen[v.ID] = true
		if v.Value.Sign() < 0 {
			c.fault(where+".value", "it must not be negative; got %s", v.Value)
		}
		c.text(where+".quantity", v.Quantity, true)
		c.text(where+".detail", v.Detail, false)
		c.year(where+".year", v.Year, false)
		c.limits(where, v.Value, v.Low, v.High)
		c.source(where, v.Source, v.Location)
	}
}

// pedigree checks the matrix, which is whole or absent.
func (c *checker) pedigree() {
	if len(c.d.Pedigree) == 0 {
		return
	}
	want := factors.Sets()[0].Scores()
	seen := map[Score]bool{}
	for i, p := range c.d.Pedigree {
		where := fmt.Sprintf("pedigree[%d]", i)
		cell := Score{Indicator: p.Indicator, Score: p.Score}
		if !slices.ContainsFunc(want, func(s factors.Score) bool { return s.Indicator == p.Indicator && s.Score == p.Score }) || seen[cell] {
			c.fault(where, "%q has no score %d, or it is there twice", p.Indicator, p.Score)
		}
		seen[cell] = true
		if p.Factor.Cmp(decimal.FromInt(1)) < 0 {
			c.fault(where+".factor", "it must be at least 1; got %s", p.Factor)
		}
	}
	if len(seen) != len(want) {
		c.fault("pedigree", "it must have all %d scores or be absent; got %d", len(want), len(seen))
	}
}

func rat(d decimal.Decimal) *big.Rat {
	const ten = 10
	return new(big.Rat).SetFrac(big.NewInt(d.Coefficient()), new(big.Int).Exp(big.NewInt(ten), big.NewInt(int64(d.Scale())), nil))
}
