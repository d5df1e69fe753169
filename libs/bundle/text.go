package bundle

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"
)

// Text is a text that is kept in few bytes until it is sent: records in JSON or rows of a
// table take a tenth of themselves.
type Text struct {
	packed []byte
	size   int64
}

// packers are used again: each has some 700 kB.
var packers sync.Pool

// packerTo returns a packer that writes to w.
func packerTo(w io.Writer) (*flate.Writer, error) {
	if p, ok := packers.Get().(*flate.Writer); ok {
		p.Reset(w)
		return p, nil
	}
	return flate.NewWriter(w, flate.BestSpeed)
}

// TextOf keeps what write writes.
func TextOf(write func(io.Writer) error) (Text, error) {
	var packed bytes.Buffer
	packer, err := packerTo(&packed)
	if err != nil {
		return Text{}, fmt.Errorf("keep a text: %w", err)
	}
	defer packers.Put(packer)
	count := &counting{w: packer}
	if err := write(count); err != nil {
		return Text{}, err
	}
	if err := packer.Close(); err != nil {
		return Text{}, fmt.Errorf("keep a text: %w", err)
	}
	return Text{bytes.Clone(packed.Bytes()), count.n}, nil
}

// counting counts what is written.
type counting struct {
	w io.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// Size is how many bytes the text has.
func (t Text) Size() int64 { return t.size }

// Texts are read one after another. Reading one unpacks it, so one of them is in memory at
// a time, and no more than a window of that.
func Texts(all ...Text) io.Reader {
	readers := make([]io.Reader, len(all))
	for i, t := range all {
		readers[i] = &unpacking{packed: t.packed}
	}
	return io.MultiReader(readers...)
}

// unpacking begins when it is read.
type unpacking struct {
	packed []byte
	from   io.ReadCloser
}

func (u *unpacking) Read(p []byte) (int, error) {
	if u.from == nil {
		if u.packed == nil {
			return 0, io.EOF
		}
		u.from = flate.NewReader(bytes.NewReader(u.packed))
	}
	n, err := u.from.Read(p)
	if err != nil {
		u.from, u.packed = nil, nil // its window would stay until the last of them is read
	}
	return n, err
}
