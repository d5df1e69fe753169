package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// never returns an intake that admits nothing.
func never(now func() time.Time) *intake {
	i := newIntake(now, func() time.Duration { return 0 }, func(int) {})
	i.limit = 0
	i.tight.Store(true)
	return i
}

// TestWritesAreRefusedBeforeAnythingIsWaitedFor verifies that a rejected write waits neither
// for the session state nor for a delay, that a client rejected repeatedly takes the full path,
// and that none is logged separately.
func TestWritesAreRefusedBeforeAnythingIsWaitedFor(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	held := make(chan time.Duration, 1000)
	log := &strings.Builder{}
	s := start(t, func(d *Deps) {
		d.Now, d.hold = clock.Now, func(_ *fasthttp.RequestCtx, wait time.Duration) bool { held <- wait; return true }
		d.intakes = map[api.Service]*intake{api.Records: never(clock.Now)}
		d.Logger = slog.New(slog.NewTextHandler(log, nil))
	})
	client := keptAlive(t)
	write := request{method: http.MethodPost, path: "/api/v2/events/e1/flights", token: alice, body: `{"passengers":1}`}
	s.sessions.mu.Lock()
	s.sessions.err = errors.New("nobody knows")
	s.sessions.mu.Unlock()
	for n := range refusalBurst {
		if a := client(s.url, write); a != http.StatusServiceUnavailable {
			t.Fatalf("the %dth: %d", n+1, a)
		}
	}
	a := s.do(write)
	if !strings.Contains(a.body, "overloaded with writes") || a.header.Get("Retry-After") != "1" || a.header.Get("X-Request-Id") == "" {
		t.Errorf("%v %s", a.header, a.body)
	}
	if len(held) > 0 || strings.Contains(log.String(), "status=503") {
		t.Errorf("%d answers waited; the log: %.300s", len(held), log)
	}
	if a := s.do(write); !strings.Contains(a.body, "session") {
		t.Errorf("refused over and over, the session was not looked at: %s", a.body)
	}
	s.sessions.mu.Lock()
	s.sessions.err = nil
	s.sessions.mu.Unlock()
	before := strings.Count(log.String(), "status=503")
	var last time.Duration
	for range 10 {
		if a := client(s.url, write); a != http.StatusServiceUnavailable {
			t.Errorf("refused over and over: %d", a)
		}
		select {
		case last = <-held:
		default:
			t.Fatal("an answer did not wait")
		}
	}
	if last != overloadWait || strings.Count(log.String(), "status=503") != before {
		t.Errorf("one waits %v, want %v; the log: %.300s", last, overloadWait, log)
	}
	if a := s.do(request{method: http.MethodPost, path: write.path, token: "of nobody", body: write.body}); a.status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", a.status)
	}
}

// TestEarlyRefusalsAreForBrowsersToo verifies that early rejections have the header fields for
// browsers.
func TestEarlyRefusalsAreForBrowsersToo(t *testing.T) {
	t.Parallel()
	s := start(t, origins("https://pages.example"), trust("127.0.0.0/8"), func(d *Deps) { d.intakes = map[api.Service]*intake{api.Records: never(time.Now)} })
	s.sessions.mu.Lock()
	s.sessions.err = errors.New("nobody knows")
	s.sessions.mu.Unlock()
	write := request{method: http.MethodPost, path: "/api/v2/events/e1/flights?a=b", token: alice, body: `{"passengers":1}`,
		header: map[string]string{"X-Forwarded-Proto": "https"}}
	if a := s.do(write); !strings.Contains(a.body, "overloaded with writes") || a.header.Get("Strict-Transport-Security") != strictTransport {
		t.Errorf("by https: %v %s", a.header, a.body)
	}
	write.header["Origin"] = "https://pages.example" // it takes the full path
	if a := s.do(write); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "session") || a.header.Get("Access-Control-Allow-Origin") != "https://pages.example" {
		t.Errorf("of a page of another origin: %v %s", a.header, a.body)
	}
}

// TestIntakeKeepsProcessorsFree verifies that scheduling latency lowers the limit of writes,
// however short they are, and that the number of rejections is logged.
func TestIntakeKeepsProcessorsFree(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.lag = 2 * intakeLag
	q.pass(1000, 4, map[string]int{"one": 12})
	refused := q.pass(10_000, 4, map[string]int{"one": 12})
	if most := 4 * int(intakeBusy/time.Millisecond); len(q.ends) > most || len(q.ends) < most/2 {
		t.Errorf("%d under way, want %d", len(q.ends), most)
	}
	if refused["one"] != 80_000 {
		t.Errorf("%d of 120,000 refused while 40,000 end", refused["one"])
	}
	q.lag = 0
	q.pass(5000, 4, map[string]int{"one": 1})
	told := q.told
	if refused := q.pass(5000, 4, map[string]int{"one": 2}); refused["one"] > 0 || q.told != told || told < refused["one"]+80_000 {
		t.Errorf("%v refused on free processors; told of %d, and before of %d", refused, q.told, told)
	}
}

// TestLag verifies that scheduling latency is measured, and only while it lasts.
func TestLag(t *testing.T) { //nolint:paralleltest // the others would wait for the same processors
	l := newLag()
	l.ofMost()
	const each = time.Millisecond
	spinners := 200 * runtime.GOMAXPROCS(0)
	done := make(chan struct{}, spinners)
	for range spinners {
		go func() {
			for began := time.Now(); time.Since(began) < each; { // keeps its processor
			}
			done <- struct{}{}
		}()
	}
	for range spinners {
		<-done
	}
	busy := l.ofMost()
	if busy < 10*each {
		t.Errorf("waited %v beside %d that take %v each", busy, spinners, each)
	}
	testkit.Eventually(t, 30*time.Second, func() error { // other processes may take the processors for a while
		for range 200 {
			go func() { done <- struct{}{} }()
			<-done
		}
		if idle := l.ofMost(); idle > busy/2 {
			return fmt.Errorf("waited %v alone, %v beside %d that take %v each", idle, busy, spinners, each)
		}
		return nil
	})
}
