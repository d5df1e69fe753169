package calculation

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestParticipantsByHand: 1,000 kg of which 40 are digital, 90 people on site and 10 remote, on two days.
func TestParticipantsByHand(t *testing.T) {
	t.Parallel()
	const kilogram = 1_000_000_000
	var b total.Breakdown
	b.Total.KgCO2e = footprint.MassOf(1000 * kilogram)
	b.ByType = []total.TypePart{{Type: "flights", Interval: total.Interval{KgCO2e: footprint.MassOf(960 * kilogram)}},
		{Type: "digital", Interval: total.Interval{KgCO2e: footprint.MassOf(40 * kilogram)}}}
	there, afar, none := int64(90), int64(10), int64(0)
	ev := record.Event{StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: &there, VirtualAttendees: &afar}
	text := func(m *footprint.Mass) string {
		if m == nil {
			return "null"
		}
		return m.Kilograms()
	}
	check := func(name string, ev record.Event, want [4]string) {
		t.Helper()
		v := participantsOf(ev, b)
		if v == nil {
			t.Fatal(name, "has none")
		}
		if got := [4]string{text(v.PerParticipantKg), text(v.PerParticipantDayKg), text(v.PerInPersonKg), text(v.PerVirtualKg)}; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	check("in person and from afar", ev, [4]string{"10.000000", "5.000000", "10.666667", "4.000000"})
	undated, atHome := ev, ev
	undated.EndDate, atHome.Attendees = "", &none
	check("without days", undated, [4]string{"10.000000", "null", "10.666667", "4.000000"})
	check("nobody there", atHome, [4]string{"100.000000", "50.000000", "null", "4.000000"})
	if v := participantsOf(record.Event{Attendees: &none}, b); v != nil {
		t.Errorf("nobody takes part: %+v", v)
	}
}
