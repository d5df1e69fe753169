package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
)

// seen is a request that reached the fake server.
type seen struct {
	method, path, key, body, token string
}

// server answers requests by a function, and keeps them.
type server struct {
	*httptest.Server

	mu   sync.Mutex
	seen []seen
}

func (s *server) requests() []seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]seen(nil), s.seen...)
}

// serve runs a fake server. n counts the requests from 1.
func serve(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, seen{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), string(body), r.Header.Get("Authorization")})
		n := len(s.seen)
		s.mu.Unlock()
		answer(w, r, n)
	}))
	t.Cleanup(s.Close)
	return s
}

func success(w http.ResponseWriter, data string) {
	_, _ = io.WriteString(w, `{"success":true,"data":`+data+`}`)
}

func refuse(w http.ResponseWriter, status int, code client.Code) {
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"success":false,"error":{"code":%q,"message":"no","requestId":"r-1","docs":"/d","details":[{"field":"f","code":"C","message":"m","suggestions":["g"]}]}}`, code)
}

func hangUp(t testing.TB, w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		t.Errorf("hijack: %v", err)
		return
	}
	_ = conn.Close()
}

// noTime is a timer that takes no time and remembers what was asked.
type noTime struct {
	mu     sync.Mutex
	pauses []time.Duration
	// after is called at each pause; nil: nothing.
	after func(n int)
}

func (n *noTime) sleep(ctx context.Context, d time.Duration) error {
	n.mu.Lock()
	n.pauses = append(n.pauses, d)
	count := len(n.pauses)
	n.mu.Unlock()
	if n.after != nil {
		n.after(count)
	}
	return ctx.Err()
}

func (n *noTime) list() []time.Duration {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]time.Duration(nil), n.pauses...)
}

// connect makes a client with a session, on a timer that takes no time, whose
// dice always show one half.
func connect(t testing.TB, url string, change func(*client.Options)) (*client.Client, *noTime) {
	t.Helper()
	clock := &noTime{}
	o := client.Options{
		// A used connection that breaks is repeated by the transport itself, which
		// would hide what the client does.
		HTTP:   &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		Tokens: client.TokenBundle{AccessToken: "old", RefreshToken: "again"},
		Sleep:  clock.sleep, Random: func() float64 { return 0.5 },
	}
	if change != nil {
		change(&o)
	}
	c, err := client.New(url, o)
	if err != nil {
		t.Fatal(err)
	}
	return c, clock
}

type fault func(t *testing.T, w http.ResponseWriter)

func lost(t *testing.T, w http.ResponseWriter) { hangUp(t, w) }

func away(_ *testing.T, w http.ResponseWriter) {
	w.Header().Set("Retry-After", "2")
	refuse(w, http.StatusServiceUnavailable, client.CodeUnavailable)
}

func limited(_ *testing.T, w http.ResponseWriter) {
	w.Header().Set("Retry-After", "7")
	refuse(w, http.StatusTooManyRequests, client.CodeRateLimited)
}

// exhausted is the write limit, used up at the beginning of its minute.
func exhausted(_ *testing.T, w http.ResponseWriter) {
	w.Header().Set("Retry-After", "60")
	refuse(w, http.StatusTooManyRequests, client.CodeRateLimited)
}

func running(_ *testing.T, w http.ResponseWriter) {
	refuse(w, http.StatusConflict, client.CodeIdempotencyInProgress)
}

func broken(_ *testing.T, w http.ResponseWriter) {
	refuse(w, http.StatusInternalServerError, client.CodeInternal)
}

func cut(_ *testing.T, w http.ResponseWriter) {
	w.Header().Set("Content-Length", "1000")
	success(w, `{}`)
}
