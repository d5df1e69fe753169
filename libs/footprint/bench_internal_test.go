package footprint

import "testing"

// BenchmarkCalculateFlight is the evaluation of a flight without the JSON
// around it.
func BenchmarkCalculateFlight(b *testing.B) {
	ev := EventContext{Country: "GB", StartDate: "2026-05-12", RadiativeForcing: true, FactorSet: "desnz-2026"}
	e, err := engineFor(ev)
	if err != nil {
		b.Fatal(err)
	}
	in := &flights{From: "LHR", To: "JFK", Class: "economy", Passengers: 12, common: common{Group: "attendees"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := flightsType.calculate(in, e, ev); err != nil {
			b.Fatal(err)
		}
	}
}
