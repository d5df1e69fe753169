package notify

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// shownEvents bounds the events shown on the page.
const shownEvents = 10

// lateAfter is the age of a mark from which the page reports late results: the objective after
// a fault.
const lateAfter = 5 * time.Second

// ServeHTTP serves the status page: what is due, the state of the queue and the workers, and
// what this process has done. It is for the debug port, because it shows events of all tenants.
func (i *Insight) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := i.Look(r.Context())
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(i.page(s))
}

func (i *Insight) page(s Sight) []byte {
	var out bytes.Buffer
	t := tabwriter.NewWriter(&out, 0, 0, 3, ' ', 0)
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(t, format+"\n", args...) }

	line("Recalculation at %s", s.At.UTC().Format(time.RFC3339))
	line("%s\n", i.verdict(s))

	line("DUE\tresults that do not have the latest approvals yet")
	if s.DueErr != nil {
		line("  not known\tthe database does not answer")
	} else {
		line("  events\t%d", len(s.Due))
		line("  oldest mark\t%s", short(s.Age()))
		for _, e := range oldest(s.Due) {
			line("  %s\torganization %s\tsince %s", e.Event, e.Org, short(s.At.Sub(record.MarkTime(e.Mark))))
		}
	}

	line("\nQUEUE\tpending\tactive\tretry\tarchived\toldest waits\tdone\tfailed")
	if s.QueueErr != nil {
		line("  not known\tRedis does not answer")
	}
	for _, q := range s.Queues {
		line("  %s\t%d\t%d\t%d\t%d\t%s\t%d\t%d", q.Name, q.Pending, q.Active, q.Retry, q.Archived, short(q.Wait), q.Processed, q.Failed)
	}

	line("\nWORKER PROCESSES\tmay take up\thas taken up\trunning for")
	slices.SortFunc(s.Workers, func(a, b WorkerProcess) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID))
	})
	for _, p := range s.Workers {
		line("  %s, process %d\t%d\t%d\t%s", p.Host, p.PID, p.Workers, p.Busy, short(s.At.Sub(p.Started)))
	}

	line("\nTHIS PROCESS\tfor %s", short(s.At.Sub(i.began)))
	line("  running now\t%d", i.running.Load())
	line("  waiting for their turn\t%d", i.waiting.Load())
	for _, o := range outcomes() {
		line("  runs %s\t%d", o, i.runs[o].Load())
	}
	line("  started over\t%d", i.startOvers.n.Load())
	line("  notified by the sweeper\t%d", i.swept.n.Load())
	line("  results that miss a record\t%d", i.incomplete.n.Load())
	line("  run takes\t%s", i.durations)
	line("  approval to result\t%s", i.lags)
	line("\nWhat to do about each: docs/runbooks/recalculation.md. The same as metrics: /metrics")
	_ = t.Flush()
	return out.Bytes()
}

// verdict summarizes in one line whether attention is necessary.
func (i *Insight) verdict(s Sight) string {
	switch {
	case s.DueErr != nil:
		return "UNKNOWN: the database does not answer."
	case s.QueueErr != nil:
		return "DEGRADED: the queue does not answer. Writes are accepted; results follow when it does."
	case s.Age() > lateAfter && len(s.Workers) == 0:
		return "LATE: results are due and nobody works."
	case s.Age() > lateAfter:
		return "LATE: a result has been due for " + short(s.Age()) + "."
	case len(s.Workers) == 0:
		return "IDLE: nothing is late, but nobody works."
	}
	return "GOOD: results follow their approvals."
}

// oldest returns the events with the oldest marks.
func oldest(due []record.MarkedEvent) []record.MarkedEvent {
	sorted := slices.SortedFunc(slices.Values(due), func(a, b record.MarkedEvent) int { return cmp.Compare(a.Mark, b.Mark) })
	return sorted[:min(len(sorted), shownEvents)]
}

// short formats a duration with few digits.
func short(d time.Duration) string {
	switch d = max(0, d); {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// windowSize is the number of values in a window.
const windowSize = 1000

// window holds the most recent values, for their quantiles.
type window struct {
	mu     sync.Mutex
	values []time.Duration
	next   int
}

func newWindow() *window { return &window{values: make([]time.Duration, 0, windowSize)} }

func (w *window) add(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.values) < windowSize {
		w.values = append(w.values, d)
		return
	}
	w.values[w.next] = d
	w.next = (w.next + 1) % windowSize
}

// String returns the quantiles of the values.
func (w *window) String() string {
	w.mu.Lock()
	sorted := slices.Sorted(slices.Values(w.values))
	w.mu.Unlock()
	if len(sorted) == 0 {
		return "not measured yet"
	}
	at := func(q float64) string { return short(sorted[int(q*float64(len(sorted)-1))]) }
	return fmt.Sprintf("p50 %s, p95 %s, p99 %s, longest %s of the last %d", at(.5), at(.95), at(.99), at(1), len(sorted))
}
