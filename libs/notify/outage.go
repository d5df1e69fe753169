package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/telemetry"
)

// reached reports the outcome of each command of a client to an outage: one with a response,
// even an error, has reached its server.
type reached struct{ outage *telemetry.Outage }

// DialHook implements redis.Hook. A connection does not prove that the server responds.
func (r reached) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		if err != nil {
			r.report(ctx, err)
		}
		return conn, err
	}
}

// ProcessHook implements redis.Hook.
func (r reached) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		r.report(ctx, unanswered(err))
		return err
	}
}

// ProcessPipelineHook implements redis.Hook.
func (r reached) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		r.report(ctx, unanswered(err))
		return err
	}
}

func (r reached) report(ctx context.Context, err error) {
	if !errors.Is(err, redis.ErrClosed) { // closed by ourselves
		r.outage.Report(ctx, err)
	}
}

// notServed are the prefixes of the errors of a server that is not in service.
var notServed = []string{"OOM ", "READONLY ", "LOADING ", "MASTERDOWN ", "CLUSTERDOWN ", "MISCONF ", "NOREPLICAS ", "NOAUTH ", "WRONGPASS ", "NOPERM "}

// unanswered returns err unless it is a response of a server in service.
func unanswered(err error) error {
	answer, ok := errors.AsType[redis.Error](err)
	if !ok {
		return err
	}
	for _, start := range notServed {
		if strings.HasPrefix(answer.Error(), start) {
			return err
		}
	}
	return nil
}

// asynqLog logs asynq's own messages, limited per kind, because each of its loops logs every
// failed attempt. In an outage of the queue, which is logged separately, they are for
// troubleshooting.
type asynqLog struct {
	log    *slog.Logger
	outage *telemetry.Outage
	seldom telemetry.LineLimiter
}

// Debug implements asynq.Logger.
func (l *asynqLog) Debug(args ...any) { l.pass(slog.LevelDebug, args) }

// Info implements asynq.Logger.
func (l *asynqLog) Info(args ...any) { l.pass(slog.LevelInfo, args) }

// Warn implements asynq.Logger.
func (l *asynqLog) Warn(args ...any) { l.pass(slog.LevelWarn, args) }

// Error implements asynq.Logger.
func (l *asynqLog) Error(args ...any) { l.pass(slog.LevelError, args) }

// Fatal does not end the process: asynq calls it when Redis is unreachable for long, and a
// worker must recover when Redis does.
func (l *asynqLog) Fatal(args ...any) { l.pass(slog.LevelError, args) }

func (l *asynqLog) pass(level slog.Level, args []any) {
	text := fmt.Sprint(args...)
	if level < slog.LevelWarn || l.outage.Lasts() {
		l.log.Debug("asynq: " + text)
		return
	}
	kind, _, _ := strings.Cut(text, ": ")
	if skipped, ok := l.seldom.Take(kind); ok {
		l.log.Log(context.Background(), level, "asynq: "+text, "skipped", skipped)
	}
}
