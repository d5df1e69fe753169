package gateway

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const scope = "github.com/eventcarbon/ecf/services/gateway"

// upstreamMetrics measures the response times of services.
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

// answers measures the response times of one service.
type answers struct {
	duration                  metric.Float64Histogram
	answered, failed, silence []metric.RecordOption
}

// of returns the instrument of a service.
func (m upstreamMetrics) of(service string) answers {
	as := func(outcome string) []metric.RecordOption {
		return []metric.RecordOption{metric.WithAttributeSet(attribute.NewSet(attribute.String("upstream", service), attribute.String("outcome", outcome)))}
	}
	return answers{m.duration, as("answered"), as("failed"), as("none")}
}

// begin returns the current time, or the zero time if the metric is disabled.
func (m answers) begin(ctx context.Context) (began time.Time) {
	if m.duration.Enabled(ctx) {
		began = time.Now()
	}
	return began
}

// record records the duration of a request that began at began.
func (m answers) record(ctx context.Context, began time.Time, status int, err error) {
	if began.IsZero() {
		return
	}
	outcome := m.answered
	switch {
	case err != nil:
		outcome = m.silence
	case status >= 500:
		outcome = m.failed
	}
	m.duration.Record(ctx, time.Since(began).Seconds(), outcome...)
}
