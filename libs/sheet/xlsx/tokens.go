package xlsx

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/eventcarbon/ecf/libs/fairshare"
)

const (
	// maxToken bounds one tag, or the text between two of them, in bytes; a cell has at most 32,767 characters. The
	// decoder stores it several times in memory.
	maxToken = 1 << 20
	// maxDepth bounds the nesting of elements, and maxAttributes their attributes: the decoder stores both until they
	// end.
	maxDepth      = 64
	maxAttributes = 128
)

// tokens reads the tags and texts of a part in constant memory.
type tokens struct {
	from  *metered
	xml   *xml.Decoder
	depth int
	close func()
}

// tokens opens a part.
func (a *archive) tokens(part string) (*tokens, error) {
	file := a.parts[nameOf(part)]
	if file == nil {
		return nil, errDamaged
	}
	r, err := file.Open()
	if err != nil {
		return nil, errDamaged
	}
	from := &metered{r: bufio.NewReaderSize(&while{ctx: a.ctx, r: r}, 64<<10)}
	t := &tokens{from: from, xml: xml.NewDecoder(from), close: func() { _ = r.Close() }} // it only reads
	t.xml.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		encoding, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return encoding.NewDecoder().Reader(in), nil
	}
	return t, nil
}

// next returns the next token; it is valid until the next call. The error is io.EOF at the
// end of the part.
func (t *tokens) next() (xml.Token, error) {
	t.from.left = maxToken
	token, err := t.xml.Token()
	if err != nil {
		return nil, err
	}
	switch e := token.(type) {
	case xml.StartElement:
		if t.depth++; t.depth > maxDepth || len(e.Attr) > maxAttributes {
			return nil, errDamaged
		}
	case xml.EndElement:
		t.depth--
	}
	return token, nil
}

// text returns the text of the element that was just opened, and reads to its end. With inner it is that of the
// elements t in it, of which rich text has one per run; phonetic text is omitted.
func (t *tokens) text(inner bool) (string, error) {
	var b strings.Builder
	outer, taken, phonetic := t.depth, t.depth, 0
	if inner {
		taken = 0
	}
	for {
		token, err := t.next()
		if err != nil {
			return "", ended(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			switch {
			case e.Name.Local == "rPh" && phonetic == 0:
				phonetic = t.depth
			case inner && e.Name.Local == "t" && phonetic == 0:
				taken = t.depth
			}
		case xml.EndElement:
			if t.depth < outer {
				return b.String(), nil
			}
			if t.depth < phonetic {
				phonetic = 0
			}
			if inner && t.depth < taken {
				taken = 0
			}
		case xml.CharData:
			if t.depth == taken {
				b.Write(e)
			}
		}
	}
}

// skip reads to the end of the element that was just opened.
func (t *tokens) skip() error {
	for outer := t.depth; t.depth >= outer; {
		if _, err := t.next(); err != nil {
			return ended(err)
		}
	}
	return nil
}

// each calls f with each element of a part as it opens.
func (a *archive) each(part string, f func(e xml.StartElement) error) error {
	t, err := a.tokens(part)
	if err != nil {
		return err
	}
	defer t.close()
	for {
		token, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			if err := f(e); err != nil {
				return err
			}
		}
	}
}

// ended returns an error of reading, of which the end is one within an element.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// metered reads no more than left bytes. The decoder reads single bytes without buffering.
type metered struct {
	r    *bufio.Reader
	left int
}

// ReadByte implements io.ByteReader.
func (m *metered) ReadByte() (byte, error) {
	if m.left--; m.left < 0 {
		return 0, errDamaged
	}
	return m.r.ReadByte()
}

// Read implements io.Reader, for parts in another encoding than UTF-8.
func (m *metered) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errDamaged
	}
	n, err := m.r.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

// while reads until a context ends, and yields to other work.
type while struct {
	ctx context.Context //nolint:containedctx // it lives as long as one conversion
	r   io.Reader
}

// Read implements io.Reader.
func (w *while) Read(p []byte) (int, error) {
	if err := fairshare.Yield(w.ctx); err != nil {
		return 0, err
	}
	return w.r.Read(p)
}
