package telemetry

// Variable is a supported environment variable of OpenTelemetry.
type Variable struct{ Name, Meaning string }

// Variables returns the environment variables that configure telemetry, for the help
// and the reference; the exporters support all standard ones.
func Variables() []Variable {
	return []Variable{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "address of the collector for traces, metrics and logs, such as http://collector:4318; nothing is exported when empty"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf (default) or grpc"},
		{"OTEL_EXPORTER_OTLP_HEADERS", "headers of each export, NAME=value,…"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, …_METRICS_ENDPOINT, …_LOGS_ENDPOINT", "address for one kind alone"},
		{"OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, OTEL_LOGS_EXPORTER", "otlp, console or none, for one kind alone"},
		{"OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG", "which traces are kept; default parentbased_always_on"},
		{"OTEL_METRIC_EXPORT_INTERVAL", "milliseconds between exports of metrics; default 60000"},
		{"OTEL_RESOURCE_ATTRIBUTES", "attributes of everything exported, such as deployment.environment.name=production"},
		{"OTEL_SERVICE_NAME", "name of the service in the telemetry; default the program's own"},
		{"OTEL_SDK_DISABLED", "true switches all telemetry off"},
	}
}
