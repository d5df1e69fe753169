package app

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprom "go.opentelemetry.io/otel/exporters/prometheus"

	"github.com/eventcarbon/ecf/libs/telemetry"
)

// setupWithMetrics is telemetry.Setup with a page of all metrics.
func setupWithMetrics(ctx context.Context, service, version string) (http.Handler, func(context.Context) error, error) {
	registry := prometheus.NewRegistry()
	// Resource use of the process (memory, processor, files, start time) and build information.
	registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewBuildInfoCollector())
	reader, err := otelprom.New(otelprom.WithRegisterer(registry))
	if err != nil {
		return nil, nil, err
	}
	flush, err := telemetry.Setup(ctx, service, version, reader)
	if err != nil {
		return nil, nil, err
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true}), flush, nil
}

// Debug is the handler of the debug address. It is for operators: clients must not be able to reach it.
type Debug struct {
	// Metrics is served as /metrics; nil: no such page.
	Metrics http.Handler
	// Status is a page for people, served as /status; nil: no such page.
	Status http.Handler
	// Ready reports whether the service is ready; nil: always.
	Ready func(ctx context.Context) error
	// Live reports whether the process makes progress; nil: always.
	Live func() error
}

// Handler serves /metrics, /status, /debug/pprof/, /health/live and
// /health/ready.
func (d Debug) Handler() http.Handler {
	mux := http.NewServeMux()
	if d.Metrics != nil {
		mux.Handle("GET /metrics", d.Metrics)
	}
	if d.Status != nil {
		mux.Handle("GET /status", d.Status)
	}
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound) // may contain secrets in flags
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.HandleFunc("GET /health/live", func(w http.ResponseWriter, _ *http.Request) {
		if d.Live != nil && d.Live() != nil {
			writeStatus(w, http.StatusServiceUnavailable, "stuck")
			return
		}
		writeStatus(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /health/ready", func(w http.ResponseWriter, r *http.Request) {
		if d.Ready != nil {
			if err := d.Ready(r.Context()); err != nil {
				writeStatus(w, http.StatusServiceUnavailable, "not ready")
				return
			}
		}
		writeStatus(w, http.StatusOK, "ready")
	})
	return mux
}

func writeStatus(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"success": status == http.StatusOK, "data": map[string]string{"status": text}})
}

// ServeDebug serves d until ctx ends.
func ServeDebug(ctx context.Context, ln net.Listener, d Debug) error {
	server := &http.Server{
		Handler:           d.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		IdleTimeout:       time.Minute,
		// A profile takes as long as requested; pprof extends the deadline of its responses accordingly.
		WriteTimeout: 90 * time.Second,
	}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return wrap("serve debug", err)
	}
	return nil
}
