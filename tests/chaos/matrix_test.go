package chaos

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

var updateMatrix = flag.Bool("update", false, "write the table of docs/availability.md anew")

const availability = "../../docs/availability.md"

// probe is a request that represents its kind.
type probe struct {
	head, method, path, body string
}

// matrix is a deployment with what the probes need.
type matrix struct {
	*deployment
	token, event string
	http         *http.Client
	n            int
}

// probes are the columns of the table.
func (m *matrix) probes() []probe {
	m.n++
	return []probe{
		{"sign in", "POST", "/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, m.user, password)},
		{"read events", "GET", "/events", ""},
		{"write an event", "POST", "/events", fmt.Sprintf(`{"title":"Event %d","startDate":"2026-05-01","endDate":"2026-05-02","country":"DE"}`, m.n)},
		{"review queue", "GET", "/review", ""},
		{"decide", "POST", "/events/" + m.event + "/review/approve", "{}"},
		{"results", "GET", "/events/" + m.event + "/results/history", ""},
		{"document", "GET", "/openapi.json", ""},
		{"gateway ready", "GET", "/health/ready", ""},
	}
}

// row makes every probe once. A cell says that there was an answer, or the status of a
// failure, which must be in the error envelope; a 503 must have Retry-After.
func (m *matrix) row() ([]string, error) {
	var cells []string
	for _, p := range m.probes() {
		req, err := http.NewRequestWithContext(m.t.Context(), p.method, m.bases[0]+"/api/v2"+p.path, strings.NewReader(p.body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+m.token)
		if p.body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		began := time.Now()
		res, err := m.http.Do(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil {
			return nil, err
		}
		cell := "answers"
		if res.StatusCode >= http.StatusInternalServerError {
			var envelope struct {
				Success *bool
				Error   struct{ Code string }
			}
			if json.Unmarshal(body, &envelope) != nil || envelope.Success == nil || envelope.Error.Code == "" {
				return nil, fmt.Errorf("%s: %d is not in the error envelope: %s", p.head, res.StatusCode, body)
			}
			cell = fmt.Sprint(res.StatusCode)
			if res.StatusCode == http.StatusServiceUnavailable && res.Header.Get("Retry-After") == "" {
				return nil, fmt.Errorf("%s: %d without Retry-After", p.head, res.StatusCode)
			}
		}
		if took := time.Since(began); took > attemptLimit/2 {
			return nil, fmt.Errorf("%s took %v", p.head, took)
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// steady returns the row once it was the same three times.
func (m *matrix) steady(want []string) []string {
	m.t.Helper()
	var last []string
	same := 0
	testkit.Eventually(m.t, 90*time.Second, func() error {
		cells, err := m.row()
		if err != nil {
			same = 0
			return err
		}
		if slices.Equal(cells, last) {
			same++
		} else {
			last, same = cells, 1
		}
		if same < 3 || want != nil && !slices.Equal(cells, want) {
			return fmt.Errorf("%v, %d times, want %v", cells, same, want)
		}
		return nil
	})
	return last
}

// TestFailureMatrix stops each part of a deployment, one after the other, and lets each
// service hang (SIGSTOP), and compares the responses with docs/availability.md. With
// -update it writes the table. Without the database nothing is acknowledged (statement 32).
func TestFailureMatrix(t *testing.T) {
	testkit.OnlyLong(t)
	d := separate(t)
	_, cache := testkit.Redis(t)
	cacheLink := newLink(t, cache.Addr())
	for _, p := range d.parts {
		p.stop()
		p.env = append(p.env, "ECF_REDIS_CACHE_URL=redis://"+cacheLink.addr()+"/0")
		p.start()
	}
	d.awaitReady()
	m := &matrix{deployment: d, http: &http.Client{Timeout: attemptLimit}}
	m.prepare()
	hang := func(name string) (begin, end func()) {
		p := d.part(name)
		return func() { p.signal(syscall.SIGSTOP) }, func() { p.signal(syscall.SIGCONT) }
	}
	part := func(name string) (begin, end func()) {
		var them []*part
		for _, p := range d.parts {
			if strings.HasPrefix(p.name, name) {
				them = append(them, p)
			}
		}
		if len(them) == 0 {
			t.Fatalf("there is no %s", name)
		}
		return func() {
				for _, p := range them {
					p.kill()
				}
			}, func() {
				for _, p := range them {
					p.start()
				}
				d.awaitReady()
			}
	}
	rows := [][]string{{"nothing"}}
	rest := m.steady(nil)
	rows[0] = append(rows[0], rest...)
	for _, c := range []struct{ name, part string }{
		{"auth", "auth"}, {"records", "records"}, {"review", "review"}, {"calculation", "results"}, {"worker", "worker"},
		{"MongoDB", ""}, {"Redis of the queue", ""}, {"Redis of the cache", ""},
		{"auth hangs", "auth"}, {"records hangs", "records"}, {"review hangs", "review"}, {"calculation hangs", "results"},
	} {
		var begin, end func()
		switch {
		case strings.HasSuffix(c.name, " hangs"):
			begin, end = hang(c.part)
		case c.part != "":
			begin, end = part(c.part)
		case c.name == "MongoDB":
			if d.mongoLink == nil {
				t.Skip("the URI of the database does not name a single server")
			}
			begin, end = d.mongoLink.cut()
		case c.name == "Redis of the queue":
			begin, end = d.redisLink.cut()
		default:
			begin, end = cacheLink.cut()
		}
		begin()
		cells := m.steady(nil)
		rows = append(rows, append([]string{c.name}, cells...))
		t.Logf("%s: %v", c.name, cells)
		end()
		d.awaitReady()
		m.steady(rest)
	}
	m.hold(rows)
}

// prepare logs in and creates an event.
func (m *matrix) prepare() {
	m.t.Helper()
	c := m.client(1, m.manager)
	if err := c.login(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	m.token = c.token
	a, err := c.post(m.t.Context(), "/events", map[string]any{"title": "Matrix", "startDate": "2026-05-01", "endDate": "2026-05-02", "country": "DE"})
	if err != nil {
		m.t.Fatal(err)
	}
	var event struct {
		ID string `json:"_id"`
	}
	if err := a.into(&event); err != nil || event.ID == "" {
		m.t.Fatalf("%v: %s", err, a.body)
	}
	m.event = event.ID
}

// hold compares the table with that of the document, or writes it.
func (m *matrix) hold(rows [][]string) {
	m.t.Helper()
	var b strings.Builder
	b.WriteString("| Down |")
	for _, p := range m.probes() {
		b.WriteString(" " + p.head + " |")
	}
	b.WriteString("\n|---" + strings.Repeat("|---", len(m.probes())) + "|\n")
	for _, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	}
	const from, to = "<!-- matrix -->\n", "<!-- end of matrix -->"
	text, err := os.ReadFile(availability)
	if err != nil {
		m.t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), from)
	held, after, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		m.t.Fatal("the document has no markers for the table")
	}
	if *updateMatrix {
		if err := os.WriteFile(availability, []byte(before+from+b.String()+to+after), 0o644); err != nil { //nolint:gosec // a document
			m.t.Fatal(err)
		}
		return
	}
	if held != b.String() {
		m.t.Errorf("the document has\n%s\nbut it should have\n%s\n(run this test with -update)", held, b.String())
	}
}
