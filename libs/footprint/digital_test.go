package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func TestDigital(t *testing.T) {
	t.Parallel()
	figures(t, "digital", map[string]string{
		`{"activity":"streaming","participants":1500,"hours":6.5,"videoQuality":"hd"}`: "624.165750",  // 9750 × 0.064017
		`{"activity":"conference","participants":40,"hours":1.5}`:                      "3.423780",    // 60 × 0.057063
		`{"activity":"home_heating","participants":1500,"hours":6.5}`:                  "2947.815000", // 9750 × 0.30234
	})
	e := evaluate(t, "digital", `{"activity":"conference","participants":1,"hours":1,"videoQuality":"uhd"}`, london)
	if !has(e.Notices, footprint.NoticeInputNotUsed) || !has(e.Notices, footprint.NoticeFactorRegion) || len(e.Defaulted) != 0 {
		t.Errorf("%v %v", e.Notices, e.Defaulted)
	}
	for body, want := range map[string][]string{
		`{}`: {"activity REQUIRED", "participants REQUIRED", "hours REQUIRED"},
		`{"activity":"streaming","participants":1,"hours":1,"videoQuality":"sd"}`: {"videoQuality FACTOR_UNAVAILABLE"},
		`{"activity":"gaming","participants":0,"hours":10001}`:                    {"activity NOT_ALLOWED", "participants OUT_OF_RANGE", "hours OUT_OF_RANGE"},
	} {
		if got := faults(t, "digital", body, london); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
}

// TestHomesOfRemoteAttendees: their heating is in the category of their journeys, and that of staff in teleworking
// with commuting. The devices are in the record of the conference.
func TestHomesOfRemoteAttendees(t *testing.T) {
	t.Parallel()
	for group, category := range map[string]string{"attendees": footprint.CategoryOptional, "staff": "7 Employee commuting", "speakers": "6 Business travel"} {
		e := evaluate(t, "digital", `{"activity":"home_heating","participants":10,"hours":2,"videoQuality":"hd","group":"`+group+`"}`, newest)
		l := e.Lines[0]
		if len(e.Lines) != 1 || l.FactorID != "digital.remote_attendee_home.heating.hour.2025" || l.Stage != footprint.Direct || l.Category != category ||
			!has(e.Notices, footprint.NoticeUpstream) || !has(e.Notices, footprint.NoticeInputNotUsed) {
			t.Errorf("%s: %+v, %v", group, e.Lines, e.Notices)
		}
	}
}
