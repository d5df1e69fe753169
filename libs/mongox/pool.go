package mongox

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// newPoolMonitor returns a monitor that counts the connections of a client: open, in use, and failures to get one.
func newPoolMonitor(client string) *event.PoolMonitor {
	meter := otel.Meter(monitorScope)
	updown := func(name, description string) metric.Int64UpDownCounter {
		c, err := meter.Int64UpDownCounter(name, metric.WithUnit("{connection}"), metric.WithDescription(description))
		if err != nil {
			otel.Handle(err)
		}
		return c
	}
	opened := updown("ecf.mongodb.pool.open", "Connections to MongoDB that are open")
	used := updown("ecf.mongodb.pool.used", "Connections to MongoDB that are in use")
	failed, err1 := meter.Int64Counter("ecf.mongodb.pool.failures", metric.WithUnit("{failure}"),
		metric.WithDescription("Times a connection to MongoDB was wanted and none was to be had, by reason"))
	wait, err2 := meter.Float64Histogram("ecf.mongodb.pool.wait", metric.WithUnit("s"),
		metric.WithDescription("How long was waited for a connection to MongoDB"), metric.WithExplicitBucketBoundaries(.001, .005, .025, .1, .5, 1, 5))
	if err := errors.Join(err1, err2); err != nil {
		otel.Handle(err)
	}
	ctx, name := context.Background(), metric.WithAttributes(attribute.String("client", client))
	return &event.PoolMonitor{Event: func(e *event.PoolEvent) {
		switch e.Type {
		case event.ConnectionCreated:
			opened.Add(ctx, 1, name)
		case event.ConnectionClosed:
			opened.Add(ctx, -1, name)
		case event.ConnectionCheckedOut:
			used.Add(ctx, 1, name)
			wait.Record(ctx, e.Duration.Seconds(), name)
		case event.ConnectionCheckedIn:
			used.Add(ctx, -1, name)
		case event.ConnectionCheckOutFailed:
			failed.Add(ctx, 1, name, metric.WithAttributes(attribute.String("reason", e.Reason)))
		}
	}}
}
