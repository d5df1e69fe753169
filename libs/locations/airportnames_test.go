package locations_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/locations"
)

// TestAirportCalled: by all words of its name, or by those other than its city's; never by the city alone, by common
// words, or if several match.
func TestAirportCalled(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Heathrow": "LHR", "heathrow airport": "LHR", "London Heathrow": "LHR", "Schiphol": "AMS", "Amsterdam Schiphol": "AMS",
		"Charles de Gaulle": "CDG", "O'Hare": "ORD", "Edinburgh Airport": "EDI", "Zürich Airport": "ZRH", "John F. Kennedy": "JFK",
		"Edinburgh": "", "London": "", "City": "", "Newark": "", "Heathrow, US": "", "Airport": "", "": "", "Kennedy": "",
	} {
		if got, ok := locations.AirportCalled(text); got.Code != want || ok != (want != "") {
			t.Errorf("%q is %q, want %q", text, got.Code, want)
		}
	}
}
