package connections

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// batchedPair returns both ends of a connection that writes in batches while on is set,
// and the batches of its server.
func batchedPair(t *testing.T, on func() bool) (server *lingeringConn, client net.Conn, w *batches) {
	t.Helper()
	w = &batches{on: on}
	conn, client := connectedBy(t, w)
	return conn.(*lingeringConn), client, w
}

// connectedBy returns both ends of a connection of a server that writes responses in the
// given batches.
func connectedBy(t *testing.T, w *batches) (server, client net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	if client, err = net.Dial("tcp", ln.Addr().String()); err != nil {
		t.Fatal(err)
	}
	listener := newLingering(ln, func(net.Conn) bool { return false })
	listener.batch = w
	if server, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return server, client
}

// TestBatchesKeepEveryByte verifies that clients receive all responses in order, however
// large they are, while batches begin and end, and also those before the connection is
// closed.
func TestBatchesKeepEveryByte(t *testing.T) {
	t.Parallel()
	if !nonblocking {
		t.Skip("no batches on this system")
	}
	random := testkit.Rand(t)
	var on atomic.Bool
	w := &batches{on: on.Load}
	var all sync.WaitGroup
	for range 20 {
		server, client := connectedBy(t, w)
		seed := [2]uint64{random.Uint64(), random.Uint64()}
		sent := make([]byte, 200_000)
		for i := range sent {
			sent[i] = byte(random.Uint32())
		}
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed[0], seed[1])) //nolint:gosec // reproducible
			for rest := sent; len(rest) > 0; {
				size := random.IntN(1500) + 1
				if random.IntN(20) == 0 {
					size = random.IntN(20_000)
				}
				part := rest[:min(size, len(rest))]
				rest = rest[len(part):]
				if n, err := server.Write(part); n != len(part) || err != nil {
					t.Errorf("write of %d: %d, %v", len(part), n, err)
				}
				if random.IntN(10) == 0 {
					on.Store(!on.Load())
				}
			}
			_ = server.Close()
		})
		all.Go(func() {
			if got, err := io.ReadAll(client); err != nil || !bytes.Equal(got, sent) {
				t.Errorf("received %d bytes of %d, %v", len(got), len(sent), err)
			}
		})
	}
	all.Wait()
}

// TestBatchIsWrittenTogether verifies that small responses wait for their batch, and large
// ones, and all without overload, do not.
func TestBatchIsWrittenTogether(t *testing.T) {
	t.Parallel()
	if !nonblocking {
		t.Skip("no batches on this system")
	}
	overloaded := true
	server, client, w := batchedPair(t, func() bool { return overloaded })
	// Another connection is in the queue already, so the batch is written when the test
	// says so.
	w.queue = []*batched{newBatched(w, server.batch.raw, nil)}
	write := func(b string) {
		t.Helper()
		if n, err := server.Write([]byte(b)); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
	}
	write("one,")
	write("two,")
	if err := client.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, err := client.Read(b); err == nil {
		t.Fatalf("%q was written before the batch", b[:n])
	}
	_ = client.SetReadDeadline(time.Time{})
	w.write()
	if n, err := client.Read(b); err != nil || string(b[:n]) != "one,two," {
		t.Fatalf("the batch wrote %q, %v", b[:n], err)
	}
	if server.batch.held != nil || len(w.queue) != 0 {
		t.Error("a buffer or a connection remains")
	}
	overloaded = false
	write("three")
	if n, err := client.Read(b); err != nil || string(b[:n]) != "three" {
		t.Fatalf("without overload %q was written, %v", b[:n], err)
	}
	overloaded = true
	w.queue = []*batched{newBatched(w, server.batch.raw, nil)}
	write("small,")
	large := bytes.Repeat([]byte("x"), len(pieceBuffer{}))
	write(string(large))
	got := make([]byte, len("small,")+len(large))
	if _, err := io.ReadFull(client, got); err != nil || string(got) != "small,"+string(large) {
		t.Errorf("%q…, %v before a large response", got[:10], err)
	}
}

// fill writes responses that nobody reads, until the end of one has to wait, and returns
// how many there are.
func fill(t *testing.T, server *lingeringConn, piece []byte) (n int) {
	t.Helper()
	if err := server.tcp.SetWriteBuffer(len(piece)); err != nil {
		t.Fatal(err)
	}
	for late := false; !late; n++ {
		if _, err := server.Write(piece); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, 10*time.Second, func() error {
			server.batch.mu.Lock()
			defer server.batch.mu.Unlock()
			if server.batch.held != nil {
				return errors.New("the batch is not written")
			}
			late = server.batch.late != nil
			return nil
		})
	}
	return n
}

// TestBatchesWaitForNoClient verifies that a client that does not read delays no other
// one, that it receives everything once it reads, and that a connection that is closed
// meanwhile ends.
func TestBatchesWaitForNoClient(t *testing.T) {
	t.Parallel()
	if !nonblocking {
		t.Skip("no batches on this system")
	}
	server, client, w := batchedPair(t, func() bool { return true })
	if err := client.(*net.TCPConn).SetReadBuffer(len(pieceBuffer{})); err != nil {
		t.Fatal(err)
	}
	piece := bytes.Repeat([]byte("y"), len(pieceBuffer{}))
	n := fill(t, server, piece)
	done := make(chan error, 1)
	next := func(server net.Conn) {
		_, err := server.Write([]byte("z"))
		done <- err
	}
	go next(server)
	other, its := connectedBy(t, w)
	if _, err := other.Write([]byte("at once")); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, err := its.Read(b); err != nil || string(b[:n]) != "at once" {
		t.Fatalf("another client received %q, %v", b[:n], err)
	}
	select {
	case err := <-done:
		t.Errorf("a response behind those that nobody reads was kept, %v", err)
	default:
	}
	got := make([]byte, n*len(piece)+1)
	if _, err := io.ReadFull(client, got); err != nil || bytes.Count(got, []byte("y")) != n*len(piece) || got[n*len(piece)] != 'z' {
		t.Errorf("the client received something else, %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}

	fill(t, server, piece)
	go next(server)
	server.waits.Store(true) // closed at once, without lingering
	if err := server.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, net.ErrClosed) {
		t.Errorf("the write on a closed connection ended with %v", err)
	}
}

// TestBatchWritesTheRestOfAResponse verifies that nothing is lost or repeated if only the
// beginning of a response can be written at once.
func TestBatchWritesTheRestOfAResponse(t *testing.T) {
	t.Parallel()
	if !nonblocking {
		t.Skip("no batches on this system")
	}
	server, client, _ := batchedPair(t, func() bool { return true })
	c := server.batch
	c.try = func(fd uintptr) bool {
		c.tried, c.tryError = 0, nil
		if half := c.rest[:len(c.rest)/2]; len(half) > 0 {
			c.tried, c.tryError = writeNow(fd, half)
		}
		return true
	}
	for _, response := range []string{"0123456789", "a"} {
		if _, err := server.Write([]byte(response)); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(response))
		if _, err := io.ReadFull(client, got); err != nil || string(got) != response {
			t.Errorf("%q was received of %q, %v", got, response, err)
		}
	}
}

// TestBatchReportsErrors verifies that a response that could not be written ends the
// connection: the next write fails.
func TestBatchReportsErrors(t *testing.T) {
	t.Parallel()
	if !nonblocking {
		t.Skip("no batches on this system")
	}
	server, client, _ := batchedPair(t, func() bool { return true })
	if err := errors.Join(client.(*net.TCPConn).SetLinger(0), client.Close()); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, 10*time.Second, func() error {
		if _, err := server.Write([]byte("lost")); err == nil {
			return errors.New("nobody says that it was lost")
		}
		return nil
	})
}

// unsent returns a connection whose batches cannot be written at once, which writes by block,
// and which only the test flushes.
func unsent(t *testing.T, block func([]byte) (int, error)) *batched {
	t.Helper()
	server, _, w := batchedPair(t, func() bool { return true })
	w.queue = []*batched{newBatched(w, server.batch.raw, nil)}
	c := newBatched(w, server.batch.raw, block)
	c.try = func(uintptr) bool {
		c.tried, c.tryError = 0, nil
		return true
	}
	return c
}

// TestBatchKeepsTheBufferOfALateResponse verifies that no other response is written into the
// buffer of one whose client does not read: the client would receive that of another one.
func TestBatchKeepsTheBufferOfALateResponse(t *testing.T) {
	t.Parallel()
	if !nonblocking {
		t.Skip("no batches on this system")
	}
	for range 20 { // the pool may return another buffer
		read, received := make(chan struct{}), make(chan string, 1)
		late := unsent(t, func(b []byte) (int, error) {
			<-read
			received <- string(b)
			return len(b), nil
		})
		other := unsent(t, nil)
		if _, err := late.write([]byte("late")); err != nil {
			t.Fatal(err)
		}
		late.flush()
		if _, err := other.write([]byte("other")); err != nil {
			t.Fatal(err)
		}
		close(read)
		if got := <-received; got != "late" {
			t.Fatalf("the client received %q", got)
		}
	}
}

// TestBatchWritesNothingBehindALostResponse verifies that a large response is not written
// behind a smaller one that was not, or not completely.
func TestBatchWritesNothingBehindALostResponse(t *testing.T) {
	t.Parallel()
	if !nonblocking {
		t.Skip("no batches on this system")
	}
	lost, writes := errors.New("lost"), 0
	c := unsent(t, func(b []byte) (int, error) {
		if writes++; writes == 1 {
			return 0, lost
		}
		return len(b), nil
	})
	if _, err := c.write([]byte("small")); err != nil {
		t.Fatal(err)
	}
	if n, err := c.write(make([]byte, len(pieceBuffer{}))); n != 0 || !errors.Is(err, lost) || writes != 1 {
		t.Errorf("%d bytes, %v, after %d writes", n, err, writes)
	}
}
