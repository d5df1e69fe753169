package locations

import (
	"strings"
	"sync"
)

// cityAirports are the airports of cities, by the words of their names without region: those of Manchester, Greater
// Manchester, and of Raleigh/Durham by each of them.
var cityAirports = sync.OnceValue(func() map[string][]int {
	out := map[string][]int{}
	for i, l := range places().airports {
		city := l.City
		if at := strings.IndexAny(city, ",("); at >= 0 {
			city = city[:at]
		}
		for name := range strings.SplitSeq(city, "/") {
			if key := strings.Join(nameWords(name), " "); key != "" {
				out[key] = append(out[key], i)
			}
		}
	}
	return out
})

// AirportsOfCity returns the airports whose city has a name, wherever they are.
func AirportsOfCity(name string) []Location {
	all := cityAirports()[strings.Join(nameWords(name), " ")]
	out := make([]Location, len(all))
	for i, at := range all {
		out[i] = places().airports[at]
	}
	return out
}
