package footprint_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
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
	parts := make([]total.Contribution, 0, 512)
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
				parts = append(parts, total.Of(&e))
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		total.Sum(parts...)
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
	text, err := json.Marshal(total.Of(&e))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var c total.Contribution
		if err := json.Unmarshal(text, &c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBreakdown calculates the intervals of a result: by an engine with the moments of a sum only, by the newest
// one, and by that with surveys of one response, whose widest it stores separately.
func BenchmarkBreakdown(b *testing.B) {
	for _, c := range []struct {
		name, engine string
		surveys      bool
	}{{"moments", footprint.Engine4, false}, {"newest", footprint.NewestEngine, false}, {"widest", footprint.NewestEngine, true}} {
		ev := london
		ev.Engine = c.engine
		var parts []total.Contribution
		for _, typ := range footprint.Types() {
			for _, example := range footprint.Examples(typ) {
				d, err := footprint.Decode(typ, example, ev)
				if err != nil {
					b.Fatal(typ, string(example), err)
				}
				parts = append(parts, total.Of(&d.Evaluation))
			}
		}
		if c.surveys {
			for n := range 12 {
				body := fmt.Sprintf(`{"treatment":"landfill","weightKg":%d,"respondents":1,"population":5000,"sampleCV":0}`, 10+n)
				d, err := footprint.Decode("waste", []byte(body), ev)
				if err != nil {
					b.Fatal(err)
				}
				parts = append(parts, total.Of(&d.Evaluation))
			}
		}
		sum := total.Sum(parts...)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				sum.Breakdown(ev)
			}
		})
	}
}

// kept is a stored record.
type kept struct {
	typ    string
	fields json.RawMessage
}

// mixed returns the examples of all types, for all groups.
func mixed(b *testing.B) []kept {
	b.Helper()
	var mix []kept
	for _, typ := range footprint.Types() {
		for _, example := range footprint.Examples(typ) {
			for _, group := range footprint.Groups() {
				var v map[string]any
				if err := json.Unmarshal(example, &v); err != nil {
					b.Fatal(err)
				}
				v["group"] = group
				body, err := json.Marshal(v)
				if err != nil {
					b.Fatal(err)
				}
				d, err := footprint.Decode(typ, body, london)
				if err != nil {
					b.Fatal(typ, string(body), err)
				}
				mix = append(mix, kept{typ, d.Fields})
			}
		}
	}
	return mix
}

// BenchmarkSummer adds up records of all types, as a full calculation of an
// event does, on one core.
func BenchmarkSummer(b *testing.B) {
	mix := mixed(b)
	s, err := total.NewSummer(london)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r := mix[n%len(mix)]
		n++
		if err := s.Add(r.typ, r.fields); err != nil {
			b.Fatal(err)
		}
	}
}
