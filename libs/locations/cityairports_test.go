package locations_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/locations"
)

func TestAirportsOfCity(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"Boston": {"BOS"}, "boston": {"BOS"}, "Perth": {"PER"}, "Houston": {"HOU", "IAH"}, "Manchester": {"MAN", "MHT"}, "Durham": {"RDU"}, "Paris": {"CDG"}, "": nil, "Nowhere": nil,
	} {
		var got []string
		for _, l := range locations.AirportsOfCity(name) {
			if l.Large || name == "Manchester" {
				got = append(got, l.Code)
			}
		}
		for _, code := range want {
			if !slices.Contains(got, code) {
				t.Errorf("%q: %v lacks %s", name, got, code)
			}
		}
		if want == nil && got != nil {
			t.Errorf("%q: %v", name, got)
		}
	}
}
