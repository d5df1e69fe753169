package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"

	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Log is the setting of the log, which every command has.
type Log struct {
	// Level is debug, info, warn or error.
	Level string
}

const logLevelName = "ECF_LOG_LEVEL"

// Describe implements settings.Config.
func (l *Log) Describe(s *settings.Set) {
	s.Text(&l.Level, logLevelName, "info", "minimum log level: debug, info, warn or error", func(v string) error {
		_, err := parseLevel(v)
		return err
	})
}

func parseLevel(s string) (slog.Level, error) {
	switch strings.ToLower(s) {
	case "debug":
		return slog.LevelDebug, nil
	case "", "info":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, errors.New("must be debug, info, warn or error")
}

// observe opens the log and the telemetry according to the settings, with the clock Now. The returned function flushes
// them.
func (e *Env) observe(ctx context.Context, name string, set *settings.Set) (flush func(), err error) {
	level, err := parseLevel(set.Value(logLevelName))
	if err != nil {
		return nil, err // not reached: the settings have been checked
	}
	// Reports of libraries go to the same log.
	otel.SetErrorHandler(telemetry.NewErrorHandler(e.Stderr, name, e.Now))
	var stop func(context.Context) error
	if set.Value(debugAddrName) != "" {
		e.Metrics, stop, err = setupWithMetrics(ctx, name, e.Version)
	} else {
		stop, err = telemetry.Setup(ctx, name, e.Version)
	}
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	watchClock(e.Now)
	lines := telemetry.NewLines(e.Stderr)
	e.Logger = telemetry.Logger(lines, name, level)
	log := e.Logger
	redisx.LogTo(log)
	return func() {
		defer lines.Flush()
		// The context has ended by now, or will never be cancelled.
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushLimit)
		defer cancel()
		if err := stop(last); err != nil {
			log.Warn("telemetry was not flushed", "error", telemetry.Redact(err.Error()))
		}
	}, nil
}

const scope = "github.com/eventcarbon/ecf/libs/app"

// watchClock exports the clock of this process as a metric. The monitoring compares it with its own: a wrong clock
// makes tokens too old or too young, and measured ages and delays wrong.
func watchClock(now func() time.Time) {
	_, err := otel.Meter(scope).Float64ObservableGauge("ecf.process.clock", metric.WithUnit("s"),
		metric.WithDescription("The time by the clock of this process, in seconds since 1970"),
		metric.WithFloat64Callback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(float64(now().UnixMilli()) / 1000)
			return nil
		}))
	if err != nil {
		otel.Handle(err)
	}
}
