package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

func TestEnabled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env  map[string]string
		want string // the enabled signals
	}{
		{nil, ""},
		{map[string]string{"OTEL_SERVICE_NAME": "x"}, ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, "TRACES METRICS LOGS"},
		{map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318"}, "TRACES"},
		{map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_LOGS_EXPORTER": "none"}, "TRACES METRICS"},
		{map[string]string{"OTEL_METRICS_EXPORTER": "prometheus"}, "METRICS"},
		{map[string]string{"OTEL_TRACES_EXPORTER": "none"}, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "console", "OTEL_SDK_DISABLED": "true"}, ""},
	} {
		var on []string
		for _, s := range []signal{traces, metrics, logs} {
			if enabled(s, func(name string) string { return c.env[name] }) {
				on = append(on, string(s))
			}
		}
		if got := strings.Join(on, " "); got != c.want {
			t.Errorf("%v: %q, want %q", c.env, got, c.want)
		}
	}
}

// clean removes the variables of the test environment.
func clean(t *testing.T) {
	for _, name := range []string{"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER", "OTEL_SDK_DISABLED"} {
		t.Setenv(name, "")
	}
	// OpenTelemetry's default delegates to the first provider that is set; so the tests begin
	// and end with a no-op.
	reset := func() {
		otel.SetTracerProvider(tracenoop.NewTracerProvider())
		otel.SetMeterProvider(metricnoop.NewMeterProvider())
		otel.SetTextMapPropagator(propagation.TraceContext{}) // as Setup does, which not every test calls
	}
	reset()
	t.Cleanup(reset)
}

func TestOffWhenNothingIsSet(t *testing.T) {
	clean(t)
	before := runtime.NumGoroutine()
	shutdown, err := Setup(t.Context(), "test", "v1")
	if err != nil {
		t.Fatal(err)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines more", after-before)
	}
	_, span := otel.Tracer("x").Start(t.Context(), "x")
	if span.IsRecording() {
		t.Error("spans are recorded")
	}
	if err := shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	ctx := extractHeaders(t.Context(), map[string]string{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "baggage": "secret=1"})
	if !trace.SpanContextFromContext(ctx).IsValid() {
		t.Error("the trace of a caller is lost")
	}
	headers := InjectHeaders(ctx)
	if headers["traceparent"] == "" || headers["baggage"] != "" || len(headers) != 1 {
		t.Errorf("headers %v", headers)
	}
}

// collector records what is sent to it by path.
type collector struct {
	mu   sync.Mutex
	sent map[string][]byte
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		in = z
	}
	body, _ := io.ReadAll(in)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent[r.URL.Path] = append(c.sent[r.URL.Path], body...)
}

func TestAllSignalsReachACollector(t *testing.T) {
	clean(t)
	c := &collector{sent: map[string][]byte{}}
	server := httptest.NewServer(c)
	defer server.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=testing")

	shutdown, err := Setup(t.Context(), "records", "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	logger := Logger(&out, "records")
	ctx, span := otel.Tracer("x").Start(t.Context(), "span-name")
	logger.InfoContext(ctx, "log-message", "answer", 42)
	logger.DebugContext(ctx, "debug-message")
	span.End()
	if err := shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for path, want := range map[string][]string{
		"/v1/traces":  {"span-name", "service.namespace", "ecf", "records", "v1.2.3", "deployment.environment.name", "testing"},
		"/v1/metrics": {"go.goroutine.count", "service.namespace", "ecf"},
		"/v1/logs":    {"log-message", "answer"},
	} {
		for _, w := range want {
			if !bytes.Contains(c.sent[path], []byte(w)) {
				t.Errorf("%s was not sent %q", path, w)
			}
		}
	}
	id := span.SpanContext().TraceID()
	if !bytes.Contains(c.sent["/v1/logs"], id[:]) {
		t.Error("the log record has not the id of its trace")
	}
	if bytes.Contains(c.sent["/v1/logs"], []byte("debug-message")) {
		t.Error("the level does not hold for the exporter")
	}
	if !strings.Contains(out.String(), id.String()) || strings.Contains(out.String(), "debug-message") {
		t.Errorf("log: %s", &out)
	}
}

func TestSetupFaults(t *testing.T) {
	clean(t)
	t.Setenv("OTEL_TRACES_EXPORTER", "console")
	t.Setenv("OTEL_METRICS_EXPORTER", "carrier-pigeon")
	shutdown, err := Setup(t.Context(), "test", "v1")
	if err == nil || !strings.Contains(err.Error(), "carrier-pigeon") {
		t.Errorf("err = %v", err)
	}
	if err := shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMoreReaders(t *testing.T) {
	clean(t)
	reader := metric.NewManualReader()
	shutdown, err := Setup(t.Context(), "test", "v1", reader)
	if err != nil {
		t.Fatal(err)
	}
	var data metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &data); err != nil || len(data.ScopeMetrics) == 0 {
		t.Errorf("nothing is collected: %v", err)
	}
	if err := shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	clean(t)
	l := Logger(&out, "records", slog.LevelDebug)
	ctx := extractHeaders(t.Context(), map[string]string{"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	l.With("a", 1).DebugContext(ctx, "line\r\nforged\x1b[31m", "id", "x\ny")
	var m map[string]any
	if err := json.Unmarshal(out.Bytes(), &m); err != nil || bytes.Count(out.Bytes(), []byte("\n")) != 1 || bytes.ContainsRune(out.Bytes(), '\x1b') {
		t.Fatalf("%q: %v", &out, err)
	}
	for k, want := range map[string]any{"service": "records", "a": 1.0, "trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "b7ad6b7169203331", "level": "DEBUG"} {
		if m[k] != want {
			t.Errorf("%s = %v, want %v", k, m[k], want)
		}
	}
	out.Reset()
	l.Info("outside a span")
	if strings.Contains(out.String(), "trace_id") {
		t.Errorf("log: %s", &out)
	}
	out.Reset()
	Logger(&out, "records").Debug("hidden")
	if out.Len() != 0 {
		t.Errorf("log: %s", &out)
	}
}

func TestRedact(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain text, nothing to hide: 10.0.0.1:27017":                  "plain text, nothing to hide: 10.0.0.1:27017",
		"dial mongodb://svc:p@ss@db:27017/ecf?x=1":                     "",
		"redis://:hunter2@cache:6379/0 refused":                        "redis://[redacted]@cache:6379/0 refused",
		`E11000 dup key: { email: "jane.doe+x@example.org" }`:          `E11000 dup key: { email: "[email]" }`,
		"token eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1MSJ9.c2ln is bad":      "token [token] is bad",
		"Authorization: Bearer abc.def was sent":                       "Authorization: [token] was sent",
		"märta@exämple.se and x@localhost":                             "[email] and [email]",
		"go.mongodb.org/mongo-driver/v2/mongo: no documents in result": "go.mongodb.org/mongo-driver/v2/mongo: no documents in result",
	} {
		got := Redact(in)
		if want != "" && got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
		for _, secret := range []string{"hunter2", "p@ss", "ss@db", "jane", "c2ln"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q keeps %q", got, secret)
			}
		}
		if again := Redact(got); again != got {
			t.Errorf("redacting twice changes %q to %q", got, again)
		}
	}
}
