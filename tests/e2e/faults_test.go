package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/tests/demo"
)

const exampleFolder = "../../examples/london-conference"

// player returns a player of the example that retries while a server is down.
func player(t *testing.T, url, userEmail, managerEmail, password string) *demo.Player {
	t.Helper()
	login := func(email string) *client.Client {
		c, err := client.New(url, client.Options{
			Patience: 60 * time.Second, PollInterval: 20 * time.Millisecond, HTTP: &http.Client{Transport: &validating{t: t}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Login(t.Context(), email, password); err != nil {
			t.Fatal(err)
		}
		return c
	}
	return &demo.Player{
		User: login(userEmail), Manager: login(managerEmail), Key: fmt.Sprint("run-", testkit.Rand(t).Uint64()),
		Parallel: 4, Deadline: 60 * time.Second,
	}
}

// play plays the example and compares every figure with the independent table.
func play(ctx context.Context, p *demo.Player) error {
	example, err := demo.LoadExample(exampleFolder)
	if err != nil {
		return err
	}
	outcome, err := p.Play(ctx, example)
	if err != nil {
		return err
	}
	if different := outcome.Compare(example.Expected); len(different) > 0 {
		return fmt.Errorf("%d figures differ, the first: %+v", len(different), different[0])
	}
	return nil
}

// TestExampleComesToTheExpectedFootprint verifies the figures of the example
// conference, calculated without the engine, record by record and in every breakdown.
func TestExampleComesToTheExpectedFootprint(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	if err := play(t.Context(), player(t, s.url, "user@example.test", "manager@example.test", password)); err != nil {
		t.Fatal(err)
	}
}

// killed runs bin/ecf as a process with a fixed address and data directory, so that it
// can be killed and restarted.
type killed struct {
	t    *testing.T
	path string
	env  []string
	url  string
	proc *testkit.Proc
}

func (k *killed) start() {
	k.proc = testkit.Process(k.t, k.path, []string{"serve"}, k.env)
	k.proc.WaitHTTP(k.url + "/api/v2/health/ready")
}

// TestKillLosesNothing kills the process repeatedly during the example: what was
// acknowledged is there, nothing is counted twice, and the result becomes right without
// intervention.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	for round := range 2 {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			// Most of the time is spent waiting for leases of requests that died.
			t.Parallel()
			random := testkit.Rand(t)
			data, port := t.TempDir(), testkit.FreePort(t)
			k := &killed{t: t, path: testkit.Binary(t, "services/standalone/cmd/ecf"), url: fmt.Sprintf("http://127.0.0.1:%d", port), env: []string{
				fmt.Sprintf("ECF_ADDR=127.0.0.1:%d", port), "ECF_DATA_DIR=" + data, "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password,
				"ECF_ISSUER=http://127.0.0.1:8080", "ECF_SWEEP_INTERVAL=100ms",
			}}
			k.start()
			p := player(t, k.url, "user@demo.test", "manager@demo.test", password)
			done := make(chan error, 1)
			go func() { done <- play(t.Context(), p) }()
			for range 3 {
				pause := time.NewTimer(time.Duration(50+random.IntN(700)) * time.Millisecond)
				select {
				case err := <-done: // the example ended before the next kill
					if err != nil {
						t.Fatal(err)
					}
					done <- nil
				case <-pause.C:
				}
				k.proc.Kill()
				k.start()
			}
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(10 * time.Minute):
				t.Fatal("the example did not finish")
			}
			// The sessions, too, have survived every kill.
			if _, err := p.User.Me(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRedisMayForgetEverything verifies that an empty Redis costs time and nothing
// else: sessions and limits are rebuilt from the store, and the sweeper notifies again
// for the marks whose notifications were lost.
func TestRedisMayForgetEverything(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	server := engines["mongodb"](t, env)
	s := start(t, env)
	user, manager := s.user(t), s.manager(t)
	event := manager.post("/events", map[string]any{"title": "Forgetful", "country": "GB"}).want(http.StatusCreated).str("_id")
	var ids []string
	for range 6 {
		id := user.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1000}).want(http.StatusCreated).str("_id")
		user.post("/events/"+event+"/waste/"+id+"/submit", nil).want(http.StatusOK)
		ids = append(ids, id)
	}
	for i, id := range ids {
		switch i {
		case 1:
			server.Flush()
		case 3:
			server.Stop() // approvals continue without a queue
		case 5:
			server.Start() // and find an empty one
		}
		manager.post("/events/"+event+"/waste/"+id+"/approve", nil).want(http.StatusOK)
	}
	if got := user.result(event, len(ids)).number("total", "kgCO2e"); got != "3123.481380" {
		t.Errorf("total %s", got)
	}
}

// TestSeparateProcesses plays the example against six processes that share a database
// and a real Redis.
func TestSeparateProcesses(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	redis, _ := testkit.Redis(t)
	address := func() string { return fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t)) }
	gateway, auth, records, review, calculation := address(), address(), address(), address(), address()
	common := []string{
		"ECF_MONGODB_URI=" + withDatabase(uri, database), "ECF_MONGODB_AUTH_URI=" + withDatabase(uri, database+"_auth"), "ECF_REDIS_URL=" + redis,
		"ECF_AUTH_URL=http://" + auth, "ECF_RECORDS_URL=http://" + records, "ECF_REVIEW_URL=http://" + review, "ECF_CALCULATION_URL=http://" + calculation,
		"ECF_ISSUER=http://" + gateway, "ECF_SIGNING_KEYS_DIR=" + filepath.Join(t.TempDir(), "keys"), "ECF_SWEEP_INTERVAL=200ms",
	}
	run := func(service, addr string, args ...string) {
		testkit.Process(t, testkit.Binary(t, "services/"+service+"/cmd/"+service), args, append([]string{"ECF_ADDR=" + addr}, common...))
	}
	// The ecf command creates the accounts while the services run.
	ecf := testkit.Binary(t, "services/standalone/cmd/ecf")
	org := command(t, ecf, common, "", "org", "create", "--name", "Apart Ltd", "--plan", "team")
	for _, role := range []string{"user", "manager"} {
		command(t, ecf, common, password+"\n", "user", "create", "--org", org, "--email", role+"@apart.test", "--role", role)
	}
	run("gateway", gateway) // before its dependencies: the order does not matter
	run("calculation", address(), "--role=work")
	run("calculation", calculation, "--role=serve")
	run("review", review)
	run("records", records)
	run("auth", auth)
	testkit.Eventually(t, 3*time.Minute, func() error {
		response, err := http.Get("http://" + gateway + "/api/v2/health/ready")
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || bytes.Contains(body, []byte("unavailable")) {
			return fmt.Errorf("status %d: %s %w", response.StatusCode, body, err)
		}
		return nil
	})
	if err := play(t.Context(), player(t, "http://"+gateway, "user@apart.test", "manager@apart.test", password)); err != nil {
		t.Fatal(err)
	}
	front := &system{url: "http://" + gateway}
	in := front.anonymous(t).post("/auth/login", map[string]any{"email": "manager@apart.test", "password": password}).want(http.StatusOK)
	tokens := append(forgeries(t, in.str("accessToken")), in.str("idToken"))
	at := map[api.Service]string{api.Auth: auth, api.Records: records, api.Review: review, api.Calculation: calculation}
	for _, o := range api.Operations() {
		if service := at[o.Service]; service != "" && !o.Public() {
			believesNobody(t, service, o, tokens)
		}
	}
}
