package footprint

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/spelling"
	"github.com/eventcarbon/ecf/libs/spend"
)

// boughtApart are the spend categories whose money does not count what records count by
// amount, although the table of categories names a record type that would be better than a
// price. An event that has both is not wrong: what the invoice is for and what the records
// hold are different things, or the category does not say what it is.
var boughtApart = []string{
	// Equipment on hire: the energy, materials and freight of an event are its own, and
	// these are hired without fuel, or with a crew.
	"av_hire", "it_hire", "plant_hire", "generator_hire", "staging_rigging", "furniture_hire", "marquee_hire", "toilet_hire",
	// People and their work. Their journeys and nights are not what the fee is for.
	"artist_fees", "performing_groups", "temporary_staff", "security", "cleaning",
	// Beside a journey, and not the fare.
	"travel_agency_fee", "parking",
	// It does not say which goods.
	"other_goods",
}

// BoughtAs returns the record types that count by amount what a category of purchases
// names, in their order; none where no type does. Of a spend category they are those of the
// table of categories, by its id in any spelling of its words ("coach hire"); of all other
// categories, which may be words of a person's own, those that the words name.
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

// TypesLike returns all record types, first those that a name means or looks like: hotel
// is accommodation, and flight flights.
func TypesLike(name string) []string {
	var types []string
	for _, t := range slices.Concat(spelling.Related(name, Types(), len(Types())), BoughtAs(name), Types()) {
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// boughtByTable returns the types of a spend category. Purchases are no type that counts by
// amount.
func boughtByTable(c spend.Category) []string {
	if slices.Contains(boughtApart, c.ID) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(c.Better), func(typ string) bool { return typ == "purchases" || !Known(typ) })
}

// wordsOf returns the words of a name in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" -_/,&", r) })
}
