package gateway

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/gzip"
	brotli "github.com/molecule-man/go-brrr"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// flowAfter is how much of a response is read before it is streamed: one that ends
	// or fails earlier is sent like any other.
	flowAfter = 256 << 10
	// flowRoom is the memory that a streamed response counts for, whatever its length:
	// what is in memory here, and in the service until the client reads more. A
	// response known to be no longer than this is read completely, which frees the
	// service at once.
	flowRoom = 3 << 19
	// flowPiece is the number of bytes read and compressed at a time.
	flowPiece = 32 << 10
	// flowWindow is the base-2 logarithm of the brotli window. The default window takes
	// eight megabytes if the length of the text is unknown.
	flowWindow = 18
)

// flows reports whether the response to an operation may be streamed: an export, whose
// length is unknown when it begins, or a report spooled to disk. The service produces
// or reads it piece by piece and holds no slot between pieces, so a slow client blocks
// nobody.
func flows(o api.Operation) bool { return o.Method == fiber.MethodGet && o.Cost.Expensive() }

// answerFor returns the response to read the service's answer into: a separate one if
// it may be streamed, otherwise that of the client. HTTP/1.0 has no chunks.
func answerFor(o api.Operation, a passed) *fasthttp.Response {
	answer := &a.rc.Response
	if h := &a.rc.Request.Header; flows(o) && h.IsGet() && h.IsHTTP11() {
		answer = fasthttp.AcquireResponse()
	}
	answer.StreamBody = streams(o)
	return answer
}

// begin reads the beginning of a response of unknown length, or all of a short one.
func (k *keptAnswer) begin(stream io.Reader) (begun []byte, whole bool, err error) {
	begun, whole, err = fill(stream, make([]byte, 0, smallAnswer))
	if whole || err != nil {
		return begun, whole, err
	}
	if ok, _ := k.take(flowRoom); !ok {
		return nil, false, noRoom(nil)
	}
	begun, whole, err = fill(stream, append(make([]byte, 0, flowAfter), begun...))
	if whole {
		k.give(flowRoom - cap(begun))
	}
	return begun, whole, err
}

// fill reads until the buffer is full or the stream ends.
func fill(stream io.Reader, buffer []byte) (_ []byte, ended bool, err error) {
	for len(buffer) < cap(buffer) {
		n, err := stream.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if errors.Is(err, io.EOF) {
			return buffer, true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
	return buffer, false, nil
}

// passOn streams the rest of a response to the client; length is -1 if unknown.
func (g *gateway) passOn(o api.Operation, a passed, answer *fasthttp.Response, begun []byte, length int) {
	f := &flow{answer: answer, from: io.MultiReader(bytes.NewReader(begun), answer.BodyStream()), piece: make([]byte, 0, flowPiece), cancel: func() {}}
	// The context of the request ends before the response does.
	f.ctx = context.WithoutCancel(a.ctx)
	if deadline, ok := a.ctx.Deadline(); ok {
		f.ctx, f.cancel = context.WithDeadline(f.ctx, deadline)
	}
	token, _ := web.BearerOf(&a.rc.Request.Header)
	f.still = func() error {
		if a.by.UserID == "" {
			return nil
		}
		return identity.Admit(identity.WithToken(f.ctx, token), g.Sessions, a.by)
	}
	f.failed = func(err error) {
		g.Logger.WarnContext(f.ctx, "an answer was cut short", "operation", o.ID, "request_id", a.id, "error", telemetry.Redact(err.Error()))
	}
	a.rc.Response.SetBodyStream(f, length)
}

// flow streams a response, one piece at a time.
type flow struct {
	ctx    context.Context // lives until the response ends, longer than the call that creates it
	cancel func()
	answer *fasthttp.Response // of the service
	from   io.Reader
	packer *packer // nil: not compressed here
	failed func(error)
	// still verifies that the session is still valid; Sessions caches this briefly.
	still func() error

	piece []byte
	left  []byte // of the piece, not sent yet
	ended bool
}

// next returns the next bytes to send, which are valid until the next call.
func (f *flow) next() (text []byte, err error) {
	if f.ended {
		return nil, io.EOF
	}
	text, f.ended, err = fill(f.from, f.piece)
	if err == nil {
		// A download may take longer than the session lasts.
		err = f.still()
	}
	if err == nil && f.packer != nil {
		text, err = f.packer.pack(f.ctx, text, f.ended)
	}
	if err != nil {
		f.failed(err)
	}
	return text, err
}

// Read implements io.Reader.
func (f *flow) Read(p []byte) (n int, err error) {
	for len(f.left) == 0 {
		if f.left, err = f.next(); err != nil {
			return 0, err
		}
	}
	n = copy(p, f.left)
	f.left = f.left[n:]
	return n, nil
}

// SupportsBodyWriteTo implements fasthttp.BodyWriterTo.
func (f *flow) SupportsBodyWriteTo() bool { return true }

// WriteTo implements fasthttp.BodyWriterTo: it writes each piece as one chunk, instead
// of eight by the library.
func (f *flow) WriteTo(w io.Writer) (sent int64, err error) {
	for {
		text, err := f.next()
		if errors.Is(err, io.EOF) {
			return sent, nil
		}
		if err != nil {
			return sent, err
		}
		n, err := w.Write(text)
		sent += int64(n)
		if err != nil {
			return sent, fmt.Errorf("pass on an answer: %w", err)
		}
	}
}

// Close implements io.Closer. If the service has not sent everything, its connection is
// closed.
func (f *flow) Close() error {
	f.cancel()
	err := f.answer.CloseBodyStream()
	fasthttp.ReleaseResponse(f.answer)
	return err
}

// packer compresses a stream.
type packer struct {
	turn func(ctx context.Context, length int) (end func(), err error)
	to   io.WriteCloser
	done bytes.Buffer
}

// newPacker returns the packer for a response to an organization.
func (k compressor) newPacker(org string) (p *packer, err error) {
	p = &packer{turn: func(ctx context.Context, length int) (func(), error) { return k.turn(ctx, org, length) }}
	if k.coding == codingBrotli {
		p.to, err = brotli.NewWriterOptions(&p.done, brotliLevel, brotli.WriterOptions{LGWin: flowWindow})
	} else {
		p.to, err = gzip.NewWriterLevel(&p.done, gzipLevel)
	}
	return p, err
}

// pack compresses a piece, and returns the compressed bytes that are ready.
func (p *packer) pack(ctx context.Context, text []byte, last bool) ([]byte, error) {
	end, err := p.turn(ctx, len(text))
	if err != nil {
		return nil, err
	}
	defer end()
	p.done.Reset()
	if _, err := p.to.Write(text); err != nil {
		return nil, fmt.Errorf("compress an answer: %w", err)
	}
	if last {
		if err := p.to.Close(); err != nil {
			return nil, fmt.Errorf("compress an answer: %w", err)
		}
	}
	return p.done.Bytes(), nil
}
