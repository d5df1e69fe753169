package methodology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/locations"
)

// passed is a national row of the set that no record uses, and the row used for its country instead.
type passed struct{ Country, ID, Instead string }

// grids are the rows used for the electricity of places.
type grids struct {
	// countries and parts are how many countries, and how many states and provinces, a
	// publisher serves.
	countries, parts map[string]int
	// rows are the ids by country, for records that name no state or province.
	rows   map[string]string
	passed []passed
}

// publisherOf returns the third part of the series of a grid row: "nga" of
// "elec.au_nsw.nga". Rows of corrections have further parts.
func publisherOf(series string) string {
	parts := strings.Split(series, ".")
	if len(parts) < 3 || parts[0] != "elec" {
		return ""
	}
	return parts[2]
}

// grid returns the row that the engine uses for a place.
func (p *page) grid(country, subdivision string) (factors.Factor, error) {
	body := fmt.Sprintf(`{"electricityKWh":1,"country":%q}`, country)
	if subdivision != "" {
		body = fmt.Sprintf(`{"electricityKWh":1,"country":%q,"subdivision":%q}`, country, subdivision)
	}
	e, err := p.evaluate("venue", body)
	if err != nil {
		return factors.Factor{}, fmt.Errorf("grid of %s %s: %w", country, subdivision, err)
	}
	f, ok := p.Set.Factor(e.Lines[0].FactorID)
	if !ok || publisherOf(f.Series) == "" {
		return f, fmt.Errorf("grid of %s %s: %s is no row of a grid", country, subdivision, e.Lines[0].FactorID)
	}
	return f, nil
}

// allGrids determines the row of every country, and of every state and province of the set. A list of publishers
// based only on rows would include rows that are never used.
func (p *page) allGrids() (*grids, error) {
	if p.grids != nil {
		return p.grids, nil
	}
	g := &grids{countries: map[string]int{}, parts: map[string]int{}, rows: map[string]string{}}
	for _, c := range locations.Countries() {
		f, err := p.grid(c.Code, "")
		if err != nil {
			return nil, err
		}
		g.rows[c.Code] = f.ID
		g.countries[publisherOf(f.Series)]++
	}
	for _, f := range p.Set.Factors() {
		publisher := publisherOf(f.Series)
		if f.Category != "venue" || !slices.Contains(nationalPublishers, publisher) {
			continue
		}
		if country, _, isPart := strings.Cut(f.Region, "-"); isPart {
			served, err := p.grid(country, f.Region)
			if err != nil {
				return nil, err
			}
			g.parts[publisherOf(served.Series)]++
			continue
		}
		country := strings.ToUpper(strings.Split(f.Series, ".")[1])
		instead, isCountry := g.rows[country]
		if served, ok := p.Set.Factor(instead); isCountry && ok && publisherOf(served.Series) != publisher {
			g.passed = append(g.passed, passed{country, f.ID, instead})
		}
	}
	slices.SortFunc(g.passed, func(a, b passed) int { return strings.Compare(a.ID, b.ID) })
	p.grids = g
	return g, nil
}

// nationalPublishers take precedence over Ember.
var nationalPublishers = []string{"location", "egrid", "nga", "eccc", "eea", "mfe"}

// GridCountries counts the countries and territories whose electricity uses the row of a publisher if a record states
// no state or province.
func (p *page) GridCountries(publisher string) (int, error) {
	g, err := p.allGrids()
	if err != nil {
		return 0, err
	}
	return g.countries[publisher], nil
}

// GridParts counts the states, provinces and territories that a publisher serves.
func (p *page) GridParts(publisher string) (int, error) {
	g, err := p.allGrids()
	if err != nil {
		return 0, err
	}
	return g.parts[publisher], nil
}

// GridOf names the row of a country for a record that names no state or province.
func (p *page) GridOf(country string) (string, error) {
	g, err := p.allGrids()
	if err != nil {
		return "", err
	}
	if g.rows[country] == "" {
		return "", fmt.Errorf("no grid of %s", country)
	}
	return "`" + g.rows[country] + "`", nil
}

// Passed lists the national rows that serve no record.
func (p *page) Passed() ([]passed, error) {
	g, err := p.allGrids()
	if err != nil {
		return nil, err
	}
	return g.passed, nil
}
