// Package app is what every program of the service does around its own work:
// read settings, make the logger, connect telemetry, end on a signal, serve
// HTTP until told to stop and then finish what has begun.
package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/otel"

	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Env is the world as a program sees it; tests make their own.
type Env struct {
	// Args is the command line without the program's name.
	Args   []string
	Getenv func(string) string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Logger *slog.Logger
	// Version names the build: a version, or the revision it was built from.
	Version string
	// Metrics is the page to be scraped, nil when there is no debug address.
	Metrics http.Handler
}

// The exit codes of Main.
const (
	exitOK     = 0
	exitFailed = 1
)

// flushLimit bounds how long the end of a program waits for its telemetry.
const flushLimit = 5 * time.Second

// Main runs a program: its context ends on SIGINT or SIGTERM (a second one
// kills), telemetry is set up before and flushed after. It gives the exit code:
// 0 when run returned nil or was ended by a signal, else 1, and then the error
// is on standard error, one line per fault. With the argument healthcheck it
// asks the running program instead; see Healthcheck.
//
//	func main() { os.Exit(app.Main("records", run)) }
func Main(name string, run func(ctx context.Context, env Env) error) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the default action is back, so that a program
	// that hangs in its shutdown can still be ended by a second one.
	context.AfterFunc(ctx, stop)
	return start(ctx, name, run, Env{
		Args: os.Args[1:], Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: buildVersion(),
	})
}

func start(ctx context.Context, name string, run func(context.Context, Env) error, env Env) int {
	if len(env.Args) > 0 && env.Args[0] == healthcheckCommand {
		return healthcheck(ctx, name, env)
	}
	level, err := parseLevel(peek("ECF_LOG_LEVEL", "log-level", env))
	if err != nil {
		level = slog.LevelInfo // Load reports the fault
	}
	var flush func(context.Context) error
	if peek("ECF_DEBUG_ADDR", "debug-addr", env) != "" {
		env.Metrics, flush, err = setupWithMetrics(ctx, name, env.Version)
	} else {
		flush, err = telemetry.Setup(ctx, name, env.Version)
	}
	if err != nil {
		_, _ = fmt.Fprintf(env.Stderr, "%s: telemetry: %s\n", name, telemetry.Redact(err.Error()))
		return exitFailed
	}
	env.Logger = telemetry.Logger(env.Stderr, name, level)
	// What libraries say about themselves goes to the same log.
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		env.Logger.Warn("telemetry", "error", telemetry.Redact(err.Error()))
	}))
	redisx.LogTo(env.Logger)

	err = run(ctx, env)

	// The context has ended by now, or nobody is left to end it.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushLimit)
	defer cancel()
	if err := flush(last); err != nil {
		env.Logger.Warn("telemetry was not flushed", "error", telemetry.Redact(err.Error()))
	}
	if errors.Is(err, flag.ErrHelp) {
		_, _ = fmt.Fprintf(env.Stdout, "%s %s\n\nSettings, by flag or environment:\n%s", name, env.Version, Usage())
		return exitOK
	}
	if err == nil || ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return exitOK
	}
	for line := range strings.SplitSeq(strings.TrimRight(telemetry.Redact(err.Error()), "\n"), "\n") {
		_, _ = fmt.Fprintf(env.Stderr, "%s: %s\n", name, line)
	}
	return exitFailed
}

// Settings loads the settings of the program's command line and environment,
// with the program's own defaults as in Load, and at the level debug logs what
// holds, masked.
func (e Env) Settings(defaults ...map[string]string) (Settings, error) {
	s, err := Load(e.Args, e.Getenv, defaults...)
	if err != nil {
		return Settings{}, err
	}
	if e.Logger != nil {
		e.Logger.Debug("settings", "settings", s.Effective())
	}
	return s, nil
}

// peek reads one setting before all of them are read and checked.
func peek(env, flag string, e Env) string {
	for i, arg := range e.Args {
		name, value, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !strings.HasPrefix(arg, "-") || name != flag {
			continue
		}
		if given {
			return value
		}
		if i+1 < len(e.Args) {
			return e.Args[i+1]
		}
	}
	return e.Getenv(env)
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

// buildVersion gives the version the linker was told, that of the main module,
// or the revision it was built from.
func buildVersion() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	at := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if at < 0 {
		return "devel"
	}
	revision := info.Settings[at].Value
	return revision[:min(len(revision), 12)]
}
