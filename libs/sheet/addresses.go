package sheet

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// addresses are the words before city and country in the headings of a registration's addresses, the likeliest origin of
// a person first. Home City is a heading of its own.
var addresses = []string{"mailing", "shipping", "contact", "attendee", "participant", "work", "business", "office", "company", "organization", "organisation", "institution", "affiliation", "billing", "invoice"}

// Words for the parts of an address in headings, by field.
var addressParts = []struct {
	field string
	words []string
}{
	{"place", []string{"city", "town", "city/town"}},
	{"country", []string{"country", "countrycode", "country/region"}},
	{"postcode", []string{"postcode", "postalcode", "zip", "zipcode", "zip/postalcode"}},
}

// germanAddresses are headings of towns in German, as the words of addresses are ordered.
var germanAddresses = []string{"dienstort", "arbeitsort", "firmenort", "firmensitz", "rechnungsort"}

// findAddress takes the town of people from the likeliest of their addresses, where the table has no other town, and the
// rest of that address with it. The other addresses are ignored: a person has one origin.
func (r *Reader) findAddress(known []Column) {
	if r.typ != footprint.OriginRows || r.heading("place", "postcode") {
		return
	}
	take := func(field string, heads ...string) bool {
		at := slices.IndexFunc(r.ignored, func(at int) bool { return slices.Contains(heads, plain(r.heads[at])) })
		i := slices.IndexFunc(known, func(c Column) bool { return c.Name == field })
		if at < 0 || i < 0 || r.heading(field) {
			return false
		}
		at = r.ignored[at]
		if field == "place" {
			r.address = r.heads[at]
		}
		r.columns[at] = known[i]
		r.use(at)
		return true
	}
	for _, address := range addresses {
		found := false
		for i, part := range addressParts {
			var heads []string
			for _, word := range part.words {
				heads = append(heads, address+word, address+"address"+word)
			}
			if took := take(part.field, heads...); i == 0 && !took {
				break
			}
			found = true
		}
		if found {
			return
		}
	}
	take("place", germanAddresses...)
}

// Address returns the heading of the column of an address that the towns of people are taken from, such as "Work City";
// empty if a column says where they come from.
func (r *Reader) Address() string { return r.address }
