package chaos

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// usual is how long an approval takes to be in the result on an otherwise idle machine
// and engine.
const usual = 100 * time.Millisecond

// allowance is how long after the last fault a result must be right: the objective,
// multiplied by how much slower than usual this machine was at rest, and at most limit.
func (d *deployment) allowance(forgotten bool) time.Duration {
	wanted := objective
	if forgotten {
		wanted = objectiveForgotten
	}
	return min(time.Duration(float64(wanted)*max(1, float64(d.rest)/float64(usual))), limit)
}

// inTime judges how long it took until a result was right. Before it fails, it measures
// whether the machine has become slower since, with work of its own, so that a system
// slowed by faults does not excuse itself.
func (d *deployment) inTime(took time.Duration, forgotten bool) error {
	allowed := d.allowance(forgotten)
	if took <= allowed {
		return nil
	}
	slower := max(1, float64(yardstick())/float64(d.yard))
	allowed = min(time.Duration(float64(allowed)*slower), limit)
	d.t.Logf("  later than the objective; the machine is %.1f times as slow as before: allowed %s", slower, allowed.Round(time.Millisecond))
	if took > allowed {
		return fmt.Errorf("the result was right %s after the last fault, allowed %s", took.Round(time.Millisecond), allowed.Round(time.Millisecond))
	}
	return nil
}

// yardstick returns how long a fixed amount of computation takes, the median of several
// runs.
func yardstick() time.Duration {
	work := make([]byte, 1<<20)
	var took []time.Duration
	for range 15 {
		began := time.Now()
		for range 4 {
			sum := sha256.Sum256(work)
			work[0] = sum[0]
		}
		took = append(took, time.Since(began))
		<-time.After(10 * time.Millisecond)
	}
	slices.Sort(took)
	return took[len(took)*3/4]
}

// measure measures a deployment without faults: how long an approval takes, and how
// many goroutines each process has.
func (d *deployment) measure(people team) {
	t := d.t
	t.Helper()
	ctx, boss := t.Context(), people.managers[0]
	created, err := boss.post(ctx, "/events", map[string]any{"title": "At rest", "country": "GB"})
	var event, record struct {
		ID string `json:"_id"`
	}
	if err := errors.Join(err, created.into(&event)); err != nil {
		t.Fatal(err)
	}
	var took []time.Duration
	for n := range 5 {
		made, err := boss.post(ctx, "/events/"+event.ID+"/waste", map[string]any{"treatment": "landfill", "weightKg": 10})
		if err := errors.Join(err, made.into(&record)); err != nil {
			t.Fatal(err)
		}
		path := "/events/" + event.ID + "/waste/" + record.ID
		submitted, err := boss.post(ctx, path+"/submit", nil)
		if err := errors.Join(err, submitted.into(&record)); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		approved, err := boss.post(ctx, path+"/approve", nil)
		if err := errors.Join(err, approved.into(&record)); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, limit, func() error {
			var result struct {
				Status string
				Counts struct{ Approved int }
			}
			if a, err := boss.ask(ctx, http.MethodGet, "/events/"+event.ID+"/results", nil, nil); err != nil || a.status != http.StatusOK || json.Unmarshal(a.data, &result) != nil {
				return fmt.Errorf("%w: %s", err, a.body)
			}
			if result.Status != "current" || result.Counts.Approved != n+1 {
				return fmt.Errorf("the result is %+v", result)
			}
			return nil
		})
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	d.rest, d.yard = took[len(took)/2], yardstick()
	for _, p := range d.parts {
		if p.quiet, err = p.goroutines(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("at rest an approval is in the result after %s; the limit is %s after a fault, %s after a loss of all of Redis",
		d.rest.Round(time.Millisecond), d.allowance(false).Round(time.Second), d.allowance(true).Round(time.Second))
}

// settled verifies that no process reports anything due, and that none has more
// goroutines than before at rest.
func (d *deployment) settled() error {
	for _, p := range d.parts {
		n, err := p.goroutines()
		if err != nil {
			return err
		}
		// Idle connections have some each.
		if most := 2*p.quiet + 50; n > most {
			return fmt.Errorf("%s has %d goroutines, had %d before", p.name, n, p.quiet)
		}
		if !p.status {
			continue
		}
		page, err := p.read("/status")
		if err != nil {
			return err
		}
		if !strings.Contains(page, "GOOD: ") {
			return fmt.Errorf("%s shows\n%s", p.name, page)
		}
		metrics, err := p.read("/metrics")
		if err != nil {
			return err
		}
		for _, name := range []string{"ecf_recalculation_due_age_seconds", "ecf_recalculation_due_events"} {
			if value, found := metric(metrics, name); !found || value != 0 {
				return fmt.Errorf("%s: %s is %v, present: %t", p.name, name, value, found)
			}
		}
	}
	return nil
}

// audit runs ecf audit verify, which verifies every history and the audit log.
func (d *deployment) audit() {
	d.t.Helper()
	args := append(slices.Clone(d.enter), testkit.Binary(d.t, "services/standalone/cmd/ecf"), "audit", "verify")
	command(d.t, args[0], d.admin, "", args[1:]...)
}

func (p *part) goroutines() (int, error) {
	metrics, err := p.read("/metrics")
	if err != nil {
		return 0, err
	}
	n, found := metric(metrics, "go_goroutine_count")
	if !found {
		return 0, fmt.Errorf("%s does not report its goroutines", p.name)
	}
	return int(n), nil
}

// read reads a page of the debug port.
func (p *part) read(path string) (string, error) {
	response, err := (&http.Client{Timeout: 20 * time.Second}).Get("http://" + p.debug + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	return string(text), err
}

// metric finds a metric with a single series.
func metric(text, name string) (value float64, found bool) {
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) == 2 && (words[0] == name || strings.HasPrefix(words[0], name+"{")) {
			value, err := strconv.ParseFloat(words[1], 64)
			return value, err == nil
		}
	}
	return 0, false
}
