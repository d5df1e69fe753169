package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func TestWater(t *testing.T) {
	t.Parallel()
	figures(t, "water", map[string]string{
		`{"supplyM3":42.5}`:                "15.392650", // × (0.1913 + 0.17088)
		`{"supplyM3":42.5,"treated":true}`: "15.392650",
		`{"supplyM3":12,"treated":false}`:  "2.295600",
		`{"supplyM3":0}`:                   "0.000000",
	})
	e := evaluate(t, "water", `{"supplyM3":1,"country":"FR"}`, london)
	if !slices.Equal(e.Defaulted, []string{"treated"}) || !has(e.Notices, footprint.NoticeFactorYear) || !has(e.Notices, footprint.NoticeProxy) {
		t.Errorf("%v %v", e.Defaulted, e.Notices)
	}
	if got := scopesOf(t, "water", `{"supplyM3":1}`); !slices.Equal(got, []string{"3 1 Purchased goods and services", "3 5 Waste generated in operations"}) {
		t.Errorf("scopes %v", got)
	}
	if got := faults(t, "water", `{"treated":"yes"}`, london); !slices.Equal(got, []string{"supplyM3 REQUIRED", "treated WRONG_TYPE"}) {
		t.Errorf("faults %v", got)
	}
}
