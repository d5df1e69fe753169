package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// framing generates requests that two readers may divide differently.
type framing struct{ *rand.Rand }

func (f framing) one(list ...string) string { return list[f.IntN(len(list))] }

// end ends a line.
func (f framing) end() string {
	if f.IntN(12) == 0 {
		return "\n"
	}
	return "\r\n"
}

// hidden is a request within the body of another one.
const hidden = "GET /api/v2/events/hidden HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + bob + "\r\n\r\n"

func (f framing) request() string {
	const path = "/api/v2/events/0123456789abcdefghjkmnpqrs"
	length := strconv.Itoa(len(hidden))
	chunk := strconv.FormatInt(int64(len(hidden)), 16)
	var b strings.Builder
	b.WriteString(f.one("GET", "PATCH", "POST", "PATCH", "HEAD", "DELETE", f.one("get", "PATCH\t")) + " ")
	b.WriteString(f.one(path, path, path, path+"/flights", path, path, path, path+"/flights", path+"?page=1", f.one("http://a"+path, "http://b:1"+path, path+"?q=%0d%0aX:1", path+"%2f..", path+"\x0b", path+"#x", path+"?a b", "//a"+path, path+"?\x00", path+"/%00", "*")))
	b.WriteString(f.one(" HTTP/1.1", " HTTP/1.1", " HTTP/1.1", " HTTP/1.1", " HTTP/1.1", " HTTP/1.1", f.one(" HTTP/1.0", "  HTTP/1.1", " HTTP/1.1 ", " HTTP/2.0", " http/1.1", "")) + f.end())
	b.WriteString("Host: a\r\nAuthorization: Bearer " + alice + "\r\nContent-Type: application/json\r\n")
	for range f.IntN(3) {
		b.WriteString(f.one(
			"Content-Length: "+length, "Content-Length: 0", "Content-Length: 2", "content-length: "+length, "Content-Length : "+length, "Content-Length: +2", "Content-Length: 0x2",
			"Content-Length: 2, 2", "Content-Length: 2\r\nContent-Length: 2", "Content-Length:\t2", "Content-Length: 2 ", "Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length:", "Content_Length: 7",
			"Transfer-Encoding: chunked", "Transfer-Encoding: Chunked", "Transfer-Encoding: identity", "Transfer-Encoding: chunked, identity", "Transfer-Encoding: gzip, chunked", "Transfer-Encoding:\x0bchunked",
			"Transfer-Encoding : chunked", "Transfer-Encoding: xchunked", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding:\r\n chunked", "X: y\r\n Transfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer_Encoding: chunked", "transfer-encoding:chunked",
			"Connection: Content-Length", "Connection: Transfer-Encoding", "Connection: Host, Authorization", "Connection: keep-alive, Upgrade\r\nUpgrade: websocket", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__", "Expect: 100-continue", "Trailer: Authorization", "TE: trailers",
			"X-A: b\rContent-Length: 0", "X-A: b\nTransfer-Encoding: chunked", "X-A\x00: b", ": b", "X-A", "X A: b", "X-Ecf-Peer: 1", "X-Forwarded-For: 1.1.1.1\r\nX-Forwarded-For: 2.2.2.2", "Host: b", "X-Long: "+strings.Repeat("l", 9000),
			"Authorization: Bearer "+carol, "X-HTTP-Method-Override: DELETE", "Keep-Alive: timeout=1", "Proxy-Connection: keep-alive", "\tX-Fold: a") + f.end())
	}
	b.WriteString(f.end())
	b.WriteString(f.one("", "", "{}", hidden, "0\r\n\r\n"+hidden, "0\r\n\r\n", chunk+"\r\n"+hidden+"\r\n0\r\n\r\n", "2;x=y\r\n{}\r\n0\r\n\r\n", "2\r\n{}\r\n0\r\nAuthorization: Bearer "+carol+"\r\n\r\n", "2;x=\"\r\n{}\r\n0\r\n\r\n"+hidden,
		"02\n{}\n0\n\n"+hidden, "2\r\n{}\r\n00\r\n\r\n"+hidden, "+2\r\n{}\r\n0\r\n\r\n", "0x2\r\n{}\r\n0\r\n\r\n"+hidden, "FFFFFFFFFFFFFFFF2\r\n{}\r\n0\r\n\r\n"+hidden, "2\r\n{}XX0\r\n\r\n"+hidden, "-1\r\n\r\n"+hidden))
	return b.String()
}

// TestAServiceReadsTheRequestsThatWereAnswered: a service with another reader of HTTP divides what the gateway sends
// into the requests that the gateway has read, whatever the client sends: as many as the client has answers from the
// service, each with the user whom the gateway has checked and without fields that frame it twice.
func TestAServiceReadsTheRequestsThatWereAnswered(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano()) //nolint:gosec // any value will do
	if v, err := strconv.ParseUint(os.Getenv("ECF_TEST_SEED"), 10, 64); err == nil {
		seed = v
	}
	t.Logf("ECF_TEST_SEED=%d", seed)
	f := framing{rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // repeatable
	var mu sync.Mutex
	var read []string
	service := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		read = append(read, fmt.Sprintf("%s %s %v %q %v", r.Method, r.RequestURI, r.Header, body, err))
		switch {
		case err != nil, len(r.Header.Values("Authorization")) > 1, !slices.Contains([]string{"Bearer " + alice, "Bearer " + bob, ""}, r.Header.Get("Authorization")), r.Header.Get("X-Ecf-Peer") != "", len(r.Trailer) > 0,
			len(r.Header.Values("X-Forwarded-For")) > 0, r.Header.Get("Connection") != "", r.Header.Get("Upgrade") != "", len(r.TransferEncoding) > 0 && r.ContentLength >= 0:
			t.Errorf("the service has read %s", read[len(read)-1])
		}
		w.Header().Set("Etag", `"service"`)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"success":true,"data":{}}`)
	}))
	refused := 0
	service.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateHijacked {
			t.Error("a connection was taken over")
		}
	}
	service.Start()
	t.Cleanup(service.Close)
	s := start(t, func(d *Deps) { d.Records.URL, d.Records.Dial = service.URL, nil; d.WriteLimit.Limit = 1 << 20 })
	address := strings.TrimPrefix(s.url, "http://")
	runs := 400
	if n, err := strconv.Atoi(os.Getenv("ECF_FRAMING_RUNS")); err == nil {
		runs = n
	}
	for range runs {
		mu.Lock()
		read = nil
		mu.Unlock()
		text := f.request() + f.one("", "", hidden, f.request())
		answered, all := answersOf(t, address, text)
		mu.Lock()
		if len(read) != answered {
			t.Errorf("%q\nis %d requests to the service and %d to the gateway:\n%s\n%s", text, len(read), answered, strings.Join(read, "\n"), all)
		}
		if answered == 0 {
			refused++
		}
		mu.Unlock()
	}
	t.Logf("%d of %d were refused", refused, runs)
}

// TestFoldedFieldsReachNoService verifies that a request with a folded field, which readers of HTTP join, split or drop, is
// refused on every way through the gateway, also after its fields were read in their order for the client's address.
func TestFoldedFieldsReachNoService(t *testing.T) {
	t.Parallel()
	s := start(t, func(d *Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })
	address := strings.TrimPrefix(s.url, "http://")
	const event = "/api/v2/events/0123456789abcdefghjkmnpqrs"
	for _, first := range []string{"GET " + event, "PATCH " + event, "POST /api/v2/auth/login"} {
		for _, fold := range []string{"X-Forwarded-For: 192.0.2.1\r\nTransfer-Encoding:\r\n chunked", "Transfer-Encoding: chunked\r\nX-Forwarded-For: 192.0.2.1,\r\n\t192.0.2.2", "Transfer-Encoding: chunked\r\nX-A: b\n c"} {
			text := first + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + alice + "\r\nContent-Type: application/json\r\n" + fold + "\r\n\r\n0\r\n\r\n" + hidden
			if _, all := answersOf(t, address, text); !strings.HasPrefix(all, "HTTP/1.1 400 ") || strings.Count(all, "HTTP/1.1 ") != 1 {
				t.Errorf("%q: %s", text, all)
			}
		}
	}
}

// answersOf sends a text, and counts the answers that are from the service.
func answersOf(t *testing.T, address, text string) (fromService int, all string) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // it has been read
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := conn.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	got, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, net.ErrClosed) && !strings.Contains(err.Error(), "reset") {
		t.Errorf("%q: %v", text, err)
	}
	return bytes.Count(got, []byte("\r\nEtag: \"service\"")), string(got)
}
