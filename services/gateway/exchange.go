package gateway

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

// maxInterim bounds the interim answers (1xx) before an answer.
const maxInterim = 8

// exchange sends a request over a connection of a pool and reads the answer, as fasthttp's
// client does, but without parsing the address that the gateway has just written, with one
// deadline for both directions, and without a stream for a body that is small and there. An
// answer whose StreamBody is set is read whole all the same unless it is large or its length
// is not known. After an error retry reports whether the connection has failed, so that a
// request that may be repeated can be sent over another one.
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

// writeRequest writes a request and what it has of a body.
func writeRequest(via *fasthttp.HostClient, req *fasthttp.Request, conn net.Conn) error {
	to := via.AcquireWriter(conn)
	defer via.ReleaseWriter(to)
	if err := req.Write(to); err != nil {
		return timedOut(err)
	}
	return timedOut(to.Flush())
}

// timedOut returns fasthttp.ErrTimeout for an error of a deadline.
func timedOut(err error) error {
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() {
		return fasthttp.ErrTimeout
	}
	return err
}

var errInterim = errors.New("too many interim answers")

// readAnswer reads an answer, and reports whether its body is left on the connection.
func readAnswer(from *bufio.Reader, resp *fasthttp.Response, stream bool) (left bool, err error) {
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
	if stream && (length == chunked || length > smallAnswer) {
		return true, nil
	}
	if err := resp.ReadBody(from, maxAnswer); err != nil {
		return false, err
	}
	if length == chunked {
		return false, readTrailer(from, &resp.Header)
	}
	return false, nil
}

// chunked is the length that fasthttp states for a body in chunks.
const chunked = -1

func withoutBody(resp *fasthttp.Response) bool {
	switch resp.StatusCode() {
	case http.StatusSwitchingProtocols, http.StatusNoContent, http.StatusNotModified:
		return true
	}
	return resp.SkipBody
}

// readTrailer reads what follows the last chunk.
func readTrailer(from *bufio.Reader, h *fasthttp.ResponseHeader) error {
	err := h.ReadTrailer(from)
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// answerBody is a body that is still on its connection.
type answerBody struct {
	body  io.Reader
	end   func() error // reads what follows the body; may be nil
	ended bool
	close func(ended bool)
}

// newAnswerBody returns the body of an answer whose header has been read. Close is told
// whether all of it was read, so that its connection can be used again.
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

// wholeReader reads so many bytes, and fails where there are fewer.
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
