// Package editions stores documents permanently, in content-addressed parts
// within one event of one organization, so that contents unchanged
// from one edition to the next are stored once. Parts stay far below the size limit
// of the storage engines, however large a document is.
package editions

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// maxPart is the size from which on a part ends, before compression.
	maxPart = 1 << 20
	// sweepAge is how long an unused part is kept: longer than any sign-off takes.
	sweepAge = 24 * time.Hour

	manifestFormat = "ecf-edition/1"
)

// ErrNotFound is returned for a part that is not stored.
var ErrNotFound = errors.New("editions: no such part")

// errDamaged is returned for a part whose content does not match its name.
var errDamaged = errors.New("editions: a kept part was changed")

// Parts stores the parts of documents. The suite in resulttest holds the engines
// to it.
type Parts interface {
	// PutPart stores a part, or updates the time of an existing one. Data is never replaced: the name is its hash.
	PutPart(ctx context.Context, org record.OrgID, event record.EventID, name string, data []byte, at time.Time) error
	// Part reads a part; ErrNotFound.
	Part(ctx context.Context, org record.OrgID, event record.EventID, name string) ([]byte, error)
	// PartsBefore reads the names of an event's parts with a time before the given one, sorted.
	PartsBefore(ctx context.Context, org record.OrgID, event record.EventID, before time.Time) ([]string, error)
	// DeletePart removes a part if its time is still before the given one.
	DeletePart(ctx context.Context, org record.OrgID, event record.EventID, name string, before time.Time) error
}

// Manifest is the root of an edition.
type Manifest struct {
	Format    string              `json:"format"`
	Revision  int64               `json:"revision"`
	Edition   int64               `json:"edition"`
	Documents map[string]Document `json:"documents"`
}

// Document is a sequence of parts.
type Document struct {
	ContentType string `json:"contentType"`
	Size        int64  `json:"size"`
	SHA256      string `json:"sha256"`
	Parts       []Part `json:"parts"`
}

// Part is one part of a document. Items counts the items of a list in it.
type Part struct {
	Name  string `json:"name"`
	Size  int64  `json:"size"`
	Items int64  `json:"items,omitempty"`
}

// Writer stores the documents of one edition.
type Writer struct {
	store    Parts
	org      record.OrgID
	event    record.EventID
	at       time.Time
	manifest Manifest
}

// NewWriter returns a Writer for an edition. Parts are stored as of at.
func NewWriter(store Parts, org record.OrgID, event record.EventID, revision, edition int64, at time.Time) *Writer {
	return &Writer{store: store, org: org, event: event, at: at,
		manifest: Manifest{Format: manifestFormat, Revision: revision, Edition: edition, Documents: map[string]Document{}}}
}

// Document stores a document that write writes.
func (w *Writer) Document(ctx context.Context, name, contentType string, write func(*DocumentWriter) error) error {
	d := &DocumentWriter{Writer: w, ctx: ctx, whole: sha256.New(), document: Document{ContentType: contentType, Parts: []Part{}}}
	if err := write(d); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	if err := d.Cut(); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	d.document.SHA256 = hex.EncodeToString(d.whole.Sum(nil))
	w.manifest.Documents[name] = d.document
	return nil
}

// Close stores the manifest and returns its name, after reading every part of
// every document back.
func (w *Writer) Close(ctx context.Context) (root string, err error) {
	text, err := json.Marshal(w.manifest)
	if err != nil {
		return "", err
	}
	if root, err = w.put(ctx, text); err != nil {
		return "", err
	}
	kept, err := Open(ctx, w.store, w.org, w.event, root)
	if err != nil {
		return "", err
	}
	for name := range w.manifest.Documents {
		if _, err := io.Copy(io.Discard, kept.Reader(ctx, name)); err != nil {
			return "", fmt.Errorf("read back %s: %w", name, err)
		}
	}
	return root, nil
}

func (w *Writer) put(ctx context.Context, text []byte) (string, error) {
	name := nameOf(text)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(text); err != nil {
		return "", err
	}
	if err := z.Close(); err != nil {
		return "", err
	}
	return name, w.store.PutPart(ctx, w.org, w.event, name, packed.Bytes(), w.at)
}

func nameOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// DocumentWriter writes one document.
type DocumentWriter struct {
	*Writer
	ctx      context.Context //nolint:containedctx // it lives as long as one Document
	whole    hash.Hash
	document Document
	buffer   bytes.Buffer
	items    int64
}

// Write implements io.Writer. A part that grows too large is ended.
func (d *DocumentWriter) Write(text []byte) (int, error) {
	written := len(text)
	for len(text) > 0 {
		n := min(len(text), maxPart-d.buffer.Len())
		d.buffer.Write(text[:n])
		text = text[n:]
		if d.buffer.Len() == maxPart {
			if err := d.Cut(); err != nil {
				return 0, err
			}
		}
	}
	return written, nil
}

// Item writes one item of a list. Items are never divided between parts.
func (d *DocumentWriter) Item(text []byte) error {
	if d.items > 0 && d.buffer.Len()+len(text)+1 > maxPart {
		if err := d.Cut(); err != nil {
			return err
		}
	}
	d.buffer.Write(text)
	d.buffer.WriteByte('\n')
	d.items++
	return nil
}

// Cut ends the current part. Writers cut where a later edition will most likely
// begin to say the same again.
func (d *DocumentWriter) Cut() error {
	if d.buffer.Len() == 0 {
		return nil
	}
	text := bytes.Clone(d.buffer.Bytes())
	d.buffer.Reset()
	d.whole.Write(text)
	name, err := d.put(d.ctx, text)
	if err != nil {
		return err
	}
	d.document.Size += int64(len(text))
	d.document.Parts = append(d.document.Parts, Part{Name: name, Size: int64(len(text)), Items: d.items})
	d.items = 0
	return nil
}
