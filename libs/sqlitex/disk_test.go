package sqlitex

import (
	"path/filepath"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// TestTheDiskIsMeasured: how much room is left is known while a file is open, and not
// after.
func TestTheDiskIsMeasured(t *testing.T) {
	reader := metric.NewManualReader()
	otel.SetMeterProvider(metric.NewMeterProvider(metric.WithReader(reader)))
	defer otel.SetMeterProvider(noop.NewMeterProvider())
	measured := func() map[string]int64 {
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		values := map[string]int64{}
		for _, s := range all.ScopeMetrics {
			for _, m := range s.Metrics {
				if gauge, ok := m.Data.(metricdata.Gauge[int64]); ok {
					for _, p := range gauge.DataPoints {
						values[m.Name] = p.Value
					}
				}
			}
		}
		return values
	}
	path := filepath.Join(t.TempDir(), "disk.db")
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := diskSpace(filepath.Dir(path)); !ok {
		t.Skip("NOT TESTED: the room on a disk is not known on this system")
	}
	got := measured()
	if left, all := got["ecf.database.disk.available"], got["ecf.database.disk.size"]; left <= 0 || left > all {
		t.Errorf("%d bytes are left of %d: %v", left, all, got)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := measured(); len(got) > 0 {
		t.Errorf("after its end there is still %v", got)
	}
}
