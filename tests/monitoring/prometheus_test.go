package monitoring

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// ofTheEmbedded is the prefix of metrics that only an embedded database has.
const ofTheEmbedded = "ecf_database_"

// embeddedScrape returns a scrape of the program with all services, on its embedded
// engines.
func embeddedScrape(t *testing.T) string {
	t.Helper()
	debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	p := testkit.Process(t, testkit.Binary(t, "services/standalone/cmd/ecf"), []string{"serve"}, []string{
		fmt.Sprintf("ECF_ADDR=127.0.0.1:%d", testkit.FreePort(t)), "ECF_DEBUG_ADDR=" + debug, "ECF_DATA_DIR=" + t.TempDir(), "ECF_LOG_LEVEL=warn",
	})
	p.WaitHTTP("http://" + debug + "/health/ready")
	defer p.Kill()
	status, body := get(t, "http://"+debug+"/metrics")
	if status != http.StatusOK {
		t.Fatalf("/metrics is answered with %d", status)
	}
	return body
}

// watch runs a Prometheus with the shipped rules that scrapes the program under the
// name of each service, and returns its address.
func watch(t *testing.T, debug, every string) (address string) {
	t.Helper()
	prometheus := program(t, "prometheus")
	dir := t.TempDir()
	rules, err := filepath.Abs(filepath.Join(folder, "rules"))
	if err != nil {
		t.Fatal(err)
	}
	config := "global: {scrape_interval: " + every + ", evaluation_interval: 1s}\nrule_files: [" + rules + "/*.rules.yaml]\nscrape_configs:\n  - job_name: ecf\n    static_configs:\n"
	for _, service := range []string{"gateway", "auth", "records", "review", "calculation", "worker"} {
		config += fmt.Sprintf("      - {targets: [%q], labels: {service: %s}}\n", debug, service)
	}
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	address = fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	process := testkit.Process(t, prometheus, []string{"--config.file=" + filepath.Join(dir, "prometheus.yaml"),
		"--storage.tsdb.path=" + filepath.Join(dir, "data"), "--web.listen-address=" + address, "--log.level=warn"}, nil)
	process.WaitHTTP("http://" + address + "/-/ready")
	testkit.Eventually(t, time.Minute, func() error {
		if _, body := get(t, "http://"+address+"/api/v1/query?query=up"); !strings.Contains(body, `"1"]`) {
			return fmt.Errorf("nothing was scraped: %s", body)
		}
		return nil
	})
	return address
}

// evaluate evaluates every panel's query on a Prometheus that watches the program.
func evaluate(t *testing.T, base, debug string, approve func()) {
	address := watch(t, debug, "3s")
	// Rates need a change between two scrapes.
	approve()
	for _, d := range Dashboards() {
		for _, p := range d.Panels {
			for _, q := range p.Queries {
				began := time.Now()
				testkit.Eventually(t, 2*time.Minute, func() error {
					if _, body := get(t, "http://"+base+"/api/v2/events"); body == "" {
						return fmt.Errorf("the program is gone")
					}
					status, body := get(t, "http://"+address+"/api/v1/query?query="+url.QueryEscape(q.Expr))
					if status != http.StatusOK {
						return fmt.Errorf("%s, %s: %s is answered with %d %s", d.Title, p.Title, q.Expr, status, body)
					}
					if !p.Quiet && strings.Contains(body, `"result":[]`) {
						return fmt.Errorf("%s, %s: %s has no series", d.Title, p.Title, q.Expr)
					}
					return nil
				})
				if took := time.Since(began); took > time.Second {
					t.Logf("%s, %s: %s had a series after %s", d.Title, p.Title, q.Expr, took)
				}
			}
		}
	}
	if _, body := get(t, "http://"+address+"/api/v1/rules"); strings.Contains(body, `"health":"err"`) {
		t.Errorf("a rule cannot be evaluated: %s", body)
	}
}
