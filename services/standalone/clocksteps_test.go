package standalone_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAServerWhoseClockIsSet: the clock of a server is set by an hour or a day, back and forth, while it runs and between two
// runs. People can sign in at once, what they enter is calculated, histories and revisions are in the order in which they
// were made, and all chains are whole.
func TestAServerWhoseClockIsSet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": dir}}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	c.must(password+"\n", "user", "create", "--org", org, "--email", "m@example.test", "--role", "admin")
	var ahead atomic.Int64
	s := &steps{now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }}
	for _, run := range [][]time.Duration{
		{0, time.Hour, -time.Hour, 24 * time.Hour, 0},
		{-time.Hour, 2 * time.Hour},
		{-24 * time.Hour},
	} {
		ahead.Store(int64(run[0]))
		t.Run(fmt.Sprintf("a server that starts with %s", run[0]), func(t *testing.T) {
			c := &commands{t, c.env}
			s.t, s.base, s.token = t, c.serveAt(s.now)+"/api/v2", ""
			for _, by := range run {
				ahead.Store(int64(by))
				s.step(by)
			}
		})
	}
	if out, err := c.run("", "audit", "verify"); err != nil || !strings.Contains(out, fmt.Sprintf("figures of %d records and 1 results recomputed", s.records+1)) {
		t.Errorf("%v\n%s", err, out)
	}
}

// steps enters something after each step of a clock.
type steps struct {
	t                  *testing.T
	now                func() time.Time
	base, token, event string
	refresh            string // the refresh token of the sign-in before
	edited             string // a record that is edited at each step
	records            int
}

func (s *steps) call(method, path, body string, want int) map[string]any {
	s.t.Helper()
	status, text := ask(s.t, method, s.base+path, s.token, body)
	var answer struct{ Data map[string]any }
	if err := json.Unmarshal([]byte(text), &answer); err != nil || status != want {
		s.t.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	return answer.Data
}

// step verifies what is there, and adds a record.
func (s *steps) step(by time.Duration) {
	s.t.Helper()
	if s.token != "" {
		// Of a token from before it is enough that it is refused as one.
		if status, text := ask(s.t, "GET", s.base+"/auth/me", s.token, ""); status != http.StatusOK && status != http.StatusUnauthorized {
			s.t.Errorf("%s: a token from before: %d %s", by, status, text)
		}
	}
	s.token = ""
	if s.refresh != "" {
		if status, text := ask(s.t, "POST", s.base+"/auth/refresh", "", `{"refreshToken":"`+s.refresh+`"}`); status != http.StatusOK && status != http.StatusUnauthorized {
			s.t.Errorf("%s: a session from before: %d %s", by, status, text)
		}
	}
	login := s.call("POST", "/auth/login", `{"email":"m@example.test","password":"`+password+`"}`, http.StatusOK)
	s.token, s.refresh = login["accessToken"].(string), login["refreshToken"].(string)
	if s.event == "" {
		s.event = "/events/" + s.call("POST", "/events", `{"title":"Timed","country":"GB"}`, http.StatusCreated)["_id"].(string)
		s.edited = s.event + "/waste/" + s.call("POST", s.event+"/waste", `{"treatment":"landfill","weightKg":1}`, http.StatusCreated)["_id"].(string)
	}
	at := s.event + "/waste"
	id := s.call("POST", at, `{"treatment":"landfill","weightKg":1}`, http.StatusCreated)["_id"].(string)
	s.call("PATCH", at+"/"+id, `{"weightKg":1000}`, http.StatusOK)
	s.call("POST", at+"/"+id+"/submit", "", http.StatusOK)
	s.call("POST", at+"/"+id+"/approve", "", http.StatusOK)
	s.records++
	// The landfill of a tonne.
	want := fmt.Sprintf("%.6f", 520.580230*float64(s.records))
	want = strings.TrimRight(want, "0")
	testkit.Eventually(s.t, time.Minute, func() error {
		status, text := ask(s.t, "GET", s.base+s.event+"/results", s.token, "")
		if status != http.StatusOK || !strings.Contains(text, `"status":"current"`) || !strings.Contains(text, want) {
			return fmt.Errorf("%s: %d, want %s: %s", by, status, want, text)
		}
		return nil
	})
	s.ordered(at+"/"+id+"/history", "revision")
	s.ordered("/organization/audit?limit=100", "sequence")
	s.ordered(s.event+"/results/history", "revision")
	s.call("PATCH", s.edited, fmt.Sprintf(`{"weightKg":%d}`, 1+s.records), http.StatusOK)
	s.ordered(s.edited+"/history", "revision")
	if list := s.call("GET", "/auth/sessions?limit=100", "", http.StatusOK)["items"].([]any); len(list) != s.records {
		s.t.Errorf("%s: %d sessions of %d", by, len(list), s.records)
	}
	if list := s.call("GET", at+"?limit=100", "", http.StatusOK)["items"].([]any); len(list) != s.records+1 {
		s.t.Errorf("%s: %d records of %d", by, len(list), s.records+1)
	}
}

// ordered verifies that a list is by a number, in one direction.
func (s *steps) ordered(path, number string) {
	s.t.Helper()
	items, _ := s.call("GET", path, "", http.StatusOK)["items"].([]any)
	if len(items) == 0 {
		s.t.Errorf("%s: nothing", path)
	}
	var before, direction float64
	for i, item := range items {
		n, _ := item.(map[string]any)[number].(float64)
		switch {
		case i == 1:
			direction = n - before
		case i > 1 && (n-before)*direction <= 0:
			s.t.Errorf("%s: %v comes after %v", path, n, before)
		}
		before = n
	}
}
