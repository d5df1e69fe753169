package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	metricnoop "go.opentelemetry.io/otel/metric/noop"

	"github.com/eventcarbon/ecf/libs/settings"
)

// sample is the settings of a program of the tests.
type sample struct {
	Log
	Listen
	URI string
}

func (c *sample) Describe(s *settings.Set) {
	c.Listen.Describe(s)
	s.Text(&c.URI, "ECF_MONGODB_URI", "", "database", nil).Hide()
	c.Log.Describe(s)
}

// program runs a program in the given environment.
func program(ctx context.Context, args []string, vars map[string]string, run func(context.Context, Env) error) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := Program{Name: "records", Commands: []Command{NewCommand("", "keeps records", func(ctx context.Context, env Env, _ *sample) error { return run(ctx, env) })}}
	var environ []string
	for name, value := range vars {
		environ = append(environ, name+"="+value)
	}
	code = p.exitCode(ctx, Env{
		Args: args, Getenv: func(name string) string { return vars[name] }, Environ: environ, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Version: "v1",
		Now: func() time.Time { return time.Unix(1_500_000_000, 0) },
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
		"signal":           {ended, fmt.Errorf("copy: %w", context.Canceled), 1, "records: ended by a signal before it was finished: copy: context canceled\n"},
		"failure at end":   {ended, errors.New("cut off"), 1, "records: cut off\n"},
		"canceled by none": {t.Context(), context.Canceled, 1, "records: context canceled\n"},
	} {
		code, stdout, stderr := program(c.ctx, nil, nil, func(context.Context, Env) error { return c.err })
		if code != c.code || stderr != c.stderr || stdout != "" {
			t.Errorf("%s: %d %q %q", name, code, stdout, stderr)
		}
	}
	never := func(context.Context, Env) error {
		t.Error("the program ran")
		return nil
	}
	code, stdout, stderr := program(t.Context(), []string{"--help"}, nil, never)
	if code != 0 || stderr != "" {
		t.Errorf("help: %d %q", code, stderr)
	}
	for _, want := range []string{"records v1: keeps records", "--mongodb-uri", "ECF_MONGODB_URI[_FILE]", "(default 127.0.0.1:8080)", "OTEL_EXPORTER_OTLP_ENDPOINT"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the help does not have %q:\n%s", want, stdout)
		}
	}
	code, _, stderr = program(t.Context(), nil, map[string]string{"ECF_MONGO_URI": "x", "ECF_ADDR": "nowhere"}, never)
	if code != 2 || !strings.Contains(stderr, "did you mean ECF_MONGODB_URI?") || !strings.Contains(stderr, "ECF_ADDR must be") {
		t.Errorf("an unknown variable and a wrong value: %d %q", code, stderr)
	}
	otel := map[string]string{"ECF_ADDR": "nowhere", "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "7"}
	code, _, stderr = program(t.Context(), nil, otel, never)
	if code != 2 || !strings.Contains(stderr, `records: OTEL_TRACES_SAMPLER_ARG is "7" and must be a number from 0 to 1`) || !strings.Contains(stderr, "ECF_ADDR must be") {
		t.Errorf("a variable of OpenTelemetry that is wrong: %d %q", code, stderr)
	}
	if code, stdout, _ := program(t.Context(), []string{"version"}, otel, never); code != 0 || stdout != "v1\n" {
		t.Errorf("version, which exports nothing, with a wrong variable of OpenTelemetry: %d %q", code, stdout)
	}
	if code, stdout, _ := program(t.Context(), []string{"version"}, nil, never); code != 0 || stdout != "v1\n" {
		t.Errorf("version: %d %q", code, stdout)
	}
}

// TestACommandThatDoesNotExist: the error names the words of the command alone, and the commands that begin with its first one.
func TestACommandThatDoesNotExist(t *testing.T) {
	t.Parallel()
	some := func(context.Context, Env, *none) error { return nil }
	p := Program{Name: "ecf", Commands: []Command{NewCommand("user create", "", some), NewCommand("user list", "", some), NewCommand("serve", "", some)}}
	for args, want := range map[string]string{
		"user":                 `there is no command "user"; there are user create, user list`,
		"user creat --org one": `there is no command "user creat"; there are user create, user list`,
		"user --help":          `there is no command "user"; there are user create, user list`,
		"frobnicate":           `there is no command "frobnicate"; ecf help lists them`,
		"--addr x":             `there is no command "--addr x"; ecf help lists them`,
	} {
		err := p.Run(t.Context(), Env{Args: strings.Fields(args), Getenv: func(string) string { return "" }})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

func TestEffectiveSettingsAreLoggedMasked(t *testing.T) {
	run := func(context.Context, Env) error { return nil }
	vars := map[string]string{"ECF_MONGODB_URI": "mongodb://u:hunter2@db", "ECF_LOG_LEVEL": "debug"}
	if _, _, stderr := program(t.Context(), nil, vars, run); !strings.Contains(stderr, "ECF_MONGODB_URI=mongodb://****@db") || strings.Contains(stderr, "hunter2") {
		t.Errorf("log: %s", stderr)
	}
	if _, _, stderr := program(t.Context(), []string{"--log-level=info"}, vars, run); stderr != "" {
		t.Errorf("log: %s", stderr)
	}
	// A level that does not exist is a fault of the settings, once.
	if code, _, stderr := program(t.Context(), []string{"--log-level", "loud"}, nil, run); code != 2 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%d %q", code, stderr)
	}
}

func TestMetricsAreOnWithTheDebugAddress(t *testing.T) {
	// What other tests have registered before there was a provider goes to this one.
	otel.SetMeterProvider(metricnoop.NewMeterProvider())
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
	// The clock is that of the program, so that the monitoring detects a wrong one.
	for _, want := range []string{"ecf_test_count_total", "go_goroutine_count", `service_name="records"`, `ecf_process_clock_seconds{.*} 1\.5e\+09`} {
		if !regexp.MustCompile(want).MatchString(page) {
			t.Errorf("the page does not have %s:\n%s", want, page)
		}
	}
	page = ""
	if code, _, _ := program(t.Context(), nil, nil, run(&page)); code != 0 || page != "" {
		t.Errorf("without the address: %d %q", code, page)
	}
}

// TestSignal: SIGTERM ends the context of a program. A command that did not finish has failed.
func TestSignal(t *testing.T) {
	args := os.Args
	os.Args = args[:1]
	defer func() { os.Args = args }()
	code := Program{Name: "records", Commands: []Command{NewCommand("", "", func(ctx context.Context, env Env, _ *none) error {
		if env.Version == "" || env.Getenv == nil || env.Logger == nil || env.Stdin == nil || env.Environ == nil {
			t.Errorf("env %+v", env)
		}
		if err := syscall.Kill(syscall.Getpid(), syscall.SIGTERM); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})}}.Main()
	if code != 1 {
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
