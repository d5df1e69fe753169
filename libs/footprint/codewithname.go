package footprint

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/locations"
)

// besideCode are the ways in which travel agencies write an airport with its code: London
// Heathrow (LHR), LHR - London Heathrow, Manchester, MAN.
var besideCode = []*regexp.Regexp{
	regexp.MustCompile(`^(?P<name>.+?)\s*[(\[](?P<code>[A-Z]{3})(?:/[A-Z]{4})?[)\]]$`), // with the ICAO code, as logs of flights have it
	regexp.MustCompile(`^(?P<code>[A-Z]{3})\s*[(\[](?P<name>.+)[)\]]$`),
	regexp.MustCompile(`^(?P<code>[A-Z]{3})(?:\s*[-–,/:]\s*|\s+)(?P<name>.+)$`),
	regexp.MustCompile(`^(?P<name>.+?)(?:\s*[-–,/:]\s*|\s+)(?P<code>[A-Z]{3})$`),
}

// nearCode is how far from an airport, in metres, a town is at most that it is named by.
const nearCode = 120_000

// codeBeside returns the airport of a text that has its name, or that of its town, and its
// code, where both mean the same one: Portland (USA) is not the airport USA.
func codeBeside(text, home string) (locations.Location, bool) {
	for _, form := range besideCode {
		parts := form.FindStringSubmatch(text)
		if parts == nil {
			continue
		}
		name, code := parts[form.SubexpIndex("name")], parts[form.SubexpIndex("code")]
		l, ok := locations.Resolve(code)
		if !ok {
			continue
		}
		own := tellingWords(l.Name + " " + l.City)
		if slices.ContainsFunc(tellingWords(name), func(word string) bool { return slices.Contains(own, word) }) {
			return l, true
		}
		if town, _, err := findPlace(name, home); err == nil && town.ID != 0 && locations.GreatCircleMetres(town.Location(), l) <= nearCode {
			return l, true
		}
	}
	return locations.Location{}, false
}

// tellingWords returns the distinguishing words of a name.
func tellingWords(name string) []string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.DeleteFunc(words, func(word string) bool {
		switch word {
		case "airport", "international", "flughafen", "city", "regional", "national", "central", "the", "new", "san", "saint", "los", "las", "del":
			return true
		}
		return len(word) < 3
	})
}
