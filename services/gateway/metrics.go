package gateway

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const scope = "github.com/eventcarbon/ecf/services/gateway"

// upstreamMetrics measures how long services take to answer.
type upstreamMetrics struct{ duration metric.Float64Histogram }

func newUpstreamMetrics() upstreamMetrics {
	duration, err := otel.Meter(scope).Float64Histogram("ecf.gateway.upstream.duration", metric.WithUnit("s"),
		metric.WithDescription("How long a service took to answer the gateway, by service and outcome: answered, failed (5xx), none"),
		metric.WithExplicitBucketBoundaries(.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10))
	if err != nil {
		otel.Handle(err)
	}
	return upstreamMetrics{duration}
}

func (m upstreamMetrics) record(ctx context.Context, service string, took time.Duration, status int, err error) {
	outcome := "answered"
	switch {
	case err != nil:
		outcome = "none"
	case status >= 500:
		outcome = "failed"
	}
	m.duration.Record(ctx, took.Seconds(), metric.WithAttributes(attribute.String("upstream", service), attribute.String("outcome", outcome)))
}
