package monitoring

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

var update = flag.Bool("update", false, "write deploy/monitoring/grafana/dashboards")

const folder = "../../deploy/monitoring"

// program returns a program of Debian's package prometheus; without it the test is
// skipped.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("NOT TESTED: there is no %s (Debian: apt-get install prometheus)", name)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestDashboardsAreWritten(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder, "grafana/dashboards")
	var names []string
	for _, d := range Dashboards() {
		text, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, d.File())
		path := filepath.Join(dir, d.File())
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // everybody may read it
				t.Fatal(err)
			}
		}
		if written, err := os.ReadFile(path); err != nil || !bytes.Equal(written, text) {
			t.Errorf("%s is out of date with panels.go: go test ./tests/monitoring -run Written -update (%v)", path, err)
		}
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range there {
		if !slices.Contains(names, f.Name()) {
			t.Errorf("%s is not a dashboard of panels.go", f.Name())
		}
	}
}

// TestRulesAreThoseOfTheCluster verifies that the object for the Prometheus operator
// has the same rules.
func TestRulesAreThoseOfTheCluster(t *testing.T) {
	t.Parallel()
	_, groups, ok := strings.Cut(read(t, "rules/ecf.rules.yaml"), "\ngroups:\n")
	if !ok {
		t.Fatal("the rules have no groups")
	}
	text := "# Made from deploy/monitoring/rules by go test ./tests/monitoring -run Cluster -update.\n" +
		"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: ecf\nspec:\n  groups:\n"
	for line := range strings.Lines(groups) {
		if line != "\n" {
			line = "  " + line
		}
		text += line
	}
	path := "../../k8s/components/prometheus/rules.yaml"
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // everybody may read it
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(path); err != nil || string(written) != text {
		t.Errorf("%s is not made from the rules (%v)", path, err)
	}
}

func TestRulesHold(t *testing.T) {
	t.Parallel()
	promtool := program(t, "promtool")
	for _, args := range [][]string{
		{"check", "rules", "rules/ecf.rules.yaml"}, {"test", "rules", "rules/ecf.test.yaml"}, {"check", "config", "--syntax-only", "prometheus.yaml"},
	} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// alerts returns the names of all alerts.
func alerts(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^\s+- alert: (\w+)$`).FindAllStringSubmatch(read(t, "rules/ecf.rules.yaml"), -1) {
		names = append(names, m[1])
	}
	if len(names) < 10 {
		t.Fatalf("only the alerts %v were found", names)
	}
	return names
}

// TestEachAlertHasItsRunbook verifies that alerts and sections of the runbook
// correspond one to one, with a link, and that each alert has a test in which it fires.
func TestEachAlertHasItsRunbook(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/runbooks/alerts.md")
	if err != nil {
		t.Fatal(err)
	}
	names := alerts(t)
	var sections []string
	for _, m := range regexp.MustCompile(`(?m)^## (Ecf\w+)$`).FindAllStringSubmatch(string(page), -1) {
		sections = append(sections, m[1])
		if !slices.Contains(names, m[1]) {
			t.Errorf("docs/runbooks/alerts.md has a section for %s, which is not an alert", m[1])
		}
	}
	rules, tests := read(t, "rules/ecf.rules.yaml"), read(t, "rules/ecf.test.yaml")
	for _, name := range names {
		if !slices.Contains(sections, name) {
			t.Errorf("%s: docs/runbooks/alerts.md has no section", name)
		}
		if !strings.Contains(rules, "alerts.md#"+strings.ToLower(name)+"\n") {
			t.Errorf("%s: its runbook_url does not lead to its section", name)
		}
		if !regexp.MustCompile(`alertname: ` + name + `\n\s+exp_alerts:\n`).MatchString(tests) {
			t.Errorf("%s: no test of rules/ecf.test.yaml makes it fire", name)
		}
	}
}

var metric = regexp.MustCompile(`\b((?:ecf|http|db|go|process|up|target|rpc)_[a-z0-9_]+|up)\b\{`)

// metrics returns the names of the metrics used by rules and panels.
func metrics(t *testing.T) []string {
	t.Helper()
	text := read(t, "rules/ecf.rules.yaml")
	for _, d := range Dashboards() {
		for _, p := range d.Panels {
			for _, q := range p.Queries {
				text += "\n" + q.Expr
			}
		}
	}
	var names []string
	for _, m := range metric.FindAllStringSubmatch(text, -1) {
		if m[1] != "up" && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	if len(names) < 15 {
		t.Fatalf("only the metrics %v were found", names)
	}
	return names
}

// fromItsFirst are metrics without a series here, by the source that declares them and their
// name there: counters until their first increment, and those of a setting that is not set.
// tests/e2e scrapes services with certificates.
var fromItsFirst = map[string][2]string{
	"ecf_tls_certificate_remaining_seconds":      {"../../libs/infra/mutual/expiry.go", `"ecf.tls.certificate.remaining"`},
	"ecf_tls_certificate_lifetime_seconds":       {"../../libs/infra/mutual/expiry.go", `"ecf.tls.certificate.lifetime"`},
	"ecf_recalculation_incomplete_results_total": {"../../libs/notify/insight.go", `"ecf.recalculation.incomplete_results"`},
	"ecf_http_refusals_total":                    {"../../libs/web/tracing.go", `"ecf.http.refusals"`},
	"ecf_mongodb_pool_failures_total":            {"../../libs/mongox/pool.go", `"ecf.mongodb.pool.failures"`},
}

// TestEachMetricExists starts the program with all services on the MongoDB-compatible
// engine, uses it briefly, and verifies that its scrape, or that of an embedded
// database, has every metric that an alert or a panel uses. Then a Prometheus that
// scrapes it evaluates the query of every panel.
func TestEachMetricExists(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.start()
	base, debug := s.base, s.debug
	approve := use(t, base)
	approve()
	scrape := func() string {
		status, body := get(t, "http://"+debug+"/metrics")
		if status != http.StatusOK {
			t.Fatalf("/metrics is answered with %d", status)
		}
		return body
	}
	embedded := embeddedScrape(t)
	for _, name := range metrics(t) {
		if strings.HasPrefix(name, ofTheEmbedded) {
			if !strings.Contains(embedded, "\n"+name+"{") {
				t.Errorf("%s is in no scrape of an embedded database", name)
			}
			continue
		}
		if declared, ok := fromItsFirst[name]; ok {
			source, err := os.ReadFile(declared[0])
			if err != nil || !strings.Contains(string(source), declared[1]) {
				t.Errorf("%s: %s declares no %s (%v)", name, declared[0], declared[1], err)
			}
			continue
		}
		series, began := regexp.MustCompile(`(?m)^`+name+`[{ ]`), time.Now()
		testkit.Eventually(t, time.Minute, func() error {
			if !series.MatchString(scrape()) {
				return fmt.Errorf("%s is in no scrape", name)
			}
			return nil
		})
		if took := time.Since(began); took > time.Second {
			t.Logf("%s was in a scrape after %s", name, took)
		}
	}
	t.Run("panels", func(t *testing.T) { evaluate(t, base, debug, approve) })
}

// stack is the program with all services, on the MongoDB-compatible engine and its own
// Redis.
type stack struct {
	t           *testing.T
	base, debug string
	redis       *testkit.RedisServer
	env         []string
	process     *testkit.Proc
}

func newStack(t *testing.T) *stack {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	redis, server := testkit.Redis(t)
	in := func(database string) string {
		address, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		address.Path = "/" + database
		return address.String()
	}
	s := &stack{t: t, redis: server, base: fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), debug: fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))}
	s.env = []string{
		"ECF_ADDR=" + s.base, "ECF_DEBUG_ADDR=" + s.debug, "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password,
		"ECF_MONGODB_URI=" + in(database), "ECF_MONGODB_AUTH_URI=" + in(database+"_auth"), "ECF_REDIS_URL=" + redis, "ECF_LOG_LEVEL=warn",
	}
	return s
}

// start starts the program and waits until it is ready.
func (s *stack) start() {
	s.t.Helper()
	s.process = testkit.Process(s.t, testkit.Binary(s.t, "services/standalone/cmd/ecf"), []string{"serve"}, s.env)
	s.process.WaitHTTP("http://" + s.debug + "/health/ready")
}

const password = "a password of the demo accounts"

// use makes a few requests, including refused ones, and returns a function that
// approves one more record, so that a result is calculated.
func use(t *testing.T, base string) (approve func()) {
	t.Helper()
	api := "http://" + base + "/api/v2"
	call := func(method, path, token, body string) map[string]any {
		req, err := http.NewRequestWithContext(t.Context(), method, api+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		var answer map[string]any
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil && res.StatusCode != http.StatusNoContent {
			t.Fatalf("%s %s: %d %v", method, path, res.StatusCode, err)
		}
		return answer
	}
	call("POST", "/auth/login", "", `{"email":"user@demo.test","password":"wrong"}`)
	tokens, _ := call("POST", "/auth/login", "", `{"email":"manager@demo.test","password":"`+password+`"}`)["data"].(map[string]any)
	token, _ := tokens["accessToken"].(string)
	if token == "" {
		t.Fatal("the demo's manager cannot sign in")
	}
	call("GET", "/events", token, "")
	call("GET", "/events/nothing/results/report", token, "")
	id := func(answer map[string]any) string {
		data, _ := answer["data"].(map[string]any)
		id, _ := data["_id"].(string)
		if id == "" {
			t.Fatalf("nothing was made: %v", answer)
		}
		return id
	}
	event := "/events/" + id(call("POST", "/events", token, `{"title":"Watched","country":"GB"}`))
	return func() {
		record := event + "/waste/" + id(call("POST", event+"/waste", token, `{"treatment":"recycling","material":"glass","weightKg":7}`))
		call("POST", record+"/submit", token, "")
		call("POST", record+"/approve", token, "")
	}
}

var client = &http.Client{Timeout: time.Minute}

func get(t *testing.T, address string) (int, string) {
	t.Helper()
	res, err := client.Get(address)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
