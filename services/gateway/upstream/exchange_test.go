package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/infra/peer"
)

// scripted is a service whose connections each send the given texts in turn, whatever the
// request, and then end.
func scripted(t *testing.T, texts ...string) (c *Client, dialed *atomic.Int64) {
	t.Helper()
	dialed = new(atomic.Int64)
	c, err := New("records", Config{URL: "http://records", Dial: func(context.Context) (net.Conn, error) {
		dialed.Add(1)
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close() //nolint:errcheck // a pipe
			for _, text := range texts {
				if _, err := theirs.Read(make([]byte, 4096)); err != nil {
					return
				}
				if _, err := io.WriteString(theirs, text); err != nil {
					return
				}
			}
		}()
		return ours, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, dialed
}

// asked sends a request and returns the response, its body read completely.
func asked(c *Client, method string, stream bool) (body string, streamed bool, err error) {
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.Header.SetMethod(method)
	req.SetRequestURI("/")
	req.Header.SetHost("records")
	resp.StreamBody = stream
	if err := c.Do(req, resp, time.Now().Add(10*time.Second)); err != nil {
		return "", false, err
	}
	rest := resp.BodyStream()
	if rest == nil {
		return string(resp.Body()), false, nil
	}
	text, err := io.ReadAll(rest)
	return string(text), true, errors.Join(err, resp.CloseBodyStream())
}

func withLength(text string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
}

func inChunks(text string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n%x\r\n%s\r\n0\r\nX-Sum: 1\r\n\r\n", len(text), text)
}

// TestAConnectionServesOneAnswerAfterTheOther verifies that responses of any form can follow
// each other on a connection, and that only large ones and those of unknown length are
// streamed.
func TestAConnectionServesOneAnswerAfterTheOther(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", SmallBody+1)
	for name, text := range map[string]string{
		"small": withLength("text"), "empty": withLength(""), "large": withLength(large), "chunks": inChunks("text"), "large, in chunks": inChunks(large),
		"interim": "HTTP/1.1 103 Early Hints\r\n\r\n" + withLength("text"),
	} {
		for _, stream := range []bool{true, false} {
			c, dialed := scripted(t, text, withLength("next"))
			want := "text"
			switch {
			case strings.HasPrefix(name, "large"):
				want = large
			case name == "empty":
				want = ""
			}
			body, streamed, err := asked(c, fasthttp.MethodGet, stream)
			if err != nil || body != want {
				t.Errorf("%s: %v, %d bytes, want %d", name, err, len(body), len(want))
			}
			if apart := name != "small" && name != "empty" && name != "interim"; streamed != (stream && apart) {
				t.Errorf("%s: streamed %t, asked for %t", name, streamed, stream)
			}
			if body, _, err = asked(c, fasthttp.MethodGet, stream); err != nil || body != "next" || dialed.Load() != 1 {
				t.Errorf("after %s: %q, %v, by %d connections", name, body, err, dialed.Load())
			}
		}
	}
}

// TestAnAnswerThatIsCutShortIsAnError verifies that a truncated response is an error.
func TestAnAnswerThatIsCutShortIsAnError(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", SmallBody+1)
	for name, text := range map[string]string{
		"small": strings.TrimSuffix(withLength("text"), "t"), "large": strings.TrimSuffix(withLength(large), "x"), "between chunks": strings.TrimSuffix(inChunks(large), "0\r\nX-Sum: 1\r\n\r\n"),
		"in the trailer": strings.TrimSuffix(inChunks("text"), "\r\n"), "in a chunk": strings.TrimSuffix(inChunks(large), "x\r\n0\r\nX-Sum: 1\r\n\r\n"), "in the header": "HTTP/1.1 200 OK\r\nContent-",
		"interim only": strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", maxInterim+1) + withLength("text"),
	} {
		for _, stream := range []bool{true, false} {
			c, _ := scripted(t, text)
			if body, _, err := asked(c, fasthttp.MethodPost, stream); err == nil {
				t.Errorf("%s, streamed %t: answered with %d bytes", name, stream, len(body))
			}
		}
	}
}

// TestAnAnswerThatIsNotReadEndsItsConnection verifies that the connection of an unread response
// is not reused.
func TestAnAnswerThatIsNotReadEndsItsConnection(t *testing.T) {
	t.Parallel()
	c, dialed := scripted(t, withLength(strings.Repeat("x", SmallBody+1)), withLength("never"))
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	req.SetRequestURI("/")
	req.Header.SetHost("records")
	resp.StreamBody = true
	if err := c.Do(req, resp, time.Now().Add(10*time.Second)); err != nil {
		t.Fatal(err)
	}
	_, _ = resp.BodyStream().Read(make([]byte, 10))
	if err := resp.CloseBodyStream(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := asked(c, fasthttp.MethodGet, true); err != nil || dialed.Load() != 2 {
		t.Errorf("%v, by %d connections, want another one", err, dialed.Load())
	}
}

// TestOnlyReadsAreSentTwice verifies that only reads are retried after a connection ended
// before the response.
func TestOnlyReadsAreSentTwice(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]int64{fasthttp.MethodGet: 2, fasthttp.MethodHead: 2, fasthttp.MethodPut: 1, fasthttp.MethodPost: 1, fasthttp.MethodDelete: 1} {
		c, dialed := scripted(t, "")
		if _, _, err := asked(c, method, false); !errors.Is(err, fasthttp.ErrConnectionClosed) || dialed.Load() != want {
			t.Errorf("%s: %v over %d connections, want %d", method, err, dialed.Load(), want)
		}
	}
}

// TestABodyThatStreamsIsSentOnce verifies that a read with a streamed body is not retried.
func TestABodyThatStreamsIsSentOnce(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]bool{"no body": false, "a stream": true} {
		c, dialed := scripted(t, withLength("one"))
		if body, _, err := asked(c, fasthttp.MethodGet, false); err != nil || body != "one" {
			t.Fatalf("%q %v", body, err)
		}
		req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		req.SetRequestURI("/")
		req.Header.SetHost("records")
		read := &once{Reader: strings.NewReader("a body")}
		if stream {
			req.SetBodyStream(read, len("a body"))
		}
		err := c.Do(req, resp, time.Now().Add(10*time.Second))
		if want := map[bool]int64{false: 2, true: 1}[stream]; (err == nil) == stream || dialed.Load() != want {
			t.Errorf("%s: %d connections, want %d: %v", name, dialed.Load(), want, err)
		}
		if stream && read.again {
			t.Errorf("%s was read again after its end", name)
		}
		fasthttp.ReleaseRequest(req)
		fasthttp.ReleaseResponse(resp)
	}
}

// once records whether it is read after its end.
type once struct {
	io.Reader
	ended, again bool
}

func (o *once) Read(p []byte) (int, error) {
	o.again = o.again || o.ended
	n, err := o.Reader.Read(p)
	o.ended = o.ended || err != nil
	return n, err
}

// TestARefusedCredentialIsAnOutage: a service that does not believe this gateway has not judged the
// caller, whose session must not end. A 401 without the mark of such a refusal is the caller's.
func TestARefusedCredentialIsAnOutage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		response string
		want     error
	}{
		"a refused credential": {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n" + peer.Refused + ": 1\r\n\r\nbody", errNotBelieved},
		"a refused token":      {"HTTP/1.1 401 Unauthorized\r\nContent-Length: 4\r\n\r\nbody", nil},
		"another status":       {"HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n" + peer.Refused + ": 1\r\n\r\nbody", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := scripted(t, test.response)
			if body, _, err := asked(c, fasthttp.MethodGet, false); !errors.Is(err, test.want) || err == nil && body != "body" {
				t.Errorf("%q, %v; want %v", body, err, test.want)
			}
		})
	}
	if apperr.CodeOf(errNotBelieved) != apperr.Unavailable {
		t.Errorf("the code %s", apperr.CodeOf(errNotBelieved))
	}
}

// TestRequestsOverConnectionsAreSigned verifies the credential of a request as a service does.
func TestRequestsOverConnectionsAreSigned(t *testing.T) {
	t.Parallel()
	secrets := peer.Secrets{strings.Repeat("secret", 8)}
	ln := fasthttputil.NewInmemoryListener()
	claims := make(chan error, 1)
	server := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) {
		claim, err := peer.NewVerifier(secrets, false, time.Now).Admit(&ctx.Request.Header)
		if err == nil && !claim.Proven {
			err = errors.New("not proven")
		}
		claims <- errors.Join(err, claim.Body(ctx.Request.Body()))
	}}
	go func() { _ = server.Serve(ln) }()
	t.Cleanup(func() { _ = server.Shutdown() })
	c, err := New("records", Config{URL: "http://records", Dial: DialListener(ln), Signer: peer.NewSigner("gateway", secrets, time.Now)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, _, err := asked(c, fasthttp.MethodPost, false); err != nil {
		t.Fatal(err)
	}
	if err := <-claims; err != nil {
		t.Error(err)
	}
}
