package findings

import (
	"slices"
	"strings"
)

// endOfLifeTwice finds materials that count with their end of life beside waste
// of the same material.
func endOfLifeTwice(_ Event, facts []Fact) (out []Finding) {
	key := func(f Fact) string {
		if f.Type == "waste" || f.Type == "materials" && f.EndOfLife != "" {
			return substance(f.Material)
		}
		return ""
	}
	for _, g := range groups(facts, key) {
		if slices.ContainsFunc(g, func(f Fact) bool { return f.Type == "waste" }) && slices.ContainsFunc(g, func(f Fact) bool { return f.Type == "materials" }) {
			out = append(out, finding(EndOfLifeTwice, Warning, g,
				"Material counts with its end of life, and waste of the same kind (%s) counts by itself.", strings.ReplaceAll(substance(g[0].Material), "_", " ")))
		}
	}
	return out
}

// substance gives the one vocabulary of materials and waste, that of waste;
// empty where a name says nothing. Mixed waste may be of anything, so it
// matches nothing.
func substance(material string) string {
	name := fold(strings.ReplaceAll(material, "_", " "))
	for _, s := range [...]struct {
		is    string
		words []string
	}{
		{"paper_card", []string{"paper", "card", "board"}},
		{"plastic", []string{"plastic", "pet", "pvc", "hdpe", "ldpe", "pp", "ps", "polyester", "foil", "vinyl"}},
		{"glass", []string{"glass"}},
		{"metal", []string{"metal", "steel", "aluminium", "aluminum", "iron", "copper"}},
		{"wood", []string{"wood", "timber", "plywood", "mdf", "chipboard"}},
		{"textile", []string{"textile", "clothing", "carpet", "cotton", "shirt"}},
		{"electrical", []string{"electrical", "electronics", "weee", "batteries", "battery"}},
		{"food", []string{"food"}},
		{"construction", []string{"construction", "concrete", "brick", "plasterboard", "aggregates"}},
	} {
		for word := range strings.FieldsSeq(name) {
			if slices.Contains(s.words, strings.TrimSuffix(word, "s")) || slices.Contains(s.words, word) {
				return s.is
			}
		}
	}
	return ""
}

// energyOfSites finds energy that two records of one site have: two venues with
// the same carrier, or a venue's electricity and a grid supply.
func energyOfSites(_ Event, facts []Fact) (out []Finding) {
	key := func(f Fact) string {
		if f.Type == "venue" || f.Type == "energy" && f.Source == "grid" {
			return fold(f.Site)
		}
		return ""
	}
	for _, g := range groups(facts, key) {
		var twice []Fact
		for i, a := range g {
			if slices.ContainsFunc(g, func(b Fact) bool { return b.ID != a.ID && overlap(a, b) }) {
				twice = append(twice, g[i])
			}
		}
		if len(twice) > 0 {
			out = append(out, finding(SiteEnergyTwice, Warning, twice, "The same kind of energy is counted by %d records of the site %q.", len(twice), g[0].Site))
		}
	}
	return out
}

// overlap says whether two records of a site have a carrier in common and no
// two different dates.
func overlap(a, b Fact) bool {
	if a.Date != "" && b.Date != "" && a.Date != b.Date {
		return false
	}
	x, y := a.energy(), b.energy()
	for i := range x {
		if x[i] && y[i] {
			return a.Type == "venue" || b.Type == "venue"
		}
	}
	return false
}

func (f Fact) energy() [3]bool {
	if f.Type == "energy" {
		return [3]bool{true, false, false}
	}
	return f.carriers()
}

// purchases finds spending on what is also counted by records of its own.
func purchases(_ Event, facts []Fact) (out []Finding) {
	types := map[string]bool{}
	for _, f := range facts {
		types[f.Type] = true
	}
	key := func(f Fact) string {
		if f.Type != "purchases" {
			return ""
		}
		return fold(strings.ReplaceAll(f.Category, "_", " "))
	}
	for _, g := range groups(facts, key) {
		var also []string
		for _, typ := range boughtAs(key(g[0])) {
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

// boughtAs gives the record types that a category of purchases is about.
func boughtAs(category string) []string {
	var types []string
	for _, c := range [...]struct {
		word  string
		types []string
	}{
		{"flight", []string{"flights"}}, {"air", []string{"flights"}}, {"travel", []string{"flights", "ground-transport"}},
		{"transport", []string{"ground-transport", "freight"}}, {"taxi", []string{"ground-transport"}}, {"rail", []string{"ground-transport"}},
		{"freight", []string{"freight"}}, {"logistics", []string{"freight"}}, {"shipping", []string{"freight"}}, {"courier", []string{"freight"}},
		{"hotel", []string{"accommodation"}}, {"accommodation", []string{"accommodation"}},
		{"catering", []string{"catering"}}, {"food", []string{"catering"}}, {"meal", []string{"catering"}},
		{"venue", []string{"venue"}}, {"energy", []string{"venue", "energy"}}, {"electricity", []string{"venue", "energy"}},
		{"waste", []string{"waste"}}, {"water", []string{"water"}},
		{"material", []string{"materials"}}, {"print", []string{"materials"}}, {"printing", []string{"materials"}}, {"merchandise", []string{"materials"}}, {"signage", []string{"materials"}},
		{"streaming", []string{"digital"}}, {"digital", []string{"digital"}},
	} {
		for word := range strings.FieldsSeq(strings.NewReplacer("-", " ", "/", " ", ",", " ", "&", " ").Replace(category)) {
			if word == c.word || strings.TrimSuffix(word, "s") == c.word {
				for _, t := range c.types {
					if !slices.Contains(types, t) {
						types = append(types, t)
					}
				}
			}
		}
	}
	return types
}
