package deploy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	yaml "go.yaml.in/yaml/v3"

	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// span is a span as the collector writes it to a file.
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	Attributes                          []struct {
		Key   string
		Value struct{ StringValue string }
	}
	service string
}

const (
	kindServer, kindClient, kindProducer, kindConsumer = 2, 3, 4, 5
)

func (s *span) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue
		}
	}
	return ""
}

// exported reads the spans that a collector has written.
func exported(t *testing.T, file string) []*span {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []*span
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		var batch struct {
			ResourceSpans []struct {
				Resource   struct{ Attributes []attributeJSON }
				ScopeSpans []struct{ Spans []*span }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &batch); err != nil {
			continue // a line that is being written
		}
		for _, r := range batch.ResourceSpans {
			service := ""
			for _, a := range r.Resource.Attributes {
				if a.Key == "service.name" {
					service = a.Value.StringValue
				}
			}
			for _, scope := range r.ScopeSpans {
				for _, s := range scope.Spans {
					s.service = service
					all = append(all, s)
				}
			}
		}
	}
	return all
}

type attributeJSON struct {
	Key   string
	Value struct{ StringValue string }
}

// quiet disables the collector's own metrics, whose port may be in use.
var quiet = map[string]any{"metrics": map[string]any{"level": "none"}}

// collect runs a real collector (ECF_OTELCOL) with the shipped configuration, which
// also writes to files. Sampling keeps everything, without delay.
func collect(t *testing.T) (collector *testkit.Proc, otlp, folder string) {
	t.Helper()
	program := os.Getenv("ECF_OTELCOL")
	if program == "" {
		t.Skip("NOT TESTED: ECF_OTELCOL names no OpenTelemetry collector; run make test-collector")
	}
	folder = t.TempDir()
	grpc, port, metrics, health := testkit.FreePort(t), testkit.FreePort(t), testkit.FreePort(t), testkit.FreePort(t)
	file := func(name string) map[string]any {
		return map[string]any{"path": filepath.Join(folder, name), "flush_interval": "100ms"}
	}
	exporters := func(names ...string) map[string]any { return map[string]any{"exporters": names} }
	own, err := yaml.Marshal(map[string]any{
		"receivers":  map[string]any{"otlp": map[string]any{"protocols": map[string]any{"grpc": endpoint(grpc), "http": endpoint(port)}}},
		"exporters":  map[string]any{"prometheus": endpoint(metrics), "file/traces": file("traces"), "file/logs": file("logs")},
		"extensions": map[string]any{"health_check": endpoint(health)},
		"processors": map[string]any{"tail_sampling": map[string]any{"decision_wait": "1s", "policies": []any{map[string]any{"name": "all", "type": "always_sample"}}}, "batch": map[string]any{"timeout": "200ms"}},
		"service":    map[string]any{"pipelines": map[string]any{"traces/kept": exporters("debug", "file/traces"), "logs": exporters("debug", "file/logs")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	last := filepath.Join(folder, "own.yaml")
	if err := os.WriteFile(last, own, 0o600); err != nil {
		t.Fatal(err)
	}
	shipped := filepath.Join(root, "deploy/otel")
	collector = testkit.Process(t, program, []string{"--config=" + filepath.Join(shipped, "collector.yaml"), "--config=" + filepath.Join(shipped, "local.yaml"), "--config=" + last}, nil)
	collector.WaitHTTP(fmt.Sprintf("http://127.0.0.1:%d/", health))
	return collector, fmt.Sprintf("http://127.0.0.1:%d", port), folder
}

// TestCollectorHasOneTrace approves a record while the services export to a real
// collector. The client's trace must continue through gateway, service, store, queue
// and worker; all spans must follow the present conventions; polling must begin no
// trace; and an unreachable collector must cause one log line per process.
func TestCollectorHasOneTrace(t *testing.T) {
	t.Parallel()
	collector, otlp, folder := collect(t)
	s := startSystem(t, "OTEL_EXPORTER_OTLP_ENDPOINT="+otlp, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_BSP_SCHEDULE_DELAY=100",
		"OTEL_BLRP_SCHEDULE_DELAY=100", "OTEL_EXPORTER_OTLP_TIMEOUT=1000", "ECF_TRUSTED_CALLERS=127.0.0.1")
	s.work()
	event, record := s.submitted()
	const trace, caller = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
	if err := s.ask(http.MethodPost, record+"/approve", nil, nil, "traceparent", "00-"+trace+"-"+caller+"-01"); err != nil {
		t.Fatal(err)
	}
	traces := filepath.Join(folder, "traces")
	var all []*span
	testkit.Eventually(t, time.Minute, func() error {
		all = exported(t, traces)
		return complete(all, trace, caller)
	})
	checkRoots(t, all, caller)
	checkConventions(t, all)
	s.await(event, 1)
	logs := filepath.Join(folder, "logs")
	testkit.Eventually(t, time.Minute, func() error {
		for _, service := range []string{"gateway", "review", "worker"} {
			if !logged(t, logs, service, trace) {
				return fmt.Errorf("no log line of %s names the trace", service)
			}
		}
		return nil
	})
	for _, file := range []string{traces, logs} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{systemPassword, "manager@apart.test", s.token} {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s: a password, an address or a token left the services", filepath.Base(file))
			}
		}
	}
	s.checkOutage(collector)
}

// complete returns an error that names what a trace lacks.
func complete(all []*span, trace, caller string) error {
	ids, entries := map[string]bool{caller: true}, []string{}
	found := map[string]bool{}
	for _, s := range all {
		if s.TraceID != trace {
			continue
		}
		ids[s.SpanID] = true
		if s.ParentSpanID == caller {
			entries = append(entries, s.service)
		}
		what := ""
		switch {
		case s.Kind == kindServer:
			what = "request"
		case s.Kind == kindProducer:
			what = "send"
		case s.Kind == kindConsumer:
			what = "process"
		case s.Kind == kindClient:
			what = s.attribute("db.system.name")
		}
		found[s.service+" "+what] = true
	}
	for _, want := range []string{"gateway request", "gateway ", "review request", "review mongodb", "review send", "review redis", "worker process", "worker mongodb"} {
		if !found[want] {
			return fmt.Errorf("the trace has no %q: %v", want, found)
		}
	}
	if !slices.Equal(entries, []string{"gateway"}) {
		return fmt.Errorf("below the client's span are %v", entries)
	}
	for _, s := range all {
		if s.TraceID == trace && !ids[s.ParentSpanID] {
			return fmt.Errorf("%s of %s has a parent outside of the trace", s.Name, s.service)
		}
	}
	return nil
}

// checkRoots verifies that every trace begins with a request at the gateway.
func checkRoots(t *testing.T, all []*span, caller string) {
	t.Helper()
	for _, s := range all {
		if (s.ParentSpanID == "" || s.ParentSpanID == caller) && (s.Kind != kindServer || s.service != "gateway") {
			t.Errorf("%s of %s begins a separate trace", s.Name, s.service)
		}
	}
}

// checkConventions verifies that no span has an attribute of earlier conventions.
func checkConventions(t *testing.T, all []*span) {
	t.Helper()
	old := []string{"db.system", "db.statement", "db.connection_string", "db.operation", "db.name", "http.method", "http.status_code", "http.url", "http.target", "net.peer.name", "net.host.name", "messaging.destination"}
	for _, s := range all {
		for _, a := range s.Attributes {
			if slices.Contains(old, a.Key) {
				t.Errorf("%s of %s has %s", s.Name, s.service, a.Key)
			}
		}
	}
}

// logged reports whether a log line of a service has the trace id.
func logged(t *testing.T, file, service, trace string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var batch struct {
			ResourceLogs []struct {
				Resource  struct{ Attributes []attributeJSON }
				ScopeLogs []struct{ LogRecords []struct{ TraceID string } }
			}
		}
		if json.Unmarshal([]byte(line), &batch) != nil {
			continue
		}
		for _, r := range batch.ResourceLogs {
			if !slices.ContainsFunc(r.Resource.Attributes, func(a attributeJSON) bool { return a.Key == "service.name" && a.Value.StringValue == service }) {
				continue
			}
			for _, scope := range r.ScopeLogs {
				for _, l := range scope.LogRecords {
					if l.TraceID == trace {
						return true
					}
				}
			}
		}
	}
	return false
}

const outageLine = "telemetry"

// checkOutage stops the collector: each process must log it once, and no more during
// further requests.
func (s *system) checkOutage(collector *testkit.Proc) {
	t := s.t
	t.Helper()
	lines := func(service string) int {
		n := 0
		for line := range strings.Lines(s.parts[service].Output()) {
			if strings.Contains(line, `"level":"WARN"`) && strings.Contains(line, outageLine) {
				n++
			}
		}
		return n
	}
	collector.Kill()
	began, exports := time.Now(), 0
	testkit.Eventually(t, time.Minute, func() error {
		if err := s.ask(http.MethodGet, "/events", nil, nil); err != nil {
			return err
		}
		exports++
		for _, service := range []string{"gateway", "records"} {
			if lines(service) == 0 {
				return fmt.Errorf("%s has not logged it", service)
			}
		}
		if exports < 100 {
			return fmt.Errorf("%d requests", exports)
		}
		return nil
	})
	allowed := 1 + int(time.Since(began)/telemetry.RemindEvery)
	for service := range s.parts {
		if n := lines(service); n > allowed {
			t.Errorf("%s wrote %d lines about an unreachable collector, in %v", service, n, time.Since(began))
		}
	}
}
