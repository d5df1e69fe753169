// Package telemetry connects a process to OpenTelemetry: traces, metrics and
// logs by the standard OTEL_* variables, a JSON logger that knows the trace it
// writes in, spans for MongoDB commands and for tasks of the queue.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/contrib/instrumentation/runtime"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace/noop"
)

const scope = "github.com/eventcarbon/ecf/libs/telemetry"

// signal is one of the three kinds of telemetry, by its part of the names of
// the standard variables.
type signal string

const (
	traces  signal = "TRACES"
	metrics signal = "METRICS"
	logs    signal = "LOGS"
)

// enabled reports whether the environment asks for the signal. Exporters
// default to OTLP on localhost when nothing is set; a service that nobody told
// about a collector must not try to reach one.
func enabled(s signal, getenv func(string) string) bool {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	if exporter := getenv("OTEL_" + string(s) + "_EXPORTER"); exporter != "" {
		return exporter != "none"
	}
	return getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_"+string(s)+"_ENDPOINT") != ""
}

// Setup installs the global providers for the signals the environment asks for
// and leaves the others as they are, which is doing nothing. The returned
// function flushes and stops what was started. More readers of metrics (a page
// to scrape) may be given; any reader turns metrics on.
func Setup(ctx context.Context, service, version string, readers ...metric.Reader) (shutdown func(context.Context) error, err error) {
	// Baggage is not propagated: what strangers put there must not travel
	// through our services.
	otel.SetTextMapPropagator(propagation.TraceContext{})
	var stops []func(context.Context) error
	stop := func(ctx context.Context) error {
		var errs []error
		for _, stop := range slices.Backward(stops) {
			errs = append(errs, stop(ctx))
		}
		stops = nil
		return errors.Join(errs...)
	}
	defer func() {
		// On failure too there is something to call, and nothing left running.
		shutdown = stop
		if err != nil {
			err = errors.Join(err, stop(ctx))
		}
	}()

	res, err := newResource(ctx, service, version)
	if err != nil {
		return nil, err
	}
	if enabled(traces, os.Getenv) {
		exporter, err := autoexport.NewSpanExporter(ctx)
		if err != nil {
			return nil, fmt.Errorf("OTEL_TRACES_EXPORTER=%s: %w", os.Getenv("OTEL_TRACES_EXPORTER"), err)
		}
		tp := sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithSpanProcessor(withoutPolling{sdktrace.NewBatchSpanProcessor(exporter)}))
		otel.SetTracerProvider(tp)
		stops = append(stops, tp.Shutdown)
	} else {
		// The one that is there before any is set makes a span of its own for each request.
		otel.SetTracerProvider(noop.NewTracerProvider())
	}
	if enabled(metrics, os.Getenv) {
		reader, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			return nil, fmt.Errorf("OTEL_METRICS_EXPORTER=%s: %w", os.Getenv("OTEL_METRICS_EXPORTER"), err)
		}
		readers = append(readers, reader)
	}
	if len(readers) > 0 {
		opts := []metric.Option{metric.WithResource(res)}
		if !enabled(traces, os.Getenv) {
			// An exemplar names a trace, and there are none: not looking for one spares each
			// measurement a part of what it costs.
			opts = append(opts, metric.WithExemplarFilter(exemplar.AlwaysOffFilter))
		}
		for _, r := range readers {
			opts = append(opts, metric.WithReader(r))
		}
		mp := metric.NewMeterProvider(opts...)
		otel.SetMeterProvider(mp)
		stops = append(stops, mp.Shutdown)
		if err := runtime.Start(runtime.WithMeterProvider(mp)); err != nil {
			return nil, fmt.Errorf("runtime metrics: %w", err)
		}
	}
	if enabled(logs, os.Getenv) {
		exporter, err := autoexport.NewLogExporter(ctx)
		if err != nil {
			return nil, fmt.Errorf("OTEL_LOGS_EXPORTER=%s: %w", os.Getenv("OTEL_LOGS_EXPORTER"), err)
		}
		lp := sdklog.NewLoggerProvider(sdklog.WithResource(res), sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)))
		otel.SetLoggerProvider(lp)
		stops = append(stops, lp.Shutdown)
	}
	return stop, nil
}

func newResource(ctx context.Context, service, version string) (*resource.Resource, error) {
	// The environment comes last, so that OTEL_RESOURCE_ATTRIBUTES and
	// OTEL_SERVICE_NAME win.
	res, err := resource.New(ctx,
		resource.WithTelemetrySDK(),
		resource.WithHost(),
		resource.WithProcessRuntimeVersion(),
		resource.WithAttributes(
			semconv.ServiceNamespace("ecf"),
			semconv.ServiceName(service),
			semconv.ServiceVersion(version),
		),
		resource.WithFromEnv(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) && !errors.Is(err, resource.ErrSchemaURLConflict) {
		return nil, fmt.Errorf("resource: %w", err)
	}
	return res, nil
}
