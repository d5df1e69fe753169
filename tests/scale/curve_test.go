package scale

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// curvePlan is the size of a run of TestCurve.
type curvePlan struct {
	sizes  []int
	rounds int // each has a block of every operation in every size, after a round that is not measured
	block  int
	out    string // the table; empty for none
}

func curvePlanned(t *testing.T) curvePlan {
	t.Helper()
	if os.Getenv("ECF_SCALE") != "curve" {
		return curvePlan{sizes: []int{100, 600}, rounds: 1, block: 3}
	}
	p := curvePlan{rounds: 4, block: 50, out: os.Getenv("ECF_CURVE_OUT")}
	most := 1_000_000
	if text := os.Getenv("ECF_CURVE_MOST"); text != "" {
		var err error
		if most, err = strconv.Atoi(text); err != nil || most < 1_000 {
			t.Fatalf("ECF_CURVE_MOST=%q: it is the size of the largest event, 1000 at least", text)
		}
	}
	for size := 1_000; size <= most; size *= 10 {
		p.sizes = append(p.sizes, size)
	}
	return p
}

// pages is how many pages of a list are read in turn, from the first to the last: the
// same number for a list of any size, so that the same number of them is cached.
const pages = 20

// operation is a kind of request whose cost may depend on the size of the event.
type operation struct {
	name string
	do   func(e *event, i int) error
	// block is the number of requests in a block; 0 means that of the plan.
	block int
}

// measured is an operation in events of one size: the latencies, the CPU time of the
// server for all of them, and the number of additional polls.
type measured struct {
	took      sample
	processor time.Duration
	polls     int
}

// TestCurve measures the cost of requests by the size of their event on the embedded
// engine: one request after the other, rotating over the sizes, each of which comes
// first in its turn. The first round is not measured, because the size that comes first
// would bear the cost of what a process does only once or caches. What the same requests
// read and send on MongoDB is counted by TestRoutesCostTheSameInEventsOfAnySize.
// ECF_SCALE=curve runs it in full, up to events of ECF_CURVE_MOST records (a million),
// and writes the table to ECF_CURVE_OUT.
func TestCurve(t *testing.T) {
	p := curvePlanned(t)
	s := newSystem(t)
	var sized []*event
	for _, size := range p.sizes {
		sized = append(sized, s.seed(fmt.Sprintf("with %d records", size), size, 2*(1+p.rounds)*p.block))
	}
	s.start()
	s.settle()
	polls := 0
	operations := []operation{
		{name: "list", do: func(e *event, i int) error {
			return s.want(http.MethodGet, fmt.Sprintf("/events/%s/flights?limit=25&page=%d", e.id, 1+i%pages*max(1, e.size/50/pages)), nil, http.StatusOK)
		}},
		{name: "create", do: func(e *event, i int) error {
			body := json.RawMessage(fmt.Sprintf(`{"description":"Curve","from":"FRA","to":"LHR","passengers":%d}`, 1+i%900))
			return s.want(http.MethodPost, "/events/"+e.id+"/flights", body, http.StatusCreated)
		}},
		{name: "approve-to-visible", do: func(e *event, _ int) error {
			w, ok := e.next()
			if !ok {
				return fmt.Errorf("event %s has nothing left to approve", e.id)
			}
			if err := s.approve(e, w); err != nil {
				return err
			}
			for {
				polls++
				if r, err := s.result(e); err != nil || r.Status == "current" {
					return err
				}
				<-time.After(2 * time.Millisecond)
			}
		}},
		{name: "results", do: func(e *event, _ int) error {
			return s.want(http.MethodGet, "/events/"+e.id+"/results", nil, http.StatusOK)
		}},
		{name: "sign-in", block: max(1, p.block/10), do: func(*event, int) error {
			return s.want(http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password}, http.StatusOK)
		}},
	}
	all := make([][]measured, len(operations))
	for i := range all {
		all[i] = make([]measured, len(sized))
	}
	for round := range 1 + p.rounds {
		for i, o := range operations {
			for turn := range sized {
				j := (round + turn) % len(sized)
				e, m := sized[j], &all[i][j]
				if round == 0 {
					m = &measured{}
				}
				before, began := s.proc.ProcessorTime(), polls
				block := cmp.Or(o.block, p.block)
				for k := range block {
					start := time.Now()
					if err := o.do(e, round*block+k); err != nil {
						t.Fatalf("%s in an event of %d: %v", o.name, e.size, err)
					}
					m.took = append(m.took, time.Since(start))
				}
				m.processor += s.proc.ProcessorTime() - before
				m.polls += polls - began
			}
		}
	}
	var table strings.Builder
	table.WriteString(testkit.Provenance(t) + "operation\trecords\tn\tprocessor_us\tpolls\tquantiles_us\n")
	for i, o := range operations {
		for j, e := range sized {
			m := all[i][j]
			if want := p.rounds * cmp.Or(o.block, p.block); len(m.took) != want {
				t.Errorf("%s in an event of %d was measured %d times, want %d", o.name, e.size, len(m.took), want)
			}
			fmt.Fprintf(&table, "%s\t%d\t%d\t%d\t%.2f\t%s\n", o.name, e.size, len(m.took), m.processor.Microseconds()/int64(len(m.took)),
				float64(m.polls)/float64(len(m.took)), m.took.quantiles())
			t.Logf("%-20s %9d records: processor %6d µs, %s", o.name, e.size, m.processor.Microseconds()/int64(len(m.took)), m.took)
		}
	}
	if p.out != "" {
		if err := os.WriteFile(p.out, []byte(table.String()), 0o644); err != nil { //nolint:gosec // a table for everybody
			t.Fatal(err)
		}
	}
	for _, e := range sized {
		s.check(e)
	}
}

// want sends a request and checks the status of its response.
func (s *system) want(method, path string, body any, want int) error {
	if status, answer := s.ask(method, path, body); status != want {
		return fmt.Errorf("%s %s: status %d: %.300s", method, path, status, answer)
	}
	return nil
}

// result reads an event's result once.
func (s *system) result(e *event) (result, error) {
	status, body := s.ask(http.MethodGet, "/events/"+e.id+"/results", nil)
	var envelope struct{ Data result }
	if err := json.Unmarshal(body, &envelope); err != nil || status != http.StatusOK {
		return result{}, fmt.Errorf("result: status %d: %.300s", status, body)
	}
	return envelope.Data, nil
}

// quantiles returns 21 quantiles, from the minimum to the maximum, in µs.
func (s sample) quantiles() string {
	sorted := slices.Sorted(slices.Values(s))
	points := make([]string, 21)
	for i := range points {
		points[i] = fmt.Sprint(sorted[(len(sorted)-1)*i/(len(points)-1)].Microseconds())
	}
	return strings.Join(points, " ")
}
