package mutual

import (
	"context"
	"crypto/x509"
	"errors"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

const scope = "github.com/eventcarbon/ecf/libs/infra/mutual"

// publish exports how long the certificate remains valid. The files are checked for changes
// at each collection, so that a renewal is noticed, and an expiry logged, also where no
// connection is made.
func (p *Peers) publish(meter metric.Meter) {
	remaining, err := meter.Float64ObservableGauge("ecf.tls.certificate.remaining", metric.WithUnit("s"),
		metric.WithDescription("Time until the other services refuse the certificate of this one, because it or its authority expires; 0 or less: they refuse it"))
	lifetime, err2 := meter.Float64ObservableGauge("ecf.tls.certificate.lifetime", metric.WithUnit("s"),
		metric.WithDescription("Time for which the certificate that expires first, that of this service or its authority's, was issued"))
	if err == nil && err2 == nil {
		_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
			p.current()
			left, whole := p.validity()
			o.ObserveFloat64(remaining, left.Seconds())
			o.ObserveFloat64(lifetime, whole.Seconds())
			return nil
		}, remaining, lifetime)
	}
	if err = errors.Join(err, err2); err != nil {
		otel.Handle(err)
	}
}

// validity returns how long the other services accept the certificate, and the lifetime of the
// certificate that ends this: of the chain that is valid longest, the one that expires first.
func (p *Peers) validity() (left, lifetime time.Duration) {
	chains, err := p.chains()
	now := p.now()
	if err != nil {
		leaf := p.leaf()
		return min(leaf.NotAfter.Sub(now), 0), leaf.NotAfter.Sub(leaf.NotBefore)
	}
	var last *x509.Certificate
	for _, chain := range chains {
		first := chain[0]
		for _, c := range chain {
			if c.NotAfter.Before(first.NotAfter) {
				first = c
			}
		}
		if last == nil || first.NotAfter.After(last.NotAfter) {
			last = first
		}
	}
	return last.NotAfter.Sub(now), last.NotAfter.Sub(last.NotBefore)
}
