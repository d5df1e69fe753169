package gateway

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

// queue simulates a service that completes a given number of writes per millisecond of virtual
// time, first in, first out.
type queue struct {
	now    time.Time
	lag    time.Duration
	told   int
	intake *intake
	ends   []func()
}

func newQueue() *queue {
	q := &queue{now: time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)}
	q.intake = newIntake(func() time.Time { return q.now }, func() time.Duration { return q.lag }, func(refused int) { q.told += refused })
	return q
}

// pass advances the time; in each millisecond the given numbers of writes arrive and end. It
// returns the rejections by organization.
func (q *queue) pass(milliseconds, ending int, arriving map[string]int) (refused map[string]int) {
	refused = map[string]int{}
	for range milliseconds {
		q.now = q.now.Add(time.Millisecond)
		for org, n := range arriving {
			for range n {
				if end, ok := q.intake.begin(org); ok {
					q.ends = append(q.ends, end)
				} else {
					refused[org]++
				}
			}
		}
		for range min(ending, len(q.ends)) {
			q.ends[0]()
			q.ends = q.ends[1:]
		}
	}
	return refused
}

func TestIntakeKeepsTheQueueShort(t *testing.T) {
	t.Parallel()
	q := newQueue()
	// Three times the capacity arrives, for a minute.
	refused := q.pass(60_000, 1, map[string]int{"one": 3})
	if wait := time.Duration(len(q.ends)) * time.Millisecond; wait > 2*intakeDelay {
		t.Errorf("what is under way takes %v", wait)
	}
	if refused["one"] < 110_000 || len(q.ends) < intakeLeast {
		t.Errorf("%d of 180,000 refused, %d under way: it is to be kept busy", refused["one"], len(q.ends))
	}
	// What arrives then can be answered again.
	q.pass(10_000, 3, map[string]int{"one": 1})
	if refused := q.pass(10_000, 3, map[string]int{"one": 1}); refused["one"] > 0 {
		t.Errorf("%d refused without a queue", refused["one"])
	}
}

// TestIntakeIsTightAtTheFirstRejection verifies that a burst beyond the number of connections
// counts as overload at once, not only at the end of the window.
func TestIntakeIsTightAtTheFirstRejection(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.pass(1, 0, map[string]int{"one": upstream.MaxConns})
	if q.intake.tight.Load() {
		t.Error("tight although nothing was refused")
	}
	if refused := q.pass(1, 0, map[string]int{"one": 1}); refused["one"] != 1 || !q.intake.tight.Load() {
		t.Errorf("%v refused, tight: %t", refused, q.intake.tight.Load())
	}
	q.pass(1_000, 10, map[string]int{"one": 1})
	if q.intake.tight.Load() {
		t.Error("tight without a queue")
	}
}

// TestIntakeDoesNotGrowWithAQueue verifies that slow writes, admitted before the limit was lowered
// for lack of processor time, do not raise it when they end.
func TestIntakeDoesNotGrowWithAQueue(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.pass(1, 0, map[string]int{"one": 700})
	q.pass(600, 0, nil)
	q.lag = 2 * intakeLag
	q.pass(1, 1, nil)
	low := q.intake.limit
	q.lag = 0
	q.pass(300, 2, nil) // all of them have taken longer than intakeDelay
	if low != intakeLeast || q.intake.limit > low {
		t.Errorf("the limit is %d after %d", q.intake.limit, low)
	}
}

func TestIntakeTakesBursts(t *testing.T) {
	t.Parallel()
	q := newQueue()
	for range 50 {
		refused := q.pass(1, 2, map[string]int{"one": 900}) // 450 ms of work at once
		if refused := q.pass(999, 2, nil); len(refused) > 0 {
			t.Error(refused)
		}
		if refused["one"] > 0 {
			t.Fatalf("%d of a burst refused", refused["one"])
		}
	}
}

func TestIntakeOfOneIsNotTakenByAnother(t *testing.T) {
	t.Parallel()
	q := newQueue()
	q.pass(20_000, 4, map[string]int{"flood": 12})
	refused := q.pass(20_000, 4, map[string]int{"flood": 12, "other": 1})
	if refused["flood"] < 100_000 || refused["other"] > 0 {
		t.Errorf("refused: %v of 240,000 of the flood and 20,000 of the other", refused)
	}
}

// TestOverloadIsRefusedAtOnce verifies that excess writes get 503 with Retry-After before their
// body is read, while reads pass.
func TestOverloadIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	s := start(t, func(d *Deps) {
		d.WriteLimit = ratelimit.Rule{Limit: 100_000, Window: time.Minute}
		d.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
		d.intakes = map[api.Service]*intake{api.Records: newIntake(d.Now, func() time.Duration { return 0 }, func(int) {})}
	})
	turns := make(chan struct{})
	s.services[api.Records].set(func(c *fasthttp.RequestCtx) {
		if c.IsPost() {
			<-turns
		}
		c.SetContentType("application/json")
		c.SetBodyString(`{"success":true,"data":{}}`)
	})
	write := request{method: http.MethodPost, path: "/api/v2/events/e1/flights", token: alice, body: `{"passengers":1}`}
	var all sync.WaitGroup
	var statuses sync.Map
	begin := func(n int) {
		before := s.services[api.Records].count()
		for range n {
			all.Go(func() {
				a := s.do(write)
				n, _ := statuses.LoadOrStore(a.status, new(int))
				mu.Lock()
				*n.(*int)++
				mu.Unlock()
			})
		}
		testkit.Eventually(t, time.Minute, func() error {
			if got := s.services[api.Records].count() - before; got != n {
				return errCount(got)
			}
			return nil
		})
	}
	begin(intakeLeast + 1)
	mu.Lock()
	now = now.Add(2 * intakeDelay)
	mu.Unlock()
	turns <- struct{}{} // the one that ends has taken too long, like all others
	testkit.Eventually(t, time.Minute, func() error {
		if _, ended := statuses.Load(http.StatusOK); !ended {
			return errCount(0)
		}
		return nil
	})
	asked := s.services[api.Records].count()
	a := s.do(write)
	if after, err := strconv.Atoi(a.header.Get("Retry-After")); a.status != http.StatusServiceUnavailable || a.code(t) != "UNAVAILABLE" || err != nil || after < 1 {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	conn := dial(t, s.url) // before its body has arrived, too
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n%s",
		write.path, alice, strings.Repeat(" ", arrived)); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode != http.StatusServiceUnavailable || !res.Close {
		t.Errorf("before the body: %d, closes %t", res.StatusCode, res.Close)
	}
	if got := s.services[api.Records].count(); got != asked {
		t.Errorf("the service was asked %d times more", got-asked)
	}
	if a := s.do(request{method: http.MethodGet, path: "/api/v2/events/e1/flights", token: alice}); a.status != http.StatusOK {
		t.Errorf("a read: %d %s", a.status, a.body)
	}
	close(turns)
	all.Wait()
	if a := s.do(write); a.status != http.StatusOK {
		t.Errorf("afterwards: %d %s", a.status, a.body)
	}
}

// errCount reports an unexpected count.
type errCount int

func (n errCount) Error() string { return strconv.Itoa(int(n)) }
