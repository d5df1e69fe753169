package places_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/places"
)

// A spreadsheet leaves the first 0 of a postcode out; the areas of others are as they were.
func TestPostcodesWithoutTheirFirstZero(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ code, country, want string }{
		{"01067", "DE", "010"}, {"1067", "DE", "010"}, {"10671", "DE", "106"}, {"106", "DE", "106"},
		{"2139", "US", "021"}, {"02139", "US", "021"}, {"021", "US", "021"}, {"6000", "FR", "06000"},
		{"3000", "AU", "3000"}, {"1010", "AT", "1010"},
	} {
		long, ok := places.Postcode(c.want, c.country)
		got, found := places.Postcode(c.code, c.country)
		if !ok || !found || got != long {
			t.Errorf("%s %s: %v, %t, want the area of %s, %v", c.country, c.code, got, found, c.want, long)
		}
	}
}
