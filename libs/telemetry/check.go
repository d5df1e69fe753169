package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

const variablePrefix = "OTEL_"

// CheckVariables returns an error for each OpenTelemetry variable in an environment
// (NAME=value) that the exporters would ignore or misread without a visible error,
// including misspelled names. An error names the variable, its value and the valid
// ones. Telemetry that is switched off is not checked.
func CheckVariables(environ []string) []error {
	given := map[string]string{}
	for _, line := range environ {
		if name, value, ok := strings.Cut(line, "="); ok && strings.HasPrefix(name, variablePrefix) && strings.TrimSpace(value) != "" {
			given[name] = strings.TrimSpace(value)
		}
	}
	if strings.EqualFold(given["OTEL_SDK_DISABLED"], "true") {
		return nil
	}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	rules := variableRules()
	var errs []error
	for _, name := range names {
		check, ok := rules[name]
		if !ok {
			// Other programs may have variables of their own.
			if meant := misspelled(name, rules); meant != "" {
				errs = append(errs, fmt.Errorf("%s is no variable of OpenTelemetry that is obeyed: did you mean %s?", name, meant))
			}
			continue
		}
		if err := check(name, given); err != nil {
			errs = append(errs, fmt.Errorf("%s %w", name, err))
		}
	}
	return errs
}

// misspelled returns the variable that a name differs from in one place, by at most two
// letters, or the empty string.
func misspelled(name string, rules map[string]rule) string {
	candidates := make([]string, 0, len(rules))
	for known := range rules {
		short, long := name, known
		if len(short) > len(long) {
			short, long = long, short
		}
		start, end := 0, 0
		for start < len(short) && short[start] == long[start] {
			start++
		}
		for start+end < len(short) && short[len(short)-1-end] == long[len(long)-1-end] {
			end++
		}
		if len(long)-start-end <= 2 {
			candidates = append(candidates, known)
		}
	}
	slices.Sort(candidates)
	return strings.Join(candidates[:min(1, len(candidates))], "")
}

// rule checks the value of a variable. Its error begins with the value unless that is a
// secret.
type rule func(name string, given map[string]string) error

// variableRules returns the rules of the supported variables.
func variableRules() map[string]rule {
	rules := map[string]rule{
		"OTEL_SDK_DISABLED":        oneOf(strings.ToLower, "true", "false"),
		"OTEL_TRACES_EXPORTER":     oneOf(nil, "otlp", "console", "none"),
		"OTEL_METRICS_EXPORTER":    oneOf(nil, "otlp", "console", "prometheus", "none"),
		"OTEL_LOGS_EXPORTER":       oneOf(nil, "otlp", "console", "none"),
		"OTEL_METRICS_PRODUCERS":   producers,
		"OTEL_TRACES_SAMPLER":      oneOf(strings.ToLower, "always_on", "always_off", ratioSampler, "parentbased_always_on", "parentbased_always_off", parentRatioSampler),
		"OTEL_TRACES_SAMPLER_ARG":  samplerArgument,
		"OTEL_RESOURCE_ATTRIBUTES": showing(pairs),
		"OTEL_SERVICE_NAME":        anything,
		"OTEL_PROPAGATORS":         propagators,

		"OTEL_METRICS_EXEMPLAR_FILTER": oneOf(nil, "always_on", "always_off", "trace_based"),
		"OTEL_METRIC_EXPORT_INTERVAL":  number("of milliseconds", 1),
		"OTEL_METRIC_EXPORT_TIMEOUT":   number("of milliseconds", 1),

		"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE":        oneOf(strings.ToLower, "cumulative", "delta", "lowmemory"),
		"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": oneOf(strings.ToLower, "explicit_bucket_histogram", "base2_exponential_bucket_histogram"),
		"OTEL_EXPORTER_PROMETHEUS_HOST":                            anything,
		"OTEL_EXPORTER_PROMETHEUS_PORT":                            number("of a port", 1),
	}
	for _, processor := range []string{"BSP", "BLRP"} {
		for _, of := range []string{"SCHEDULE_DELAY", "EXPORT_TIMEOUT"} {
			rules["OTEL_"+processor+"_"+of] = number("of milliseconds", 0)
		}
		for _, of := range []string{"MAX_QUEUE_SIZE", "MAX_EXPORT_BATCH_SIZE"} {
			rules["OTEL_"+processor+"_"+of] = number("of spans or lines", 1)
		}
	}
	for _, of := range []string{
		"ATTRIBUTE_COUNT", "ATTRIBUTE_VALUE_LENGTH", "SPAN_ATTRIBUTE_COUNT", "SPAN_ATTRIBUTE_VALUE_LENGTH", "SPAN_ATTRIBUTE_VALUE_DEPTH", "SPAN_EVENT_COUNT", "SPAN_LINK_COUNT",
		"EVENT_ATTRIBUTE_COUNT", "LINK_ATTRIBUTE_COUNT", "LOGRECORD_ATTRIBUTE_COUNT", "LOGRECORD_ATTRIBUTE_VALUE_LENGTH", "LOGRECORD_ATTRIBUTE_VALUE_DEPTH",
	} {
		rules["OTEL_"+of+"_LIMIT"] = number("or -1 for no limit", -1)
	}
	for _, kind := range []string{"", "TRACES_", "METRICS_", "LOGS_"} {
		of := "OTEL_EXPORTER_OTLP_" + kind
		rules[of+"ENDPOINT"] = endpoint(kind)
		rules[of+"PROTOCOL"] = oneOf(nil, "http/protobuf", grpcProtocol)
		rules[of+"HEADERS"] = pairs
		rules[of+"COMPRESSION"] = oneOf(nil, "gzip", "none")
		rules[of+"TIMEOUT"] = number("of milliseconds", 1)
		rules[of+"INSECURE"] = oneOf(strings.ToLower, "true", "false")
		rules[of+"CERTIFICATE"] = showing(authorities)
		rules[of+"CLIENT_CERTIFICATE"] = showing(clientPair(of+"CLIENT_CERTIFICATE", of+"CLIENT_KEY"))
		rules[of+"CLIENT_KEY"] = rules[of+"CLIENT_CERTIFICATE"]
	}
	return rules
}

const (
	ratioSampler       = "traceidratio"
	parentRatioSampler = "parentbased_traceidratio"
	grpcProtocol       = "grpc"
)

func anything(string, map[string]string) error { return nil }

// showing prefixes the errors of a rule with the value.
func showing(check rule) rule {
	return func(name string, given map[string]string) error {
		if err := check(name, given); err != nil {
			return fmt.Errorf("is %q and %w", given[name], err)
		}
		return nil
	}
}

// oneOf accepts the given words, as the exporters read them.
func oneOf(read func(string) string, words ...string) rule {
	last := len(words) - 1
	return showing(func(name string, given map[string]string) error {
		value := given[name]
		if read != nil {
			value = read(value)
		}
		if slices.Contains(words, value) {
			return nil
		}
		return fmt.Errorf("must be %s or %s", strings.Join(words[:last], ", "), words[last])
	})
}

func number(of string, least int) rule {
	return showing(func(name string, given map[string]string) error {
		if n, err := strconv.Atoi(given[name]); err != nil || n < least {
			return fmt.Errorf("must be a whole number %s, %d or more", of, least)
		}
		return nil
	})
}

func samplerArgument(name string, given map[string]string) error {
	sampler := strings.ToLower(given["OTEL_TRACES_SAMPLER"])
	if sampler != ratioSampler && sampler != parentRatioSampler {
		return fmt.Errorf("is %q and is read where OTEL_TRACES_SAMPLER is %s or %s", given[name], ratioSampler, parentRatioSampler)
	}
	if share, err := strconv.ParseFloat(given[name], 64); err == nil && share >= 0 && share <= 1 {
		return nil
	}
	return fmt.Errorf("is %q and must be a number from 0 to 1, the share of the traces that are kept", given[name])
}

func producers(name string, given map[string]string) error {
	for one := range strings.SplitSeq(given[name], ",") {
		if one != "prometheus" && one != "none" {
			return fmt.Errorf("is %q and must be prometheus or none", given[name])
		}
	}
	return nil
}

// propagators accepts lists that contain the propagator used by this system.
func propagators(name string, given map[string]string) error {
	for one := range strings.SplitSeq(given[name], ",") {
		if strings.TrimSpace(one) == "tracecontext" {
			return nil
		}
	}
	return fmt.Errorf("is %q and must name tracecontext, by which traces are handed on here", given[name])
}

// endpoint accepts the URL of a collector for one signal or for all.
func endpoint(kind string) rule {
	return func(name string, given map[string]string) error {
		value := given[name]
		u, err := url.Parse(value)
		// A password in it is hidden, even if it cannot be parsed as a URL.
		shown := value
		if strings.Contains(value, "@") {
			shown = "of a user"
		}
		const right = "must be an http or https address without user, query and fragment, such as http://collector:4318"
		protocol := given["OTEL_EXPORTER_OTLP_"+kind+"PROTOCOL"]
		if protocol == "" {
			protocol = given["OTEL_EXPORTER_OTLP_PROTOCOL"]
		}
		switch {
		case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && isPort(u.Port()) && u.User == nil && u.RawQuery == "" && u.Fragment == "":
			return nil
		case protocol != grpcProtocol:
			return fmt.Errorf("is %q and %s", shown, right)
		case err == nil && (u.Scheme == "unix" || u.Scheme == "dns"), isHostPort(value):
			return nil
		}
		return fmt.Errorf("is %q and %s, or host:port, as OTLP is spoken by grpc", shown, right)
	}
}

func isPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

func isHostPort(value string) bool {
	host, port, err := net.SplitHostPort(value)
	return err == nil && host != "" && port != "" && isPort(port) && !strings.ContainsAny(host, "/@")
}

// pairs accepts NAME=value,… and never shows it, because header values are secrets.
func pairs(name string, given map[string]string) error {
	for pair := range strings.SplitSeq(given[name], ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		if _, err := url.PathUnescape(value); !ok || strings.TrimSpace(key) == "" || err != nil {
			return errors.New("must be a list such as name=value,other=value, with % and what follows as in an address")
		}
	}
	return nil
}

func authorities(name string, given map[string]string) error {
	text, err := os.ReadFile(given[name])
	if err != nil {
		return fmt.Errorf("must name a file of certificates that can be read: %w", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return errors.New("must name a file of certificates in the form PEM: it has none")
	}
	return nil
}

// clientPair requires the certificate and the key of a client together.
func clientPair(certificate, key string) rule {
	return func(name string, given map[string]string) error {
		if given[certificate] == "" || given[key] == "" {
			return fmt.Errorf("needs the other of %s and %s", certificate, key)
		}
		if _, err := tls.LoadX509KeyPair(given[certificate], given[key]); err != nil {
			return fmt.Errorf("must name a file in the form PEM, of a certificate and its key: %w", err)
		}
		return nil
	}
}
