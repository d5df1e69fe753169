package sheet

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// addresses are the words before city and country in the headings of a registration's addresses, the likeliest origin of
// a person first. Home City is a heading of its own.
const addresses wordlist.List = "addresses"

// addressParts are the fields that are parts of an address; the words for them are in lists of their names.
var addressParts = [...]string{"place", "country", "postcode"}

// germanAddresses are headings of towns in German, as the words of addresses are ordered.
const germanAddresses wordlist.List = "germanAddresses"

// findAddress takes the town of people from the likeliest of their addresses, where the table has no other town, and the
// rest of that address with it. The other addresses are ignored: a person has one origin.
func (r *origins) findAddress() {
	if r.typ != footprint.OriginRows || r.heading("place", "postcode") {
		return
	}
	take := func(field string, heads ...string) bool {
		at := slices.IndexFunc(r.ignored, func(at int) bool { return slices.Contains(heads, plain(r.heads[at])) })
		i := slices.IndexFunc(r.known, func(c Column) bool { return c.Name == field })
		if at < 0 || i < 0 || r.heading(field) {
			return false
		}
		at = r.ignored[at]
		if field == "place" {
			r.address = r.heads[at]
		}
		r.columns[at] = r.known[i]
		r.use(at)
		return true
	}
	for _, address := range addresses.All() {
		found := false
		for i, part := range addressParts {
			var heads []string
			for _, word := range wordlist.OfType("address", part).All() {
				heads = append(heads, address+word, address+"address"+word)
			}
			if took := take(part, heads...); i == 0 && !took {
				break
			}
			found = true
		}
		if found {
			return
		}
	}
	take("place", germanAddresses.All()...)
}
