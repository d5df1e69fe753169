package app_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
)

func TestDebugHandler(t *testing.T) {
	t.Parallel()
	var failure error
	d := app.Debug{
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a_metric 1\n") }),
		Status:  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "all is well\n") }),
		Ready:   func(context.Context) error { return failure },
	}
	visit := func(path string) (int, string) {
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return w.Code, w.Body.String()
	}
	for path, want := range map[string]string{
		"/metrics":                       "a_metric 1",
		"/status":                        "all is well",
		"/debug/pprof/":                  "goroutine",
		"/debug/pprof/goroutine?debug=1": "TestDebugHandler",
		"/health/live":                   "ok",
		"/health/ready":                  "ready",
	} {
		if status, body := visit(path); status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	for _, path := range []string{"/debug/pprof/cmdline", "/", "/api/v2/events"} {
		if status, _ := visit(path); status != http.StatusNotFound {
			t.Errorf("%s: %d", path, status)
		}
	}
	failure = errors.New("dial tcp 10.0.0.1: poison")
	if status, body := visit("/health/ready"); status != http.StatusServiceUnavailable || strings.Contains(body, "poison") {
		t.Errorf("not ready: %d %s", status, body)
	}
	d = app.Debug{}
	for _, path := range []string{"/metrics", "/status"} {
		if status, _ := visit(path); status != http.StatusNotFound {
			t.Errorf("no %s: %d", path, status)
		}
	}
	if status, _ := visit("/health/ready"); status != http.StatusOK {
		t.Errorf("no check: %d", status)
	}
}

func TestServeDebug(t *testing.T) {
	t.Parallel()
	ln, err := app.ListenOn(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.ServeDebug(ctx, ln, app.Debug{}) }()
	res, err := http.Get("http://" + ln.Addr().String() + "/health/live") //nolint:noctx // a local server of this test
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("status %d", res.StatusCode)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the debug server does not end")
	}
}
