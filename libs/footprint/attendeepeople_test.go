package footprint_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestPeopleByDirection: people without origin count as the mean of the others, also by direction, and survey
// responses are extrapolated to everyone.
func TestPeopleByDirection(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", FactorSet: "desnz-2026"}
	for body, want := range map[string][2]int64{
		`{"to":"London","origins":[{"place":"Leeds","people":4},{"country":"FR","people":6},{"postcode":"BS1 4DJ"},{"code":"EDI","roundTrip":true}]}`: {12, 12},
		`{"to":"London","origins":[{"place":"Leeds","people":4,"roundTrip":false},{"place":"York","people":6}]}`:                                      {10, 6},
		`{"to":"London","origins":[{"place":"Leeds","people":4,"roundTrip":false},{"place":"York","people":6},{"people":5}]}`:                         {15, 9},
		`{"to":"London","origins":[{"place":"Leeds","people":4,"roundTrip":false},{"place":"York","people":6}],"respondents":10,"population":25}`:     {25, 15},
	} {
		decoded, err := footprint.Decode(footprint.AttendeeTravel, []byte(body), ev)
		if err != nil {
			t.Fatal(body, err)
		}
		if there, back := footprint.PeopleByDirection(decoded.Fields); there != want[0] || back != want[1] {
			t.Errorf("%s brings %d and takes %d home, want %v", body, there, back, want)
		}
	}
	for _, stored := range []string{`{}`, `{"origins":[{"people":5}]}`, `not json`} {
		if there, back := footprint.PeopleByDirection([]byte(stored)); there != 0 || back != 0 {
			t.Errorf("%s brings %d and takes %d home", stored, there, back)
		}
	}
}
