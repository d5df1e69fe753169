package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/eventcarbon/ecf/services/auth"
)

// creationsASecond is the rate of creations that run while works are measured.
const creationsASecond = 50

// beneath measures a work while another one runs.
func beneath(w work, meanwhile func(context.Context)) work {
	w.meanwhile = meanwhile
	return w
}

// creating creates records of an event at a steady rate.
func (s *system) creating(event string) func(context.Context) {
	return s.steadily(s.creation(event), creationsASecond)
}

// steadily runs a work at a rate per second.
func (s *system) steadily(w work, rate int) func(context.Context) {
	return func(ctx context.Context) {
		attacker := vegeta.NewAttacker(vegeta.Workers(1), vegeta.Timeout(time.Minute))
		defer context.AfterFunc(ctx, func() { attacker.Stop() })()
		check, done, began := s.checked(w), 0, time.Now()
		for result := range attacker.Attack(w.product, vegeta.Rate{Freq: rate, Per: time.Second}, 0, w.name) {
			if check(int(result.Code), result.Error, result.Body) {
				done++
			}
		}
		s.t.Logf("meanwhile %.1f a second: %s", float64(done)/time.Since(began).Seconds(), w.name)
	}
}

// besideANeighbour measures a list while another organization sends requests too. For a
// minute after each request of that organization fair queueing applies, and a commit of
// either organization invalidates cached responses.
func besideANeighbour(t *testing.T, p plan) []work {
	t.Helper()
	s := start(t)
	other := s.neighbour()
	page := "/events/" + s.fill(p.records) + "/flights?limit=25"
	return []work{
		beneath(s.read("list of 25 records, another organization reads once a second", page, "", 0), other.steadily(other.read("list of events", "/events?limit=25", "", 0), 1)),
		beneath(s.read("list of 25 records, 50 creations a second by another one", page, "", 0), other.creating(other.event())),
	}
}

// signInWork is a login; all clients share one account.
func (s *system) signInWork() work {
	s.t.Helper()
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	if err != nil {
		s.t.Fatal(err)
	}
	return work{name: "sign-in", status: http.StatusOK, product: vegeta.NewStaticTargeter(vegeta.Target{
		Method: http.MethodPost, URL: s.url + "/api/v2/auth/login", Body: body, Header: http.Header{"Content-Type": {"application/json"}}})}
}

// signingIn measures logins against hashing passwords alone, with the cost and the
// concurrency of the product.
func (s *system) signingIn() work {
	s.t.Helper()
	hasher, err := auth.NewHasher()
	if err != nil {
		s.t.Fatal(err)
	}
	hash, err := hasher.Hash(s.t.Context(), password)
	if err != nil {
		s.t.Fatal(err)
	}
	w := s.signInWork()
	w.baselines = []baseline{{fmt.Sprintf("argon2id alone, %d at once", hasher.Slots()), repeated(func(ctx context.Context) error {
		ok, _, err := hasher.Verify(ctx, hash, password)
		if err == nil && !ok {
			err = errors.New("the password is not the one that was hashed")
		}
		return err
	})}}
	return w
}

// listRate is the number of lists requested per second during logins.
const listRate = 1000

// listBesideSignIns requests a list at a steady rate, alternately without logins and
// with as many clients logging in continuously as there are.
func (s *system) listBesideSignIns(p plan, page string) {
	s.t.Helper()
	list, signIn := s.read("", page, "", 0), s.signInWork()
	rate := vegeta.Rate{Freq: listRate, Per: time.Second}
	var quiet, flooded [2][]float64 // p50, p99 in ms
	var signedIn atomic.Bool
	add := func(to *[2][]float64) {
		m := s.attack(list, rate, p.each)
		to[0], to[1] = append(to[0], milliseconds(m.Latencies.P50)), append(to[1], milliseconds(m.Latencies.P99))
	}
	for range p.rounds {
		s.process.WaitIdle(time.Minute)
		add(&quiet)
		var flood sync.WaitGroup
		done := make(chan struct{})
		flood.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					if s.saturate(signIn, p.each/4) > 0 {
						signedIn.Store(true)
					}
				}
			}
		})
		add(&flooded)
		close(done)
		flood.Wait()
	}
	what := fmt.Sprintf("list of 25 records, %d a second", listRate)
	s.figure(what+", p50", median(quiet[0]), "ms", 0)
	s.figure(what+", p99", median(quiet[1]), "ms", 0)
	s.figure(what+fmt.Sprintf(" beside %d clients who sign in without a pause, p50", clients), median(flooded[0]), "ms", 0)
	s.figure(what+", beside them, p99", median(flooded[1]), "ms", 0)
	s.figure("ratio of that p99 to the quiet one", median(ratios(flooded[1], quiet[1])), "", 0)
	if !signedIn.Load() {
		s.t.Error("there were no logins meanwhile")
	}
}

// visible measures one approval at a time, from the request until the result includes
// it.
func (s *system) visible(p plan) {
	s.t.Helper()
	n := 3
	if p.full {
		n = 200
	}
	event := s.event()
	var answered, seen []time.Duration
	for i := range n + 1 {
		path := "/events/" + event + "/flights"
		record := path + "/" + s.made(path, fmt.Appendf(nil, flight, 1+i), http.StatusCreated).ID
		s.made(record+"/submit", nil, http.StatusOK)
		if i > 0 {
			s.current(event) // the first one creates the result
		}
		began := time.Now()
		s.made(record+"/approve", nil, http.StatusOK)
		answer := time.Since(began)
		if counted := s.current(event); counted != i+1 {
			s.t.Fatalf("the result counts %d records, want %d", counted, i+1)
		}
		if i > 0 {
			answered, seen = append(answered, answer), append(seen, time.Since(began))
		}
	}
	slices.Sort(answered)
	slices.Sort(seen)
	s.figure("an approval, one at a time, until it is answered, p50", milliseconds(answered[n/2]), "ms", 0)
	s.figure("the same until the result has it, p50", milliseconds(seen[n/2]), "ms", 15)
	s.figure("the same until the result has it, p95", milliseconds(seen[n*95/100]), "ms", 100)
}

// current waits until the result of an event is current, and returns the number of
// records it counts.
func (s *system) current(event string) int {
	s.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + s.token}}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		status, body, _ := s.ask(http.MethodGet, "/events/"+event+"/results", nil, header)
		var result struct {
			Data struct {
				Status string
				Counts struct{ Approved int }
			}
		}
		switch err := json.Unmarshal(body, &result); {
		case status == http.StatusOK && err == nil && result.Data.Status == "current":
			return result.Data.Counts.Approved
		case status != http.StatusOK && status != http.StatusNotFound && status != http.StatusServiceUnavailable && status != http.StatusGatewayTimeout:
			s.t.Fatalf("result of %s: %d %s", event, status, body)
		}
		<-time.After(2 * time.Millisecond)
	}
	s.t.Fatalf("the result of %s did not become current", event)
	return 0
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
