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
	// flowAfter is how much of an answer is read before it is passed on as it comes: one
	// that ends or fails before that is answered as any other.
	flowAfter = 256 << 10
	// flowRoom is what an answer that is passed on is counted as, whatever its length: what
	// of it is in memory here, and in the service until the client takes more. One that is
	// known to be no longer is read whole: the service is free again at once.
	flowRoom = 3 << 19
	// flowPiece is how much is read, and compressed, at a time.
	flowPiece = 32 << 10
	// flowWindow is the base-2 logarithm of the window of brotli: the default one takes
	// eight megabytes where it must not know how long a text is.
	flowWindow = 18
)

// flows reports whether an answer to an operation may be passed on as it comes: an export,
// of which neither the length nor the end is known when it begins, or a report that was kept
// on a disk. The service makes or reads it a piece at a time and holds no turn between them,
// so that a client that takes it slowly keeps nobody from working.
func flows(o api.Operation) bool { return o.Method == fiber.MethodGet && o.Cost.Expensive() }

// answerFor returns what the answer of a service is read into: where it may be passed on
// as it comes, apart from the answer to the client. HTTP/1.0 has no chunks.
func answerFor(o api.Operation, a passed) *fasthttp.Response {
	answer := &a.rc.Response
	if h := &a.rc.Request.Header; flows(o) && h.IsGet() && h.IsHTTP11() {
		answer = fasthttp.AcquireResponse()
	}
	answer.StreamBody = streams(o)
	return answer
}

// begin reads the beginning of an answer of unknown length; all of it, where it is short.
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

// fill reads until a buffer is full, or to the end.
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

// passOn makes the rest of an answer that of the client. Its length is -1 where it is not
// known.
func (g *gateway) passOn(o api.Operation, a passed, answer *fasthttp.Response, begun []byte, length int) {
	f := &flow{answer: answer, from: io.MultiReader(bytes.NewReader(begun), answer.BodyStream()), piece: make([]byte, 0, flowPiece), cancel: func() {}}
	// The request's own context ends before the answer does.
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

// flow is an answer that is passed on as it comes, a piece at a time.
type flow struct {
	ctx    context.Context // it lives as long as the answer, longer than the call that makes it
	cancel func()
	answer *fasthttp.Response // of the service
	from   io.Reader
	packer *packer // nil: it is passed on as it is
	failed func(error)
	// still asks whether the session still admits who asked; Sessions remember for a moment.
	still func() error

	piece []byte
	left  []byte // of the piece, which was not passed on yet
	ended bool
}

// next returns what is to be sent next, which is good until it is called again.
func (f *flow) next() (text []byte, err error) {
	if f.ended {
		return nil, io.EOF
	}
	text, f.ended, err = fill(f.from, f.piece)
	if err == nil {
		// A client may take an answer for longer than a session lives.
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

// WriteTo implements fasthttp.BodyWriterTo: each piece is one chunk, where the library
// would make eight of it.
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

// Close implements io.Closer: a service that has not sent all is told that nobody reads on.
func (f *flow) Close() error {
	f.cancel()
	err := f.answer.CloseBodyStream()
	fasthttp.ReleaseResponse(f.answer)
	return err
}

// packer compresses an answer as it comes.
type packer struct {
	turn func(ctx context.Context, length int) (end func(), err error)
	to   io.WriteCloser
	done bytes.Buffer
}

// newPacker prepares the compression of an answer to one request.
func (k compressor) newPacker(org string) (p *packer, err error) {
	p = &packer{turn: func(ctx context.Context, length int) (func(), error) { return k.turn(ctx, org, length) }}
	if k.coding == codingBrotli {
		p.to, err = brotli.NewWriterOptions(&p.done, brotliLevel, brotli.WriterOptions{LGWin: flowWindow})
	} else {
		p.to, err = gzip.NewWriterLevel(&p.done, gzipLevel)
	}
	return p, err
}

// pack compresses a piece, and returns what is ready of all of them.
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
