//go:build unix

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
	start := cpuTime(b)
	defer func() { b.ReportMetric(float64((cpuTime(b)-start).Nanoseconds())/float64(b.N), "cpu-ns/op") }()
	for b.Loop() {
		if _, err := flightsType.evaluate(in, e, ev); err != nil {
			b.Fatal(err)
		}
	}
}
