package footprint_test

import (
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func BenchmarkDecodeFlight(b *testing.B) {
	body := []byte(`{"from":"LHR","to":"JFK","class":"economy","passengers":12,"group":"attendees"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := footprint.Decode("flights", body, london); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluateFlight(b *testing.B) {
	d, err := footprint.Decode("flights", []byte(`{"from":"LHR","to":"JFK","class":"economy","passengers":12,"group":"attendees"}`), london)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := footprint.Evaluate("flights", d.Fields, london); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkUnmarshalFlight is the part of the one above that is JSON.
func BenchmarkUnmarshalFlight(b *testing.B) {
	raw := []byte(`{"from":"LHR","to":"JFK","class":"economy","passengers":12,"group":"attendees"}`)
	var v struct {
		From, To, Class, Group string
		Passengers             int64
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := json.Unmarshal(raw, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSumSegment(b *testing.B) {
	parts := make([]footprint.Contribution, 0, 512)
	for _, class := range []string{"economy", "business"} {
		for _, to := range []string{"JFK", "CDG", "EDI", "SYD"} {
			d, err := footprint.Decode("flights", []byte(`{"from":"LHR","to":"`+to+`","class":"`+class+`","passengers":12}`), london)
			if err != nil {
				b.Fatal(err)
			}
			e, err := footprint.Evaluate("flights", d.Fields, london)
			if err != nil {
				b.Fatal(err)
			}
			for range 64 {
				parts = append(parts, e.Contribution)
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		footprint.Sum(parts...)
	}
}

func BenchmarkContributionJSON(b *testing.B) {
	d, err := footprint.Decode("flights", []byte(`{"from":"LHR","to":"JFK","class":"economy","passengers":12}`), london)
	if err != nil {
		b.Fatal(err)
	}
	e, err := footprint.Evaluate("flights", d.Fields, london)
	if err != nil {
		b.Fatal(err)
	}
	text, err := json.Marshal(e.Contribution)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var c footprint.Contribution
		if err := json.Unmarshal(text, &c); err != nil {
			b.Fatal(err)
		}
	}
}
