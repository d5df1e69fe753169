package footprint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestDistancesOfBothWaysAreNoticed: a return journey whose distance is about twice that between its places may be counted twice.
func TestDistancesOfBothWaysAreNoticed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, body string
		noticed   bool
	}{
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"London","to":"Leeds","distanceKm":590,"roundTrip":true}`, true},
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"London","to":"Leeds","distanceKm":300,"roundTrip":true}`, false},
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"London","to":"Leeds","distanceKm":590,"roundTrip":false}`, false},
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"London","to":"Leeds","via":["Bristol"],"distanceKm":590,"roundTrip":true}`, false},
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"London","to":"Leeds","distanceKm":1200,"roundTrip":true}`, false},
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"Xyzzy","to":"Leeds","distanceKm":590,"roundTrip":true}`, false},
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"London","to":"Leeds","roundTrip":true}`, false},
		{"freight", `{"mode":"road","weightKg":900,"from":"London","to":"Leeds","distanceKm":630,"roundTrip":true}`, true},
		{"freight", `{"mode":"road","weightKg":900,"from":"London","to":"Leeds","distanceKm":315,"roundTrip":true}`, false},
		{"freight", `{"mode":"air","weightKg":900,"from":"LHR","to":"JFK","distanceKm":11080,"roundTrip":true}`, true},
	} {
		d, err := footprint.Decode(c.typ, []byte(c.body), london)
		if err != nil {
			t.Fatalf("%s: %s", c.body, describe(err))
		}
		got := strings.Contains(fmt.Sprint(d.Notices), footprint.NoticeDistanceDiffers+" distanceKm is about twice")
		if got != c.noticed {
			t.Errorf("%s: %v", c.body, d.Notices)
		}
	}
}
