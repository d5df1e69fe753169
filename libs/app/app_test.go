package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"go.opentelemetry.io/otel"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
)

// program runs start with an environment of its own.
func program(ctx context.Context, args []string, vars map[string]string, run func(context.Context, Env) error) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = start(ctx, "records", run, Env{
		Args: args, Getenv: func(name string) string { return vars[name] }, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Version: "v1",
	})
	return code, out.String(), errs.String()
}

func TestExitCodes(t *testing.T) {
	ended, stop := context.WithCancel(t.Context())
	stop()
	for name, c := range map[string]struct {
		ctx    context.Context
		err    error
		code   int
		stderr string
	}{
		"fine":             {t.Context(), nil, 0, ""},
		"failure":          {t.Context(), errors.Join(errors.New("ECF_A is wrong"), errors.New("dial mongodb://u:hunter2@h failed")), 1, "records: ECF_A is wrong\nrecords: dial mongodb://[redacted]@h failed\n"},
		"signal":           {ended, fmt.Errorf("serve: %w", context.Canceled), 0, ""},
		"failure at end":   {ended, errors.New("cut off"), 1, "records: cut off\n"},
		"canceled by none": {t.Context(), context.Canceled, 1, "records: context canceled\n"},
	} {
		code, stdout, stderr := program(c.ctx, nil, nil, func(context.Context, Env) error { return c.err })
		if code != c.code || stderr != c.stderr || stdout != "" {
			t.Errorf("%s: %d %q %q", name, code, stdout, stderr)
		}
	}
	code, stdout, stderr := program(t.Context(), []string{"--help"}, nil, func(_ context.Context, e Env) error {
		_, err := e.Settings()
		return err
	})
	if code != 0 || stderr != "" || !strings.Contains(stdout, "--mongodb-uri") || !strings.Contains(stdout, "ECF_MONGODB_URI") {
		t.Errorf("help: %d %q %q", code, stdout, stderr)
	}
	if code, _, _ := program(t.Context(), nil, nil, func(context.Context, Env) error { return flag.ErrHelp }); code != 0 {
		t.Errorf("help: %d", code)
	}
}

func TestEffectiveSettingsAreLoggedMasked(t *testing.T) {
	run := func(_ context.Context, e Env) error {
		_, err := e.Settings()
		return err
	}
	vars := map[string]string{"ECF_MONGODB_URI": "mongodb://u:hunter2@db", "ECF_LOG_LEVEL": "debug"}
	if _, _, stderr := program(t.Context(), nil, vars, run); !strings.Contains(stderr, "ECF_MONGODB_URI=mongodb://****@db") || strings.Contains(stderr, "hunter2") {
		t.Errorf("log: %s", stderr)
	}
	if _, _, stderr := program(t.Context(), []string{"--log-level=info"}, vars, run); stderr != "" {
		t.Errorf("log: %s", stderr)
	}
	// A level that does not exist is a fault of the settings, once.
	if code, _, stderr := program(t.Context(), []string{"--log-level", "loud"}, nil, run); code != 1 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%d %q", code, stderr)
	}
}

func TestMetricsAreOnWithTheDebugAddress(t *testing.T) {
	defer otel.SetMeterProvider(metricnoop.NewMeterProvider())
	run := func(page *string) func(context.Context, Env) error {
		return func(ctx context.Context, e Env) error {
			if e.Metrics == nil {
				return nil
			}
			counter, err := otel.Meter("test").Int64Counter("ecf.test.count")
			if err != nil {
				return err
			}
			counter.Add(ctx, 3)
			w := httptest.NewRecorder()
			e.Metrics.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
			*page = w.Body.String()
			return nil
		}
	}
	var page string
	if code, _, stderr := program(t.Context(), []string{"--debug-addr", "127.0.0.1:0"}, nil, run(&page)); code != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"ecf_test_count_total", "go_goroutine_count", `service_name="records"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s:\n%s", want, page)
		}
	}
	page = ""
	if code, _, _ := program(t.Context(), nil, nil, run(&page)); code != 0 || page != "" {
		t.Errorf("without the address: %d %q", code, page)
	}
}

// TestSignal: SIGTERM ends the context of a program, and that is a good end.
func TestSignal(t *testing.T) {
	code := Main("records", func(ctx context.Context, env Env) error {
		if env.Version == "" || env.Getenv == nil || env.Logger == nil || env.Stdin == nil {
			t.Errorf("env %+v", env)
		}
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestLogIsJSON(t *testing.T) {
	_, _, stderr := program(t.Context(), nil, nil, func(_ context.Context, e Env) error {
		otel.Handle(errors.New("export to https://u:hunter2@collector failed"))
		e.Logger.Info("hello")
		return nil
	})
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if len(lines) != 2 || strings.Contains(stderr, "hunter2") {
		t.Fatalf("log: %s", stderr)
	}
	for _, line := range lines {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil || m["service"] != "records" {
			t.Errorf("%s: %v", line, err)
		}
	}
}
