package system

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAtRest prints how soon one process with embedded engines is ready, and its memory
// and CPU use while idle.
func TestAtRest(t *testing.T) {
	p := planned(t)
	idle := time.Second
	if p.full {
		idle = 30 * time.Second
	}
	var ready, took, all, own, file, share []float64
	for range p.rounds {
		s := prepared(t, 0)
		at, used := s.untilReady()
		ready, took = append(ready, milliseconds(at)), append(took, milliseconds(used))
		m := s.settled()
		all, own, file = append(all, m["VmRSS"]), append(own, m["RssAnon"]), append(file, m["RssFile"])
		share = append(share, s.share(idle))
		s.process.Kill()
	}
	kept := &system{t: t}
	kept.figure("from the start of the process until /health/ready answers 200", median(ready), "ms", 500)
	kept.figure("a processor until then", median(took), "ms", 0)
	kept.figure("resident memory at rest", median(all), "MiB", 60)
	kept.figure("of it the process's own", median(own), "MiB", 0)
	kept.figure("of it pages of its files", median(file), "MiB", 0)
	kept.figure("a processor at rest", median(share), "%", 0)

	demo := prepared(t, 0, "ECF_DEMO=true")
	demo.untilReady()
	m := demo.settled()
	kept.figure("with the demo organization: resident memory at rest", m["VmRSS"], "MiB", 0)
	kept.figure("of it the process's own", m["RssAnon"], "MiB", 0)
	kept.figure("with the demo organization: a processor at rest", demo.share(idle), "%", 0)
	kept.keep("rest")
}

// untilReady starts the process and returns the time until it was ready and the CPU
// time used.
func (s *system) untilReady() (clock, processor time.Duration) {
	s.t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	program(s.t, "ecf") // the build is not part of the start
	began := time.Now()
	s.launch()
	for time.Since(began) < time.Minute {
		request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/api/v2/health/ready", nil)
		if err != nil {
			s.t.Fatal(err)
		}
		// Until it listens, an attempt costs some tens of microseconds.
		if response, err := client.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return time.Since(began), s.process.ProcessorTime()
			}
		}
		<-time.After(time.Millisecond)
	}
	s.t.Fatal("the process did not become ready")
	return 0, 0
}

// settled waits until the process is idle and its memory has stayed the same, within
// one percent, for three seconds. It returns its memory in MiB, by the names of the
// kernel.
func (s *system) settled() map[string]float64 {
	s.t.Helper()
	const calm = 3 * time.Second
	s.process.WaitIdle(time.Minute)
	since, first := time.Now(), s.memory()
	testkit.Eventually(s.t, 2*time.Minute, func() error {
		now := s.memory()
		if change := now["VmRSS"]/first["VmRSS"] - 1; change > 0.01 || change < -0.01 {
			since, first = time.Now(), now
			return fmt.Errorf("its memory went from %.1f to %.1f MiB", first["VmRSS"], now["VmRSS"])
		}
		if time.Since(since) < calm {
			return errors.New("not looked at for long enough")
		}
		return nil
	})
	return s.memory()
}

// memory reads the memory use of the process, in MiB.
func (s *system) memory() map[string]float64 {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.process.PID()))
	if err != nil {
		s.t.Skipf("memory is read from /proc, which is missing: %v", err)
	}
	all := map[string]float64{}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 3 && words[2] == "kB" {
			kib, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				s.t.Fatal(err)
			}
			all[strings.TrimSuffix(words[0], ":")] = kib / 1024
		}
	}
	if all["VmRSS"] == 0 || all["RssAnon"] == 0 || all["RssFile"] == 0 {
		s.t.Fatalf("the kernel reports no memory use: %s", text)
	}
	return all
}

// share returns the CPU use of the process within a time, in percent of one CPU.
func (s *system) share(within time.Duration) float64 {
	s.t.Helper()
	began, before := time.Now(), s.process.ProcessorTime()
	<-time.After(within)
	return 100 * (s.process.ProcessorTime() - before).Seconds() / time.Since(began).Seconds()
}
