package locations_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/locations"
)

// TestAirportCalled: by all words of its name, or by those beside its city's; never by the city's
// alone, by words that many have, or where several are called so.
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
