package footprint_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestDroppedFieldsAreNamedByMeaning verifies that a dropped field suggests the field that people call so: fifty people
// with a field "pax" would count as one.
func TestDroppedFieldsAreNamedByMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, dropped, meant string }{
		{"attendee-travel", `{"to":"Manchester","origins":[{"place":"Leeds","people":2},{"place":"York","pax":50}]}`, "origins[1].pax", "origins[1].people"},
		{"attendee-travel", `{"to":"Manchester","origins":[{"place":"Leeds","numberOfPeople":50}]}`, "origins[0].numberOfPeople", "origins[0].people"},
		{"attendee-travel", `{"to":"Manchester","origins":[{"place":"Leeds","anzahl_personen":50}]}`, "origins[0].anzahl_personen", "origins[0].people"},
		{"ground-transport", `{"mode":"coach","distanceKm":100,"vehicles":1,"return journey":true}`, "return journey", "roundTrip"},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy","cabinClass":"first"}`, "cabinClass", "class"},
	} {
		decoded, err := footprint.Decode(c.typ, []byte(c.body), london)
		if err != nil {
			t.Errorf("%s %s: %v", c.typ, c.body, err)
			continue
		}
		i := slices.IndexFunc(decoded.Notices, func(n footprint.Notice) bool { return n.Code == footprint.NoticeUnknownField && n.Field == c.dropped })
		if c.dropped != "" && (i < 0 || !slices.Contains(decoded.Notices[i].Suggestions, c.meant)) {
			t.Errorf("%s %s: the notices are %+v, want %s to suggest %s", c.typ, c.body, decoded.Notices, c.dropped, c.meant)
		}
		for _, n := range decoded.Dropped {
			if n.Field == c.dropped && !slices.Contains(n.Suggestions, c.meant) {
				t.Errorf("%s %s: the response suggests %v for %s, want %s", c.typ, c.body, n.Suggestions, c.dropped, c.meant)
			}
		}
	}
}

// TestAbsentFieldsAreFoundByMeaning is the same for a field that is required.
func TestAbsentFieldsAreFoundByMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, meant string }{
		{"ground-transport", `{"mode":"rail","distanceKm":100,"pax":4}`, `"pax" is not a field here; did you mean passengers?`},
		{"accommodation", `{"country":"GB","nights":2,"anzahl_zimmer":12}`, "did you mean rooms?"},
	} {
		_, err := footprint.Decode(c.typ, []byte(c.body), london)
		if e, ok := errors.AsType[*apperr.Error](err); !ok || !strings.Contains(fmt.Sprint(e.Details), c.meant) {
			t.Errorf("%s %s: %+v, want it to say %q", c.typ, c.body, err, c.meant)
		}
	}
}
