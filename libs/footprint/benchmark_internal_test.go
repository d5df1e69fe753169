//go:build unix

package footprint

import (
	"encoding/json"
	"testing"
)

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

// BenchmarkMillion evaluates a million records of all types that are in memory,
// and adds them up as a full calculation of an event does, on one core.
func BenchmarkMillion(b *testing.B) {
	ev := EventContext{Country: "GB", StartDate: "2026-05-12", EndDate: "2026-05-13", Attendees: 400, RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}
	type one struct {
		t  *recordType
		in any
	}
	// All examples of all types, by whom they may be about.
	var mix []one
	for _, t := range registry() {
		for _, example := range t.doc.examples {
			for _, group := range append(Groups(), "") {
				var v map[string]any
				if err := json.Unmarshal([]byte(example), &v); err != nil {
					b.Fatal(err)
				}
				v["group"] = group
				if group == "" {
					delete(v, "group")
				}
				body, err := json.Marshal(v)
				if err != nil {
					b.Fatal(err)
				}
				d, err := Decode(t.name, body, ev)
				if err != nil {
					b.Fatal(t.name, string(body), err)
				}
				in, err := t.read(d.Fields)
				if err != nil {
					b.Fatal(err)
				}
				mix = append(mix, one{t, in})
			}
		}
	}
	const records = 1_000_000
	b.ReportAllocs()
	start := cpuTime(b)
	for b.Loop() {
		s, err := NewSummer(ev)
		if err != nil {
			b.Fatal(err)
		}
		for i := range records {
			if err := s.add(mix[i%len(mix)].t, mix[i%len(mix)].in); err != nil {
				b.Fatal(err)
			}
		}
		if total := s.Contribution(); total.Records() != records {
			b.Fatalf("%d records", total.Records())
		}
	}
	b.ReportMetric(float64((cpuTime(b)-start).Nanoseconds())/float64(b.N)/records, "cpu-ns/record")
}
