// Package neighbour measures how a flood by one organization affects another one. Quiet
// and flooded rounds alternate in one run, and the results are ratios of latencies.
// Unlike in production, the flooding process uses CPUs of the same machine, so there
// are also rounds with a process that only does that, and ratios to both. `make
// bench-neighbour` runs it in full. It asserts that no request of the quiet
// organization fails; it asserts no time.
package neighbour

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

const (
	password = "a long enough password"
	flight   = `{"from":"FRA","to":"LHR","passengers":3,"class":"economy"}`
	quick    = 10 * time.Second // of one request
	// leftovers is how long the server may work on what a flood has left: imports
	// continue.
	leftovers = time.Minute
)

// plan is the size of a run. In each round each work is measured once per sample, short
// ones four times per sample.
type plan struct{ rounds, samples, records, rows int }

func planned(t *testing.T) plan {
	t.Helper()
	switch os.Getenv("ECF_BENCH_NEIGHBOUR") {
	case "full":
		return plan{rounds: 12, samples: 25, records: 4000, rows: 50_000}
	default:
		if !testkit.Long(t) {
			t.Skip("make bench-neighbour")
		}
		return plan{rounds: 1, samples: 2, records: 100, rows: 500}
	}
}

// person is a user who is logged in.
type person struct {
	t            *testing.T
	base, email  string
	token, event string
	client       *http.Client
	// codings are the values of Accept-Encoding; responses are not decompressed.
	codings string
}

// TestNeighbour prints the table.
func TestNeighbour(t *testing.T) {
	p := planned(t)
	quiet, greedy, server := start(t, p)
	flood := startFlood(t, greedy, p.rows)
	works := []work{
		{"GET /events", 4, func() error { return quiet.ask(http.MethodGet, "/events?limit=25", "", http.StatusOK, nil) }},
		{"create", 4, func() error {
			return quiet.ask(http.MethodPost, quiet.event+"/flights", flight, http.StatusCreated, nil)
		}},
		{"login", 1, quiet.signIn},
		{"import of one row", 1, quiet.importRow},
	}
	t.Logf("p99 flooded ÷ quiet [90 %% of resampled rounds] (p50), p99 flooded ÷ busy, and ÷ the same flood of a server that only refuses: GET /events, create, login, import of one row")
	for _, f := range floods(greedy, "", "") {
		switch {
		case f.name == bareUploads: // printed in the row of the flood that it controls
		case f.control == "":
			t.Run(f.name, func(t *testing.T) { compare(t, p, works, server, f.lasting, flood.of(f.name), flood.of(busy)) })
		default:
			t.Run(f.name, func(t *testing.T) {
				compare(t, p, works, server, f.lasting, flood.of(f.name), flood.of(busy), flood.of(f.control))
			})
		}
	}
}

// work is a request of the quiet organization, and how often it is made for each
// sample.
type work struct {
	name  string
	times int
	do    func() error
}

// rounds are the latencies of one work, by round.
type rounds [][]time.Duration

// compare alternates quiet rounds, control rounds and flooded rounds, and prints a row
// of the table. The first control is a machine that is merely busy. A quiet round
// starts when the server has finished the work that the last flood left; if that takes
// long, all quiet rounds come first.
func compare(t *testing.T, p plan, works []work, server *testkit.Proc, lasting bool, flood controls, others ...controls) {
	calm, crowded, beside := make([]rounds, len(works)), make([]rounds, len(works)), make([][]rounds, len(others))
	for i := range beside {
		beside[i] = make([]rounds, len(works))
	}
	measure := func(into []rounds) {
		for i := range works {
			into[i] = append(into[i], nil)
		}
		for range p.samples {
			for i, w := range works {
				for range w.times {
					began := time.Now()
					if err := w.do(); err != nil {
						t.Errorf("%s: %v", w.name, err)
					}
					round := &into[i][len(into[i])-1]
					*round = append(*round, time.Since(began))
				}
			}
		}
	}
	var flooded time.Duration
	answered := 0
	quiet := func() {
		server.WaitIdle(leftovers)
		measure(calm)
		for i, other := range others {
			other.start()
			measure(beside[i])
			other.stop()
		}
	}
	crowd := func() {
		began := time.Now()
		flood.start()
		measure(crowded)
		flooded += time.Since(began)
		answered += flood.stop()
	}
	for range p.rounds {
		if quiet(); !lasting {
			crowd()
		}
	}
	for range p.rounds {
		if lasting {
			crowd()
		}
	}
	var line []string
	for i := range works {
		low, high := interval(calm[i], crowded[i])
		text := fmt.Sprintf("%.1f [%.1f–%.1f] (%.1f)", ratio(calm[i], crowded[i], .99), low, high, ratio(calm[i], crowded[i], .5))
		for n, name := range []string{"busy", "only refusing"}[:len(others)] {
			text += fmt.Sprintf(" ÷ %s %.1f", name, ratio(beside[n][i], crowded[i], .99))
		}
		line = append(line, text)
	}
	p99 := func(r rounds) time.Duration { return at(slices.Concat(r...), .99).Round(10 * time.Microsecond) }
	list := []time.Duration{p99(calm[0])}
	for n := range others {
		list = append(list, p99(beside[n][0]))
	}
	t.Logf("%s   GET /events p99 quiet, with each control, flooded %v; the flood got %.0f responses a second",
		strings.Join(line, ", "), append(list, p99(crowded[0])), float64(answered)/flooded.Seconds())
}

// ratio compares quantiles of all rounds.
func ratio(calm, crowded rounds, q float64) float64 {
	return float64(at(slices.Concat(crowded...), q)) / float64(at(slices.Concat(calm...), q))
}

// interval returns the 90% bootstrap interval of the ratio of the 99th percentiles,
// resampling rounds.
func interval(calm, crowded rounds) (low, high float64) {
	random := rand.New(rand.NewPCG(1, 2))
	drawn := func(from rounds) rounds {
		to := make(rounds, len(from))
		for i := range to {
			to[i] = from[random.IntN(len(from))]
		}
		return to
	}
	ratios := make([]float64, 400)
	for i := range ratios {
		ratios[i] = ratio(drawn(calm), drawn(crowded), .99)
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/20], ratios[len(ratios)-1-len(ratios)/20]
}

// at returns a quantile.
func at(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1]
}

// start starts the product with two organizations, and returns a user of each and its
// process.
func start(t *testing.T, p plan) (quiet, greedy *person, server *testkit.Proc) {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	env := map[string]string{
		"ECF_ADDR": address, "ECF_DATA_DIR": t.TempDir(), "ECF_ISSUER": "http://" + address, "ECF_LOG_LEVEL": "error",
		// Rate limits would end the floods.
		"ECF_AUTH_RATE_LIMIT": "1000000/1m", "ECF_WRITE_RATE_LIMIT": "1000000/1s", "ECF_STORED_RATE_LIMIT": "1000000/1s",
	}
	config, err := standalone.Load(nil, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	people := map[string]*person{}
	for _, name := range []string{"quiet", "greedy"} {
		o, err := standalone.CreateOrganization(t.Context(), config.Data, config.Records.Quotas, log, name, "enterprise")
		if err != nil {
			t.Fatal(err)
		}
		for name, role := range map[string]identity.Role{name: identity.Admin, name + " colleague": identity.User} {
			p := &person{t: t, base: "http://" + address + "/api/v2", email: strings.ReplaceAll(name, " ", ".") + "@bench.test",
				client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 4}}}
			if _, _, err := standalone.CreateUser(t.Context(), config.Data, log, standalone.NewUser{Org: string(o.ID), Email: p.email, Name: name, Role: role, Password: password}); err != nil {
				t.Fatal(err)
			}
			people[name] = p
		}
	}
	var settings []string
	for name, value := range env {
		settings = append(settings, name+"="+value)
	}
	program := behind(serverPriority, testkit.BinaryWithoutRace(t, "services/standalone/cmd/ecf"), "serve")
	process := testkit.Process(t, program[0], program[1:], settings)
	process.WaitHTTP("http://" + address + "/api/v2/health/ready")
	for _, p := range people {
		var made struct {
			Token string `json:"accessToken"`
		}
		p.must(p.ask(http.MethodPost, "/auth/login", p.credentials(), http.StatusOK, &made))
		p.token = made.Token
	}
	for _, p := range []*person{people["quiet"], people["greedy"]} {
		var made struct {
			ID string `json:"_id"`
		}
		p.must(p.ask(http.MethodPost, "/events", `{"title":"Bench","country":"DE","startDate":"2026-05-01"}`, http.StatusCreated, &made))
		p.event = "/events/" + made.ID
	}
	people["greedy colleague"].event = people["greedy"].event
	people["greedy"].fill(p.records, people["greedy colleague"])
	return people["quiet"], people["greedy"], process
}

func (p *person) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) credentials() string {
	return `{"email":"` + p.email + `","password":"` + password + `"}`
}

func (p *person) signIn() error {
	return p.ask(http.MethodPost, "/auth/login", p.credentials(), http.StatusOK, nil)
}

// fill makes records, every other one of them approved: they are expensive to read, and
// their result is expensive to explain.
func (p *person) fill(records int, colleague *person) {
	const each = 100
	items := strings.TrimSuffix(strings.Repeat(flight+",", each), ",")
	for n := range records / each {
		var made struct {
			Items []struct {
				Record struct {
					ID string `json:"_id"`
				}
			}
		}
		p.must(colleague.ask(http.MethodPost, p.event+"/flights/batch", `{"items":[`+items+`]}`, http.StatusOK, &made))
		if n%2 != 0 {
			continue
		}
		var ids struct {
			IDs []string `json:"ids"`
		}
		for _, i := range made.Items {
			ids.IDs = append(ids.IDs, i.Record.ID)
		}
		text, err := json.Marshal(ids)
		p.must(err)
		for i, path := range []string{"/flights/submit", "/review/approve"} {
			var done struct{ Succeeded int }
			p.must([]*person{colleague, p}[i].ask(http.MethodPost, p.event+path, string(text), http.StatusOK, &done))
			if done.Succeeded != each {
				p.t.Fatalf("%s: %d of %d", path, done.Succeeded, each)
			}
		}
	}
	testkit.Eventually(p.t, time.Minute, func() error {
		var result struct{ Status string }
		p.must(p.ask(http.MethodGet, p.event+"/results", "", http.StatusOK, &result))
		if result.Status != "current" {
			return fmt.Errorf("the result is %s", result.Status)
		}
		return nil
	})
}

var rowsImported atomic.Int64

// importRow imports a file of one row and waits until the row is a record.
func (p *person) importRow() error {
	var made struct {
		ID     string `json:"_id"`
		Status string `json:"status"`
	}
	row := fmt.Sprintf("treatment,weightKg\nlandfill,%d\n", rowsImported.Add(1))
	if err := p.ask(http.MethodPost, p.event+"/waste/import", row, http.StatusAccepted, &made); err != nil {
		return err
	}
	for began := time.Now(); time.Since(began) < time.Minute; {
		if err := p.ask(http.MethodGet, p.event+"/imports/"+made.ID, "", http.StatusOK, &made); err != nil {
			return err
		}
		if made.Status == "completed" {
			return nil
		}
	}
	return fmt.Errorf("import %s is %s", made.ID, made.Status)
}

func (p *person) request(ctx context.Context, method, path, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	switch {
	case strings.Contains(path, "/import"):
		r.Header.Set("Content-Type", "text/csv")
	case body != "":
		r.Header.Set("Content-Type", "application/json")
	}
	if p.codings != "" {
		r.Header.Set("Accept-Encoding", p.codings)
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	if path == "/auth/password" || path == "/users" {
		r.Header.Set("X-Dry-Run", "true")
	}
	return p.client.Do(r)
}

// ask makes a request and decodes the response.
func (p *person) ask(method, path, body string, want int, into any) error {
	ctx, cancel := context.WithTimeout(p.t.Context(), quick)
	defer cancel()
	response, err := p.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != want {
		return fmt.Errorf("%s %s: %d %.300s", method, path, response.StatusCode, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, &struct{ Data any }{into})
}
