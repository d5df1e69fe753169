package bundle

import (
	"bytes"
	"errors"
	"io"
)

// EncodeTo writes the result of Encode, one record at a time, and calls cut at the end of each record's group in the
// tree of inputs. The text between two cuts is the same in successive bundles of an event unless a record in it has
// changed.
func (b Bundle) EncodeTo(w io.Writer, cut func() error) error {
	head := b
	head.Records, head.Provenance = []Record{}, nil
	text, err := encode(head)
	if err != nil {
		return err
	}
	before, rest, ok := bytes.Cut(text, []byte(`,"records":[],"failed":`))
	if !ok {
		return errors.New("encode bundle: there is no place for its records")
	}
	group := func(i int) int64 { return (b.Records[i].Seq - 1) / max(b.Result.Tree.Fanout, 1) }
	ends := func(i int) bool {
		return i+1 == len(b.Records) || b.Records[i].Type != b.Records[i+1].Type || group(i) != group(i+1)
	}
	out := &listWriter{w: w, cut: cut}
	out.write(before, []byte(`,"records":[`))
	out.end()
	for i, r := range b.Records {
		out.item(r, i)
		if ends(i) {
			out.end()
		}
	}
	out.write([]byte(`],"failed":`))
	if len(b.Provenance) > 0 {
		mark := []byte(`,"hashes":{"event":`)
		for _, m := range [][]byte{[]byte(`,"policies":[{"revision":`), []byte(`,"signOff":{"edition":`), []byte(`,"notCounted":{"waiting":`)} {
			if bytes.Contains(rest, m) {
				mark = m
			}
		}
		upTo, after, ok := bytes.Cut(rest, mark)
		if !ok {
			return errors.New("encode bundle: there is no place for its provenance")
		}
		out.write(upTo, []byte(`,"provenance":[`))
		out.end()
		for i, p := range b.Provenance {
			out.item(p, i)
			if len(b.Provenance) != len(b.Records) || ends(i) {
				out.end()
			}
		}
		out.write([]byte(`]`))
		rest = append(mark, after...)
	}
	out.write(rest)
	return out.err
}

// listWriter writes until something fails.
type listWriter struct {
	w   io.Writer
	cut func() error
	err error
}

func (l *listWriter) write(texts ...[]byte) {
	for _, t := range texts {
		if l.err == nil {
			_, l.err = l.w.Write(t)
		}
	}
}

func (l *listWriter) item(v any, i int) {
	text, err := encode(v)
	if err != nil && l.err == nil {
		l.err = err
	}
	if i > 0 {
		l.write([]byte{','})
	}
	l.write(text)
}

func (l *listWriter) end() {
	if l.err == nil {
		l.err = l.cut()
	}
}
