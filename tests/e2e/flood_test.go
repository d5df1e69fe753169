package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAFloodOfWritesPushesNobodyBack verifies that services in separate processes
// schedule fairly by organization: writes of one over many connections are not served
// before a request of another. It counts the flood's writes that are answered while one
// request waits, instead of measuring time. Without fair queueing it is as many as
// storage admits concurrently.
func TestAFloodOfWritesPushesNobodyBack(t *testing.T) {
	t.Parallel()
	if !testkit.Long(t) {
		t.Skip("make test-long PKG=./tests/e2e: the flood slows the database for concurrent tests")
	}
	const (
		connections = 60
		requests    = 15
	)
	most := 4*max(2, runtime.NumCPU()) + 4 // concurrent requests of one organization, and a margin
	s := startSecured(t, "ECF_WRITE_RATE_LIMIT=1000000/1s")
	org := command(t, testkit.Binary(t, "services/standalone/cmd/ecf"), s.env, "", "org", "create", "--name", "Greedy Ltd", "--plan", "enterprise")
	command(t, testkit.Binary(t, "services/standalone/cmd/ecf"), s.env, password+"\n", "user", "create", "--org", org, "--email", "greedy@example.test", "--role", "manager")
	as := func(email string) *caller {
		c := &caller{t: t, url: s.url}
		c.token = c.post("/auth/login", map[string]any{"email": email, "password": password}).want(http.StatusOK).str("accessToken")
		return c
	}
	event := func(c *caller) string {
		return "/events/" + c.post("/events", map[string]any{"title": "Bench", "country": "GB", "startDate": "2026-09-01"}).want(http.StatusCreated).str("_id")
	}
	greedy, quiet := as("greedy@example.test"), as("manager@example.test")
	ours := event(quiet)
	theirs := make([]string, connections/5) // writes to one event are serialized
	for n := range theirs {
		theirs[n] = event(greedy)
	}
	record := ours + "/waste/" + quiet.post(ours+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1}).want(http.StatusCreated).str("_id")

	ctx, stop := context.WithCancel(t.Context())
	transport := &http.Transport{MaxIdleConnsPerHost: connections}
	var answered atomic.Int64
	var flood sync.WaitGroup
	for n := range connections {
		flood.Go(func() {
			for ctx.Err() == nil {
				r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/v2"+theirs[n%len(theirs)]+"/waste", strings.NewReader(`{"treatment":"landfill","weightKg":1}`))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header.Set("Authorization", "Bearer "+greedy.token)
				r.Header.Set("Content-Type", "application/json")
				if response, err := transport.RoundTrip(r); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
					if response.StatusCode == http.StatusCreated {
						answered.Add(1)
					}
				}
			}
		})
	}
	defer flood.Wait()
	defer transport.CloseIdleConnections()
	defer stop()
	testkit.Eventually(t, 2*time.Minute, func() error {
		if answered.Load() < connections {
			return fmt.Errorf("%d of the flood are answered", answered.Load())
		}
		return nil
	})
	for name, ask := range map[string]func(){
		"creations": func() {
			quiet.post(ours+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1}).want(http.StatusCreated)
		},
		"records": func() { quiet.get(record).want(http.StatusOK) },
	} {
		passed := make([]int, requests)
		for n := range passed {
			before := answered.Load()
			ask()
			passed[n] = int(answered.Load() - before)
		}
		slices.Sort(passed)
		t.Logf("%s: %d of the flood are answered meanwhile, %d at most", name, passed[requests/2], passed[requests-1])
		if passed[requests/2] > most {
			t.Errorf("%s: while one waits, %d of the flood are answered, want at most %d (all: %v)", name, passed[requests/2], most, passed)
		}
	}
}
