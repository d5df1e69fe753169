package deploy

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// kubeconfig writes a file with which programs reach the API server as its
// administrator.
func (c *cluster) kubeconfig(dir string) string {
	path := filepath.Join(dir, "kubeconfig")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],
"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],"users":[{"name":"u","user":{"token":%q}}]}`, c.server, c.token)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return path
}

// control runs the controllers that create pods for an autoscaler. Nothing runs those
// pods, and no test needs them to run.
func (c *cluster) control(dir string) {
	config := c.kubeconfig(dir)
	testkit.Process(c.t, filepath.Join(c.folder, "kube-controller-manager"), []string{"--kubeconfig", config, "--authentication-kubeconfig", config,
		"--authorization-kubeconfig", config, "--bind-address", "127.0.0.1", "--secure-port", fmt.Sprint(testkit.FreePort(c.t)), "--cert-dir", filepath.Join(dir, "controllers"),
		"--leader-elect=false", "--controllers", "deployment-controller,replicaset-controller,horizontal-pod-autoscaler-controller",
		"--horizontal-pod-autoscaler-sync-period", "2s"}, nil)
}

// keda runs KEDA's operator and metrics server, and waits until the API server has the
// metrics of the latter.
func (c *cluster) keda(dir string) {
	t := c.t
	t.Helper()
	ca, cert, key, _ := testkit.NewAuthority(t).Write(dir)
	for from, to := range map[string]string{ca: "ca.crt", cert: "tls.crt", key: "tls.key"} {
		if err := os.Rename(from, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	port := func() string { return fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)) }
	config, service, secure := c.kubeconfig(dir), port(), testkit.FreePort(t)
	env := []string{"KUBECONFIG=" + config, "WATCH_NAMESPACE=", "POD_NAMESPACE=keda", "POD_NAME=keda", "KEDA_CLUSTER_OBJECT_NAMESPACE=keda", "KEDA_HTTP_DEFAULT_TIMEOUT=3000"}
	c.must("", "create", "namespace", "keda")
	c.must(fmt.Sprintf(`apiVersion: v1
kind: Service
metadata: {name: keda-metrics-apiserver, namespace: keda}
spec: {type: ExternalName, externalName: localhost, ports: [{port: %d, name: https}]}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.external.metrics.k8s.io}
spec:
  service: {name: keda-metrics-apiserver, namespace: keda, port: %d}
  group: external.metrics.k8s.io
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
`, secure, secure), "apply", "-f", "-")
	testkit.Process(t, filepath.Join(c.folder, "keda-operator"), []string{"--metrics-bind-address", port(), "--health-probe-bind-address", port(),
		"--metrics-service-bind-address", service, "--cert-dir", dir, "--enable-cert-rotation=false", "--enable-webhook-patching=false", "--enable-apiservice-patching=false"}, env)
	testkit.Process(t, filepath.Join(c.folder, "keda-adapter"), []string{"--secure-port", fmt.Sprint(secure), "--bind-address", "127.0.0.1", "--port", fmt.Sprint(testkit.FreePort(t)),
		"--metrics-service-address", service, "--cert-dir", dir, "--tls-cert-file", filepath.Join(dir, "tls.crt"), "--tls-private-key-file", filepath.Join(dir, "tls.key"),
		"--client-ca-file", filepath.Join(dir, "ca.crt"), "--authentication-kubeconfig", config, "--authorization-kubeconfig", config, "--lister-kubeconfig", config}, env)
	testkit.Eventually(t, 3*time.Minute, func() error {
		_, err := c.try("", "get", "--raw", "/apis/external.metrics.k8s.io/v1beta1")
		return err
	})
}

// workersOf returns the part of an overlay that makes up the workers, as it is applied,
// with words replaced, each of which must occur.
func workersOf(t *testing.T, overlay string, replaced map[string]string) string {
	t.Helper()
	wanted := map[string]bool{"Deployment worker": true, "ServiceAccount worker": true, "TriggerAuthentication worker-scaling": true, "ScaledObject worker": true}
	var parts []string
	for part := range strings.SplitSeq(yamlOf(t, overlay), "\n---\n") {
		var object struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if err := yaml.Unmarshal([]byte(part), &object); err != nil {
			t.Fatal(err)
		}
		// KEDA reads what the pods' environment refers to.
		if object.Kind == "Namespace" || strings.HasPrefix(object.Metadata.Name, "settings-") || wanted[object.Kind+" "+object.Metadata.Name] {
			parts = append(parts, part)
		}
	}
	if len(parts) != len(wanted)+2 {
		t.Fatalf("the overlay %s has %d objects of the workers", overlay, len(parts))
	}
	text := strings.Join(parts, "\n---\n")
	for from, to := range replaced {
		if !strings.Contains(text, from) {
			t.Fatalf("the workers of %s do not contain %q", overlay, from)
		}
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

// sayTo sends commands, each as a list of words, to a Redis after authenticating.
func sayTo(t *testing.T, addr, password string, commands ...string) error {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // what it answered counts
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	answers := bufio.NewReader(conn)
	for _, command := range append([]string{"AUTH " + password}, commands...) {
		if _, err := fmt.Fprintf(conn, "%s\r\n", command); err != nil {
			return err
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			return err
		}
		if line[0] != '+' && line[0] != ':' {
			return fmt.Errorf("Redis answers %q", line)
		}
	}
	return nil
}

// TestClusterScalesWorkers runs KEDA's operator on a real API server with the real
// controllers and verifies the shipped ScaledObject: workers start from none by the age
// of the oldest mark and by either queue, as many as the thresholds require and never
// more than the maximum; there are none again when nothing waits; and some while
// Prometheus is unavailable, also from none. Only waits are shortened.
//
// TestDrill in tests/chaos measures with the same triggers what the programs report to
// Prometheus and put into Redis while no worker runs.
func TestClusterScalesWorkers(t *testing.T) {
	c := startCluster(t)
	server, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal("scaling by a queue needs redis-server (Debian: apt-get install redis-server)")
	}
	// The age of the oldest mark, and whether Prometheus answers.
	var age atomic.Value
	var away atomic.Bool
	var asked atomic.Value
	age.Store("0")
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		asked.Store(r.FormValue("query"))
		_, _ = fmt.Fprintf(w, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[%d,%q]}]}}`, time.Now().Unix(), age.Load())
	}))
	t.Cleanup(prometheus.Close)
	password, redis := rand.Text(), fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	_, port, _ := strings.Cut(redis, ":")
	testkit.Process(t, server, []string{"--port", port, "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "", "--requirepass", password}, nil)
	testkit.Eventually(t, time.Minute, func() error { return sayTo(t, redis, password, "PING") })
	queue := func(commands ...string) {
		t.Helper()
		if err := sayTo(t, redis, password, commands...); err != nil {
			t.Fatal(err)
		}
	}
	waiting := func(name string, tasks int) string {
		return "RPUSH asynq:{" + name + "}:pending" + strings.Repeat(" x", tasks)
	}

	c.control(t.TempDir())
	c.keda(t.TempDir())
	workers := workersOf(t, operators, map[string]string{
		"http://prometheus-operated.monitoring:9090": prometheus.URL,
		"cooldownPeriod: 1800":                       "cooldownPeriod: 5",
		"stabilizationWindowSeconds: 300":            "stabilizationWindowSeconds: 0",
		"pollingInterval: 5":                         "pollingInterval: 1",
	})
	c.must("", "create", "namespace", "ecf")
	c.must("", "-n", "ecf", "create", "secret", "generic", "worker-scaling", "--from-literal=redis-address="+redis, "--from-literal=redis-password="+password)
	c.must(workers, "apply", "--server-side", "-f", "-")

	replicas := func(why, want string) {
		t.Helper()
		began := time.Now()
		testkit.Eventually(t, 3*time.Minute, func() error {
			out, err := c.try("", "-n", "ecf", "get", "deployment", "worker", "-o", "jsonpath={.spec.replicas}")
			if err == nil && out != want {
				err = fmt.Errorf("%s: %s workers are wanted, want %s\n%s", why, out, want, c.why())
			}
			return err
		})
		t.Logf("%s: %s workers after %v", why, want, time.Since(began).Round(time.Second))
	}
	replicas("nothing waits", "0")
	age.Store("3")
	replicas("a mark of 3 s", "2")
	if query := asked.Load(); !strings.Contains(workers, fmt.Sprint(query)) {
		t.Errorf("Prometheus was queried for %v, which is not in the manifest", query)
	}
	age.Store("0.4")
	replicas("a mark that is no reason to start one", "0")
	queue(waiting("interactive", 100))
	replicas("100 tasks of people", "5")
	queue("DEL asynq:{interactive}:pending", waiting("bulk", 400))
	replicas("400 tasks of whole events", "2")
	queue(waiting("interactive", 1000))
	replicas("1,000 tasks of people", "8")
	queue("FLUSHALL")
	replicas("nothing waits again", "0")
	away.Store(true)
	replicas("Prometheus is away", "2")
	away.Store(false)
	replicas("Prometheus is back", "0")

	// There must be one autoscaler, KEDA's: two would compete.
	if out := c.must("", "-n", "ecf", "get", "hpa", "-o", "name"); strings.TrimSpace(out) != "horizontalpodautoscaler.autoscaling/keda-hpa-worker" {
		t.Errorf("the autoscalers are %q", out)
	}
}

// why returns the status of the scaling objects.
func (c *cluster) why() string {
	var text bytes.Buffer
	for _, kind := range []string{"scaledobject", "hpa"} {
		out, _ := c.try("", "-n", "ecf", "get", kind, "-o", `jsonpath={range .items[*].status.conditions[*]}{.type}={.status} {.message}{"\n"}{end}`)
		text.WriteString(out)
	}
	return text.String()
}
