package e2e

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// spans collects what a program exports by OTLP.
type spans struct {
	mu  sync.Mutex
	all []*trace.Span
}

func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var request collector.ExportTraceServiceRequest
	if r.URL.Path == "/v1/traces" && proto.Unmarshal(body, &request) == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				s.all = append(s.all, scope.GetSpans()...)
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// traceOf returns the spans of the trace that has a server span of this name.
func (s *spans) traceOf(name string) []*trace.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := ""
	for _, span := range s.all {
		if strings.Contains(span.GetName(), name) && span.GetKind() == trace.Span_SPAN_KIND_SERVER {
			id = string(span.GetTraceId())
		}
	}
	var found []*trace.Span
	for _, span := range s.all {
		if string(span.GetTraceId()) == id && id != "" {
			found = append(found, span)
		}
	}
	return found
}

// TestOneTraceFromTheGatewayToTheWorker verifies that one approval is one trace: the
// gateway, the service behind it, the notifier, and the worker on the other side of the
// queue; and that the log lines have its id.
func TestOneTraceFromTheGatewayToTheWorker(t *testing.T) {
	t.Parallel()
	received := &spans{}
	sink := httptest.NewServer(received)
	t.Cleanup(sink.Close)
	port := testkit.FreePort(t)
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	proc := testkit.Process(t, testkit.Binary(t, "services/standalone/cmd/ecf"), []string{"serve"}, []string{
		fmt.Sprintf("ECF_ADDR=127.0.0.1:%d", port), "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + sink.URL, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "OTEL_BSP_SCHEDULE_DELAY=50",
	})
	proc.WaitHTTP(url + "/api/v2/health/ready")
	s := &system{url: url}
	user, manager := s.as(t, "user@demo.test"), s.as(t, "manager@demo.test")
	event := manager.post("/events", map[string]any{"title": "Traced", "country": "GB"}).want(http.StatusCreated).str("_id")
	approved(user, manager, event, "waste", map[string]any{"treatment": "landfill", "weightKg": 1000})
	user.result(event, 1)

	var traceID string
	testkit.Eventually(t, 60*time.Second, func() error {
		kinds := map[trace.Span_SpanKind]int{}
		for _, span := range received.traceOf("/approve") {
			kinds[span.GetKind()]++
			traceID = hex.EncodeToString(span.GetTraceId())
		}
		if kinds[trace.Span_SPAN_KIND_SERVER] < 2 || kinds[trace.Span_SPAN_KIND_PRODUCER] != 1 || kinds[trace.Span_SPAN_KIND_CONSUMER] != 1 {
			return fmt.Errorf("the trace of the approval has %v", kinds)
		}
		return nil
	})
	// One tree: each span's parent is in the trace, except that of the root.
	ids, roots := map[string]bool{}, 0
	found := received.traceOf("/approve")
	for _, span := range found {
		ids[string(span.GetSpanId())] = true
	}
	for _, span := range found {
		if len(span.GetParentSpanId()) == 0 {
			roots++
		} else if !ids[string(span.GetParentSpanId())] {
			t.Errorf("%s has a parent outside of the trace", span.GetName())
		}
	}
	if roots != 1 {
		t.Errorf("%d roots", roots)
	}
	if !strings.Contains(proc.Output(), `"trace_id":"`+traceID+`"`) {
		t.Error("no log line names the trace")
	}
	received.checkSecrets(t, user.refresh)
}

// checkSecrets verifies that no exported span has a password, a token or an address of
// an account (statement 16).
func (s *spans) checkSecrets(t *testing.T, refresh string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	signIns := 0
	for _, span := range s.all {
		text := span.String()
		if strings.Contains(text, "/auth/login") {
			signIns++
		}
		for _, secret := range []string{password, "eyJ", "Bearer ", "@demo.test", refresh} {
			if strings.Contains(text, secret) {
				t.Errorf("a span shows %q: %s", secret, text)
			}
		}
	}
	if signIns == 0 {
		t.Error("no span of a login was checked")
	}
}
