package scale

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

const (
	password = "a long enough password"
	email    = "manager@scale.test"
	// patience limits every wait of a run.
	patience = 30 * time.Minute
)

// system is a server with its database, which is filled before it starts.
type system struct {
	t       *testing.T
	org     record.OrgID
	userID  string
	records record.Store
	closing func() error

	env         []string
	url, debug  string
	proc        *testkit.Proc
	client      *http.Client
	accessToken string
}

// newSystem creates the database with an organization and an account.
func newSystem(t *testing.T) *system {
	t.Helper()
	addr, debug, data := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)), t.TempDir()
	env := map[string]string{
		"ECF_ADDR": addr, "ECF_DEBUG_ADDR": debug, "ECF_DATA_DIR": data, "ECF_ISSUER": "http://" + addr, "ECF_LOG_LEVEL": "warn",
		"ECF_AUTH_RATE_LIMIT": "10000/1m", "ECF_WRITE_RATE_LIMIT": "10000000/1m", "ECF_STORED_RATE_LIMIT": "1000000/1s",
		"ECF_REQUEST_TIMEOUT": "1m", // the first record reads all factors, which is slow with the race detector
	}
	s := &system{
		t: t, url: "http://" + addr, debug: debug,
		client: &http.Client{Timeout: 5 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 256}},
	}
	t.Cleanup(s.client.CloseIdleConnections)
	config, err := standalone.Load(nil, func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range env {
		s.env = append(s.env, name+"="+value)
	}
	log := slog.New(slog.DiscardHandler)
	o, err := standalone.CreateOrganization(t.Context(), config.Data, config.Records.Quotas, log, "Scale Ltd", "enterprise")
	if err != nil {
		t.Fatal(err)
	}
	u, _, err := standalone.CreateUser(t.Context(), config.Data, log, standalone.NewUser{Org: string(o.ID), Email: email, Name: "Scale", Role: identity.Manager, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	s.org, s.userID = o.ID, u.ID
	db, err := sqlitex.Open(t.Context(), filepath.Join(data, standalone.DatabaseFile), recordsqlite.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	s.records, s.closing = recordsqlite.New(db), db.Close
	return s
}

// start starts the server on the filled database and logs in.
func (s *system) start() {
	s.t.Helper()
	if err := s.closing(); err != nil {
		s.t.Fatal(err)
	}
	s.proc = testkit.Process(s.t, testkit.Binary(s.t, "services/standalone/cmd/ecf"), []string{"serve"}, s.env)
	s.proc.WaitHTTP(s.url + "/api/v2/health/ready")
	status, body := s.ask(http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password})
	var envelope struct{ Data struct{ AccessToken string } }
	if err := json.Unmarshal(body, &envelope); err != nil || status != http.StatusOK {
		s.t.Fatalf("sign in: %d %s", status, body)
	}
	s.accessToken = envelope.Data.AccessToken
}

// ask sends one request. It is safe for concurrent use.
func (s *system) ask(method, path string, body any) (int, []byte) {
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			s.t.Error(err)
			return 0, nil
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(context.Background(), method, s.url+"/api/v2"+path, content)
	if err != nil {
		s.t.Error(err)
		return 0, nil
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if s.accessToken != "" {
		request.Header.Set("Authorization", "Bearer "+s.accessToken)
	}
	response, err := s.client.Do(request)
	if err != nil {
		s.t.Error(err)
		return 0, nil
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Error(err)
	}
	return response.StatusCode, text
}

// approve approves one record.
func (s *system) approve(e *event, w waiting) error {
	status, body := s.ask(http.MethodPost, "/events/"+e.id+"/"+w.typ+"/"+w.id+"/approve", nil)
	if status != http.StatusOK {
		return fmt.Errorf("approve %s %s: status %d: %s", w.typ, w.id, status, body)
	}
	e.approved(w)
	return nil
}

// approveAndSee approves the next record and waits until the event's result is current
// again, which then includes it. It returns the time until the response, and until the
// result.
func (s *system) approveAndSee(e *event) (answer, visible time.Duration) {
	w, ok := e.next()
	if !ok {
		s.t.Error("event " + e.id + " has nothing left to approve")
		return 0, 0
	}
	began := time.Now()
	if err := s.approve(e, w); err != nil {
		s.t.Error(err)
	}
	answer = time.Since(began)
	s.see(e)
	return answer, time.Since(began)
}

// result has the fields read of a result.
type result struct {
	Revision int64 // 1, 2, 3 …: incremented with each result that differs from the previous one
	Status   string
	Total    struct{ KgCO2e json.Number }
	Counts   struct{ Approved int64 }
}

// see waits until an event's result is current.
func (s *system) see(e *event) result {
	for began := time.Now(); ; {
		status, body := s.ask(http.MethodGet, "/events/"+e.id+"/results", nil)
		var envelope struct{ Data result }
		if err := json.Unmarshal(body, &envelope); err != nil || status != http.StatusOK && status != http.StatusNotFound {
			s.t.Errorf("result of %s: status %d: %v: %s", e.id, status, err, body)
			return result{}
		}
		if status == http.StatusOK && envelope.Data.Status == "current" {
			return envelope.Data
		}
		waited := time.Since(began)
		if waited > patience {
			s.t.Errorf("event %s did not become current", e.id)
			return result{}
		}
		<-time.After(max(askAgain, waited/100))
	}
}

// askAgain is the minimum interval between two polls of a result, which is otherwise a
// hundredth of the time waited: it is part of the measurement, so it must be a small
// part; but polling without a pause for minutes would itself be a load.
const askAgain = 2 * time.Millisecond

// check compares an event's result with the approvals.
func (s *system) check(e *event) {
	s.t.Helper()
	r := s.see(e)
	approved, total := e.want(s.t)
	text, err := json.Marshal(total)
	if err != nil {
		s.t.Fatal(err)
	}
	if r.Counts.Approved != approved || string(r.Total.KgCO2e) != string(text) {
		s.t.Errorf("event %s counts %d records with %s kg, want %d with %s", e.id, r.Counts.Approved, r.Total.KgCO2e, approved, text)
	}
}

// settle waits until nothing has been due for longer than the resolution of the metric.
func (s *system) settle() {
	s.t.Helper()
	const good = time.Second
	calm := time.Now()
	for deadline := time.Now().Add(patience); ; {
		if s.metric("ecf_recalculation_due_events") > 0 {
			calm = time.Now()
		} else if time.Since(calm) > good {
			return
		}
		if time.Now().After(deadline) {
			s.t.Fatal("the recalculation did not come to its end")
		}
		<-time.After(50 * time.Millisecond)
	}
}

// metric reads a metric with a single series.
func (s *system) metric(name string) float64 {
	s.t.Helper()
	response, err := s.client.Get("http://" + s.debug + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 2 && strings.HasPrefix(line, name) {
			value, err := strconv.ParseFloat(words[1], 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return value
		}
	}
	s.t.Fatalf("there is no metric %s", name)
	return 0
}

// peak returns the server's peak memory, in MiB.
func (s *system) peak() int {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.proc.PID()))
	if err != nil {
		return 0 // not on Linux
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == "VmHWM:" {
			kib, err := strconv.Atoi(words[1])
			if err != nil {
				s.t.Fatal(err)
			}
			return kib >> 10
		}
	}
	return 0
}

// resetPeak resets the peak.
func (s *system) resetPeak() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.proc.PID()), []byte("5"), 0)
}
