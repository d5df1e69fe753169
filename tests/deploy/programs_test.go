package deploy

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestProgramsRunAsDeployed starts every program with the arguments and settings of the
// development overlay before any of its databases answers, as when a cluster starts: it
// must live, report that it is not ready, answer the health check of compose, and stop
// in time.
func TestProgramsRunAsDeployed(t *testing.T) {
	t.Parallel()
	objects := render(t, dev)
	for _, p := range programs(objects) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			binary := testkit.Binary(t, "services/"+p.image+"/cmd/"+p.image)
			debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
			env := runnable(t, p, debug)
			process := testkit.Process(t, binary, p.args, env)

			// The same paths that the manifest probes.
			c := deployment(objects, p.name).Spec.Template.Spec.Containers[0]
			process.WaitHTTP("http://" + debug + c.StartupProbe.HTTPGet.Path)
			process.WaitHTTP("http://" + debug + c.LivenessProbe.HTTPGet.Path)
			process.WaitHTTP("http://" + debug + "/metrics")
			if status := get(t, "http://"+debug+c.ReadinessProbe.HTTPGet.Path); status != http.StatusServiceUnavailable {
				t.Errorf("without a database the readiness probe is answered with %d", status)
			}
			ask := testkit.Process(t, binary, []string{"healthcheck"}, env)
			if err := ask.Wait(); err == nil || !strings.Contains(ask.Output(), "not ready") {
				t.Errorf("healthcheck: %v, %s", err, ask.Output())
			}
			if err := process.Stop(); err != nil {
				t.Errorf("exited with %v", err)
			}
		})
	}
}

// runnable returns a program's environment with local addresses: unreachable databases
// and free ports.
func runnable(t *testing.T, p program, debug string) []string {
	t.Helper()
	dir := t.TempDir()
	var env []string
	for name, value := range p.env {
		switch {
		case name == "ECF_DEBUG_ADDR":
			value = debug
		case name == "ECF_ADDR":
			value = fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
		case name == "ECF_SIGNING_KEYS_DIR":
			value = filepath.Join(dir, "keys")
		case strings.HasPrefix(name, "OTEL_EXPORTER"):
			continue
		case strings.HasPrefix(name, "ECF_MONGODB"):
			name, value = strings.TrimSuffix(name, "_FILE"), "mongodb://user:password@127.0.0.1:1/ecf?serverSelectionTimeoutMS=200"
		case strings.HasPrefix(name, "ECF_REDIS"):
			name, value = strings.TrimSuffix(name, "_FILE"), "redis://:password@127.0.0.1:1/0"
		case name == "ECF_PEER_SECRET_FILE":
			name, value = "ECF_PEER_SECRET", "a-secret-of-the-services-of-a-test"
		case strings.HasSuffix(name, "_URL"):
			value = "http://127.0.0.1:1"
		}
		env = append(env, name+"="+value)
	}
	return env
}

func get(t *testing.T, url string) (status int) {
	t.Helper()
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// TestRoleIsChecked verifies that a program refuses a misspelled --role.
func TestRoleIsChecked(t *testing.T) {
	t.Parallel()
	process := testkit.Process(t, testkit.Binary(t, "services/calculation/cmd/calculation"), []string{"--role=wrok"}, nil)
	if err := process.Wait(); err == nil || !strings.Contains(process.Output(), "--role") {
		t.Errorf("a misspelled role: %v, %s", err, process.Output())
	}
}
