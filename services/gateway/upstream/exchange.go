package upstream

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"time"

	"github.com/valyala/fasthttp"
)

// maxInterim bounds the interim responses (1xx) before a response.
const maxInterim = 8

// exchange sends a request over a pooled connection and reads the response, like
// fasthttp's client, but without parsing the URL that the gateway has just written,
// with one deadline for both directions, and without a body stream if the body is
// small. Even if StreamBody is set, the response is read completely unless it is large
// or of unknown length. After an error retry reports whether the connection has failed,
// so that an idempotent request can be sent over another one.
func exchange(via *fasthttp.HostClient, req *fasthttp.Request, resp *fasthttp.Response, deadline time.Time) (retry bool, err error) {
	skip, stream := resp.SkipBody || req.Header.IsHead(), resp.StreamBody
	resp.Reset()
	resp.SkipBody = skip
	pooled, err := via.AcquireConn(time.Until(deadline), false)
	if err != nil {
		return false, err
	}
	conn := pooled.Conn()
	if err = conn.SetDeadline(deadline); err == nil {
		err = writeRequest(via, req, conn)
	}
	if err != nil {
		via.CloseConn(pooled)
		return true, err
	}
	from := via.AcquireReader(conn)
	left, err := readAnswer(from, resp, stream)
	if err != nil {
		via.ReleaseReader(from)
		if kept, ok := conn.(interface{ notReached() error }); ok && kept.notReached() != nil {
			err = kept.notReached()
		}
		via.CloseConn(pooled)
		return !errors.Is(err, fasthttp.ErrBodyTooLarge), err
	}
	reusable := !resp.ConnectionClose() && !req.ConnectionClose()
	if left {
		length := resp.Header.ContentLength()
		resp.SetBodyStream(newAnswerBody(from, &resp.Header, length, func(ended bool) {
			via.ReleaseReader(from)
			if ended && reusable {
				via.ReleaseConn(pooled)
			} else {
				via.CloseConn(pooled)
			}
		}), length)
		return false, nil
	}
	via.ReleaseReader(from)
	if reusable {
		via.ReleaseConn(pooled)
	} else {
		via.CloseConn(pooled)
	}
	return false, nil
}

// writeRequest writes a request with its body, if any.
func writeRequest(via *fasthttp.HostClient, req *fasthttp.Request, conn net.Conn) error {
	to := via.AcquireWriter(conn)
	defer via.ReleaseWriter(to)
	if err := req.Write(to); err != nil {
		return timedOut(err)
	}
	return timedOut(to.Flush())
}

// timedOut returns fasthttp.ErrTimeout for a deadline error, and other errors
// unchanged.
func timedOut(err error) error {
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		return fasthttp.ErrTimeout
	}
	return err
}

var errInterim = errors.New("too many interim answers")

// readAnswer reads a response, and reports whether its body is still unread on the
// connection.
func readAnswer(from *bufio.Reader, resp *fasthttp.Response, stream bool) (left bool, err error) {
	// A response without a type, such as 304, is passed on without one: a cache would take the default of fasthttp for
	// the type of the response that it has.
	resp.Header.SetNoDefaultContentType(true)
	for n := 0; ; n++ {
		if err := resp.Header.Read(from); err != nil {
			return false, err
		}
		if status := resp.StatusCode(); status < http.StatusContinue || status >= http.StatusOK || status == http.StatusSwitchingProtocols {
			break
		}
		if n == maxInterim {
			return false, errInterim
		}
	}
	if withoutBody(resp) {
		return false, nil
	}
	length := resp.Header.ContentLength()
	if stream && (length == chunked || length > SmallBody) {
		return true, nil
	}
	if err := resp.ReadBody(from, MaxBody); err != nil {
		return false, err
	}
	if length == chunked {
		return false, readTrailer(from, &resp.Header)
	}
	return false, nil
}

// chunked is the content length by which fasthttp denotes a chunked body.
const chunked = -1

func withoutBody(resp *fasthttp.Response) bool {
	switch resp.StatusCode() {
	case http.StatusSwitchingProtocols, http.StatusNoContent, http.StatusNotModified:
		return true
	}
	return resp.SkipBody
}

// readTrailer reads the trailer after the last chunk.
func readTrailer(from *bufio.Reader, h *fasthttp.ResponseHeader) error {
	err := h.ReadTrailer(from)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// answerBody is a response body that is read from its connection.
type answerBody struct {
	body  io.Reader
	end   func() error // reads the trailer; may be nil
	ended bool
	close func(ended bool)
}

// newAnswerBody returns the body of a response whose header has been read. Close passes
// to closed whether the body was read completely, so that the connection can be reused.
func newAnswerBody(from *bufio.Reader, h *fasthttp.ResponseHeader, length int, closed func(ended bool)) *answerBody {
	if length == chunked {
		return &answerBody{body: httputil.NewChunkedReader(from), end: func() error { return readTrailer(from, h) }, close: closed}
	}
	return &answerBody{body: &wholeReader{from, length}, close: closed}
}

// Read implements io.Reader.
func (b *answerBody) Read(p []byte) (int, error) {
	if b.ended {
		return 0, io.EOF
	}
	n, err := b.body.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if b.end != nil {
		if err := b.end(); err != nil {
			return n, err
		}
	}
	b.ended = true
	return n, io.EOF
}

// Close implements io.Closer.
func (b *answerBody) Close() error {
	if b.close != nil {
		b.close(b.ended)
		b.close = nil
	}
	return nil
}

// wholeReader reads exactly n bytes, and returns io.ErrUnexpectedEOF if there are
// fewer.
type wholeReader struct {
	from io.Reader
	left int
}

func (r *wholeReader) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	n, err := r.from.Read(p[:min(len(p), r.left)])
	r.left -= n
	switch {
	case r.left == 0:
		return n, io.EOF
	case errors.Is(err, io.EOF):
		return n, io.ErrUnexpectedEOF
	}
	return n, err
}
