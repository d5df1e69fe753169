// Package scale measures the objectives for large events and many decisions: the time
// from an approval until it is in the result, whether it depends on the size of the
// event, the cost of a burst of approvals, and the effect of a new factor set for a very
// large event on all others. The server is a real process, and everything except filling
// the database goes over HTTP.
//
// `go test` runs it in brief, to keep it working; ECF_SCALE=full runs it in full, which
// takes a while. It prints a table. Both forms assert that every result is right; times
// are for reading, primarily as ratios.
package scale

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// plan is the size of a run.
type plan struct {
	sizes   []int         // of the events in which single approvals are made
	probes  int           // approvals at rest, in each of them
	load    int           // approvals per second
	loadFor time.Duration // for this long
	spread  int           // over this many events
	burst   int           // concurrent approvals, in one event and in
	many    int           // this many events
	toWatch int           // approvals in the observed event during other work
}

func planned(t *testing.T) plan {
	t.Helper()
	switch text := os.Getenv("ECF_SCALE"); text {
	case "":
		return plan{sizes: []int{100, 600, 1200}, probes: 5, load: 20, loadFor: time.Second, spread: 4, burst: 100, many: 10, toWatch: 100}
	case "full":
		return plan{sizes: []int{1_000, 100_000, 1_000_000}, probes: 400, load: 100, loadFor: 30 * time.Second, spread: 20, burst: 10_000, many: 1_000, toWatch: 3_000}
	default:
		t.Fatalf("ECF_SCALE=%q: it may be full, or unset for a short run", text)
		return plan{}
	}
}

// atOnce is the number of concurrent clients in a burst.
const atOnce = 32

// TestScale runs all parts on one server, one after the other.
func TestScale(t *testing.T) {
	p := planned(t)
	s := newSystem(t)
	began := time.Now()
	var sized []*event
	for _, size := range p.sizes {
		sized = append(sized, s.seed(fmt.Sprintf("with %d records", size), size, 2*p.probes))
	}
	// One to observe in each part that needs it, so that none has grown before.
	var probes []*event
	for i := range 3 {
		probes = append(probes, s.seed(fmt.Sprint("to watch ", i), p.sizes[0], p.toWatch))
	}
	var loaded []*event
	each := (p.load*int(p.loadFor/time.Second) + p.spread - 1) / p.spread
	for i := range p.spread {
		loaded = append(loaded, s.seed(fmt.Sprint("under load ", i), p.sizes[0], each))
	}
	one := s.seed("one burst", 0, p.burst)
	var several []*event
	for i := range p.many {
		several = append(several, s.seed(fmt.Sprint("small burst ", i), 0, p.burst/p.many))
	}
	t.Logf("the database was filled in %.0fs", time.Since(began).Seconds())
	s.start()
	began = time.Now()
	s.settle()
	t.Logf("the server recalculated everything in %.0fs; its peak memory was %d MiB", time.Since(began).Seconds(), s.peak())

	rest := s.bySize(p, sized, probes[0])
	s.underLoad(p, loaded, probes[1], rest)
	s.burst(fmt.Sprintf("%d approvals in one event", p.burst), []*event{one})
	s.burst(fmt.Sprintf("%d approvals in %d events", p.burst, p.many), several)
	s.newContext(sized[len(sized)-1], probes[2], rest)
	for _, e := range slices.Concat(sized, loaded, probes, []*event{one}, several) {
		s.check(e)
	}
}

// bySize approves one record at a time in events of different sizes, in turn, so that
// other load of the machine affects all of them alike. It returns the latencies in the
// small event that later parts observe.
func (s *system) bySize(p plan, sized []*event, probe *event) sample {
	answers, visible := make([]sample, len(sized)), make([]sample, len(sized))
	var rest sample
	for range p.probes {
		for i, e := range sized {
			answer, seen := s.approveAndSee(e)
			answers[i], visible[i] = append(answers[i], answer), append(visible[i], seen)
		}
		_, seen := s.approveAndSee(probe)
		rest = append(rest, seen)
	}
	s.t.Logf("one approval at rest: the answer, and the result that has it (%d each; goal p95 ≤ 100 ms, median at most 1.5 times that of the first)", p.probes)
	for i, e := range sized {
		ratio := visible[i].at(50).Seconds() / visible[0].at(50).Seconds()
		s.t.Logf("  %9d records: answer %s; visible %s; ratio of the medians %.2f %s", e.size, answers[i], visible[i], ratio, verdict(ratio <= 1.5))
	}
	s.t.Logf("  p95 in the first: %s %s", ms(visible[0].at(95)), verdict(visible[0].at(95) <= 100*time.Millisecond))
	return rest
}

// underLoad approves at a steady rate in several events, and observes single approvals
// in another one until each is in the result.
func (s *system) underLoad(p plan, events []*event, probe *event, rest sample) {
	n := p.load * int(p.loadFor/time.Second)
	slots := make(chan struct{}, 4*atOnce)
	done := make(chan struct{})
	began := time.Now()
	var rate float64
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second / time.Duration(p.load))
		defer tick.Stop()
		var all sync.WaitGroup
		for i := range n {
			<-tick.C
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				e := events[i%len(events)]
				if w, ok := e.next(); ok {
					if err := s.approve(e, w); err != nil {
						s.t.Error(err)
					}
				}
			})
		}
		all.Wait()
		rate = float64(n) / time.Since(began).Seconds()
	}()
	visible := s.watch(probe, done)
	s.t.Logf("under %.0f approvals a second over %d events of %d records, one in another event: visible %s (%d watched; at rest %s; goal p95 ≤ 100 ms) %s",
		rate, len(events), events[0].size, visible, len(visible), rest, verdict(visible.at(95) <= 100*time.Millisecond))
}

// watch approves the records of an event one after the other, each once the previous
// one is in the result, until done is closed.
func (s *system) watch(e *event, done <-chan struct{}) sample {
	var visible sample
	for {
		// A little more than a bucket of the notifier; people are slower still.
		breath := time.NewTimer(60 * time.Millisecond)
		if e.left() > 0 {
			_, seen := s.approveAndSee(e)
			visible = append(visible, seen)
		}
		select {
		case <-done:
			return visible
		case <-breath.C:
		}
	}
}

// burst approves all submitted records of the events as fast as possible.
func (s *system) burst(what string, events []*event) {
	var work []func() error
	waiting := 0
	for _, e := range events {
		waiting += len(e.waiting)
	}
	// In turn over the events, as many people would.
	for round := 0; len(work) < waiting; round++ {
		for _, e := range events {
			if id, ok := e.next(); ok {
				work = append(work, func() error { return s.approve(e, id) })
			}
		}
	}
	queue := make(chan func() error)
	var clients sync.WaitGroup
	for range atOnce {
		clients.Go(func() {
			for approve := range queue {
				if err := approve(); err != nil {
					s.t.Error(err)
				}
			}
		})
	}
	began := time.Now()
	for _, approve := range work {
		queue <- approve
	}
	close(queue)
	clients.Wait()
	answered := time.Since(began)
	var results int64
	for _, e := range events {
		results += s.see(e).Revision
	}
	right := time.Since(began)
	s.t.Logf("%s: %.0f answers a second; all results seen right %s after the last answer; %d results calculated, one for %.1f approvals",
		what, float64(len(work))/answered.Seconds(), ms(right-answered), results, float64(len(work))/float64(max(results, 1)))
}

// newContext changes the factor set of the largest event and measures what that costs
// an approval in another event.
func (s *system) newContext(large, probe *event, rest sample) {
	s.resetPeak()
	began := time.Now()
	done := make(chan struct{})
	var answered, took time.Duration
	go func() {
		defer close(done)
		status, body := s.ask(http.MethodPost, "/events/"+large.id+"/factor-set", map[string]string{"factorSet": otherSet})
		answered = time.Since(began)
		if status != http.StatusOK {
			s.t.Errorf("adopt: status %d: %s", status, body)
			return
		}
		s.see(large)
		took = time.Since(began)
	}()
	during := s.watch(probe, done)
	large.adopt(s.t, otherSet)
	s.t.Logf("another factor set for %d records: answer after %s, the result after %s; peak memory of the server %d MiB (goal 256) %s",
		large.size, ms(answered), ms(took), s.peak(), verdict(s.peak() <= 256))
	ratio := during.at(99).Seconds() / rest.at(99).Seconds()
	s.t.Logf("  meanwhile one approval in another event: visible %s (%d watched; at rest %s); ratio of p99 %.2f (goal 2) %s",
		during, len(during), rest, ratio, verdict(ratio <= 2))
	s.check(large)
}

// sample is a series of durations.
type sample []time.Duration

// at returns a percentile.
func (s sample) at(percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func (s sample) String() string {
	return fmt.Sprintf("p50 %s p95 %s p99 %s", ms(s.at(50)), ms(s.at(95)), ms(s.at(99)))
}

func ms(d time.Duration) string {
	if d >= 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(d)/float64(time.Millisecond)), ".0") + " ms"
}

func verdict(met bool) string {
	if met {
		return "(met)"
	}
	return "(MISSED)"
}
