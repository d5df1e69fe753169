// Package telemetry connects a process to OpenTelemetry: traces, metrics and logs
// configured by the standard OTEL_* variables, a JSON logger that adds trace ids, and
// spans for MongoDB commands and tasks of the queue.
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

// signal is one of the three kinds of telemetry, as named in the standard variables.
type signal string

const (
	traces  signal = "TRACES"
	metrics signal = "METRICS"
	logs    signal = "LOGS"
)

// enabled reports whether the environment enables a signal. Exporters default to OTLP
// on localhost, but a service without a configured collector must not try to reach one.
func enabled(s signal, getenv func(string) string) bool {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false
	}
	if exporter := getenv("OTEL_" + string(s) + "_EXPORTER"); exporter != "" {
		return exporter != "none"
	}
	return getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || getenv("OTEL_EXPORTER_OTLP_"+string(s)+"_ENDPOINT") != ""
}

// Setup installs the global providers of the signals that the environment enables; the
// others stay no-ops. The returned function flushes and stops them. If there are
// additional metric readers (a page to scrape), metrics are enabled too.
func Setup(ctx context.Context, service, version string, readers ...metric.Reader) (shutdown func(context.Context) error, err error) {
	// Baggage is not propagated: what clients put there must not pass through our
	// services.
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
		// On failure too there is a function to call, and nothing keeps running.
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
		// The default provider would allocate a span for each request.
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
			// There are no traces for exemplars to name; without the search for one
			// each measurement is cheaper.
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
	// OTEL_SERVICE_NAME take precedence.
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
