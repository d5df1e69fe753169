// Package neighbour measures what one organization notices while another floods the
// product: quiet and flooded rounds take turns in one run, and what is printed are
// ratios of latencies. `make bench-neighbour` plays it in full; it asserts that no
// request of the quiet organization fails, and no time.
package neighbour

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

const (
	password = "a long enough password"
	flooders = 24
	flight   = `{"from":"FRA","to":"LHR","passengers":3,"class":"economy"}`
	quick    = 10 * time.Second // of one request
)

// plan is how much of everything there is.
type plan struct{ rounds, samples, records, rows int }

func planned(t *testing.T) plan {
	t.Helper()
	switch os.Getenv("ECF_BENCH_NEIGHBOUR") {
	case "full":
		return plan{rounds: 12, samples: 25, records: 2000, rows: 50_000}
	default:
		if !testkit.Long(t) {
			t.Skip("make bench-neighbour")
		}
		return plan{rounds: 1, samples: 2, records: 100, rows: 500}
	}
}

// person is somebody who is signed in.
type person struct {
	t            *testing.T
	base, email  string
	token, event string
	client       *http.Client
}

// TestNeighbour prints the table.
func TestNeighbour(t *testing.T) {
	p := planned(t)
	quiet, greedy := start(t)
	greedy.fill(p.records)
	var file strings.Builder
	file.WriteString("treatment,weightKg\n")
	for n := range p.rows {
		fmt.Fprintf(&file, "landfill,%d\n", n+1)
	}
	floods := []struct {
		name  string
		flood func(ctx context.Context, n int)
	}{
		{"nobody", func(ctx context.Context, _ int) { <-ctx.Done() }}, // what the machine itself makes of it
		{"exports", greedy.repeat(http.MethodGet, greedy.event+"/export", "")},
		{"previews of the result", greedy.repeat(http.MethodGet, greedy.event+"/results/preview", "")},
		{"reports", greedy.repeat(http.MethodGet, greedy.event+"/results/report", "")},
		{"pages of 100", greedy.repeat(http.MethodGet, greedy.event+"/flights?limit=100&page=2", "")},
		{"large imports", greedy.repeat(http.MethodPost, greedy.event+"/waste/import?again=true", file.String())},
		{"rehearsed changes of the password", greedy.repeat(http.MethodPost, "/auth/password", `{"currentPassword":"`+password+`","newPassword":"another long enough password"}`)},
		{"rehearsed invitations", greedy.repeat(http.MethodPost, "/users", `{"email":"somebody@elsewhere.test","role":"user"}`)},
		{"unfinished uploads", greedy.uploads},
	}
	works := []work{
		{"GET /events", func() error { return quiet.ask(http.MethodGet, "/events?limit=25", "", http.StatusOK, nil) }},
		{"create", func() error {
			return quiet.ask(http.MethodPost, quiet.event+"/flights", flight, http.StatusCreated, nil)
		}},
		{"login", quiet.signIn},
		{"import of one row", quiet.importRow},
	}
	t.Logf("%-34s %s", "p99 flooded ÷ quiet (p50)", "GET /events, create, login, import of one row")
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) { compare(t, p, works, f.flood) })
	}
}

// work is a request of the quiet organization.
type work struct {
	name string
	do   func() error
}

// compare lets quiet and flooded rounds take turns, and prints the line of the table.
func compare(t *testing.T, p plan, works []work, flood func(ctx context.Context, n int)) {
	calm, crowded := make([][]time.Duration, len(works)), make([][]time.Duration, len(works))
	measure := func(into [][]time.Duration) {
		for range p.samples {
			for i, w := range works {
				began := time.Now()
				if err := w.do(); err != nil {
					t.Errorf("%s: %v", w.name, err)
				}
				into[i] = append(into[i], time.Since(began))
			}
		}
	}
	for range p.rounds {
		measure(calm)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for n := range flooders {
			running.Go(func() {
				for ctx.Err() == nil {
					flood(ctx, n)
				}
			})
		}
		measure(crowded)
		stop()
		running.Wait()
	}
	var line []string
	for i := range works {
		line = append(line, fmt.Sprintf("%.1f (%.1f)", float64(at(crowded[i], .99))/float64(at(calm[i], .99)), float64(at(crowded[i], .5))/float64(at(calm[i], .5))))
	}
	t.Logf("%s   quiet p50 and p99 %v %v", strings.Join(line, ", "), at(calm[0], .5).Round(10*time.Microsecond), at(calm[0], .99).Round(10*time.Microsecond))
}

// at returns a quantile.
func at(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(math.Ceil(q*float64(len(sorted))))-1]
}

// start starts the product with two organizations, and returns somebody of each.
func start(t *testing.T) (quiet, greedy *person) {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	env := map[string]string{
		"ECF_ADDR": address, "ECF_DATA_DIR": t.TempDir(), "ECF_ISSUER": "http://" + address, "ECF_LOG_LEVEL": "error",
		// Limits of requests would end the floods.
		"ECF_AUTH_RATE_LIMIT": "1000000/1m", "ECF_WRITE_RATE_LIMIT": "1000000/1s",
	}
	config, err := standalone.Load(nil, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	people := make([]*person, 2)
	for i, name := range []string{"quiet", "greedy"} {
		o, err := standalone.CreateOrganization(t.Context(), config.Data, config.Records.Quotas, log, name, "enterprise")
		if err != nil {
			t.Fatal(err)
		}
		people[i] = &person{t: t, base: "http://" + address + "/api/v2", email: name + "@bench.test",
			client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * flooders}}}
		if _, _, err := standalone.CreateUser(t.Context(), config.Data, log, standalone.NewUser{Org: string(o.ID), Email: people[i].email, Name: name, Role: identity.Admin, Password: password}); err != nil {
			t.Fatal(err)
		}
	}
	var settings []string
	for name, value := range env {
		settings = append(settings, name+"="+value)
	}
	process := testkit.Process(t, testkit.BinaryWithoutRace(t, "services/standalone/cmd/ecf"), []string{"serve"}, settings)
	process.WaitHTTP("http://" + address + "/api/v2/health/ready")
	for _, p := range people {
		var made struct {
			ID    string `json:"_id"`
			Token string `json:"accessToken"`
		}
		p.must(p.ask(http.MethodPost, "/auth/login", p.credentials(), http.StatusOK, &made))
		p.token = made.Token
		p.must(p.ask(http.MethodPost, "/events", `{"title":"Bench","country":"DE","startDate":"2026-05-01"}`, http.StatusCreated, &made))
		p.event = "/events/" + made.ID
	}
	return people[0], people[1]
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

// fill makes records, which are expensive to read.
func (p *person) fill(records int) {
	for range records / 100 {
		items := strings.TrimSuffix(strings.Repeat(flight+",", 100), ",")
		p.must(p.ask(http.MethodPost, p.event+"/flights/batch", `{"items":[`+items+`]}`, http.StatusOK, nil))
	}
}

var rowsImported atomic.Int64

// importRow imports a file of one row and waits until it is a record.
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
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	if path == "/auth/password" || path == "/users" {
		r.Header.Set("X-Dry-Run", "true")
	}
	return p.client.Do(r)
}

// ask makes a request and reads what it answers.
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

// repeat floods with one request; whoever is told to wait asks again at once.
func (p *person) repeat(method, path, body string) func(context.Context, int) {
	return func(ctx context.Context, _ int) {
		if response, err := p.request(ctx, method, path, body); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	}
}

// uploads announces 16 MiB without a token, sends most of them and falls silent.
func (p *person) uploads(ctx context.Context, _ int) {
	address := strings.TrimSuffix(strings.TrimPrefix(p.base, "http://"), "/api/v2")
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return
	}
	defer conn.Close() //nolint:errcheck // nothing was promised
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	_, err = io.WriteString(conn, "POST /api/v2/events/aaaaaaaaaaaaaaaaaaaaaaaaaa/flights/import HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 16776192\r\n\r\n")
	for sent := 0; err == nil && sent < 16<<20-(64<<10); sent += 32 << 10 {
		_, err = conn.Write(bytes.Repeat([]byte("x"), 32<<10))
	}
	_, _ = io.Copy(io.Discard, conn)
}
