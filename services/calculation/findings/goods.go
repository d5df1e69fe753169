package findings

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// endOfLifeTwice finds materials that count with their end of life, by a line of
// its own or within a cradle-to-grave factor, beside waste of the same material.
func endOfLifeTwice(_ Event, facts []*Fact) (out []Finding) {
	for _, g := range groups(facts, substance) {
		if slices.ContainsFunc(g, func(f *Fact) bool { return f.Type == "waste" }) && slices.ContainsFunc(g, func(f *Fact) bool { return f.Type == "materials" }) {
			out = append(out, finding(EndOfLifeTwice, Warning, g,
				"Material counts with its end of life, and waste of the same kind (%s) counts by itself.", strings.ReplaceAll(substance(g[0]), "_", " ")))
		}
	}
	return out
}

// substance returns what has an end of life in a record, in the vocabulary of
// waste. Mixed waste may be of anything, so it matches nothing.
func substance(f *Fact) string {
	switch {
	case f.Type == "waste" && f.Material != "mixed":
		return f.Material
	case f.Type == "materials" && (f.EndOfLife != "" || f.CradleToGrave):
		kind, _ := footprint.WasteOf(f.Material)
		return kind
	}
	return ""
}

// energyOfSites finds energy that two records of one site have: two venues with
// the same carrier, or a venue's electricity and a grid supply.
func energyOfSites(_ Event, facts []*Fact) (out []Finding) {
	key := func(f *Fact) string {
		if f.Type == "venue" || f.Type == "energy" && f.Source == "grid" {
			return normal(f.Site)
		}
		return ""
	}
	for _, g := range groups(facts, key) {
		twice := suppliedTwice(g)
		if len(twice) > 0 {
			out = append(out, finding(SiteEnergyTwice, Warning, twice, "The same kind of energy is counted by %d records of the site %q.", len(twice), g[0].Site))
		}
	}
	return out
}

// supply is what records of a site are counted by: a carrier, of venues or of
// supplies, on a date.
type supply struct {
	carrier int
	venue   bool
	date    string
}

// anyDate stands for all dates and none.
const anyDate = "any"

// suppliedTwice returns those records of a site that have a carrier in common with
// another one of no other date, where at least one of the two is a venue. It
// counts instead of comparing pairs: a site may have thousands of records.
func suppliedTwice(site []*Fact) (twice []*Fact) {
	n := map[supply]int{}
	for _, f := range site {
		for carrier, has := range f.energy() {
			if has {
				n[supply{carrier, f.Type == "venue", f.Date}]++
				n[supply{carrier, f.Type == "venue", anyDate}]++
			}
		}
	}
	others := func(f *Fact, carrier int, venue bool) int {
		count := n[supply{carrier, venue, anyDate}]
		if f.Date != "" {
			count = n[supply{carrier, venue, f.Date}] + n[supply{carrier, venue, ""}]
		}
		if venue == (f.Type == "venue") {
			count-- // itself
		}
		return count
	}
	for _, f := range site {
		for carrier, has := range f.energy() {
			if has && (others(f, carrier, true) > 0 || f.Type == "venue" && others(f, carrier, false) > 0) {
				twice = append(twice, f)
				break
			}
		}
	}
	return twice
}

func (f *Fact) energy() [3]bool {
	if f.Type == "energy" {
		return [3]bool{true, false, false}
	}
	return f.carriers()
}

// purchases finds spending on what is also counted by records of its own.
func purchases(_ Event, facts []*Fact) (out []Finding) {
	types := map[string]bool{}
	for _, f := range facts {
		types[f.Type] = true
	}
	key := func(f *Fact) string {
		if f.Type != "purchases" {
			return ""
		}
		return normal(strings.ReplaceAll(f.Category, "_", " "))
	}
	for _, g := range groups(facts, key) {
		var also []string
		for _, typ := range footprint.BoughtAs(key(g[0])) {
			if types[typ] {
				also = append(also, typ)
			}
		}
		if len(also) > 0 {
			out = append(out, finding(PurchaseOverlaps, Warning, g,
				"Purchases of %q count by amount, and the event has records of %s.", g[0].Category, strings.Join(also, " and ")))
		}
	}
	return out
}
