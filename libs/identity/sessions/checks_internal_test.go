package sessions

import (
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// TestChecksAreCollected verifies that the counts are collected as metrics by source.
func TestChecksAreCollected(t *testing.T) {
	t.Parallel()
	reader := metric.NewManualReader()
	var c checks
	c.publish(metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"))
	c.memory.Add(3)
	c.copy.Add(2)
	c.auth.Add(1)
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	sum, ok := all.ScopeMetrics[0].Metrics[0].Data.(metricdata.Sum[int64])
	if !ok || !sum.IsMonotonic || len(sum.DataPoints) != 4 {
		t.Fatalf("%+v", all.ScopeMetrics)
	}
	want := map[string]int64{"memory": 3, "copy": 2, "auth": 1, "none": 0}
	for _, p := range sum.DataPoints {
		if source, _ := p.Attributes.Value("source"); p.Value != want[source.AsString()] {
			t.Errorf("%s: %d, want %d", source.AsString(), p.Value, want[source.AsString()])
		}
	}
}
