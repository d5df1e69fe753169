package connections

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestConnectionsPerAddress verifies that connections of an address beyond the limit are closed
// until another one ends, and that trusted proxies have no limit.
func TestConnectionsPerAddress(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &limitedListener{Listener: ln, limit: Limits{PerAddress: 2, Total: 5}, trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}}
	t.Cleanup(func() { _ = ln.Close() })
	accepted := make(chan net.Conn, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	from := func(address string) net.Conn {
		t.Helper()
		conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		return conn
	}
	refused := func(conn net.Conn) {
		t.Helper()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" || !strings.Contains(string(body), `"RATE_LIMITED"`) || !strings.HasSuffix(string(body), "}}") {
			t.Errorf("%d %s %v", res.StatusCode, body, err)
		}
	}
	from("127.0.0.1")
	first := <-accepted
	from("127.0.0.1")
	<-accepted
	refused(from("127.0.0.1"))
	_ = first.Close()
	_ = first.Close() // counted once
	from("127.0.0.1")
	<-accepted
	refused(from("127.0.0.1"))
	for range 3 {
		from("127.0.0.9")
		<-accepted
	}
	refused(from("127.0.0.2")) // the total
}

// TestConnectionsLeaveFilesForTheRest verifies that connections take at most half of the
// files that a process may have open, and that the log says when that is few.
func TestConnectionsLeaveFilesForTheRest(t *testing.T) {
	t.Parallel()
	for files, want := range map[uint64]Limits{
		1: {1, 1, 0}, 64: {16, 16, 6}, 1024: {496, 496, 198}, 4096: {1000, 2032, 812},
		20_000: {1000, 9984, 3993}, 1 << 20: {1000, 10_000, 4000}, 1<<64 - 1: {1000, 10_000, 4000},
	} {
		l := LimitsFor(files)
		if l != want {
			t.Errorf("of %d files: %+v, want %+v", files, l, want)
		}
		var log bytes.Buffer
		l.Log(slog.New(slog.NewTextHandler(&log, nil)), files)
		if told := strings.Contains(log.String(), fmt.Sprintf(`"the limit of open files allows few connections" open_files=%d connections=%d`, files, want.Total)); told != (files < 10_000) {
			t.Errorf("of %d files the log says %q", files, log.String())
		}
	}
}

// TestWhoWaitsMakesRoom verifies that at the total limit a new connection replaces a waiting
// one of the address with the most.
func TestWhoWaitsMakesRoom(t *testing.T) {
	t.Parallel()
	l := &limitedListener{limit: Limits{PerAddress: 3, Total: 4}, trusted: []netip.Prefix{netip.MustParsePrefix("192.0.2.9/32")}}
	var closed []string
	open := func(name, address string, waits bool) bool {
		of := networkOf(netip.MustParseAddr(address))
		inner := &lingeringConn{}
		inner.waits.Store(waits)
		inner.close.Do(func() {}) // nothing to close
		conn := &countedConn{Conn: inner}
		conn.done = sync.OnceFunc(func() { closed = append(closed, name); l.release(of, conn) })
		return l.admit(of, conn)
	}
	for _, c := range []struct {
		name, address string
		waits, want   bool
		closed        string
	}{
		{"busy", "2001:db8::1", false, true, ""}, {"waits", "2001:db8::2", true, true, ""}, {"busy too", "2001:db8::3", false, true, ""},
		{"a fourth of its network", "2001:db8::4", true, false, ""},
		{"the last place", "192.0.2.1", true, true, ""},
		{"in place of who waits", "192.0.2.2", true, true, "waits"},
		{"where nobody of those with the most waits", "192.0.2.3", true, false, ""},
	} {
		closed = nil
		if got := open(c.name, c.address, c.waits); got != c.want || strings.Join(closed, " ") != c.closed || l.is.all > l.limit.Total {
			t.Errorf("%s: admitted %t with %q closed, of %d connections", c.name, got, closed, l.is.all)
		}
	}
}
