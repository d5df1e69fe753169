package footprint_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestAmountsThatRoundToZero verifies that a record which is above 0 but counts as 0 kg says so, and that no other one
// does: neither one that is 0 by its factor, nor one of which only a line is rounded to 0.
func TestAmountsThatRoundToZero(t *testing.T) {
	t.Parallel()
	before := newest
	before.Engine = footprint.Engine4
	for _, c := range []struct {
		typ, body string
		want      bool
	}{
		{"waste", `{"treatment":"landfill","weightKg":1e-30}`, true},
		{"waste", `{"treatment":"landfill","weightKg":1e-30,"respondents":3,"population":7}`, true},
		{"energy", `{"source":"diesel","volumeLitres":0.0000001}`, true},
		{"energy", `{"source":"diesel","volumeLitres":0.0000003}`, false}, // its upstream part is 0
		{"waste", `{"treatment":"landfill","weightKg":0}`, false},
		{"waste", `{"treatment":"landfill","weightKg":1}`, false},
		{"ground-transport", `{"mode":"walk","distanceKm":1,"passengers":1}`, false},
	} {
		e := evaluate(t, c.typ, c.body, newest)
		if got := has(e.Notices, footprint.NoticeRoundedToZero); got != c.want {
			t.Errorf("%s %s: noticed: %t, of %v", c.typ, c.body, got, e.Lines)
		}
		if e := evaluate(t, c.typ, c.body, before); has(e.Notices, footprint.NoticeRoundedToZero) {
			t.Errorf("%s %s is noticed by engine 2.2.0", c.typ, c.body)
		}
	}
}
