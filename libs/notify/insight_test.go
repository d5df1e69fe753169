package notify_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// collect returns every measured value as name{attributes}, or the count of a histogram.
func collect(t *testing.T, reader *metric.ManualReader) map[string]float64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, s := range all.ScopeMetrics {
		for _, m := range s.Metrics {
			switch data := m.Data.(type) {
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					values[m.Name+p.Attributes.Encoded(encoder{})] = float64(p.Value)
				}
			case metricdata.Gauge[float64]:
				for _, p := range data.DataPoints {
					values[m.Name+p.Attributes.Encoded(encoder{})] = p.Value
				}
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					values[m.Name+p.Attributes.Encoded(encoder{})] = float64(p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					values[m.Name+p.Attributes.Encoded(encoder{})] = float64(p.Count)
				}
			}
		}
	}
	return values
}

func TestInsightIntoQueueMarksAndRuns(t *testing.T) {
	t.Parallel()
	opt, server := open(t)
	reader := metric.NewManualReader()
	clock := testkit.NewClock(time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC))
	insight, err := notify.NewInsight(opt, metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"), clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = insight.Close() })
	page := func() string {
		w := httptest.NewRecorder()
		insight.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/status", nil))
		return w.Body.String()
	}
	later := func() { clock.Advance(time.Second) } // a query is cached briefly

	if got := page(); !strings.Contains(got, "UNKNOWN") {
		t.Fatalf("before the database is open:\n%s", got)
	}

	var due []record.MarkedEvent
	var down error
	insight.Watch(func(context.Context, int) ([]record.MarkedEvent, error) { return slices.Clone(due), down })
	later()
	if got := page(); !strings.Contains(got, "IDLE") {
		t.Fatalf("nobody works:\n%s", got)
	}

	// One task fails, one runs, one waits; a mark is 7 seconds old.
	notifier := notify.NewQueue(opt, notify.QueueInteractive, quiet(), time.Now)
	t.Cleanup(func() { _ = notifier.Close() })
	running, release := make(chan struct{}, 8), make(chan struct{})
	t.Cleanup(func() { close(release) })
	serve(t, opt, func(_ context.Context, _ record.OrgID, event record.EventID) error {
		if event == "bad" {
			return errors.New("cannot")
		}
		running <- struct{}{}
		<-release
		return nil
	})
	notifier.Notify(t.Context(), "org", "bad")
	for n := range 5 { // serve has four workers
		notifier.Notify(t.Context(), "org", record.EventID(fmt.Sprint("good", n)))
	}
	for range 4 {
		<-running
	}
	due = []record.MarkedEvent{
		{Org: "org", Event: "young", Mark: record.NewMark(clock.Now().Add(-time.Second))},
		{Org: "org", Event: "old", Mark: record.NewMark(clock.Now().Add(-6 * time.Second))},
	}
	for range 3 { // they wait to be scheduled
		waited := insight.Waits()
		defer waited()
	}
	insight.Waits()()
	begun := insight.Began()
	defer func() { begun(context.Background(), notify.Written) }()
	ended := insight.Began()
	clock.Advance(40 * time.Millisecond)
	insight.Cleared(t.Context(), record.NewMark(clock.Now().Add(-90*time.Millisecond)))
	insight.Cleared(t.Context(), record.NewMark(clock.Now().Add(time.Hour))) // a clock that is ahead
	insight.Cleared(t.Context(), "no mark")
	insight.StartedOver(t.Context())
	insight.Incomplete(t.Context())
	insight.Swept(t.Context())
	ended(t.Context(), notify.Written)

	want := map[string]float64{
		"ecf.recalculation.queue.tasks{queue=interactive,state=active}":   4,
		"ecf.recalculation.queue.tasks{queue=interactive,state=pending}":  1,
		"ecf.recalculation.queue.tasks{queue=interactive,state=archived}": 1,
		"ecf.recalculation.queue.tasks{queue=bulk,state=pending}":         0,
		"ecf.recalculation.runs{state=running}":                           1,
		"ecf.recalculation.runs{state=waiting}":                           3,
		"ecf.recalculation.queue.failed{queue=interactive}":               1,
		"ecf.recalculation.queue.reachable{}":                             1,
		"ecf.recalculation.workers{}":                                     1,
		"ecf.recalculation.due.events{}":                                  2,
		"ecf.recalculation.duration{outcome=written}":                     1,
		"ecf.recalculation.lag{}":                                         2,
		"ecf.recalculation.start_overs{}":                                 1,
		"ecf.recalculation.incomplete_results{}":                          1,
		"ecf.recalculation.sweeper_rings{}":                               1,
	}
	testkit.Eventually(t, 20*time.Second, func() error {
		later()
		got := collect(t, reader)
		for name, value := range want {
			if have, ok := got[name]; !ok || have != value {
				return fmt.Errorf("%s is %v, want %v, of %v", name, have, value, got)
			}
		}
		if age := got["ecf.recalculation.due.age{}"]; age < 6 {
			return fmt.Errorf("oldest mark %v", age)
		}
		return nil
	})
	got := page()
	for _, text := range []string{"LATE", "oldest mark", "interactive", "approval to result", "p50 0s", "longest 90ms", "results that miss a record   1"} {
		if !strings.Contains(got, text) {
			t.Errorf("the page does not say %q:\n%s", text, got)
		}
	}
	if strings.Index(got, "old ") > strings.Index(got, "young") {
		t.Errorf("the oldest is not first:\n%s", got)
	}

	// After a flush of Redis the queue must still be visible.
	server.Flush()
	later()
	if got := collect(t, reader); got["ecf.recalculation.queue.reachable{}"] != 1 {
		t.Errorf("after a flush: %v", got)
	}

	// Without Redis the page is still served, and quickly.
	server.Stop()
	down = errors.New("poison: mongodb://secret@host")
	later()
	began := time.Now()
	got = page()
	if took := time.Since(began); took > 10*time.Second || strings.Contains(got, "secret") || !strings.Contains(got, "UNKNOWN") {
		t.Errorf("after %s:\n%s", took, got)
	}
	down = nil
	later()
	if got := page(); !strings.Contains(got, "DEGRADED") {
		t.Errorf("without Redis:\n%s", got)
	}
	later()
	if got := collect(t, reader); got["ecf.recalculation.queue.reachable{}"] != 0 || got["ecf.recalculation.due.events{}"] != 2 {
		t.Errorf("without Redis: %v", got)
	}
}

// encoder formats attributes readably.
type encoder struct{}

// Encode implements attribute.Encoder.
func (encoder) Encode(i attribute.Iterator) string {
	var parts []string
	for i.Next() {
		a := i.Attribute()
		parts = append(parts, string(a.Key)+"="+a.Value.String())
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// ID implements attribute.Encoder.
func (encoder) ID() attribute.EncoderID { return attribute.NewEncoderID() }
