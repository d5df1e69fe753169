package gateway

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	brotli "github.com/molecule-man/go-brrr"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// table is an export of a given size, which counts the bytes read and records whether it was
// closed.
type table struct {
	size   int64
	read   atomic.Int64
	closed atomic.Bool
	// fails is the error at its end.
	fails error
}

func (e *table) Read(p []byte) (int, error) {
	at := e.read.Load()
	if at == e.size && e.fails != nil {
		return 0, e.fails
	}
	if at == e.size {
		return 0, io.EOF
	}
	n := copy(p[:min(int64(len(p)), e.size-at)], rows[at%period:])
	e.read.Add(int64(n))
	return n, nil
}

// rows are what a table repeats. They are copied, because the race detector looks at each byte
// that is written alone.
var rows = func() []byte {
	b := make([]byte, 1000*period)
	for i := range b {
		b[i] = byte('a' + i/7%23)
	}
	return b
}()

const period = 7 * 23

func (e *table) Close() error {
	e.closed.Store(true)
	return nil
}

// exports answers exports with tables, and reports with tables of known length.
func exports(s *stack, of func() *table) {
	answer := func(told bool) fasthttp.RequestHandler {
		return func(ctx *fasthttp.RequestCtx) {
			ctx.SetContentType("text/csv")
			ctx.Response.Header.Set("ETag", `"t"`)
			body, length := of(), -1
			if told {
				length = int(body.size)
				if body.fails != nil {
					length++
				}
			}
			ctx.SetBodyStream(body, length)
		}
	}
	s.services[api.Records].set(answer(false))
	s.services[api.Calculation].set(answer(true))
}

// files are the paths that exports handles.
var files = []string{"/export", "/results/report"}

// askFile sends a request for an export or a report.
func askFile(t *testing.T, url, path, coding string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v2/events/e1"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+alice)
	req.Header.Set("Accept-Encoding", coding)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// none waits until no response is counted.
func none(t *testing.T, kept *unsent) {
	t.Helper()
	testkit.Eventually(t, time.Minute, func() error {
		kept.mu.Lock()
		defer kept.mu.Unlock()
		if kept.used != 0 || len(kept.of) > 0 {
			return errCount(kept.used)
		}
		return nil
	})
}

// TestAnExportIsPassedOnAsItComes verifies that an export or report larger than the response
// limit is complete in each coding, counts like a short one, and has a Content-Length only if
// known and not compressed.
func TestAnExportIsPassedOnAsItComes(t *testing.T) {
	t.Parallel()
	const size = maxAnswer + 5<<20 + 3
	want := sha256.New()
	if _, err := io.Copy(want, &table{size: size}); err != nil {
		t.Fatal(err)
	}
	kept := newUnsent(2*flowRoom, flowRoom)
	s := start(t, func(d *Deps) { d.unsent, d.Timeout = kept, time.Minute })
	exports(s, func() *table { return &table{size: size} })
	for i, coding := range []string{"identity", codingGzip, codingBrotli, "identity"} {
		path := files[min(i, 1)]
		res := askFile(t, s.url, path, coding) //nolint:bodyclose // askFile closes it
		tag, length, from := `"t"`, int64(-1), io.Reader(res.Body)
		if i == 3 {
			length = size
		}
		var err error
		switch coding {
		case codingGzip:
			tag = `"t+gzip"`
			from, err = gzip.NewReader(res.Body)
		case codingBrotli:
			tag, from = `"t+br"`, brotli.NewReader(res.Body)
		}
		if err != nil {
			t.Fatal(err)
		}
		got := sha256.New()
		n, err := io.Copy(got, from)
		if err != nil || n != size || !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
			t.Errorf("%s: %d of %d bytes, or others (%v)", coding, n, size, err)
		}
		if res.Header.Get("ETag") != tag || res.ContentLength != length {
			t.Errorf("%s: the tag %s and the length %d", coding, res.Header.Get("ETag"), res.ContentLength)
		}
		none(t, kept)
	}
}

// TestAnExportWaitsForItsClient verifies backpressure: no more is read from the service than
// fits into buffers, and a disconnecting client ends it.
func TestAnExportWaitsForItsClient(t *testing.T) {
	t.Parallel()
	for _, path := range files {
		waitsForItsClient(t, path)
	}
}

func waitsForItsClient(t *testing.T, path string) {
	t.Helper()
	const size = 256 << 20 // much more than the socket buffers of two connections
	kept := newUnsent(unsentTotal, unsentShare)
	s := start(t, func(d *Deps) { d.unsent, d.Timeout = kept, time.Minute })
	e := &table{size: size}
	exports(s, func() *table { return e })
	conn, status := stalled(t, s.url, alice, "/events/e1"+path)
	if got := status(); got != http.StatusOK {
		t.Fatal(got)
	}
	before := int64(-1)
	testkit.Eventually(t, time.Minute, func() error { // until it stops growing
		now := e.read.Load()
		if grew := now != before; grew {
			before = now
			return fmt.Errorf("%d bytes were read", now)
		}
		return nil
	})
	if before > size/4 {
		t.Errorf("%d bytes of %d were read for a client that takes none", before, size)
	}
	kept.mu.Lock()
	if kept.used != flowRoom {
		t.Errorf("%d bytes are counted, want %d", kept.used, flowRoom)
	}
	kept.mu.Unlock()
	_ = conn.Close()
	testkit.Eventually(t, time.Minute, func() error {
		if !e.closed.Load() {
			return fmt.Errorf("%d bytes were read, and it goes on", e.read.Load())
		}
		return nil
	})
	none(t, kept)
}

// TestAnExportThatBreaksOffIsNoWholeOne verifies that an export truncated by the service is
// truncated for the client in every coding, or an error if short.
func TestAnExportThatBreaksOffIsNoWholeOne(t *testing.T) {
	t.Parallel()
	s := start(t, func(d *Deps) { d.Timeout = time.Minute })
	for i, coding := range []string{"identity", codingGzip, codingBrotli, "identity", codingGzip} {
		path := files[i/3]
		for _, size := range []int64{2 * flowRoom, 1000} {
			exports(s, func() *table { return &table{size: size, fails: io.ErrUnexpectedEOF} })
			res := askFile(t, s.url, path, coding) //nolint:bodyclose // askFile closes it
			_, err := io.Copy(io.Discard, res.Body)
			if size > flowRoom && err == nil {
				t.Errorf("%s, %s: %d bytes that break off are taken for all", path, coding, size)
			}
			if size < flowRoom && res.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("%s, %s: %d bytes that break off: %d", path, coding, size, res.StatusCode)
			}
		}
	}
}

// TestAnAnswerEndsWithItsSession verifies that a streamed response is truncated when the
// session of its reader ends.
func TestAnAnswerEndsWithItsSession(t *testing.T) {
	t.Parallel()
	for _, path := range files {
		s := start(t)
		exports(s, func() *table { return &table{size: 64 << 20} })
		res := askFile(t, s.url, path, "identity") //nolint:bodyclose // askFile closes it
		if _, err := io.ReadFull(res.Body, make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
		s.sessions.mu.Lock()
		for sid, state := range s.sessions.states {
			state.Active = false
			s.sessions.states[sid] = state
		}
		s.sessions.mu.Unlock()
		// What is in network buffers still arrives.
		if n, err := io.Copy(io.Discard, res.Body); err == nil || n > 32<<20 {
			t.Errorf("%s: %d bytes more, %v", path, n, err)
		}
	}
}
