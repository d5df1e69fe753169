package sqlitex

import (
	"context"
	"errors"
	"path/filepath"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
)

const scope = "github.com/eventcarbon/ecf/libs/sqlitex"

// watchDisk measures the disk of a database file until the returned function is called: if it is full, all writes
// fail, and there may be no other monitoring.
func watchDisk(path string) (stop func()) {
	meter := otel.Meter(scope)
	available, err1 := meter.Int64ObservableGauge("ecf.database.disk.available", metric.WithUnit("By"),
		metric.WithDescription("Room that is left on the disk of the embedded database"))
	size, err2 := meter.Int64ObservableGauge("ecf.database.disk.size", metric.WithUnit("By"),
		metric.WithDescription("Size of the disk of the embedded database"))
	dir := filepath.Dir(path)
	watched, err3 := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		if left, all, ok := diskSpace(dir); ok {
			o.ObserveInt64(available, left)
			o.ObserveInt64(size, all)
		}
		return nil
	}, available, size)
	if err := errors.Join(err1, err2, err3); err != nil {
		otel.Handle(err)
		return func() {}
	}
	return func() { _ = watched.Unregister() }
}
