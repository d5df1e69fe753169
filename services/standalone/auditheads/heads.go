// Package auditheads reads and writes the file of `ecf audit export`: the head of each chain of
// the audit log, of records and of events at a point in time, signed with the report key.
// Stored elsewhere, it proves later that nothing was truncated or rewritten, which a chain
// alone cannot prove against someone able to change all of it.
package auditheads

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/eventcarbon/ecf/libs/bundle"
)

// Format is the format of the file: JSON lines with a header, the heads, and the seal.
const Format = "ecf-audit-heads/1"

// maxLine bounds the length of a line.
const maxLine = 64 << 10

// Head is the head of one chain: of the audit log of an organization if Event is empty, of an
// event if Record is empty, otherwise of a record.
type Head struct {
	Org      string `json:"organization"`
	Event    string `json:"event,omitempty"`
	Record   string `json:"record,omitempty"`
	Revision int64  `json:"revision"` // of the audit log: the number of the entry
	Hash     string `json:"hash"`
}

type header struct {
	Format string `json:"format"`
	At     string `json:"at"`
}

type seal struct {
	Heads     int64             `json:"heads"`
	SHA256    string            `json:"sha256"`
	Signature *bundle.Signature `json:"signature"`
}

// Writer writes a file of heads.
type Writer struct {
	out   *bufio.Writer
	sum   hash.Hash
	heads int64
}

// NewWriter starts a file of heads as of the given time.
func NewWriter(out io.Writer, at time.Time) (*Writer, error) {
	w := &Writer{out: bufio.NewWriter(out), sum: sha256.New()}
	return w, w.line(header{Format, at.UTC().Format(time.RFC3339)})
}

func (w *Writer) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	_, _ = w.sum.Write(text) // never fails
	_, err = w.out.Write(text)
	return err
}

// Add writes the head of one chain.
func (w *Writer) Add(h Head) error {
	w.heads++
	return w.line(h)
}

// Close signs what was written and completes the file. It returns the number of heads.
func (w *Writer) Close(sign func(text []byte) (bundle.Signature, error)) (int64, error) {
	sum := hex.EncodeToString(w.sum.Sum(nil))
	signature, err := sign(signedText(w.heads, sum))
	if err != nil {
		return 0, fmt.Errorf("sign heads: %w", err)
	}
	if err := w.line(seal{w.heads, sum, &signature}); err != nil {
		return 0, err
	}
	return w.heads, w.out.Flush()
}

func signedText(heads int64, sum string) []byte {
	return fmt.Appendf(nil, "%s\n%d\n%s", Format, heads, sum)
}

// Read reads a file of heads, calls add for each, and returns the time of the file and the id
// of the key that signed it. The heads are verified only once Read returns without an error,
// because the seal is the last line.
func Read(in io.Reader, add func(Head) error) (at time.Time, signedBy string, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	var first header
	if !lines.Scan() || strict(lines.Bytes(), &first) != nil || first.Format != Format {
		return at, "", errors.Join(errors.New("this is no file of ecf audit export"), lines.Err())
	}
	if at, err = time.Parse(time.RFC3339, first.At); err != nil {
		return at, "", errors.New("the file does not state when it was made")
	}
	sum, heads := sha256.New(), int64(0)
	previous := append(bytes.Clone(lines.Bytes()), '\n')
	for lines.Scan() {
		_, _ = sum.Write(previous)
		previous = append(bytes.Clone(lines.Bytes()), '\n')
		var last seal
		if strict(previous, &last) == nil && last.Signature != nil {
			return at, last.Signature.KeyID, last.check(lines, heads, hex.EncodeToString(sum.Sum(nil)))
		}
		var h Head
		if err := strict(previous, &h); err != nil {
			return at, "", fmt.Errorf("line %d of the file is no head: %w", heads+2, err)
		}
		heads++
		if err := add(h); err != nil {
			return at, "", err
		}
	}
	return at, "", errors.Join(errors.New("the file has no end: it was cut off"), lines.Err())
}

// check returns what is wrong with the last line of a file.
func (s seal) check(rest *bufio.Scanner, heads int64, sum string) error {
	switch {
	case rest.Scan():
		return errors.New("the file goes on behind its end")
	case s.Heads != heads || s.SHA256 != sum:
		return errors.New("the file was changed: its lines are not those that were signed")
	}
	if err := s.Signature.Check(signedText(heads, sum)); err != nil {
		return fmt.Errorf("the signature of the file is wrong: %w", err)
	}
	return nil
}

// strict decodes an object and rejects fields that v does not have.
func strict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
