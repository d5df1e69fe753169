package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func TestDigital(t *testing.T) {
	t.Parallel()
	figures(t, "digital", map[string]string{
		`{"activity":"streaming","participants":1500,"hours":6.5,"videoQuality":"hd"}`: "624.165750", // 9750 × 0.064017
		`{"activity":"conference","participants":40,"hours":1.5}`:                      "3.423780",   // 60 × 0.057063
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
