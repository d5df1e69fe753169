package mongox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/semconv/v1.43.0/dbconv"
)

func newMonitor(t *testing.T) (*monitor, *tracetest.SpanRecorder, *metric.ManualReader) {
	t.Helper()
	spans, reader := tracetest.NewSpanRecorder(), metric.NewManualReader()
	duration, err := dbconv.NewClientOperationDuration(metric.NewMeterProvider(metric.WithReader(reader)).Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	return &monitor{tracer: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("test"), duration: duration}, spans, reader
}

func command(t *testing.T, d bson.D) bson.Raw {
	t.Helper()
	raw, err := bson.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func attrs(list []attribute.KeyValue) map[string]string {
	m := map[string]string{}
	for _, kv := range list {
		m[string(kv.Key)] = kv.Value.String()
	}
	return m
}

func run(m *monitor, name string, cmd bson.Raw, id int64, failure error) {
	m.started(context.Background(), &event.CommandStartedEvent{Command: cmd, DatabaseName: "ecf", CommandName: name, RequestID: id, ConnectionID: "db.test:27017[-5]"})
	m.finished(context.Background(), &event.CommandFinishedEvent{CommandName: name, DatabaseName: "ecf", RequestID: id, ConnectionID: "db.test:27017[-5]", Duration: 5 * time.Millisecond}, failure)
}

func TestMongoSpans(t *testing.T) {
	t.Parallel()
	m, spans, reader := newMonitor(t)
	run(m, "find", command(t, bson.D{{Key: "find", Value: "events"}, {Key: "filter", Value: bson.D{{Key: "email", Value: "secret@example.org"}}}}), 1, nil)
	run(m, "getMore", command(t, bson.D{{Key: "getMore", Value: int64(7)}, {Key: "collection", Value: "records"}}), 2, nil)
	run(m, "update", command(t, bson.D{{Key: "update", Value: "records"}}), 3, mongo.CommandError{Code: 11000, Message: "dup key secret@example.org"})
	run(m, "aggregate", command(t, bson.D{{Key: "aggregate", Value: int32(1)}}), 4, context.DeadlineExceeded)
	run(m, "insert", command(t, bson.D{{Key: "insert", Value: "records"}}), 5, errors.New("secret"))
	run(m, "saslStart", command(t, bson.D{{Key: "saslStart", Value: int32(1)}}), 6, nil)
	run(m, "hello", command(t, bson.D{{Key: "hello", Value: int32(1)}}), 7, nil)
	m.finished(t.Context(), &event.CommandFinishedEvent{RequestID: 99}, nil) // never seen: nothing happens

	want := []struct {
		name, status string
		attrs        map[string]string
	}{
		{"find events", "Unset", map[string]string{"db.operation.name": "find", "db.collection.name": "events"}},
		{"getMore records", "Unset", map[string]string{"db.operation.name": "getMore", "db.collection.name": "records"}},
		{"update records", "Error", map[string]string{"db.operation.name": "update", "db.collection.name": "records", "error.type": "duplicate_key", "db.response.status_code": "11000"}},
		{"aggregate", "Error", map[string]string{"db.operation.name": "aggregate", "error.type": "timeout"}},
		{"insert records", "Error", map[string]string{"db.operation.name": "insert", "db.collection.name": "records", "error.type": "command_failed"}},
	}
	ended := spans.Ended()
	if len(ended) != len(want) {
		t.Fatalf("%d spans, want %d", len(ended), len(want))
	}
	for i, w := range want {
		got := attrs(ended[i].Attributes())
		w.attrs["db.system.name"], w.attrs["db.namespace"], w.attrs["server.address"], w.attrs["server.port"] = "mongodb", "ecf", "db.test", "27017"
		if fmt.Sprint(got) != fmt.Sprint(w.attrs) || ended[i].Name() != w.name || ended[i].Status().Code.String() != w.status {
			t.Errorf("span %s %s %v, want %s %s %v", ended[i].Name(), ended[i].Status().Code, got, w.name, w.status, w.attrs)
		}
		if strings.Contains(fmt.Sprint(ended[i]), "secret") {
			t.Errorf("span %s holds what was asked for", ended[i].Name())
		}
	}

	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	got := data.ScopeMetrics[0].Metrics[0]
	points := got.Data.(metricdata.Histogram[float64]).DataPoints
	if got.Name != "db.client.operation.duration" || len(points) != len(want) {
		t.Errorf("%s with %d points", got.Name, len(points))
	}
	for _, p := range points {
		if p.Sum < 0.0049 || p.Sum > 0.0051 || attrs(p.Attributes.ToSlice())["db.system.name"] != "mongodb" {
			t.Errorf("point %v %v", p.Sum, p.Attributes.ToSlice())
		}
	}
}

// TestMonitorForgets: no command is remembered after its end.
func TestMonitorForgets(t *testing.T) {
	t.Parallel()
	m, _, _ := newMonitor(t)
	cmd := command(t, bson.D{{Key: "find", Value: "events"}})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 100 {
				run(m, "find", cmd, int64(worker*1000+i), nil)
			}
		})
	}
	wg.Wait()
	m.running.Range(func(k, _ any) bool {
		t.Errorf("%v is still remembered", k)
		return true
	})
}

func TestMonitorIsComplete(t *testing.T) {
	t.Parallel()
	m := NewMonitor()
	m.Started(t.Context(), &event.CommandStartedEvent{CommandName: "find", Command: command(t, bson.D{{Key: "find", Value: "x"}})})
	m.Succeeded(t.Context(), &event.CommandSucceededEvent{})
	m.Failed(t.Context(), &event.CommandFailedEvent{})
}

func TestServerOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"db:27017[-4]":     "map[server.address:db server.port:27017]",
		"db:27017":         "map[server.address:db server.port:27017]",
		"[::1]:27017[-12]": "map[server.address:::1 server.port:27017]",
		"/tmp/mongo.sock":  "map[]",
		"":                 "map[]",
		"]":                "map[]",
	} {
		if got := fmt.Sprint(attrs(serverOf(in))); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}
