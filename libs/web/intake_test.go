package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// uploading is an application with one operation for users and one without a token.
func uploading(t *testing.T) *bundle { return uploadingFor(t, members()) }

func uploadingFor(t *testing.T, verifier web.TokenVerifier) *bundle {
	t.Helper()
	b := setup(t)
	read := func(c *fiber.Ctx) error { return web.OK(c, len(c.Request().Body())) }
	if err := register(b.app, "", verifier, []served{
		{Method: "POST", Path: "/create", Role: identity.User, Handler: read},
		{Method: "POST", Path: "/login", Handler: read},
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

// upload starts a request with a body of size bytes and sends all of it but the last byte; end
// sends that, and returns the status of the response.
func (b *bundle) upload(path, token string, size int) (end func() int) {
	b.t.Helper()
	conn, err := b.ln().Dial()
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close() })
	header := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n", path, size)
	if token != "" {
		header += "Authorization: Bearer " + token + "\r\n"
	}
	b.write(conn, header+"\r\n")
	piece := strings.Repeat("x", 4<<10)
	for left := size - 1; left > 0; left -= len(piece) {
		b.write(conn, piece[:min(left, len(piece))])
	}
	return func() int {
		b.write(conn, "x")
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			b.t.Fatal(err)
		}
		defer response.Body.Close() //nolint:errcheck // read to its end
		_, _ = io.Copy(io.Discard, response.Body)
		return response.StatusCode
	}
}

func (b *bundle) write(conn net.Conn, text string) {
	b.t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		b.t.Fatal(err)
	}
}

// TestBodiesOfStrangersAreNotHeld verifies that a service called directly holds nothing of a
// body before its caller is permitted, and at most StrangersBody if no token is needed.
func TestBodiesOfStrangersAreNotHeld(t *testing.T) {
	// Not parallel: it measures the memory of the process.
	const connections = 100
	for path, want := range map[string]int{"/create": http.StatusUnauthorized, "/login": http.StatusRequestEntityTooLarge} {
		b := uploading(t)
		b.do(http.MethodPost, "/create", "", "Authorization", "Bearer user-a").ok(http.StatusOK)
		before := held()
		ends := make([]func() int, connections)
		for i := range ends {
			ends[i] = b.upload(path, "", 1<<20)
		}
		if each := (held() - before) / connections; each > 200<<10 {
			t.Errorf("%s: %d KiB are held for each of a megabyte", path, each>>10)
		}
		for _, end := range ends {
			if status := end(); status != want {
				t.Fatalf("%s: status %d, want %d", path, status, want)
			}
		}
	}
}

// held returns the number of reachable bytes.
func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestBodiesAreBounded verifies that an organization may have 16 MiB of bodies in memory, that
// others have theirs besides, and that bodies of completed requests are released, read or not.
func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	b := uploading(t)
	var ends []func() int
	for range 16 {
		ends = append(ends, b.upload("/create", "user-a", 1<<20))
	}
	large := strings.Repeat("x", 1<<20)
	ask := func(token, body string) *answer {
		return b.do(http.MethodPost, "/create", body, "Authorization", "Bearer "+token)
	}
	// The last of the sixteen may not have been handled yet, so that one more fits.
	var refused *answer
	for range 2 {
		if refused = ask("user-a", large); refused.status != http.StatusOK {
			break
		}
	}
	refused.fails(http.StatusServiceUnavailable, "UNAVAILABLE")
	if refused.header.Get("Retry-After") == "" {
		t.Error("a refusal without Retry-After")
	}
	ask("admin-b", large).ok(http.StatusOK)
	ask("user-a", strings.Repeat("x", 8<<10)).ok(http.StatusOK)
	var all sync.WaitGroup
	for _, end := range ends {
		all.Go(func() {
			if status := end(); status != http.StatusOK {
				t.Errorf("status %d", status)
			}
		})
	}
	all.Wait()
	for range 20 {
		ask("user-a", large).ok(http.StatusOK)
	}
}

// TestSessionsThatEndInAQueue: an expensive request that waited for its turn is refused if the session of its caller has
// ended meanwhile.
func TestSessionsThatEndInAQueue(t *testing.T) {
	t.Parallel()
	sessions := &leaving{tokens: members()}
	b := setup(t, func(o *web.Options) {
		o.Timeout = time.Minute
		o.Work = fairshare.New(fairshare.Options{Slots: 1, Share: 1, Waiting: 128, Allowance: 100, Within: time.Minute})
	})
	begun, end := make(chan struct{}, 2), make(chan struct{})
	table := api.Table{{ID: "adopt", Method: http.MethodPost, Path: "/adopt", Least: identity.User, Reach: api.Organization, Cost: api.Whole}}
	if err := web.Register(b.app, "", sessions, table, []web.Route{{Operation: "adopt", Handler: func(c *fiber.Ctx) error {
		begun <- struct{}{}
		<-end
		return web.OK(c, "done")
	}}}); err != nil {
		t.Fatal(err)
	}
	answers := make(chan *answer)
	ask := func() { answers <- b.in(t).do(http.MethodPost, "/adopt", "", "Authorization", "Bearer user-a") }
	go ask()
	<-begun
	before := sessions.asked.Load()
	go ask()
	testkit.Eventually(t, 10*time.Second, func() error {
		if sessions.asked.Load() == before {
			return errors.New("the second request has not been admitted yet")
		}
		return nil
	})
	sessions.ended.Store(true)
	close(end)
	statuses := []int{(<-answers).status, (<-answers).status}
	if slices.Sort(statuses); !slices.Equal(statuses, []int{http.StatusOK, http.StatusUnauthorized}) || len(begun) > 0 {
		t.Errorf("statuses %v, %d more begun", statuses, len(begun))
	}
}

// leaving are members whose sessions end.
type leaving struct {
	tokens
	asked atomic.Int64
	ended atomic.Bool
}

func (l *leaving) Verify(ctx context.Context, token string) (identity.Principal, error) {
	l.asked.Add(1)
	if l.ended.Load() {
		return identity.Principal{}, identity.NotAdmitted()
	}
	return l.tokens.Verify(ctx, token)
}

// TestSessionsThatEndDuringABody: a body that is sent slowly is not accepted from a caller whose session has ended meanwhile.
func TestSessionsThatEndDuringABody(t *testing.T) {
	t.Parallel()
	sessions := &leaving{tokens: members()}
	b := uploadingFor(t, sessions)
	stays := b.upload("/create", "user-a", 64<<10)
	if got := stays(); got != http.StatusOK {
		t.Errorf("a session that lasts: %d", got)
	}
	before := sessions.asked.Load()
	leaves := b.upload("/create", "user-a", 64<<10)
	testkit.Eventually(t, 10*time.Second, func() error {
		if sessions.asked.Load() == before {
			return errors.New("the second request has not been admitted yet")
		}
		return nil
	})
	sessions.ended.Store(true)
	if got := leaves(); got != http.StatusUnauthorized {
		t.Errorf("a session that has ended: %d", got)
	}
}
