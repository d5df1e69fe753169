package footprint

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/spelling"
	"github.com/eventcarbon/ecf/libs/spend"
)

// spendNotDuplicated are the spend categories whose spending does not duplicate records by quantity, although the table of
// categories names a record type as a better alternative. An event may have both: the invoice and the records cover
// different things, or the category is too general.
var spendNotDuplicated = []string{
	// Equipment on hire: the event records its energy, materials and freight itself; it is hired without fuel, or
	// with a crew.
	"av_hire", "it_hire", "plant_hire", "generator_hire", "staging_rigging", "furniture_hire", "marquee_hire", "toilet_hire",
	// People and their work. The fee does not cover their travel and accommodation.
	"artist_fees", "performing_groups", "temporary_staff", "security", "cleaning",
	// In addition to a journey, not the fare.
	"travel_agency_fee", "parking",
	// The goods are unknown.
	"other_goods",
}

// BoughtAs returns the record types that cover a category of purchases by quantity, in order; none if no type does.
// For a spend category, in any spelling of its id ("coach hire"), they come from the table of categories; for other,
// free-text categories from the words in them.
func BoughtAs(category string) []string {
	id := strings.Join(wordsOf(category), "_")
	if c, ok := spend.ByID(id); ok {
		return boughtByTable(c)
	}
	var types []string
	if c, ok := spendCategory(id); ok {
		types = boughtByTable(c)
	}
	for _, t := range registry() {
		if !slices.Contains(types, t.name) && slices.ContainsFunc(wordsOf(category), func(w string) bool {
			return slices.Contains(t.doc.bought, w) || slices.Contains(t.doc.bought, strings.TrimSuffix(w, "s"))
		}) {
			types = append(types, t.name)
		}
	}
	return types
}

// TypesLike returns all record types, first those that a name means or resembles: accommodation for hotel, flights
// for flight.
func TypesLike(name string) []string {
	var types []string
	for _, t := range slices.Concat(spelling.Related(name, Types(), len(Types())), BoughtAs(name), Types()) {
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// boughtByTable returns the types of a spend category. Purchases are not recorded by quantity.
func boughtByTable(c spend.Category) []string {
	if slices.Contains(spendNotDuplicated, c.ID) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Better), func(typ string) bool { return typ == "purchases" || !Known(typ) })
}

// wordsOf returns the words of a name in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" -_/,&", r) })
}
