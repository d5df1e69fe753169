package connections

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestNothingIsReadFromWhoIsLeftAside verifies that a paused connection is not read until its
// time, counts as waiting, ends when closed, and does not affect other addresses.
func TestNothingIsReadFromWhoIsLeftAside(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	l := &limitedListener{limit: Limits{PerAddress: 10, Total: 10}, paused: NewPaused(), now: clock.Now, trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.3/32")}}
	l.Listener = newLingering(ln, func(net.Conn) bool { return false })
	for _, address := range []string{"127.0.0.1", "127.0.0.3"} {
		l.paused.Put(netip.MustParseAddr(address), clock.Now().Add(time.Hour))
	}
	read := func(conn net.Conn) <-chan string {
		got := make(chan string, 1)
		go func() {
			text, err := io.ReadAll(io.LimitReader(conn, 2))
			got <- fmt.Sprint(string(text), err != nil)
		}()
		return got
	}
	from := func(address string) net.Conn {
		t.Helper()
		client, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		if _, err := io.WriteString(client, "hi"); err != nil {
			t.Fatal(err)
		}
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	aside := from("127.0.0.1")
	if counted, ok := aside.(*countedConn); !ok || !counted.waits() {
		t.Error("it does not wait for its client, and cannot make room")
	}
	got := read(aside)
	for _, address := range []string{"127.0.0.2", "127.0.0.3"} {
		if text := <-read(from(address)); text != "hifalse" {
			t.Errorf("of %s was read %q", address, text)
		}
	}
	if len(got) > 0 {
		t.Fatalf("before its time was read %q", <-got)
	}
	if err := aside.Close(); err != nil {
		t.Error(err)
	}
	if text := <-got; text != "true" {
		t.Errorf("of a connection that was closed was read %q", text)
	}
	clock.Advance(time.Hour - time.Nanosecond)
	if text := <-read(from("127.0.0.1")); text != "hifalse" {
		t.Errorf("when its time is over was read %q", text)
	}
}
