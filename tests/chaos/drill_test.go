package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

const (
	rulesFile   = "../../deploy/monitoring/rules/ecf.rules.yaml"
	runbookFile = "../../docs/runbooks/alerts.md"
)

// answersBurn are the alerts on failed requests: with the same window for all of them
// they fire together.
var answersBurn = []string{"EcfAnswersBudgetBurns", "EcfAnswersBudgetBurnsFast", "EcfAnswersBudgetBurnsSlowly"}

type drill struct {
	fault  *regexp.Regexp
	alerts []string
	// section is the alert whose section of the runbook says what to do about the
	// fault, and step the words that say it.
	section, step string
	// passing are alerts that may fire as well and resolve while the fault lasts.
	passing []string
	// decided means that a record is approved while the fault lasts.
	decided bool
	// scales means that the triggers of KEDA then ask for workers.
	scales bool
}

// drilled lists the alerts that each fault of a deployment fires while events are read
// and, with one process, written. The first expression that matches applies; a fault
// without alerts is recovered from automatically, before anyone needs to be paged.
var drilled = []drill{
	{fault: regexp.MustCompile(`^kill -9 records$`), alerts: append([]string{"EcfProcessDown", "EcfServiceAbsent"}, answersBurn...),
		section: "EcfServiceAbsent", step: "Start it."},
	{fault: regexp.MustCompile(`^hang records$`), alerts: append([]string{"EcfProcessDown", "EcfServiceAbsent"}, answersBurn...),
		section: "EcfProcessDown", step: "A pod that is stuck may be deleted."},
	{fault: regexp.MustCompile(`^kill -9 (auth|review|results|every gateway)$`), alerts: []string{"EcfProcessDown", "EcfServiceAbsent"},
		section: "EcfServiceAbsent", step: "Start it."},
	{fault: regexp.MustCompile(`^hang (auth|review|results)$`), alerts: []string{"EcfProcessDown", "EcfServiceAbsent"},
		section: "EcfProcessDown", step: "A pod that is stuck may be deleted."},
	{fault: regexp.MustCompile(`^kill -9 (worker|gateway) 1$`), alerts: []string{"EcfProcessDown"},
		section: "EcfProcessDown", step: "One that has ended is started again"},
	{fault: regexp.MustCompile(`^hang (worker|gateway) 1$`), alerts: []string{"EcfProcessDown"},
		section: "EcfProcessDown", step: "A pod that is stuck may be deleted."},
	// Without workers nothing is wrong until a result is due.
	{fault: regexp.MustCompile(`^kill -9 every worker$`), alerts: []string{"EcfNoWorkers", "EcfProcessDown", "EcfResultsOverdue", "EcfServiceAbsent"}, decided: true, scales: true,
		section: "EcfNoWorkers", step: "Start workers"},
	{fault: regexp.MustCompile(`^(stop|kill -9|hang) Redis$`), alerts: []string{"EcfQueueUnreachable"},
		section: "EcfQueueUnreachable", step: "Start it, or a new and empty one"},
	{fault: regexp.MustCompile(`^fill the memory of Redis$`), alerts: []string{"EcfQueueUnreachable"},
		section: "EcfQueueUnreachable", step: "Raise its `maxmemory`."},
	{fault: regexp.MustCompile(`^fill the disk of Redis$`), alerts: []string{"EcfQueueUnreachable"},
		section: "EcfQueueUnreachable", step: "make room on its disk"},
	{fault: regexp.MustCompile(`^(cut off|silence) Redis$`), alerts: []string{"EcfQueueUnreachable"},
		section: "EcfQueueUnreachable", step: "does a NetworkPolicy stand between"},
	// Nothing is sent to an unreachable database, so only requests in flight fail
	// there.
	{fault: regexp.MustCompile(`^cut off the database$`), alerts: append([]string{"EcfRecalculationUnobserved"}, answersBurn...),
		section: "EcfAnswersBudgetBurnsFast", step: "mostly the database"},
	{fault: regexp.MustCompile(`^silence the database$`), alerts: append([]string{"EcfRecalculationUnobserved"}, answersBurn...), passing: []string{"EcfStoreFails"},
		section: "EcfAnswersBudgetBurnsFast", step: "mostly the database"},
	// Auth refuses what the services ask it, in both directions, because it is signed with
	// their time. What they have cached of sessions is valid for another half minute.
	{fault: regexp.MustCompile(`^wrong clock of auth: `), alerts: append([]string{"EcfClockWrong"}, answersBurn...),
		section: "EcfClockWrong", step: "Set the clock right"},
	{fault: regexp.MustCompile(`^wrong clock of `), alerts: []string{"EcfClockWrong"},
		section: "EcfClockWrong", step: "Set the clock right"},
	// One process, which is all there is.
	{fault: regexp.MustCompile(`^fill the disk$`), alerts: append([]string{"EcfDiskFillsUp"}, answersBurn...),
		section: "EcfDiskFillsUp", step: "Make room, or give it a larger one"},
	{fault: regexp.MustCompile(`^kill -9 ecf$`), alerts: []string{"EcfProcessDown", "EcfRecalculationUnobserved", "EcfServiceAbsent"},
		section: "EcfProcessDown", step: "One that has ended is started again"},
	{fault: regexp.MustCompile(`^hang ecf$`), alerts: []string{"EcfProcessDown", "EcfRecalculationUnobserved", "EcfServiceAbsent"},
		section: "EcfProcessDown", step: "A pod that is stuck may be deleted."},
	{fault: regexp.MustCompile(`^(flush Redis|flood the queue|(reset connections to|slow down) (Redis|the database))$`)},
}

// TestDrillsFollowTheRunbook verifies that what a drill does about a fault is in the
// section of one of the alerts that the fault fires.
func TestDrillsFollowTheRunbook(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(runbookFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range drilled {
		if len(d.alerts) == 0 {
			continue
		}
		if !slices.Contains(d.alerts, d.section) {
			t.Errorf("%s does not fire %s, whose section has the step", d.fault, d.section)
		}
		_, section, found := strings.Cut(string(text), "\n## "+d.section+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		if words := strings.Join(strings.Fields(section), " "); !found || d.step == "" || !strings.Contains(words, d.step) {
			t.Errorf("the section %s of %s does not say %q", d.section, runbookFile, d.step)
		}
	}
}

// quickened returns the shipped rules with short windows, so that a drill takes
// minutes: alerts are pending for 8 s, and rates are over 20 s.
func quickened(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	quick := regexp.MustCompile(`for: \d+[mh]`).ReplaceAll(text, []byte("for: 8s"))
	quick = regexp.MustCompile(`interval: 30s`).ReplaceAll(quick, []byte("interval: 1s"))
	return string(regexp.MustCompile(`\[(5m|10m|30m|1h|6h|3d)\]`).ReplaceAll(quick, []byte("[20s]")))
}

// services returns the names under which a part is scraped.
func (p *part) services() []string {
	switch name := strings.Fields(p.name)[0]; name {
	case "ecf":
		return []string{"gateway", "auth", "records", "review", "calculation", "worker"}
	case "results":
		return []string{"calculation"}
	default:
		return []string{name}
	}
}

// watch runs a Prometheus with the shipped rules that scrapes every process of a
// deployment. It returns its address and a function that returns the firing alerts.
func (d *deployment) watch(prometheus string) (base string, firing func() ([]string, error)) {
	t, dir := d.t, d.t.TempDir()
	t.Helper()
	config := "global: {scrape_interval: 3s, scrape_timeout: 3s, evaluation_interval: 1s}\nrule_files: [" + dir + "/*.rules.yaml]\n" +
		"scrape_configs:\n  - job_name: ecf\n    static_configs:\n"
	for _, p := range d.parts {
		for _, service := range p.services() {
			config += fmt.Sprintf("      - {targets: [%q], labels: {service: %s}}\n", p.debug, service)
		}
	}
	for name, content := range map[string]string{"prometheus.yaml": config, "ecf.rules.yaml": quickened(t)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := address(t)
	testkit.Process(t, prometheus, []string{"--config.file=" + filepath.Join(dir, "prometheus.yaml"), "--storage.tsdb.path=" + filepath.Join(dir, "data"),
		"--web.listen-address=" + at, "--log.level=warn"}, nil).WaitHTTP("http://" + at + "/-/ready")
	client := &http.Client{Timeout: 20 * time.Second}
	return "http://" + at, func() ([]string, error) {
		res, err := client.Get("http://" + at + "/api/v1/alerts")
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data struct {
				Alerts []struct {
					State  string
					Labels map[string]string
				}
			}
		}
		if err := errors.Join(json.NewDecoder(res.Body).Decode(&answer), res.Body.Close()); err != nil {
			return nil, err
		}
		var names []string
		for _, a := range answer.Data.Alerts {
			if name := a.Labels["alertname"]; a.State == "firing" && name != "EcfDeadman" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names, nil
	}
}

// decide approves a record of a new event, so that a result is due.
func (d *deployment) decide(boss *client) {
	t := d.t
	t.Helper()
	post := func(path string, body any) (id string) {
		answer, err := boss.post(t.Context(), path, body)
		var made struct {
			ID string `json:"_id"`
		}
		if err = errors.Join(err, answer.into(&made)); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return made.ID
	}
	event := "/events/" + post("/events", map[string]any{"title": "Drill", "country": "GB"})
	record := event + "/waste/" + post(event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1000})
	post(record+"/submit", nil)
	post(record+"/approve", nil)
}

// settle waits until exactly the wanted alerts fire, apart from passing ones, and still
// do so after a while: an alert that fires late is also one too many.
func settle(t *testing.T, what string, firing func() ([]string, error), want []string, passing ...string) {
	t.Helper()
	began, since := time.Now(), time.Time{}
	testkit.Eventually(t, 2*time.Minute, func() error {
		got, err := firing()
		if err != nil {
			return err
		}
		got = slices.DeleteFunc(got, func(name string) bool { return slices.Contains(passing, name) })
		if !slices.Equal(got, want) {
			since = time.Time{}
			return fmt.Errorf("%s: %v fire, want %v", what, got, want)
		}
		if since.IsZero() {
			since = time.Now()
		}
		if held := time.Since(since); held < 12*time.Second {
			return fmt.Errorf("%s: %v fire only for %v", what, got, held)
		}
		return nil
	})
	t.Logf("%s: %v after %v", what, want, since.Sub(began).Round(time.Second))
}

// goOn repeats a request ten times a second until the test ends.
func goOn(t *testing.T, c *client, method, path string, body []byte) {
	go func() {
		for t.Context().Err() == nil {
			_, _ = c.once(t.Context(), method, path, body, nil)
			<-time.After(100 * time.Millisecond)
		}
	}()
}

// TestDrill (make drill) injects the faults of this suite into the running system, one
// after the other, while a Prometheus evaluates the shipped rules. Each fault must fire
// its own alerts and no others, and following the runbook must resolve them.
func TestDrill(t *testing.T) {
	only := os.Getenv("ECF_DRILL")
	if only == "" {
		t.Skip("run by make drill")
	}
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatal("a drill needs prometheus (Debian: apt-get install prometheus)")
	}
	chosen := regexp.MustCompile(only)
	drills := 0
	t.Run("services", func(t *testing.T) {
		// Auth writes the times of tokens, review those of decisions, and a worker
		// compares times.
		d := separate(t, "auth", "review", "worker 1")
		if !d.redis.HasDisk() {
			t.Error("NOT DRILLED: the full disk of Redis")
		}
		base, firing := d.watch(prometheus)
		reader := d.client(1, d.user)
		reader.bases = d.bases[1:]
		goOn(t, reader, http.MethodGet, "/events", nil)
		settle(t, "at rest", firing, nil)
		drills += d.drill(chosen, base, firing, d.faults(rand.New(rand.NewPCG(1, 1)), false))
	})
	t.Run("one process", func(t *testing.T) {
		d, disk := onSmallDisk(t)
		base, firing := d.watch(prometheus)
		goOn(t, d.client(1, d.user), http.MethodGet, "/events", nil)
		writer := d.client(2, d.manager)
		goOn(t, writer, http.MethodPost, d.example(writer)+"/waste", ballast(t))
		settle(t, "at rest", firing, nil)
		full := fault{name: "fill the disk", begin: func() {
			fill(t, disk)
			d.untilRefused(writer.clone(3))
		}, end: func() {
			if err := os.Remove(disk); err != nil {
				t.Error(err)
			}
		}}
		drills += d.drill(chosen, base, firing, append([]fault{full}, d.faults(rand.New(rand.NewPCG(1, 1)), false)...))
	})
	if drills == 0 {
		t.Errorf("there is no fault %q", only)
	}
}

// drill injects the chosen faults and returns how many there are.
func (d *deployment) drill(chosen *regexp.Regexp, base string, firing func() ([]string, error), faults []fault) (drills int) {
	for _, f := range faults {
		at := slices.IndexFunc(drilled, func(c drill) bool { return c.fault.MatchString(f.name) })
		switch {
		case strings.HasSuffix(f.name, " 2"):
			continue // like its twin
		case at < 0:
			d.t.Errorf("%s: no drill lists the alerts that it fires", f.name)
			continue
		case !chosen.MatchString(f.name):
			continue
		}
		want := slices.Clone(drilled[at].alerts)
		slices.Sort(want)
		drills++
		d.t.Run(f.name, func(t *testing.T) {
			mend := sync.OnceFunc(func() {
				if f.repair != nil {
					f.repair()
				} else {
					f.end()
				}
				d.awaitReady()
			})
			defer mend()
			f.begin()
			if drilled[at].decided {
				d.decide(d.client(2, d.manager))
			}
			settle(t, "while it lasts", firing, want, drilled[at].passing...)
			if drilled[at].scales {
				d.scaled(base, true)
			}
			mend()
			settle(t, "after it", firing, nil)
			if drilled[at].scales {
				d.scaled(base, false)
			}
		})
	}
	return drills
}
