package system

import (
	"context"
	"net/http"
	"os"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/eventcarbon/ecf/libs/testkit"
)

const (
	password = "a long enough password"
	email    = "manager@bench.test"
	// neighbour is an account of another organization in the same process.
	neighbour = "manager@neighbour.test"
	clients   = 16
	flight    = `{"from":"FRA","to":"LHR","passengers":%d,"class":"economy","roundTrip":true,"group":"speakers","description":"To the venue and back"}`
)

// plan is the size of a run.
type plan struct {
	rounds  int
	each    time.Duration // of one measurement
	records int           // of the list
	events  int
	people  int // who send too many requests
	full    bool
}

// brief only shows that it runs.
var brief = plan{rounds: 1, each: 100 * time.Millisecond, records: 30, events: 3, people: 3}

func planned(t *testing.T) plan {
	t.Helper()
	switch text := os.Getenv("ECF_BENCH_SYSTEM"); text {
	case "":
		return brief
	case "full":
		return plan{rounds: 5, each: 3 * time.Second, records: 500, events: 100, people: 200, full: true}
	default:
		t.Fatalf("ECF_BENCH_SYSTEM=%q: must be full, or unset for a short run", text)
		return plan{}
	}
}

// longestTurn is how long something is measured at a time. In short turns, all that is
// compared sees the same other load on the machine.
const longestTurn = time.Second

// alternate measures rates in turns, each round in random order.
func (p plan) alternate(t *testing.T, measured ...func(turn time.Duration) float64) (rates [][]float64) {
	t.Helper()
	turn := min(p.each, longestTurn)
	rates = make([][]float64, len(measured))
	random := testkit.Rand(t)
	for range int(time.Duration(p.rounds) * p.each / turn) {
		for _, i := range random.Perm(len(measured)) {
			rates[i] = append(rates[i], measured[i](turn))
		}
	}
	return rates
}

// work is one kind of request and its baselines.
type work struct {
	name      string
	product   vegeta.Targeter
	baselines []baseline
	status    int
	goal      float64 // target of the ratio to the first baseline; 0 for none
	// meanwhile, if not nil, runs until the context ends, while the product and the
	// baselines are measured.
	meanwhile func(context.Context)
}

// baseline is the least that does the same work.
type baseline struct {
	name string
	rate func(context.Context, time.Duration) float64 // per second
}

// TestSystem prints the table.
func TestSystem(t *testing.T) {
	p := planned(t)
	s := start(t)
	list, changing := s.fill(p.records), s.fill(p.records)
	for range p.events - 3 {
		s.event()
	}
	created := s.event() // another event, so that the tag of the list does not change
	page := "/events/" + list + "/flights?limit=25"
	quiet := start(t, quietly)
	s.print(p,
		s.alsoBeside(s.read("list of 25 records", page, "", 0.2), s.pageOfRecords(list, p.records)),
		quiet.read("the same, without a log of requests", "/events/"+quiet.fill(p.records)+"/flights?limit=25", "", 0),
		s.read("the same, If-None-Match", page, s.tag(page), 0.4),
		s.alsoBeside(s.read("list of 25 events", "/events?limit=25", "", 0.3), s.pageOfEvents()),
		s.read("one event", "/events/"+list, "", 0),
		s.create(created),
		s.signingIn(),
		beneath(s.read("list of 25 records, 50 creations a second in another event", page, "", 0), s.creating(created)),
		beneath(s.read("list of 25 records, 50 creations a second in its event", "/events/"+changing+"/flights?limit=25", "", 0), s.creating(changing)),
	)
	s.print(p, besideANeighbour(t, p)...)
	s.listBesideSignIns(p, page)
	s.visible(p)
	s.keep("system")
}

// print measures and prints a table.
func (s *system) print(p plan, table ...work) {
	s.t.Helper()
	s.t.Logf("%-62s %12s %12s %8s   %s", "", "a second", "baseline", "ratio", "at half of that, or 4,000 a second: p50, p99")
	for _, w := range table {
		s.measure(p, w)
	}
}

// measure alternates the product and the baselines of one work.
func (s *system) measure(p plan, w work) {
	s.t.Helper()
	if w.meanwhile != nil {
		ctx, end := context.WithCancel(s.t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			w.meanwhile(ctx)
		}()
		defer func() {
			end()
			<-ended
		}()
	}
	all := []func(time.Duration) float64{func(turn time.Duration) float64 { return s.saturate(w, turn) }}
	for _, b := range w.baselines {
		all = append(all, func(turn time.Duration) float64 { return b.rate(s.t.Context(), turn) })
	}
	rates := p.alternate(s.t, all...)
	ours, theirs := rates[0], rates[1:]
	steady := s.attack(w, steadyRate(median(ours)), p.each)
	for i, b := range w.baselines {
		r := Row{Work: w.name, Beside: b.name, Rate: median(ours), BesideRate: median(theirs[i]), Ratio: median(ratios(ours, theirs[i])), P50: steady.Latencies.P50, P99: steady.Latencies.P99}
		if i == 0 {
			r.Goal = w.goal
		}
		s.t.Logf("%-62s %12.0f %12.0f %8.3f   %v, %v   (of %s)", r.Work, r.Rate, r.BesideRate, r.Ratio,
			r.P50.Round(10*time.Microsecond), r.P99.Round(10*time.Microsecond), r.Beside)
		s.rows = append(s.rows, r)
	}
}

// read is a GET; its baseline is a bare server that answers the same bytes.
func (s *system) read(name, path, tag string, goal float64) work {
	s.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + s.token}, "Accept-Encoding": {"identity"}}
	w := work{name: name, status: http.StatusOK, goal: goal}
	if tag != "" {
		header.Set("If-None-Match", tag)
		w.status = http.StatusNotModified
	}
	status, body, answered := s.ask(http.MethodGet, path, nil, header)
	if status != w.status {
		s.t.Fatalf("%s: %d %s", path, status, body)
	}
	w.product = vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: s.url + "/api/v2" + path, Header: header})
	bare := work{name: "bare", status: w.status, product: vegeta.NewStaticTargeter(vegeta.Target{Method: http.MethodGet, URL: s.bare(status, body, answered) + path, Header: header})}
	w.baselines = []baseline{{"bare Fiber, the same bytes", func(_ context.Context, d time.Duration) float64 { return s.saturate(bare, d) }}}
	return w
}
