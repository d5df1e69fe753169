package system

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	vegeta "github.com/tsenart/vegeta/v12/lib"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

const (
	password = "a long enough password"
	email    = "manager@bench.test"
	clients  = 16
	flight   = `{"from":"FRA","to":"LHR","passengers":%d,"class":"economy","roundTrip":true,"group":"speakers","description":"To the venue and back"}`
)

// plan is how much of everything there is.
type plan struct {
	rounds  int
	each    time.Duration // of one measurement
	records int           // of the list
	events  int
	people  int // who ask for too much
	full    bool
}

func planned(t *testing.T) plan {
	t.Helper()
	switch text := os.Getenv("ECF_BENCH_SYSTEM"); text {
	case "":
		return plan{rounds: 1, each: 100 * time.Millisecond, records: 30, events: 3, people: 3}
	case "full":
		return plan{rounds: 5, each: 3 * time.Second, records: 500, events: 100, people: 200, full: true}
	default:
		t.Fatalf("ECF_BENCH_SYSTEM=%q: it may be full, or unset for a short run", text)
		return plan{}
	}
}

// work is one kind of request, and what it is measured beside.
type work struct {
	name      string
	product   vegeta.Targeter
	baselines []baseline
	status    int
	goal      float64 // the ratio to the first baseline that is asked for; 0: none
}

// baseline is the least that does the same.
type baseline struct {
	name string
	rate func(context.Context, time.Duration) float64 // how many a second
}

// TestSystem prints the table.
func TestSystem(t *testing.T) {
	p := planned(t)
	s := start(t)
	list := s.fill(p.records)
	for range p.events - 2 {
		s.event()
	}
	page := "/events/" + list + "/flights?limit=25"
	s.print(p,
		s.read("list of 25 records", page, "", 0.2),
		s.read("the same, If-None-Match", page, s.tag(page), 0.4),
		s.read("list of 25 events", "/events?limit=25", "", 0.3),
		s.read("one event", "/events/"+list, "", 0),
		s.create(s.event()), // not in the list, whose tag it would change
	)
	s.keep("system")
}

// print measures and prints a table.
func (s *system) print(p plan, table ...work) {
	s.t.Helper()
	s.t.Logf("%-26s %12s %12s %8s   %s", "", "a second", "baseline", "ratio", "at half of that, or 4,000 a second: p50, p99")
	for _, w := range table {
		s.measure(p, w)
	}
}

// measure takes the product and the baselines of one work in turns.
func (s *system) measure(p plan, w work) {
	s.t.Helper()
	var ours []float64
	theirs := make([][]float64, len(w.baselines))
	for range p.rounds {
		ours = append(ours, s.saturate(w, p.each))
		for i, b := range w.baselines {
			theirs[i] = append(theirs[i], b.rate(s.t.Context(), p.each))
		}
	}
	steady := s.attack(w, steadyRate(median(ours)), p.each)
	for i, b := range w.baselines {
		r := Row{Work: w.name, Beside: b.name, Rate: median(ours), BesideRate: median(theirs[i]), Ratio: median(ratios(ours, theirs[i])), P50: steady.Latencies.P50, P99: steady.Latencies.P99}
		if i == 0 {
			r.Goal = w.goal
		}
		s.t.Logf("%-26s %12.0f %12.0f %8.3f   %v, %v   (of %s)", r.Work, r.Rate, r.BesideRate, r.Ratio,
			r.P50.Round(10*time.Microsecond), r.P99.Round(10*time.Microsecond), r.Beside)
		s.rows = append(s.rows, r)
	}
}

// latencyRate is how many requests a second latencies are measured at, at most: each takes the
// attacker 50 µs of the processors that the product has too, and at half of what lean clients
// get answered it is the attacker that is late.
const latencyRate = 4000

// steadyRate returns the rate of an attack on what answers so many a second.
func steadyRate(most float64) vegeta.Rate {
	return vegeta.Rate{Freq: max(1, min(int(most/2), latencyRate)), Per: time.Second}
}

// keep writes what was measured, and its drawing, into the directory of ECF_BENCH_OUT.
func (s *system) keep(name string) {
	s.t.Helper()
	dir := os.Getenv("ECF_BENCH_OUT")
	if dir == "" {
		return
	}
	table := Table(s.rows)
	rows, err := Read(table) // as they are rounded there
	if err != nil {
		s.t.Fatal(err)
	}
	for suffix, text := range map[string]string{".tsv": table, ".svg": Plot(Titles[name], rows)} {
		if err := os.WriteFile(filepath.Join(dir, name+suffix), []byte(text), 0o600); err != nil {
			s.t.Error(err)
		}
	}
}

// attack sends requests at a rate, and times the answers.
func (s *system) attack(w work, rate vegeta.Rate, d time.Duration) *vegeta.Metrics {
	s.t.Helper()
	// The gateway allows an address 1,000 connections in all, and those of an attack that is
	// over would be kept by both sides.
	transport := &http.Transport{MaxIdleConnsPerHost: 128, MaxConnsPerHost: 128}
	defer transport.CloseIdleConnections()
	var m vegeta.Metrics
	check := s.checked(w)
	for result := range vegeta.NewAttacker(vegeta.Workers(clients), vegeta.Client(&http.Client{Transport: transport, Timeout: time.Minute})).Attack(w.product, rate, d, w.name) {
		check(int(result.Code), result.Error, result.Body)
		m.Add(result)
	}
	m.Close()
	return &m
}

// saturate has so many clients ask as fast as they are answered, and returns how many answers
// came a second. Each request takes processors from the server, which has the same ones: the
// clients are of fasthttp, and take less than those of an attack.
func (s *system) saturate(w work, d time.Duration) float64 {
	s.t.Helper()
	return s.saturateBy(clients, w, d)
}

// saturateBy is saturate by another number of clients.
func (s *system) saturateBy(clients int, w work, d time.Duration) float64 {
	s.t.Helper()
	var first vegeta.Target
	if err := w.product(&first); err != nil {
		s.t.Fatal(err)
	}
	to, err := url.Parse(first.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	client := &fasthttp.HostClient{Addr: to.Host, MaxConns: clients, ReadBufferSize: 16 << 10}
	defer client.CloseIdleConnections()
	var answered atomic.Int64
	var all sync.WaitGroup
	check := s.checked(w)
	began := time.Now()
	for range clients {
		all.Go(func() {
			var request fasthttp.Request
			var response fasthttp.Response
			var target vegeta.Target
			for time.Since(began) < d {
				if err := w.product(&target); err != nil {
					check(0, err.Error(), nil)
					return
				}
				request.Reset()
				request.SetRequestURI(target.URL)
				request.Header.SetMethod(target.Method)
				for name, values := range target.Header {
					request.Header.Set(name, values[0])
				}
				request.SetBodyRaw(target.Body)
				if err := client.DoTimeout(&request, &response, time.Minute); err != nil {
					check(0, err.Error(), nil)
					return
				}
				if check(response.StatusCode(), "", response.Body()) {
					answered.Add(1)
				}
			}
		})
	}
	all.Wait()
	return float64(answered.Load()) / time.Since(began).Seconds()
}

// checked returns what reports whether an answer is the one that is measured, and tells of
// the first one that should not be.
func (s *system) checked(w work) func(status int, fault string, body []byte) bool {
	s.t.Helper()
	var told atomic.Bool
	return func(status int, fault string, body []byte) bool {
		late := status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
		if status != w.status && !late && !told.Swap(true) {
			s.t.Errorf("%s: %d %s %.300s, want %d", w.name, status, fault, body, w.status)
		}
		return status == w.status
	}
}

// read is a GET, beside a bare server that answers the same bytes.
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

// bare starts a server that knows one answer, as a process of its own, which the product is
// too.
func (s *system) bare(status int, body []byte, header http.Header) string {
	s.t.Helper()
	text, err := json.Marshal(answer{status, header.Get("ETag"), body})
	if err != nil {
		s.t.Fatal(err)
	}
	file := filepath.Join(s.t.TempDir(), "answer")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	return peer(s.t, "fiber", peerAnswer+"="+file)
}

// answer is the one that a bare server knows.
type answer struct {
	Status int
	Tag    string
	Body   []byte
}

// serveAnswer gives one answer to all requests.
func serveAnswer(ln net.Listener, file string) error {
	text, err := os.ReadFile(file) //nolint:gosec // the test has written it
	if err != nil {
		return err
	}
	var a answer
	if err := json.Unmarshal(text, &a); err != nil {
		return err
	}
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error { return c.SendStatus(http.StatusOK) }) // it is ready
	app.Get("/*", func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderETag, a.Tag)
		c.Status(a.Status)
		if a.Status == http.StatusNotModified {
			return nil
		}
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(a.Body)
	})
	return app.Listener(ln)
}

// repeated returns how often a second as many as there are clients do something.
func repeated(do func(context.Context) error) func(context.Context, time.Duration) float64 {
	return func(ctx context.Context, d time.Duration) float64 {
		var done atomic.Int64
		began, ended := time.Now(), make(chan struct{}, clients)
		for range clients {
			go func() {
				for time.Since(began) < d {
					if do(ctx) == nil {
						done.Add(1)
					}
				}
				ended <- struct{}{}
			}()
		}
		for range clients {
			<-ended
		}
		return float64(done.Load()) / time.Since(began).Seconds()
	}
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// system is the product in one process, signed in to.
type system struct {
	t     *testing.T
	url   string
	token string
	// data is the directory of the embedded engines.
	data    string
	process *testkit.Proc
	rows    []Row
}

func start(t *testing.T) *system { return startFor(t, 0) }

// startFor is start where so many other people have accounts in the organization.
func startFor(t *testing.T, people int) *system {
	t.Helper()
	address, data := freeAddress(t), t.TempDir()
	env := map[string]string{
		"ECF_ADDR": address, "ECF_DATA_DIR": data, "ECF_ISSUER": "http://" + address,
	}
	for _, setting := range settings() {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	config, err := standalone.Load(nil, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	o, err := standalone.CreateOrganization(t.Context(), config.Data, config.Records.Quotas, log, "Bench Ltd", "enterprise")
	if err != nil {
		t.Fatal(err)
	}
	emails := []string{email}
	for i := range people {
		emails = append(emails, personEmail(i))
	}
	for _, email := range emails {
		if _, _, err := standalone.CreateUser(t.Context(), config.Data, log, standalone.NewUser{Org: string(o.ID), Email: email, Name: "Bench", Role: identity.Manager, Password: password}); err != nil {
			t.Fatal(err)
		}
	}
	all := make([]string, 0, len(env))
	for name, value := range env {
		all = append(all, name+"="+value)
	}
	process := testkit.Process(t, testkit.BinaryWithoutRace(t, "services/standalone/cmd/ecf"), []string{"serve"}, all)
	s := &system{t: t, url: "http://" + address, data: data, process: process}
	process.WaitHTTP(s.url + "/api/v2/health/ready")
	s.token = s.signIn(email)
	return s
}

func personEmail(i int) string { return fmt.Sprintf("person%d@bench.test", i) }

// settings are those of every shape: limits are out of the way, this is not about
// them.
func settings() []string {
	return []string{"ECF_LOG_LEVEL=warn", "ECF_AUTH_RATE_LIMIT=100000/1m", "ECF_WRITE_RATE_LIMIT=100000000/1m"}
}

func (s *system) signIn(email string) (token string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.made("/auth/login", body, http.StatusOK).AccessToken
}

func (s *system) ask(method, path string, body []byte, header http.Header) (int, []byte, http.Header) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v2"+path, bytes.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header = header.Clone()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, text, response.Header
}

// created is what is used of an answer to a POST.
type created struct {
	ID          string `json:"_id"`
	AccessToken string `json:"accessToken"`
}

func (s *system) made(path string, body []byte, want int) created {
	s.t.Helper()
	header := http.Header{"Content-Type": {"application/json"}}
	if s.token != "" {
		header.Set("Authorization", "Bearer "+s.token)
	}
	var status int
	var answered []byte
	testkit.Eventually(s.t, 5*time.Minute, func() error {
		// On a busy machine an answer may take longer than the gateway waits for it.
		if status, answered, _ = s.ask(http.MethodPost, path, body, header); status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout {
			return fmt.Errorf("%d %s", status, answered)
		}
		return nil
	})
	var envelope struct{ Data created }
	if err := json.Unmarshal(answered, &envelope); err != nil || status != want {
		s.t.Fatalf("POST %s: %d %s", path, status, answered)
	}
	return envelope.Data
}

func (s *system) event() string {
	s.t.Helper()
	return s.made("/events", []byte(`{"title":"Bench","country":"DE","startDate":"2026-05-01"}`), http.StatusCreated).ID
}

// fill makes an event with so many records.
func (s *system) fill(records int) string {
	s.t.Helper()
	event := s.event()
	for made := 0; made < records; {
		n := min(100, records-made)
		items := make([]string, n)
		for i := range items {
			items[i] = fmt.Sprintf(flight, 1+made+i)
		}
		s.made("/events/"+event+"/flights/batch", []byte(`{"items":[`+strings.Join(items, ",")+`]}`), http.StatusOK)
		made += n
	}
	return event
}

// tag returns the entity tag of a path.
func (s *system) tag(path string) string {
	s.t.Helper()
	_, _, header := s.ask(http.MethodGet, path, nil, http.Header{"Authorization": {"Bearer " + s.token}, "Accept-Encoding": {"identity"}})
	return header.Get("ETag")
}
