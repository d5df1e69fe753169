package web

import (
	"errors"
	"io"
	"os"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Bounded is a body of unknown length that fails beyond its limit.
type Bounded struct {
	from io.Reader
	left int
	err  error
}

// NewBounded returns a body of at most most bytes.
func NewBounded(from io.Reader, most int) *Bounded { return &Bounded{from: from, left: most} }

// errBodyTooLarge is the error of reading a body beyond its limit.
var errBodyTooLarge = fiber.ErrRequestEntityTooLarge

// Read implements io.Reader.
func (b *Bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) > b.left+1 {
		p = p[:b.left+1] // one more byte distinguishes a body at the limit from one beyond it
	}
	n, err := b.from.Read(p)
	if n > b.left {
		n, err = b.left, errBodyTooLarge
	}
	b.left -= n
	b.err = err
	return n, err
}

// Err returns the error that ended reading, io.EOF after the whole body, or nil. The
// sender of the body may have wrapped the error so that it cannot be recognized.
func (b *Bounded) Err() error { return b.err }

// ReadBody reads a body completely. Its announced length is negative if unknown.
func ReadBody(from io.Reader, announced int) ([]byte, error) {
	if announced < 0 {
		return io.ReadAll(from)
	}
	body := make([]byte, announced)
	_, err := io.ReadFull(from, body)
	return body, err
}

// BodyFault returns the error to answer if a body could not be read.
func BodyFault(err error) error {
	var e *apperr.Error
	switch {
	case errors.As(err, &e), errors.Is(err, errBodyTooLarge):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fiber.ErrRequestTimeout
	}
	return fiber.ErrBadRequest
}
