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

// NewBounded returns a body of so many bytes at most.
func NewBounded(from io.Reader, most int) *Bounded { return &Bounded{from: from, left: most} }

// errBodyTooLarge is what reading a body beyond its limit returns.
var errBodyTooLarge = fiber.ErrRequestEntityTooLarge

// Read implements io.Reader.
func (b *Bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if len(p) > b.left+1 {
		p = p[:b.left+1] // one more byte tells a full body from one too large
	}
	n, err := b.from.Read(p)
	if n > b.left {
		n, err = b.left, errBodyTooLarge
	}
	b.left -= n
	b.err = err
	return n, err
}

// Err returns the error that reading has ended with, io.EOF where the whole body was read, or
// nil: whoever sends a body on may wrap it beyond recognition.
func (b *Bounded) Err() error { return b.err }

// ReadBody reads a body to its end, of which the length was announced or, if that is
// negative, is not known.
func ReadBody(from io.Reader, announced int) ([]byte, error) {
	if announced < 0 {
		return io.ReadAll(from)
	}
	body := make([]byte, announced)
	_, err := io.ReadFull(from, body)
	return body, err
}

// BodyFault returns what to answer where a body could not be read.
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
