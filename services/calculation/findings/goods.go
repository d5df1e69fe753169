package findings

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// endOfLifeTwice finds materials that include their end of life, as a separate line or in a cradle-to-grave factor,
// and waste of the same material.
func endOfLifeTwice(_ Event, facts []*Fact) (out []Finding) {
	for _, g := range groups(facts, substance) {
		if slices.ContainsFunc(g, func(f *Fact) bool { return f.Type == "waste" }) && slices.ContainsFunc(g, func(f *Fact) bool { return f.Type == "materials" }) {
			out = append(out, finding(EndOfLifeTwice, Warning, g,
				"The materials already include their end of life, and waste of the same kind (%s) is recorded as well. It may be counted twice.", strings.ReplaceAll(substance(g[0]), "_", " ")))
		}
	}
	return out
}

// substance returns the material of a record with an end of life, in the vocabulary of waste. Mixed waste matches
// nothing.
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

// purchases finds spending on items that other records count by quantity.
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
		for _, typ := range footprint.BoughtAs(g[0].Category) {
			if types[typ] {
				also = append(also, typ)
			}
		}
		if len(also) > 0 {
			out = append(out, finding(PurchaseOverlaps, Warning, g,
				"Purchases of %q may be counted twice, because the event also has %s records.", g[0].Category, strings.Join(also, " and ")))
		}
	}
	return out
}
