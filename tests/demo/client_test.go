package demo

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// noTime is a Sleep that takes no time and remembers what was asked.
type noTime struct {
	mu     sync.Mutex
	pauses []time.Duration
}

func (n *noTime) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pauses = append(n.pauses, d)
	return ctx.Err()
}

func (n *noTime) sum() (total time.Duration) {
	for _, p := range n.pauses {
		total += p
	}
	return total
}

// firstN gives a fault to the first n requests that the path contains.
func firstN(n int, path string, problem fault) func(*http.Request, int) fault {
	return func(r *http.Request, _ int) fault {
		if n > 0 && strings.Contains(r.URL.Path, path) {
			n--
			return problem
		}
		return fine
	}
}

func loggedIn(t *testing.T, url string, patience time.Duration) (*Client, *noTime) {
	t.Helper()
	clock := &noTime{}
	c := NewClient(url, Options{Patience: patience, Sleep: clock.sleep})
	if err := c.Login(t.Context(), "user@demo.test", "secret"); err != nil {
		t.Fatal(err)
	}
	return c, clock
}

func TestSendRepeats(t *testing.T) {
	t.Parallel()
	const patience = time.Minute
	post := Request{Method: http.MethodPost, Path: "/events", Body: map[string]string{"title": "x"}}
	repeatable := post
	repeatable.Repeat = true
	get := Request{Method: http.MethodGet, Path: "/events/e/flights?page=1&limit=100"}
	for name, tt := range map[string]struct {
		request  Request
		problem  fault
		times    int
		patience time.Duration
		wantErr  string // part of the error; empty: success
		requests int    // that reached the server after the login
	}{
		"a read without an answer":           {get, lostAfter, 3, patience, "", 4},
		"a write without an answer":          {post, lostAfter, 1, patience, "no answer", 1},
		"a repeatable write":                 {repeatable, lostBefore, 2, patience, "", 3},
		"a write over the limit":             {post, limited, 2, patience, "", 3},
		"a write while the server is away":   {post, away, 1, patience, "503 UNAVAILABLE", 1},
		"a read while the server is away":    {get, away, 2, patience, "", 3},
		"no patience":                        {get, away, 1, 0, "503 UNAVAILABLE", 1},
		"the patience ends":                  {get, limited, 100, 20 * time.Second, "429 RATE_LIMITED", 3},
		"an expired token":                   {post, expired, 1, 0, "", 3},
		"a token refused again":              {post, expired, 2, 0, "401 UNAUTHENTICATED", 3},
		"a read with many breaks of the net": {get, lostBefore, 12, patience, "", 13},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, url := startFake(t, &Example{}, firstN(tt.times, "/events", tt.problem))
			// The transport repeats a read by itself on a used connection; that
			// would hide what the client does.
			transport := &http.Transport{DisableKeepAlives: true}
			clock := &noTime{}
			c := NewClient(url, Options{Patience: tt.patience, Sleep: clock.sleep, HTTP: &http.Client{Transport: transport}})
			if err := c.Login(t.Context(), "user@demo.test", "secret"); err != nil {
				t.Fatal(err)
			}
			_, err := c.Send(t.Context(), tt.request)
			if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
				t.Errorf("got error %v, want %q", err, tt.wantErr)
			}
			if got := fake.tally().requests - 1; got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
			if clock.sum() > tt.patience {
				t.Errorf("waited %s, patience is %s", clock.sum(), tt.patience)
			}
		})
	}
}

func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	_, url := startFake(t, &Example{}, firstN(2, "/events", limited))
	c, clock := loggedIn(t, url, time.Minute)
	if _, err := c.Do(t.Context(), http.MethodGet, "/events/e/flights?page=1&limit=100", nil); err != nil {
		t.Fatal(err)
	}
	if len(clock.pauses) != 2 || clock.pauses[0] != 7*time.Second {
		t.Errorf("paused %v, want twice 7s", clock.pauses)
	}
}

// A server that is not there refuses the connection: nothing has happened, so
// any request may be sent again.
func TestServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	clock := &noTime{}
	c := NewClient(server.URL, Options{Patience: 10 * time.Second, Sleep: clock.sleep})
	_, err := c.Do(t.Context(), http.MethodPost, "/events", nil)
	if !errors.Is(err, errNoAnswer) || len(clock.pauses) < 5 || clock.sum() > 10*time.Second {
		t.Errorf("got %v after %v", err, clock.pauses)
	}
}

// Many requests that are refused together renew the token once.
func TestOneRenewalForAll(t *testing.T) {
	t.Parallel()
	fake, url := startFake(t, &Example{}, nil)
	c, _ := loggedIn(t, url, 0)
	fake.mu.Lock()
	fake.valid = "another"
	fake.mu.Unlock()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if _, err := c.Do(t.Context(), http.MethodGet, "/events/e/flights?page=1&limit=100", nil); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if seen := fake.tally(); seen.renewals != 1 || seen.logins != 1 {
		t.Errorf("%d renewals and %d logins, want one of each", seen.renewals, seen.logins)
	}
}

func TestErrorTellsEverything(t *testing.T) {
	t.Parallel()
	_, url := startFake(t, &Example{}, nil)
	c, _ := loggedIn(t, url, 0)
	_, err := c.Do(t.Context(), http.MethodGet, "/events/e/flights/none", nil)
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	if refused.Status != 404 || CodeOf(err) != "RECORD_NOT_FOUND" || refused.RequestID != "r-1" || len(refused.Details) != 1 {
		t.Errorf("got %+v", refused)
	}
	if want := "GET /events/e/flights/none: 404 RECORD_NOT_FOUND: refused [f C: m] (request r-1)"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestAnswersThatAreNoEnvelopes(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/v2/docs":
			_, _ = w.Write([]byte("<html>"))
		case "/api/v2/same":
			w.WriteHeader(http.StatusNotModified)
		case "/api/v2/lie":
			_, _ = w.Write([]byte(`{"success":false,"error":{"code":"INTERNAL"}}`))
		default:
			http.Error(w, strings.Repeat("x", 1000), http.StatusBadGateway)
		}
	}))
	t.Cleanup(server.Close)
	c := NewClient(server.URL+"/api/v2/", Options{})
	for path, status := range map[string]int{"/docs": 200, "/same": 304} {
		a, err := c.Do(t.Context(), http.MethodGet, path, nil)
		if err != nil || a.Status != status || a.Data != nil {
			t.Errorf("%s: got %+v, %v", path, a, err)
		}
	}
	if _, err := c.Do(t.Context(), http.MethodGet, "/lie", nil); CodeOf(err) != "INTERNAL" {
		t.Errorf("got %v", err)
	}
	var refused *Error
	if _, err := c.Do(t.Context(), http.MethodGet, "/", nil); !errors.As(err, &refused) || refused.Code != "" || len(refused.Message) != 200 {
		t.Errorf("got %v", err)
	}
}
