package findings

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// energyOfSites finds energy that two records of one site have: two venues with
// the same carrier, a venue's electricity and a grid supply, the estimate of an outdoor
// site and the fuel of its generators, or the hours of a generator and its fuel.
func energyOfSites(_ Event, facts []*Fact) (out []Finding) {
	key := func(f *Fact) string {
		if len(f.supplies()) > 0 {
			return normal(f.Site)
		}
		return ""
	}
	for _, g := range groups(facts, key) {
		twice := suppliedTwice(g)
		if len(twice) > 0 {
			out = append(out, finding(SiteEnergyTwice, Warning, twice, "%d records of the site %q count the same kind of energy.", len(twice), freeText(g[0].Site)))
		}
	}
	return out
}

// energyOfNoSite finds energy that is counted twice by records that state no site. An estimate of an outdoor site
// then counts as that of the whole event, including its generators; a venue's electricity and a grid supply may be
// the same.
func energyOfNoSite(_ Event, facts []*Fact) (out []Finding) {
	named := func(f *Fact) bool { return normal(f.Site) != "" }
	estimates := with(facts, func(f *Fact) bool { return f.Type == "venue" && !named(f) && f.outdoors() })
	fuels := with(facts, func(f *Fact) bool { return f.Type == "energy" && footprint.GeneratorBurns(f.Source) })
	if twice := meeting(estimates, fuels); len(twice) > 0 {
		out = append(out, finding(SiteEnergyTwice, Warning, twice,
			"The estimate for an outdoor site without a name covers all generators of the event, but generator fuel is recorded as well (%d records in all). State the site in each record.", len(twice)))
	}
	venues := with(facts, func(f *Fact) bool { return f.Type == "venue" && !named(f) && !f.outdoors() && f.carriers()[0] })
	supplies := with(facts, func(f *Fact) bool { return f.Type == "energy" && !named(f) && f.Source == "grid" })
	if twice := meeting(venues, supplies); len(twice) > 0 {
		out = append(out, finding(SiteEnergyTwice, Warning, twice,
			"%d venue and grid supply records count electricity without naming their site. If they belong to different sites, name the site in each.", len(twice)))
	}
	return out
}

// meeting returns those of two lists for which the other one has a record of no other date.
func meeting(a, b []*Fact) []*Fact {
	dates := func(facts []*Fact) map[string]bool {
		on := map[string]bool{}
		for _, f := range facts {
			on[f.Date] = true
		}
		return on
	}
	meets := func(others map[string]bool) func(*Fact) bool {
		return func(f *Fact) bool { return others[f.Date] || others[""] || f.Date == "" && len(others) > 0 }
	}
	return slices.Concat(with(a, meets(dates(b))), with(b, meets(dates(a))))
}

// extent is how much of a carrier at its site a record counts.
type extent int

const (
	// anAmount is a part: there may be others.
	anAmount extent = iota
	// hoursRun is a part too, estimated by the hours of a generator. No amount of its fuel may be recorded in
	// addition.
	hoursRun
	// allOfIt is the whole use of the site.
	allOfIt
	// extents is their number.
	extents
)

// twice reports whether two records of one carrier and site count the same energy.
func (x extent) twice(other extent) bool { return x != other || x == allOfIt }

// supply is the key by which a record of a site is counted.
type supply struct {
	carrier string
	extent  extent
}

// anyDate represents all dates and none.
const anyDate = "any"

// suppliedTwice returns those records of a site that count the same energy as another one of the same or no date. It
// counts instead of comparing pairs: a site may have thousands of records.
func suppliedTwice(site []*Fact) (twice []*Fact) {
	type dated struct {
		supply
		date string
	}
	n := map[dated]int{}
	for _, f := range site {
		for _, s := range f.supplies() {
			n[dated{s, f.Date}]++
			n[dated{s, anyDate}]++
		}
	}
	others := func(f *Fact, s supply) (count int) {
		for x := range extents {
			if !s.extent.twice(x) {
				continue
			}
			of := supply{s.carrier, x}
			if f.Date == "" {
				count += n[dated{of, anyDate}]
			} else {
				count += n[dated{of, f.Date}] + n[dated{of, ""}]
			}
			if x == s.extent {
				count-- // itself
			}
		}
		return count
	}
	for _, f := range site {
		for _, s := range f.supplies() {
			if others(f, s) > 0 {
				twice = append(twice, f)
				break
			}
		}
	}
	return twice
}

// generators are the supply of an outdoor site, with any fuel.
const generators = "generators"

// supplies returns the parts of its site's energy that a record counts; none for a record without a site.
func (f *Fact) supplies() (out []supply) {
	switch {
	case f.Type == "energy" && f.Source == "grid":
		return []supply{{"electricity", anAmount}}
	case f.Type == "energy" && footprint.GeneratorBurns(f.Source):
		own := anAmount
		if f.GeneratorKVA != nil && f.VolumeLitres == nil && f.EnergyKWh == nil && f.WeightKg == nil {
			own = hoursRun
		}
		return []supply{{generators, anAmount}, {fuelKind(f.Source), own}}
	case f.Type != "venue":
		return nil
	case f.outdoors():
		return []supply{{generators, allOfIt}}
	}
	for i, has := range f.carriers() {
		if has {
			out = append(out, supply{[...]string{"electricity", "gas", "heat"}[i], allOfIt})
		}
	}
	return out
}

// fuelKind names a fuel of generators; a diesel engine on a site burns gas oil, which is sold
// as diesel.
func fuelKind(source string) string {
	if source == "gas_oil" {
		return "diesel"
	}
	return source
}
