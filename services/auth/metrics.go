package auth

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/services/auth/password"
)

const scope = "github.com/eventcarbon/ecf/services/auth"

// signIns counts login attempts by outcome.
type signIns struct{ count metric.Int64Counter }

// observe creates the metrics of the service: login attempts, and the utilization of
// password hashing.
func observe(h *password.Hasher) (signIns, error) {
	meter := otel.Meter(scope)
	count, err := meter.Int64Counter("ecf.auth.sign_ins", metric.WithUnit("{attempt}"),
		metric.WithDescription("Attempts to sign in, by outcome: done, refused, limited, unavailable"))
	gauge := func(name, unit, description string, value func() int64) {
		_, e := meter.Int64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description),
			metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
				o.Observe(value())
				return nil
			}))
		err = errors.Join(err, e)
	}
	gauge("ecf.auth.hashing.slots", "{slot}", "Passwords that may be hashed at once", func() int64 { return int64(h.Slots()) })
	gauge("ecf.auth.hashing.active", "{slot}", "Passwords being hashed", func() int64 { return int64(h.Taken()) })
	gauge("ecf.auth.hashing.waiting", "{request}", "Requests that wait for a slot to hash", func() int64 { return int64(h.Waiting()) })
	return signIns{count}, err
}

func (s signIns) add(ctx context.Context, err error) {
	outcome := "unavailable"
	switch apperr.CodeOf(err) {
	case apperr.Unauthenticated:
		outcome = "refused"
	case apperr.RateLimited:
		outcome = "limited"
	default:
		if err == nil {
			outcome = "done"
		}
	}
	s.count.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}
