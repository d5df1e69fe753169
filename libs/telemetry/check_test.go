package telemetry

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// faults returns the errors of variables, separated by spaces.
func faults(environ string) string {
	var lines []string
	for _, err := range CheckVariables(strings.Split(environ, " ")) {
		lines = append(lines, err.Error())
	}
	return strings.Join(lines, "\n")
}

func TestWrongVariablesAreNamedWithTheirValue(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(file, []byte("nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const collector = `an http or https address without user, query and fragment, such as http://collector:4318`
	for environ, want := range map[string]string{
		"OTEL_TRACES_EXPORTER=jaeger":                                               `OTEL_TRACES_EXPORTER is "jaeger" and must be otlp, console or none`,
		"OTEL_METRICS_EXPORTER=statsd":                                              `OTEL_METRICS_EXPORTER is "statsd" and must be otlp, console, prometheus or none`,
		"OTEL_LOGS_EXPORTER=OTLP":                                                   `OTEL_LOGS_EXPORTER is "OTLP" and must be otlp, console or none`,
		"OTEL_SDK_DISABLED=yes":                                                     `OTEL_SDK_DISABLED is "yes" and must be true or false`,
		"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318":                                `OTEL_EXPORTER_OTLP_ENDPOINT is "collector:4318" and must be ` + collector,
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:70000":                        `is "http://collector:70000" and must be ` + collector,
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://[::1":                                   `is "http://[::1" and must be ` + collector,
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://:4318":                                  `is "http://:4318" and must be ` + collector,
		"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=https://u:hunter2@c":                      `OTEL_EXPORTER_OTLP_LOGS_ENDPOINT is "of a user" and must be ` + collector,
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_ENDPOINT=collector":    `OTEL_EXPORTER_OTLP_ENDPOINT is "collector" and must be ` + collector + `, or host:port`,
		"OTEL_EXPORTER_OTLP_PROTOCOL=http/json":                                     `OTEL_EXPORTER_OTLP_PROTOCOL is "http/json" and must be http/protobuf or grpc`,
		"OTEL_EXPORTER_OTLP_HEADERS=Bearer-hunter2":                                 `OTEL_EXPORTER_OTLP_HEADERS must be a list such as name=value`,
		"OTEL_EXPORTER_OTLP_HEADERS=a=%zz":                                          `OTEL_EXPORTER_OTLP_HEADERS must be a list such as name=value`,
		"OTEL_EXPORTER_OTLP_COMPRESSION=zstd":                                       `OTEL_EXPORTER_OTLP_COMPRESSION is "zstd" and must be gzip or none`,
		"OTEL_EXPORTER_OTLP_TIMEOUT=10s":                                            `OTEL_EXPORTER_OTLP_TIMEOUT is "10s" and must be a whole number of milliseconds, 1 or more`,
		"OTEL_EXPORTER_OTLP_TRACES_INSECURE=1":                                      `OTEL_EXPORTER_OTLP_TRACES_INSECURE is "1" and must be true or false`,
		"OTEL_EXPORTER_OTLP_CERTIFICATE=/none/ca.pem":                               `OTEL_EXPORTER_OTLP_CERTIFICATE is "/none/ca.pem" and must name a file of certificates that can be read`,
		"OTEL_EXPORTER_OTLP_CERTIFICATE=" + file:                                    `must name a file of certificates in the form PEM: it has none`,
		"OTEL_EXPORTER_OTLP_CLIENT_KEY=" + file:                                     `needs the other of OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY`,
		"OTEL_EXPORTER_OTLP_CLIENT_KEY=a OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=b":   `OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE is "b" and must name a file in the form PEM`,
		"OTEL_TRACES_SAMPLER=ratio":                                                 `OTEL_TRACES_SAMPLER is "ratio" and must be always_on, always_off, traceidratio,`,
		"OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=1.5":              `OTEL_TRACES_SAMPLER_ARG is "1.5" and must be a number from 0 to 1`,
		"OTEL_TRACES_SAMPLER=parentbased_traceidratio OTEL_TRACES_SAMPLER_ARG=-0.1": `OTEL_TRACES_SAMPLER_ARG is "-0.1" and must be a number from 0 to 1`,
		"OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=NaN":              `must be a number from 0 to 1`,
		"OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=10%":              `must be a number from 0 to 1`,
		"OTEL_TRACES_SAMPLER_ARG=0.1":                                               `OTEL_TRACES_SAMPLER_ARG is "0.1" and is read where OTEL_TRACES_SAMPLER is traceidratio or parentbased_traceidratio`,
		"OTEL_METRIC_EXPORT_INTERVAL=60s":                                           `OTEL_METRIC_EXPORT_INTERVAL is "60s" and must be a whole number of milliseconds, 1 or more`,
		"OTEL_BSP_MAX_QUEUE_SIZE=0":                                                 `OTEL_BSP_MAX_QUEUE_SIZE is "0" and must be a whole number of spans or lines, 1 or more`,
		"OTEL_SPAN_LINK_COUNT_LIMIT=many":                                           `OTEL_SPAN_LINK_COUNT_LIMIT is "many" and must be a whole number or -1 for no limit`,
		"OTEL_METRICS_EXEMPLAR_FILTER=on":                                           `must be always_on, always_off or trace_based`,
		"OTEL_METRICS_PRODUCERS=prometheus,go":                                      `OTEL_METRICS_PRODUCERS is "prometheus,go" and must be prometheus or none`,
		"OTEL_RESOURCE_ATTRIBUTES=production":                                       `OTEL_RESOURCE_ATTRIBUTES is "production" and must be a list such as name=value`,
		"OTEL_PROPAGATORS=b3":                                                       `OTEL_PROPAGATORS is "b3" and must name tracecontext`,
		"OTEL_TRACE_SAMPLER=always_off":                                             `OTEL_TRACE_SAMPLER is no variable of OpenTelemetry that is obeyed: did you mean OTEL_TRACES_SAMPLER?`,
		"OTEL_EXPORTER_OTLP_ENPOINT=http://c":                                       `did you mean OTEL_EXPORTER_OTLP_ENDPOINT?`,
	} {
		got := faults("PATH=/bin " + environ)
		if !strings.Contains(got, want) || strings.Contains(got, "hunter2") {
			t.Errorf("%s:\n%s\nwant %s", environ, got, want)
		}
		if got := faults(environ + " OTEL_SDK_DISABLED=true"); got != "" && !strings.Contains(environ, "OTEL_SDK_DISABLED") {
			t.Errorf("%s is refused though telemetry is off: %s", environ, got)
		}
	}
}

func TestRightVariablesAreTaken(t *testing.T) {
	t.Parallel()
	for _, environ := range []string{
		"", "OTEL_TRACES_EXPORTER=", "OTEL_SERVICE_NAME=x", "OTEL_SDK_DISABLED=False",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://[::1]/v1/traces",
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_ENDPOINT=collector:4317",
		"OTEL_EXPORTER_OTLP_LOGS_PROTOCOL=grpc OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=unix:///run/c",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20hunter2,b=", "OTEL_EXPORTER_OTLP_TIMEOUT=10000",
		"OTEL_TRACES_SAMPLER=Parentbased_TraceIDRatio OTEL_TRACES_SAMPLER_ARG=0.25", "OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=0",
		"OTEL_RESOURCE_ATTRIBUTES=deployment.environment.name=production,k8s.pod.name=a%20b", "OTEL_PROPAGATORS=tracecontext,baggage",
		"OTEL_BSP_SCHEDULE_DELAY=0", "OTEL_SPAN_LINK_COUNT_LIMIT=-1", "OTEL_METRICS_EXPORTER=prometheus",
		// Variables of others, which share the environment.
		"OTEL_RESOURCE_ATTRIBUTES_POD_NAME=p OTEL_RESOURCE_ATTRIBUTES_NODE_NAME=n OTEL_NODE_RESOURCE_DETECTORS=all OTEL_LOG_LEVEL=debug",
		"OTEL_EXPORTER_ZIPKIN_ENDPOINT=z OTEL_EXPORTER_JAEGER_ENDPOINT=j OTEL_JAVAAGENT_ENABLED=true OTEL_SEMCONV_STABILITY_OPT_IN=http OTEL_GO_X_RESOURCE=true",
		"OTEL_PYTHON_LOG_CORRELATION=true OTEL_INSTRUMENTATION_HTTP_ENABLED=true OTEL_CONFIG_FILE=f OTEL_ENTITIES=e",
	} {
		if got := faults(environ); got != "" {
			t.Errorf("%s is refused: %s", environ, got)
		}
	}
}

// TestEveryVariableOfTheReferenceIsChecked verifies that every variable in the reference
// rejects an invalid value.
func TestEveryVariableOfTheReferenceIsChecked(t *testing.T) {
	t.Parallel()
	rules := variableRules()
	for _, v := range Variables() {
		for _, name := range regexp.MustCompile(`OTEL_[A-Z_]+|…_[A-Z_]+`).FindAllString(v.Name, -1) {
			name = strings.Replace(name, "…", "OTEL_EXPORTER_OTLP", 1)
			if rules[name] == nil {
				t.Errorf("%s is in the reference and has no rule", name)
			}
		}
	}
	for name := range rules {
		free := name == "OTEL_SERVICE_NAME" || name == "OTEL_EXPORTER_PROMETHEUS_HOST"
		if got := faults(name + "=what-is-this?"); (got == "") != free || !free && !strings.HasPrefix(got, name+" ") {
			t.Errorf("%s takes nonsense: %q", name, got)
		}
	}
}
