package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

const systemPassword = "a password that nobody may see"

// system runs the services as separate processes, on the MongoDB-compatible engine and
// a Redis, with an organization that has a manager. Its worker is not started.
type system struct {
	t     *testing.T
	base  string
	redis *testkit.RedisServer
	env   []string
	debug map[string]string // by service
	parts map[string]*testkit.Proc
	token string
	// run starts a program under a name.
	run func(name, program string, args, env []string) *testkit.Proc
}

// startSystem starts the services as local programs, with further settings.
func startSystem(t *testing.T, settings ...string) *system {
	t.Helper()
	return startSystemBy(t, func(_, program string, args, env []string) *testkit.Proc {
		return testkit.Process(t, testkit.Binary(t, "services/"+program+"/cmd/"+program), args, env)
	}, settings...)
}

func startSystemBy(t *testing.T, run func(name, program string, args, env []string) *testkit.Proc, settings ...string) *system {
	t.Helper()
	s := &system{t: t, run: run, debug: map[string]string{}, parts: map[string]*testkit.Proc{}}
	uri, database := testkit.MongoDB(t)
	in := func(database string) string {
		address, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		address.Path = "/" + database
		return address.String()
	}
	var redis string
	redis, s.redis = testkit.Redis(t)
	at := map[string]string{}
	for _, service := range []string{"gateway", "auth", "records", "review", "calculation"} {
		at[service] = fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	}
	s.base = "http://" + at["gateway"] + "/api/v2"
	s.env = append([]string{
		"ECF_MONGODB_URI=" + in(database), "ECF_MONGODB_AUTH_URI=" + in(database+"_auth"), "ECF_REDIS_URL=" + redis,
		"ECF_AUTH_URL=http://" + at["auth"], "ECF_RECORDS_URL=http://" + at["records"], "ECF_REVIEW_URL=http://" + at["review"],
		"ECF_CALCULATION_URL=http://" + at["calculation"], "ECF_ISSUER=http://" + at["gateway"], "ECF_SIGNING_KEYS_DIR=" + filepath.Join(t.TempDir(), "keys"),
		"ECF_PEER_SECRET=a-secret-of-the-services-of-a-test",
	}, settings...)
	ecf := func(input string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), testkit.Binary(t, "services/standalone/cmd/ecf"), args...)
		cmd.Env, cmd.Stdin = append([]string{"PATH=/usr/bin:/bin"}, s.env[:9]...), strings.NewReader(input)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("ecf %s: %v\n%s", args[0], err, out)
		}
		line, _, _ := strings.Cut(string(out), "\n")
		return line
	}
	org := ecf("", "org", "create", "--name", "Apart Ltd", "--plan", "enterprise")
	ecf(systemPassword+"\n", "user", "create", "--org", org, "--email", "manager@apart.test", "--role", "manager")
	for service, addr := range at {
		s.start(service, service, "ECF_ADDR="+addr)
	}
	for service := range at {
		s.parts[service].WaitHTTP("http://" + s.debug[service] + "/health/ready")
	}
	testkit.Eventually(t, time.Minute, func() error {
		var session struct{ AccessToken string }
		err := s.ask(http.MethodPost, "/auth/login", map[string]any{"email": "manager@apart.test", "password": systemPassword}, &session)
		s.token = session.AccessToken
		return err
	})
	return s
}

func (s *system) start(name, program string, env ...string) {
	s.t.Helper()
	debug := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(s.t))
	var args []string
	if name == "worker" {
		args = []string{"--role=work"}
	}
	s.debug[name] = debug
	s.parts[name] = s.run(name, program, args, append(append(env, "ECF_DEBUG_ADDR="+debug), s.env...))
}

// work starts a worker.
func (s *system) work() {
	s.t.Helper()
	s.start("worker", "calculation", "ECF_SWEEP_INTERVAL=200ms")
	s.parts["worker"].WaitHTTP("http://" + s.debug["worker"] + "/health/ready")
}

// ask sends a request as the manager and decodes the data of the response.
func (s *system) ask(method, path string, body, into any, header ...string) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		req.Header.Set("Authorization", "Bearer "+s.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s %s: %d %s", method, path, res.StatusCode, answer)
	}
	return json.Unmarshal(answer, &struct{ Data any }{into})
}

func (s *system) make(path string, body any) (id string) {
	s.t.Helper()
	var made struct {
		ID string `json:"_id"`
	}
	if err := s.ask(http.MethodPost, path, body, &made); err != nil {
		s.t.Fatal(err)
	}
	return made.ID
}

// submitted creates an event with a submitted record, and returns the paths of both.
func (s *system) submitted() (event, record string) {
	s.t.Helper()
	event = "/events/" + s.make("/events", map[string]any{"title": "Watched", "country": "GB"})
	record = event + "/waste/" + s.make(event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1000})
	s.make(record+"/submit", nil)
	return event, record
}

// await waits until an event's result counts the given number of records.
func (s *system) await(event string, approved int) {
	s.t.Helper()
	testkit.Eventually(s.t, time.Minute, func() error {
		var result struct {
			Status string
			Counts struct{ Approved int }
		}
		if err := s.ask(http.MethodGet, event+"/results", nil, &result); err != nil {
			return err
		}
		if result.Status != "current" || result.Counts.Approved != approved {
			return fmt.Errorf("the result is %+v", result)
		}
		return nil
	})
}
