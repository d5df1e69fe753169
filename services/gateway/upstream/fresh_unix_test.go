//go:build unix

package upstream

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// service accepts connections over TCP, and hands them on.
func service(t *testing.T) (address string, accepted <-chan net.Conn, end func()) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conns := make(chan net.Conn, 8)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = conn.Close() })
			conns <- conn
		}
	}()
	t.Cleanup(func() { _ = ln.Close() })
	return ln.Addr().String(), conns, func() { _ = ln.Close() }
}

func dialFresh(t *testing.T, address string) *freshConn {
	t.Helper()
	dial := fresh(func(string, time.Duration) (net.Conn, error) {
		return new(net.Dialer).DialContext(t.Context(), "tcp", address)
	})
	conn, err := dial("", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	c, _ := conn.(*freshConn)
	return c
}

// received reads a request, which is one line of text.
func received(t *testing.T, conn net.Conn) string {
	t.Helper()
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	return line
}

// exchanged sends a line and returns the first line of the response.
func exchanged(t *testing.T, c *freshConn, pieces ...string) (string, error) {
	t.Helper()
	for _, piece := range pieces {
		if _, err := io.WriteString(c, piece); err != nil {
			return "", err
		}
	}
	b := make([]byte, 64)
	n, err := c.Read(b)
	return string(b[:n]), err
}

// TestAKeptConnectionIsAskedOnce verifies that each request arrives complete and once, however
// many writes it takes, followed by its response.
func TestAKeptConnectionIsAskedOnce(t *testing.T) {
	t.Parallel()
	address, accepted, _ := service(t)
	c := dialFresh(t, address)
	theirs := <-accepted
	long := strings.Repeat("x", heldMost)
	for i, pieces := range [][]string{{"one\n"}, {"two\n"}, {"th", "ree\n"}, {long, "four\n"}, {"f", long, "ive\n"}, {long + "six\n"}, {"seven\n"}} {
		got := make(chan string)
		go func() {
			got <- received(t, theirs)
			_, _ = fmt.Fprintf(theirs, "answer %d", i)
		}()
		result := make(chan string)
		go func() {
			answer, err := exchanged(t, c, pieces...)
			if err != nil {
				t.Error(err)
			}
			result <- answer
		}()
		if request := <-got; request != strings.Join(pieces, "") {
			t.Errorf("request %d arrived as %d bytes, want %d", i, len(request), len(strings.Join(pieces, "")))
		}
		if answer := <-result; answer != fmt.Sprintf("answer %d", i) {
			t.Errorf("request %d was answered %q", i, answer)
		}
	}
	if len(accepted) > 0 {
		t.Error("there was another connection")
	}
}

// TestWhatCannotBeKeptIsReplaced verifies that no request is written to a connection that was
// closed or received unsolicited data while idle.
func TestWhatCannotBeKeptIsReplaced(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(net.Conn){
		"closed":      func(conn net.Conn) { _ = conn.Close() },
		"unasked for": func(conn net.Conn) { _, _ = io.WriteString(conn, "of somebody else") },
	} {
		for _, pieces := range [][]string{{"second\n"}, {strings.Repeat("x", heldMost), "second\n"}} {
			address, accepted, _ := service(t)
			c := dialFresh(t, address)
			first := <-accepted
			serve := func(conn net.Conn, answer string) {
				if request := received(t, conn); !strings.HasSuffix(request, "\n") {
					t.Errorf("%s: received %q", name, request)
				}
				_, _ = io.WriteString(conn, answer)
			}
			go serve(first, "first")
			if answer, err := exchanged(t, c, "first\n"); answer != "first" || err != nil {
				t.Fatalf("%s: %q, %v", name, answer, err)
			}
			spoil(first)
			testkit.Eventually(t, 10*time.Second, func() error {
				if c.socket.of(c.Conn) && c.socket.quiet() {
					return errors.New("it is not there yet")
				}
				return nil
			})
			go func() { serve(<-accepted, "second") }()
			if answer, err := exchanged(t, c, pieces...); answer != "second" || err != nil {
				t.Errorf("%s: %q, %v", name, answer, err)
			}
		}
	}
}

// TestAServiceThatIsGoneIsNotReached verifies that a failed reconnection is reported as such,
// with nothing sent.
func TestAServiceThatIsGoneIsNotReached(t *testing.T) {
	t.Parallel()
	address, accepted, end := service(t)
	c, err := New("records", Config{URL: "http://" + address})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	go func() {
		conn := <-accepted
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(conn, withLength("first"))
		end()
		_ = conn.Close()
	}()
	if body, _, err := asked(c, http.MethodPost, false); body != "first" || err != nil {
		t.Fatalf("%q, %v", body, err)
	}
	testkit.Eventually(t, 10*time.Second, func() error {
		if _, _, err := asked(c, http.MethodPost, false); !errors.Is(err, ErrConnect) {
			return fmt.Errorf("%w, want that there is no connection", err)
		}
		return nil
	})
}

// TestWhatDoesNotFitIsWrittenLater verifies that a request larger than the socket buffer is
// sent completely.
func TestWhatDoesNotFitIsWrittenLater(t *testing.T) {
	t.Parallel()
	address, accepted, _ := service(t)
	c := dialFresh(t, address)
	theirs := <-accepted
	// Until the buffer is full.
	if err := c.Conn.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	filled, err := io.Copy(c.Conn, zeros{})
	if err == nil {
		t.Fatal("there is always room")
	}
	if err := c.Conn.SetWriteDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		if n, err := io.CopyN(io.Discard, theirs, filled); err != nil {
			t.Errorf("%d of %d: %v", n, filled, err)
		}
		got <- received(t, theirs)
		_, _ = io.WriteString(theirs, "answer")
	}()
	if answer, err := exchanged(t, c, "request\n"); answer != "answer" || err != nil {
		t.Errorf("%q, %v", answer, err)
	}
	if request := <-got; request != "request\n" {
		t.Errorf("it arrived as %q", request)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestWhoDoesNotAnswerIsNotWaitedFor verifies that the deadline ends the wait for a response.
func TestWhoDoesNotAnswerIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	address, _, _ := service(t)
	c := dialFresh(t, address)
	if err := c.SetDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	_, err := exchanged(t, c, "request\n")
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		t.Errorf("%v, want a timeout", err)
	}
}
