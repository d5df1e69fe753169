package deploy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// arrowsOfProduction are the permitted connections in production and their ports: the
// arrows of docs/security.md. Names in braces are outside the namespace: MongoDB and
// Redis in {stores}, the proxy in front of the gateway, and scrapers of metrics.
const arrowsOfProduction = `
auth -> otel-collector: 4317 4318
auth -> {stores}: 27017 6379
calculation -> auth: 8081
calculation -> otel-collector: 4317 4318
calculation -> {stores}: 27017 6379
gateway -> auth: 8081
gateway -> calculation: 8084
gateway -> otel-collector: 4317 4318
gateway -> records: 8082
gateway -> review: 8083
gateway -> {stores}: 6379
operations -> otel-collector: 4317 4318
operations -> {stores}: 27017 6379
otel-collector -> {monitoring}: 3100 4318
records -> auth: 8081
records -> otel-collector: 4317 4318
records -> {stores}: 27017 6379
review -> auth: 8081
review -> otel-collector: 4317 4318
review -> {stores}: 27017 6379
worker -> otel-collector: 4317 4318
worker -> {stores}: 27017 6379
{ingress} -> gateway: 8080
{monitoring} -> auth: 9090
{monitoring} -> calculation: 9090
{monitoring} -> gateway: 9090
{monitoring} -> operations: debug
{monitoring} -> otel-collector: 8889
{monitoring} -> records: 9090
{monitoring} -> review: 9090
{monitoring} -> worker: 9090
`

// connections are the arrows that policies allow at one of their ends, with their
// ports.
type connections map[string]map[string]bool

func (c connections) add(from, to string, ports []string) {
	arrow := from + " -> " + to
	if c[arrow] == nil {
		c[arrow] = map[string]bool{}
	}
	for _, p := range ports {
		c[arrow][p] = true
	}
}

func (c connections) lines() []string {
	var lines []string
	for arrow, ports := range c {
		lines = append(lines, arrow+": "+strings.Join(slices.Sorted(maps.Keys(ports)), " "))
	}
	slices.Sort(lines)
	return lines
}

// arrows returns the connections that the policies of a namespace allow to and from its
// pods.
func arrows(objects []runtime.Object) (out, in connections) {
	out, in = connections{}, connections{}
	pods := workloads(objects)
	for _, p := range all[*networkingv1.NetworkPolicy](objects) {
		for _, w := range pods {
			if !matches(&p.Spec.PodSelector, w.template.Labels) {
				continue
			}
			for _, rule := range p.Spec.Egress {
				if p.Name == "allow-dns" {
					break // covered by TestNamesAreResolvedEverywhere
				}
				eachPeer(rule.To, pods, func(to string, at *workload) { out.add(w.name, to, portsOf(rule.Ports, at)) })
			}
			for _, rule := range p.Spec.Ingress {
				eachPeer(rule.From, pods, func(from string, _ *workload) { in.add(from, w.name, portsOf(rule.Ports, &w)) })
			}
		}
	}
	return out, in
}

// eachPeer calls a function with each peer that a rule selects; a rule without peers
// selects everyone. Pods of other namespaces are not distinguished.
func eachPeer(peers []networkingv1.NetworkPolicyPeer, pods []workload, do func(name string, pod *workload)) {
	if len(peers) == 0 {
		do("{everybody}", nil)
	}
	for _, peer := range peers {
		switch {
		case peer.IPBlock != nil && slices.Contains([]string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"}, peer.IPBlock.CIDR):
			do("{stores}", nil)
		case peer.IPBlock != nil:
			do("{"+peer.IPBlock.CIDR+"}", nil)
		case peer.NamespaceSelector != nil:
			do("{"+peer.NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]+"}", nil)
		default:
			for i := range pods {
				if matches(peer.PodSelector, pods[i].template.Labels) {
					do(pods[i].name, &pods[i])
				}
			}
		}
	}
}

// portsOf returns port numbers, resolving names at a pod; no ports means all.
func portsOf(ports []networkingv1.NetworkPolicyPort, at *workload) []string {
	if len(ports) == 0 {
		return []string{"all"}
	}
	var numbers []string
	for _, p := range ports {
		number := p.Port.String()
		if at != nil && p.Port.Type == intstr.String {
			for _, c := range at.template.Spec.Containers {
				for _, named := range c.Ports {
					if named.Name == p.Port.StrVal {
						number = fmt.Sprint(named.ContainerPort)
					}
				}
			}
		}
		numbers = append(numbers, number)
	}
	return numbers
}

// TestOnlyTheArrowsThereAre verifies that the policies of production allow exactly the
// connections listed here. Connections between its pods are allowed at both ends, so
// that one policy that is too broad opens nothing (statement 38).
func TestOnlyTheArrowsThereAre(t *testing.T) {
	t.Parallel()
	for _, overlay := range []string{prod, operators} {
		out, in := arrows(render(t, overlay))
		inside := func(c connections) []string {
			return slices.DeleteFunc(c.lines(), func(line string) bool { return strings.Contains(line, "{") })
		}
		if !slices.Equal(inside(out), inside(in)) {
			t.Errorf("%s: pods may connect to\n%s\nand accept\n%s", overlay, strings.Join(inside(out), "\n"), strings.Join(inside(in), "\n"))
		}
		maps.Copy(out, in)
		if got, want := strings.Join(out.lines(), "\n"), strings.TrimSpace(arrowsOfProduction); got != want {
			t.Errorf("%s allows\n%s\nwant\n%s", overlay, got, want)
		}
	}
}
