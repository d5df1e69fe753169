//go:build unix

package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// BenchmarkMillion reads and evaluates a million mixed records whose stored fields are in memory, and adds them up,
// as a full calculation of an event does, on one core. Attendee travel is excluded: one such record has all origins
// of a crowd, and costs as much as a hundred others.
func BenchmarkMillion(b *testing.B) {
	const records = 1_000_000
	mix := slices.DeleteFunc(mixed(b), func(k kept) bool { return k.typ == "attendee-travel" })
	b.ReportAllocs()
	start := footprint.CPUTime(b)
	for b.Loop() {
		s, err := total.NewSummer(london)
		if err != nil {
			b.Fatal(err)
		}
		for i := range records {
			if err := s.Add(mix[i%len(mix)].typ, mix[i%len(mix)].fields); err != nil {
				b.Fatal(err)
			}
		}
		if sum := s.Contribution(); sum.Records() != records {
			b.Fatalf("%d records", sum.Records())
		}
	}
	b.ReportMetric(float64((footprint.CPUTime(b)-start).Nanoseconds())/float64(b.N)/records, "cpu-ns/record")
}
