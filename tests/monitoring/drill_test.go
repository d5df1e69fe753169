package monitoring

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// quickened returns the rules with short waits, so that a drill takes minutes:
// alerts fire after two seconds, and rates are over half a minute.
func quickened(t *testing.T) string {
	t.Helper()
	text := regexp.MustCompile(`for: \d+[mh]`).ReplaceAllString(read(t, "rules/ecf.rules.yaml"), "for: 2s")
	text = regexp.MustCompile(`interval: 30s`).ReplaceAllString(text, "interval: 1s")
	return regexp.MustCompile(`\[(5m|10m|30m|1h|6h|3d)\]`).ReplaceAllString(text, "[30s]")
}

// TestDrill (make drill) breaks the running program in one way after the other,
// with the shipped rules evaluated by a Prometheus: each fault fires the alerts
// that are its own and no other, and what the runbook says ends them.
func TestDrill(t *testing.T) {
	if os.Getenv("ECF_DRILL") == "" {
		t.Skip("run by make drill")
	}
	prometheus := program(t, "prometheus")
	s := newStack(t)
	s.start()
	dir := t.TempDir()
	config := "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [" + dir + "/*.rules.yaml]\nscrape_configs:\n  - job_name: ecf\n    static_configs:\n"
	for _, service := range []string{"gateway", "auth", "records", "review", "calculation", "worker"} {
		config += fmt.Sprintf("      - {targets: [%q], labels: {service: %s}}\n", s.debug, service)
	}
	for name, content := range map[string]string{"prometheus.yaml": config, "ecf.rules.yaml": quickened(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	testkit.Process(t, prometheus, []string{"--config.file=" + filepath.Join(dir, "prometheus.yaml"), "--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=" + address, "--log.level=warn"}, nil).WaitHTTP("http://" + address + "/-/ready")

	firing := func() []string {
		status, body := get(t, "http://"+address+"/api/v1/alerts")
		if status != http.StatusOK {
			return []string{body}
		}
		var answer struct {
			Data struct {
				Alerts []struct {
					State  string
					Labels map[string]string
				}
			}
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range answer.Data.Alerts {
			if name := a.Labels["alertname"]; a.State == "firing" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	settles := func(what string, want ...string) {
		t.Helper()
		want = append(want, "EcfDeadman")
		slices.Sort(want)
		since, begin := time.Time{}, time.Now()
		// It must stay so: an alert that comes late is one too many as well.
		testkit.Eventually(t, 3*time.Minute, func() error {
			got := firing()
			if !slices.Equal(got, want) {
				since = time.Time{}
				return fmt.Errorf("%s: %v fire, want %v", what, got, want)
			}
			if since.IsZero() {
				since = time.Now()
			}
			if time.Since(since) < 8*time.Second {
				return fmt.Errorf("%s: %v fire only since %v", what, got, since)
			}
			return nil
		})
		t.Logf("%s: %s after %v", what, strings.Join(want, ", "), since.Sub(begin).Round(time.Second))
	}

	settles("at rest")
	for _, fault := range []struct {
		name         string
		inject, mend func()
		alerts       []string
	}{
		{"the queue's Redis is away", s.redis.Stop, s.redis.Start, []string{"EcfQueueUnreachable"}},
		{"the process is killed", s.process.Kill, s.start, []string{"EcfNoWorkers", "EcfProcessDown", "EcfRecalculationUnobserved", "EcfServiceAbsent"}},
	} {
		fault.inject()
		settles(fault.name, fault.alerts...)
		fault.mend()
		settles("after " + fault.name)
	}
}
