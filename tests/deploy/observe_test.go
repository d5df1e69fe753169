package deploy

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// TestObserveIsJoined verifies that the compose profile observe has everything that
// scrapes, stores and shows telemetry, and that each part refers to the next by an
// existing service and port.
func TestObserveIsJoined(t *testing.T) {
	t.Parallel()
	services := compose(t).Services
	for _, name := range []string{"prometheus", "tempo", "grafana"} {
		if s, ok := services[name]; !ok || !slices.Contains(s.Profiles, "observe") {
			t.Errorf("%s is not in the profile observe", name)
		}
	}
	read := func(path string) string {
		text, err := os.ReadFile(filepath.Join(root, "deploy", path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	tempo := read("monitoring/tempo.yaml")
	ports := map[string][]string{"prometheus": {"9090"}, "otel-collector": {"8889"}}
	for _, m := range regexp.MustCompile(`(?:http_listen_port: |endpoint: 0\.0\.0\.0:)(\d+)`).FindAllStringSubmatch(tempo, -1) {
		ports["tempo"] = append(ports["tempo"], m[1])
	}
	joined := 0
	hold := func(where, service, port string) {
		joined++
		if _, ok := services[service]; !ok || !slices.Contains(ports[service], port) {
			t.Errorf("%s refers to %s:%s, which does not exist; there is %v", where, service, port, ports)
		}
	}
	for _, m := range regexp.MustCompile(`url: http://([a-z-]+):(\d+)`).FindAllStringSubmatch(read("monitoring/grafana/provisioning/datasources/datasources.yaml"), -1) {
		hold("Grafana", m[1], m[2])
	}
	prometheus := read("monitoring/prometheus.yaml")
	hold("Prometheus", "otel-collector", regexp.MustCompile(`otel-collector:(\d+)`).FindStringSubmatch(prometheus)[1])
	traces, err := url.Parse(*services["otel-collector"].Environment["TRACES_ENDPOINT"])
	if err != nil {
		t.Fatal(err)
	}
	hold("the collector", traces.Hostname(), traces.Port())
	if !strings.Contains(read("otel/collector.yaml"), ":8889") {
		t.Error("the collector exposes no metrics at 8889")
	}
	if joined < 4 {
		t.Errorf("only %d links were found", joined)
	}
	names := regexp.MustCompile(`names: \[([a-z, ]+)\]`).FindStringSubmatch(prometheus)
	if names == nil {
		t.Fatal("Prometheus scrapes no services")
	}
	for name := range composePrograms(compose(t)) {
		if len(services[name].Profiles) == 0 && !slices.Contains(strings.Split(names[1], ", "), name) {
			t.Errorf("Prometheus does not scrape %s", name)
		}
	}
}

// TestTelemetryLeavesTheNamespace verifies that in production the collector exports
// traces and logs, and that a policy lets it reach their destination.
func TestTelemetryLeavesTheNamespace(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{prod, operators} {
		objects := render(t, overlay)
		var collector *corev1.Container
		for _, w := range workloads(objects) {
			if w.name == "otel-collector" {
				collector = &w.template.Spec.Containers[0]
			}
		}
		if collector == nil || !slices.Contains(collector.Args, "--config=/etc/otelcol/export.yaml") {
			t.Fatalf("%s: the collector exports nothing", overlay)
		}
		reached := map[string]bool{} // NAMESPACE:PORT
		for _, p := range all[*networkingv1.NetworkPolicy](objects) {
			if p.Spec.PodSelector.MatchLabels[nameLabel] != "otel-collector" {
				continue
			}
			for _, rule := range p.Spec.Egress {
				for _, to := range rule.To {
					for _, port := range rule.Ports {
						if to.NamespaceSelector != nil && port.Port != nil {
							reached[to.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]+":"+port.Port.String()] = true
						}
					}
				}
			}
		}
		sent := 0
		for _, e := range collector.Env {
			if !strings.HasSuffix(e.Name, "_ENDPOINT") {
				continue
			}
			sent++
			to, err := url.Parse(e.Value)
			if err != nil {
				t.Fatal(err)
			}
			_, namespace, _ := strings.Cut(to.Hostname(), ".")
			if _, err := strconv.Atoi(to.Port()); err != nil || !reached[namespace+":"+to.Port()] {
				t.Errorf("%s: %s is %s, which no policy lets the collector reach: %v", overlay, e.Name, e.Value, reached)
			}
		}
		if sent < 2 {
			t.Errorf("%s: the collector sends to %d places", overlay, sent)
		}
	}
}
