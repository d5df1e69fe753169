package gateway

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

// stalled sends a request and reads only the header of its response; status waits for it, and
// returns 0 if there is none.
func stalled(t *testing.T, url, token, path string) (conn net.Conn, status func() int) {
	t.Helper()
	conn = dial(t, url)
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "GET /api/v2%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n", path, token); err != nil {
		t.Fatal(err)
	}
	return conn, func() int {
		res, err := http.ReadResponse(bufio.NewReaderSize(conn, 16), nil) //nolint:bodyclose // it is to be left on the connection
		if err != nil {
			t.Log(err)
			return 0
		}
		return res.StatusCode
	}
}

// TestAnswersThatAreNotTaken verifies that unread responses of one organization are limited:
// then its pages wait, its exports are rejected, and another organization's are answered. All
// is released when the clients disconnect.
func TestAnswersThatAreNotTaken(t *testing.T) {
	t.Parallel()
	const size = 16 << 20 // more than the socket buffers
	kept := newUnsent(64<<20, size+flowRoom/2)
	s := start(t, func(d *Deps) { d.unsent, d.Timeout = kept, time.Minute })
	text := bytes.Repeat([]byte("x"), size)
	for _, service := range []api.Service{api.Records, api.Calculation} {
		s.services[service].set(func(ctx *fasthttp.RequestCtx) {
			if strings.HasSuffix(string(ctx.Path()), "/export") {
				ctx.SetBodyStream(bytes.NewReader(text), -1)
				return
			}
			ctx.SetBody(text)
		})
	}
	org, other := principals()[alice].Org, principals()[carol].Org
	held := func(want, wantOther int) {
		t.Helper()
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if kept.of[org] != want || kept.of[other] != wantOther {
			t.Errorf("%d and %d bytes are kept, want %d and %d", kept.of[org], kept.of[other], want, wantOther)
		}
	}
	first, status := stalled(t, s.url, alice, "/events/e1/flights")
	if got := status(); got != http.StatusOK {
		t.Fatalf("the first: %d", got)
	}
	asked := s.services[api.Records].count()
	second, status := stalled(t, s.url, alice, "/events/e1/flights")
	testkit.Eventually(t, time.Minute, func() error {
		if got := s.services[api.Records].count(); got != asked+1 {
			return errCount(got)
		}
		return nil
	})
	waited := make(chan int, 1)
	go func() { waited <- status() }()
	export := s.do(request{method: http.MethodGet, path: "/api/v2/events/e1/export", token: alice})
	if export.status != http.StatusServiceUnavailable || export.code(t) != "UNAVAILABLE" || export.header.Get("Retry-After") == "" {
		t.Errorf("an export beyond the bound: %d %v", export.status, export.header)
	}
	third, statusOther := stalled(t, s.url, carol, "/events/e1/export")
	if got := statusOther(); got != http.StatusOK {
		t.Errorf("another organization's: %d", got)
	}
	held(size, flowRoom)
	select {
	case got := <-waited:
		t.Fatalf("the one that was to wait: %d", got)
	default:
	}
	_ = first.Close()
	if got := <-waited; got != http.StatusOK {
		t.Errorf("the one that waited: %d", got)
	}
	_, _ = second.Close(), third.Close()
	testkit.Eventually(t, time.Minute, func() error {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if kept.used != 0 || len(kept.of) > 0 {
			return errCount(kept.used)
		}
		return nil
	})
	if got := s.do(request{method: http.MethodGet, path: "/api/v2/events/e1/export", token: alice}); got.status != http.StatusOK || len(got.body) != size {
		t.Errorf("afterwards: %d with %d bytes", got.status, len(got.body))
	}
}

// TestRoomForAnswers verifies that a response larger than the share is admitted alone, that the
// total is limited, and that compression releases bytes.
func TestRoomForAnswers(t *testing.T) {
	t.Parallel()
	u := newUnsent(100, 40)
	large, more, others := &keptAnswer{of: u, org: "a"}, &keptAnswer{of: u, org: "a"}, &keptAnswer{of: u, org: "b"}
	for _, c := range []struct {
		answer *keptAnswer
		bytes  int
		want   bool
	}{{large, 60, true}, {more, 1, false}, {others, 41, false}, {others, 40, true}, {large, 1, false}} {
		if ok, _ := c.answer.take(c.bytes); ok != c.want {
			t.Errorf("%d bytes of %s: %t, want %t", c.bytes, c.answer.org, ok, c.want)
		}
	}
	app := fiber.New()
	c := app.AcquireCtx(&fasthttp.RequestCtx{})
	defer app.ReleaseCtx(c)
	c.Context().SetUserValue(keptKey{}, large)
	c.Response().SetBodyRaw(make([]byte, 10))
	shrink(c.Context())
	if large.bytes != 10 || u.used != 50 {
		t.Errorf("%d bytes of the compressed answer are counted, %d of all", large.bytes, u.used)
	}
	for _, k := range []*keptAnswer{large, more, others} {
		_ = k.Close()
	}
	if u.used != 0 || len(u.of) > 0 {
		t.Errorf("%d bytes are left", u.used)
	}
}

// TestAnswersOfUnknownLength verifies that responses of any length are complete, and a
// truncated one is an error.
func TestAnswersOfUnknownLength(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, smallAnswer - 1, smallAnswer, smallAnswer + 1, 3*smallAnswer + 7} {
		text := strings.Repeat("0123456789", size/10+1)[:size]
		kept := &keptAnswer{of: newUnsent(1<<20, 1<<20)}
		got, err := kept.grow(strings.NewReader(text))
		if err != nil || string(got) != text {
			t.Errorf("%d bytes: %d, %v", size, len(got), err)
		}
		if size > smallAnswer && (kept.bytes != cap(got) || cap(got) > len(got)+len(got)/4) {
			t.Errorf("%d bytes in %d: %d are counted", size, cap(got), kept.bytes)
		}
		if _, err := kept.grow(io.MultiReader(strings.NewReader(text), errorReader{})); err == nil {
			t.Errorf("%d bytes that break off are taken for an answer", size)
		}
	}
}

type errorReader struct{}

func (errorReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestReadsOfOneOrganizationLeaveConnectionsFree verifies that excess reads of one organization
// wait at the gateway while another one's is answered, and that fewer are in flight if the
// other has been active before.
func TestReadsOfOneOrganizationLeaveConnectionsFree(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{true, false} {
		var all sync.WaitGroup
		end := make(chan struct{})
		s := start(t, trust("127.0.0.0/8"), func(d *Deps) {
			d.Timeout, d.WriteLimit = time.Minute, ratelimit.Rule{Limit: 100_000, Window: time.Minute}
		})
		s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
			if strings.HasSuffix(string(ctx.Path()), "/greedy") {
				<-end
			}
			ctx.SetContentType("application/json")
			ctx.SetBodyString(`{"success":true,"data":{}}`)
		})
		// On a busy machine the service takes longer to accept a thousand connections than the
		// gateway waits for one; such a request has not reached it.
		ask := func(r request) (a answer) {
			for range 60 {
				if a = s.do(r); !strings.Contains(a.body, "A part of the service cannot be reached. Nothing was changed") {
					break
				}
			}
			return a
		}
		quiet := func() {
			if a := ask(request{method: http.MethodGet, path: "/api/v2/events/quiet", token: carol}); a.status != http.StatusOK {
				t.Errorf("another organization's: %d %s", a.status, a.body)
			}
		}
		most, others := readsOfOneAlone, 1
		if !alone {
			most, others = readsOfOne, 2
			quiet()
		}
		for range upstream.MaxConns + 50 {
			all.Go(func() {
				if a := ask(request{method: http.MethodGet, path: "/api/v2/events/greedy", token: alice}); a.status != http.StatusOK {
					t.Errorf("one that waited: %d %s", a.status, a.body)
				}
			})
		}
		testkit.Eventually(t, time.Minute, func() error {
			if got := s.services[api.Records].count(); got < most+others-1 {
				return errCount(got)
			}
			return nil
		})
		quiet()
		if got := s.services[api.Records].count(); got != most+others {
			t.Errorf("the service was sent %d reads at once, want %d and %d", got, most, others)
		}
		close(end)
		all.Wait()
	}
}

// TestAnswersFromInsideAreCounted verifies that large responses count against the same limits
// however they were received.
func TestAnswersFromInsideAreCounted(t *testing.T) {
	t.Parallel()
	g := &gateway{Deps: Deps{unsent: newUnsent(400<<10, 300<<10)}}
	app := fiber.New()
	read, write := api.Operation{Cost: api.Page}, api.Operation{Cost: api.Light}
	receive := func(o api.Operation, size int) (*fiber.Ctx, error) {
		t.Helper()
		c := app.AcquireCtx(new(fasthttp.RequestCtx))
		ended, end := context.WithCancel(t.Context())
		end()
		c.SetUserContext(ended)
		c.Response().SetBodyRaw(make([]byte, size))
		return c, g.receive(o, passedBy(c), c.Response())
	}
	if _, err := receive(read, smallAnswer); err != nil || g.unsent.used != 0 {
		t.Errorf("a small one: %d bytes are counted (%v)", g.unsent.used, err)
	}
	first, err := receive(read, 200<<10)
	if err != nil || g.unsent.used != 200<<10 {
		t.Errorf("a large one: %d bytes are counted (%v)", g.unsent.used, err)
	}
	if _, err := receive(read, 200<<10); apperr.CodeOf(err) != apperr.Unavailable {
		t.Errorf("one that there is no room for, for a caller who has left: %v", err)
	}
	// The write is done: its response is not rejected, but counts.
	second, err := receive(write, 300<<10)
	if err != nil || g.unsent.used != 500<<10 {
		t.Errorf("of a write: %d bytes are counted (%v)", g.unsent.used, err)
	}
	if kept, ok := second.Context().UserValue(keptKey{}).(*keptAnswer); !ok || kept.Close() != nil || g.unsent.used != 200<<10 {
		t.Errorf("%d bytes are counted when the one of the write was taken", g.unsent.used)
	}
	if kept, ok := first.Context().UserValue(keptKey{}).(*keptAnswer); !ok || kept.Close() != nil || g.unsent.used != 0 {
		t.Errorf("%d bytes are counted when it was taken", g.unsent.used)
	}
}
