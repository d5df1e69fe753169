package gateway

import "testing"

// BenchmarkFind measures what the strict reading of a path costs each request.
func BenchmarkFind(b *testing.B) {
	r := routed(b)
	b.ReportAllocs()
	for b.Loop() {
		if len(r.find(segments("/events/e1/flights/r1/approve"), false)) != 1 {
			b.Fatal("not found")
		}
	}
}
