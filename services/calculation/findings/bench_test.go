package findings_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// BenchmarkTogether derives the cross-record findings of 10,000 records, as the first read after a change does.
func BenchmarkTogether(b *testing.B) {
	inputs := []struct{ typ, body string }{
		{"flights", `{"from":"LHR","to":"JFK","passengers":%d,"class":"economy","date":"2026-09-01","group":"attendees"}`},
		{"accommodation", `{"country":"GB","nights":2,"rooms":%d}`},
		{"waste", `{"treatment":"landfill","weightKg":%d}`},
		{"ground-transport", `{"mode":"rail","distanceKm":120,"passengers":%d}`},
	}
	context := footprint.EventContext{Country: "GB", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}
	var all []findings.Fact
	for i := range 10_000 {
		in := inputs[i%len(inputs)]
		fields := json.RawMessage(fmt.Sprintf(in.body, 1+i%50))
		e, err := footprint.Evaluate(in.typ, fields, context)
		if err != nil {
			b.Fatal(err)
		}
		contribution, err := json.Marshal(total.Of(&e))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, findings.FactOf(record.Counted{ID: record.ID(fmt.Sprintf("r%05d", i*7919%10_000)), Type: in.typ, Fields: fields, Contribution: contribution}))
	}
	event := findings.Event{Attendees: 5000, Days: 2}
	b.Run("findings", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			findings.Of(event, all)
		}
	})
	b.Run("what to measure", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			findings.MeasureNext(all)
		}
	})
}
