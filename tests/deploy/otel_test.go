package deploy

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	yaml "go.yaml.in/yaml/v3"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// otlpSink stands for the storage of traces and logs.
type otlpSink struct {
	mu   sync.Mutex
	seen map[string][]byte
}

func (s *otlpSink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" && err == nil {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(unpacked)
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[r.URL.Path] = append(s.seen[r.URL.Path], body...)
}

func (s *otlpSink) holds(path, text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Contains(s.seen[path], []byte(text))
}

// TestCollectorExports runs the shipped configuration in a real collector (the program
// ECF_OTELCOL) between a service and a sink: traces and logs must arrive, spans become
// metrics, and none of it may contain a password or token.
func TestCollectorExports(t *testing.T) {
	t.Parallel()
	program := os.Getenv("ECF_OTELCOL")
	if program == "" {
		t.Skip("NOT TESTED: ECF_OTELCOL names no OpenTelemetry collector; run make test-collector")
	}
	sink := &otlpSink{seen: map[string][]byte{}}
	server := httptest.NewServer(sink)
	defer server.Close()
	grpc, otlp, metrics, health := testkit.FreePort(t), testkit.FreePort(t), testkit.FreePort(t), testkit.FreePort(t)
	// In a container the ports are its own.
	ports := map[string]any{
		"receivers":  map[string]any{"otlp": map[string]any{"protocols": map[string]any{"grpc": endpoint(grpc), "http": endpoint(otlp)}}},
		"exporters":  map[string]any{"prometheus": endpoint(metrics)},
		"extensions": map[string]any{"health_check": endpoint(health)},
		"processors": map[string]any{"tail_sampling": map[string]any{"decision_wait": "1s", "policies": []any{map[string]any{"name": "all", "type": "always_sample"}}}},
		"connectors": map[string]any{"spanmetrics": map[string]any{"metrics_flush_interval": "1s"}},
		"service":    map[string]any{"telemetry": quiet},
	}
	text, err := yaml.Marshal(ports)
	if err != nil {
		t.Fatal(err)
	}
	third := filepath.Join(t.TempDir(), "ports.yaml")
	if err := os.WriteFile(third, text, 0o600); err != nil {
		t.Fatal(err)
	}
	config := func(name string) string { return "--config=" + filepath.Join(root, "deploy/otel", name) }
	collector := testkit.Process(t, program, []string{config("collector.yaml"), config("export.yaml"), "--config=" + third},
		[]string{"TRACES_ENDPOINT=" + server.URL + "/traces", "LOGS_ENDPOINT=" + server.URL + "/logs"})
	collector.WaitHTTP(fmt.Sprintf("http://127.0.0.1:%d/", health))

	base, debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	const password = "a password that nobody may see"
	service := testkit.Process(t, testkit.Binary(t, "services/standalone/cmd/ecf"), []string{"serve"}, []string{
		"ECF_ADDR=" + base, "ECF_DEBUG_ADDR=" + debug, "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password,
		fmt.Sprintf("OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:%d", otlp), "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
		"OTEL_BSP_SCHEDULE_DELAY=200", "OTEL_BLRP_SCHEDULE_DELAY=200",
	})
	service.WaitHTTP("http://" + debug + "/health/ready")
	testkit.Eventually(t, 2*time.Minute, func() error {
		res, err := http.Post("http://"+base+"/api/v2/auth/login", "application/json", strings.NewReader(`{"email":"manager@demo.test","password":"`+password+`"}`))
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		spans, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/metrics", metrics))
		if err != nil {
			return err
		}
		defer func() { _ = spans.Body.Close() }()
		offered, err := io.ReadAll(spans.Body)
		switch {
		case err != nil:
			return err
		case !sink.holds("/traces/v1/traces", "POST /api/v2/auth/login"):
			return fmt.Errorf("no trace of the request has arrived")
		case !sink.holds("/logs/v1/logs", "/api/v2/auth/login"):
			return fmt.Errorf("no log line of the request has arrived")
		case !bytes.Contains(offered, []byte("traces_span_metrics_calls_total")):
			return fmt.Errorf("spans did not become metrics")
		case bytes.Contains(offered, []byte("http_server_request_duration")):
			return fmt.Errorf("metrics of the services are exported a second time")
		}
		return nil
	})
	for _, path := range []string{"/traces/v1/traces", "/logs/v1/logs"} {
		if sink.holds(path, password) || sink.holds(path, "manager@demo.test") {
			t.Errorf("%s: a password or an address left the service", path)
		}
	}
}

func endpoint(port int) map[string]any {
	return map[string]any{"endpoint": fmt.Sprintf("127.0.0.1:%d", port)}
}
