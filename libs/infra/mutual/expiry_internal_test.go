package mutual

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestExpiryIsExported verifies that the metrics tell how long the other services accept the
// certificate: until it or its authority expires, not at all if they refuse it, and longer once
// its files were replaced, without a connection.
func TestExpiryIsExported(t *testing.T) {
	t.Parallel()
	began := time.Now()
	write := func(a testkit.Authority, dir string) (f Files) {
		f.CA, f.Cert, f.Key, _ = a.Write(dir)
		return f
	}
	ours := testkit.NewAuthority(t) // expires in an hour
	f := write(ours.Until(began.Add(20*time.Minute)), t.TempDir())
	clock := testkit.NewClock(began)
	open := func(f Files) (gauges func() map[string]time.Duration) {
		t.Helper()
		p, err := Open(f, slog.New(slog.DiscardHandler), clock.Now)
		if err != nil {
			t.Fatal(err)
		}
		reader := metric.NewManualReader()
		p.publish(metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"))
		return func() map[string]time.Duration {
			t.Helper()
			var all metricdata.ResourceMetrics
			if err := reader.Collect(t.Context(), &all); err != nil {
				t.Fatal(err)
			}
			found := map[string]time.Duration{}
			for _, scope := range all.ScopeMetrics {
				for _, m := range scope.Metrics {
					data, ok := m.Data.(metricdata.Gauge[float64])
					if !ok || len(data.DataPoints) != 1 {
						t.Fatalf("%s is %v", m.Name, m.Data)
					}
					found[m.Name] = time.Duration(data.DataPoints[0].Value * float64(time.Second)).Round(time.Minute)
				}
			}
			return found
		}
	}
	expect := func(when string, gauges map[string]time.Duration, remaining, lifetime time.Duration) {
		t.Helper()
		if len(gauges) != 2 || gauges["ecf.tls.certificate.remaining"] != remaining || gauges["ecf.tls.certificate.lifetime"] != lifetime {
			t.Errorf("%s: %v, want %s of %s", when, gauges, remaining, lifetime)
		}
	}
	gauges := open(f)
	expect("at the start", gauges(), 20*time.Minute, 80*time.Minute)
	clock.Advance(30 * time.Minute)
	expect("expired", gauges(), -10*time.Minute, 80*time.Minute)
	write(ours.Until(began.Add(90*time.Minute)), filepath.Dir(f.Cert))
	clock.Advance(10 * time.Minute)
	expect("renewed beyond its authority", gauges(), 20*time.Minute, 120*time.Minute)
	stranger := write(testkit.NewAuthority(t).Until(began.Add(24*time.Hour)), t.TempDir())
	expect("of another authority", open(Files{CA: f.CA, Cert: stranger.Cert, Key: stranger.Key})(), 0, 25*time.Hour)
}
