package connections

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
)

// batches writes the small responses of many connections one after the other while the
// server is overloaded. A response wakes its client, which on the same machine takes as
// long as the rest of the write unless the client is awake already, because of the
// response before.
type batches struct {
	// on reports whether responses are written in batches.
	on func() bool

	mu    sync.Mutex
	queue []*batched // to be written
	spare []*batched // the queue before, for its array
}

// add queues a connection. The first one of a batch starts its goroutine, which first
// lets all others run that are ready: they are those that add to the batch.
func (w *batches) add(c *batched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue = append(w.queue, c); len(w.queue) == 1 {
		go w.write()
	}
}

func (w *batches) write() {
	runtime.Gosched()
	w.mu.Lock()
	queue := w.queue
	w.queue, w.spare = w.spare[:0], nil
	w.mu.Unlock()
	for _, c := range queue {
		c.flush()
	}
	clear(queue)
	w.mu.Lock()
	w.spare = queue
	w.mu.Unlock()
}

// pieceBuffer has room for the small responses of one connection in a batch.
type pieceBuffer [4 << 10]byte

var pieceBuffers = sync.Pool{New: func() any { return new(pieceBuffer) }}

// batched is the sending side of a connection whose responses may be written in
// batches. Its lock is never held while a write blocks.
type batched struct {
	writer *batches
	raw    syscall.RawConn
	// block writes like the connection: until everything is written or the deadline has
	// passed.
	block func([]byte) (int, error)

	mu   sync.Mutex
	rest []byte        // to be written in the next batch
	held *pieceBuffer  // the array of rest; nil if there is none
	late chan struct{} // closed when block has written the rest of a batch's response
	err  error         // of a response written after Write had returned

	try      func(fd uintptr) bool // attempt, made once
	tried    int                   // the number of bytes that it wrote
	tryError error
}

func newBatched(w *batches, raw syscall.RawConn, block func([]byte) (int, error)) *batched {
	c := &batched{writer: w, raw: raw, block: block}
	c.try = c.attempt
	return c
}

// write writes b, in the next batch if it is small. An error that occurs then is
// returned by the next call.
func (c *batched) write(b []byte) (int, error) {
	c.mu.Lock()
	for c.late != nil {
		late := c.late
		c.mu.Unlock()
		<-late
		c.mu.Lock()
	}
	if c.err != nil {
		defer c.mu.Unlock()
		return 0, c.err
	}
	if len(b) <= len(pieceBuffer{})-len(c.rest) && (len(c.rest) > 0 || c.writer.on()) {
		defer c.mu.Unlock()
		c.enqueue(b)
		return len(b), nil
	}
	rest, held := c.take()
	c.mu.Unlock()
	if held != nil {
		_, err := c.block(rest)
		pieceBuffers.Put(held)
		if err != nil {
			return 0, err
		}
	}
	return c.block(b)
}

func (c *batched) enqueue(b []byte) {
	if c.held == nil {
		c.held = pieceBuffers.Get().(*pieceBuffer) //nolint:forcetypeassert // see New
		c.rest = c.held[:0]
		c.writer.add(c)
	}
	c.rest = append(c.rest, b...)
}

func (c *batched) take() (rest []byte, held *pieceBuffer) {
	rest, held = c.rest, c.held
	c.rest, c.held = nil, nil
	return rest, held
}

// flush writes what is to be written, as far as that is possible at once; a client that
// does not read must not delay others, so a goroutine writes the rest.
func (c *batched) flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held == nil {
		return
	}
	err := c.raw.Write(c.try)
	rest, held := c.take()
	if err == nil {
		err = c.tryError
	}
	if err != nil || c.tried == len(rest) {
		c.err = err
		pieceBuffers.Put(held)
		return
	}
	late, rest := make(chan struct{}), rest[c.tried:]
	c.late = late
	go func() {
		_, err := c.block(rest)
		pieceBuffers.Put(held)
		c.mu.Lock()
		c.err, c.late = err, nil
		c.mu.Unlock()
		close(late)
	}()
}

// attempt writes as much of the rest as is possible at once. It always reports that the
// write is over.
func (c *batched) attempt(fd uintptr) bool {
	c.tryError = nil
	n, err := writeNow(fd, c.rest)
	c.tried = max(n, 0)
	if err != nil && !errors.Is(err, syscall.EAGAIN) {
		c.tryError = os.NewSyscallError("write", err)
	}
	return true
}
