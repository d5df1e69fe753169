package editions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

var signedAt = time.Date(2026, 6, 13, 10, 0, 0, 0, time.UTC)

type heldPart struct {
	data []byte
	at   time.Time
}

// memory holds parts. The failAt-th write fails (1 is the first).
type memory struct {
	parts         map[string]heldPart
	writes, reads int
	failAt        int
}

var errFull = errors.New("the disk is full")

func (m *memory) PutPart(_ context.Context, _ record.OrgID, _ record.EventID, name string, data []byte, at time.Time) error {
	if m.writes++; m.writes == m.failAt {
		return errFull
	}
	m.parts[name] = heldPart{bytes.Clone(data), at}
	return nil
}

func (m *memory) Part(_ context.Context, _ record.OrgID, _ record.EventID, name string) ([]byte, error) {
	m.reads++
	p, ok := m.parts[name]
	if !ok {
		return nil, ErrNotFound
	}
	return p.data, nil
}

func (m *memory) PartsBefore(_ context.Context, _ record.OrgID, _ record.EventID, before time.Time) (names []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(m.parts)) {
		if m.parts[name].at.Before(before) {
			names = append(names, name)
		}
	}
	return names, nil
}

func (m *memory) DeletePart(_ context.Context, _ record.OrgID, _ record.EventID, name string, before time.Time) error {
	if m.writes++; m.writes == m.failAt {
		return errFull
	}
	if m.parts[name].at.Before(before) {
		delete(m.parts, name)
	}
	return nil
}

// write stores an edition: a text, and a list of items.
func (m *memory) write(t *testing.T, text []byte, items [][]byte) (root string, err error) {
	t.Helper()
	w := NewWriter(m, "o", "e", 3, 2, signedAt)
	err = errors.Join(
		w.Document(t.Context(), "text", "text/plain", func(d *DocumentWriter) error {
			_, err := io.Copy(struct{ io.Writer }{d}, bytes.NewReader(text))
			return err
		}),
		w.Document(t.Context(), "list", "application/json", func(d *DocumentWriter) error {
			for _, item := range items {
				if err := d.Item(item); err != nil {
					return err
				}
			}
			return nil
		}))
	if err != nil {
		return "", err
	}
	return w.Close(t.Context())
}

// someItems are of such a size that three of them are exactly one part.
func someItems(n int) [][]byte {
	items := make([][]byte, n)
	for i := range items {
		items[i] = fmt.Appendf(nil, "%0*d", maxPart/3-1, i)
		if i%3 == 0 {
			items[i] = append(items[i], '!') // a part is no multiple of three
		}
	}
	return items
}

// Documents are divided into parts of bounded size, and read back as they were written; a page of a list is read from
// the parts that it is in.
func TestDocumentsInParts(t *testing.T) {
	t.Parallel()
	store := &memory{parts: map[string]heldPart{}}
	text := bytes.Repeat([]byte("0123456789abcdef!"), (2*maxPart+maxPart/2)/17)
	items := someItems(8)
	root, err := store.write(t, text, items)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), store, "o", "e", root)
	if err != nil {
		t.Fatal(err)
	}
	if e.Revision != 3 || e.Edition != 2 || e.Documents["text"].ContentType != "text/plain" {
		t.Errorf("the manifest is %+v", e.Manifest)
	}
	rest := int64(len(text) - 2*maxPart)
	for name, want := range map[string][]Part{
		"text": {{Size: maxPart}, {Size: maxPart}, {Size: rest}},
		"list": {{Size: maxPart, Items: 3}, {Size: maxPart, Items: 3}, {Size: maxPart/3*2 + 1, Items: 2}},
	} {
		whole, err := io.ReadAll(e.Reader(t.Context(), name))
		d := e.Documents[name]
		if err != nil || d.Size != int64(len(whole)) || d.SHA256 != nameOf(whole) {
			t.Errorf("%s: %v; %d bytes of hash %s are stated, and %d of %s are read", name, err, d.Size, d.SHA256, len(whole), nameOf(whole))
		}
		if name == "text" && !bytes.Equal(whole, text) {
			t.Error("the text is another one")
		}
		for i := range d.Parts {
			d.Parts[i].Name = ""
		}
		if !slices.Equal(d.Parts, want) {
			t.Errorf("%s: the parts are %v, want %v", name, d.Parts, want)
		}
	}
	if e, err = Open(t.Context(), store, "o", "e", root); err != nil {
		t.Fatal(err)
	}
	for skip := range int64(10) {
		for limit := int64(1); limit < 10; limit++ {
			store.reads = 0
			got, total, err := e.Items(t.Context(), "list", skip, limit)
			from, to := min(skip, 8), min(skip+limit, 8)
			if err != nil || total != 8 || !slices.EqualFunc(got, items[from:to], func(a json.RawMessage, b []byte) bool { return bytes.Equal(a, b) }) {
				t.Errorf("items from %d, at most %d: %d of %d, %v", skip, limit, len(got), total, err)
			}
			want := 0
			if to > from {
				want = int((to-1)/3 - from/3 + 1)
			}
			if store.reads != want {
				t.Errorf("items from %d, at most %d: %d parts were read, want %d", skip, limit, store.reads, want)
			}
		}
	}
	if unknown, err := io.ReadAll(e.Reader(t.Context(), "other")); err != nil || len(unknown) > 0 {
		t.Errorf("a document that is not there: %d bytes, %v", len(unknown), err)
	}
}

// An item that is larger than a part has one of its own, as has one that is a byte too long for the part before it.
func TestAnItemLargerThanAPart(t *testing.T) {
	t.Parallel()
	store := &memory{parts: map[string]heldPart{}}
	items := [][]byte{[]byte("small"), bytes.Repeat([]byte("x"), 3*maxPart), bytes.Repeat([]byte("y"), maxPart-10), []byte("012345678")}
	root, err := store.write(t, []byte("t"), items)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), store, "o", "e", root)
	if err != nil {
		t.Fatal(err)
	}
	if parts := e.Documents["list"].Parts; len(parts) != 4 || parts[1].Items != 1 || parts[2].Items != 1 {
		t.Errorf("the parts are %v", parts)
	}
}

// What a store lost or changed is noticed: when an edition is closed, before anybody signs it, and when it is read.
func TestDamagedParts(t *testing.T) {
	t.Parallel()
	text := []byte("the report")
	edition := func() (*memory, string) {
		store := &memory{parts: map[string]heldPart{}}
		root, err := store.write(t, text, [][]byte{[]byte("1"), []byte("2")})
		if err != nil {
			t.Fatal(err)
		}
		return store, root
	}
	packed := func(text string) []byte {
		store := &memory{parts: map[string]heldPart{}}
		name, err := NewWriter(store, "o", "e", 1, 1, signedAt).put(t.Context(), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return store.parts[name].data
	}
	whole := packed(string(text))
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"another content": {packed("another one"), errDamaged},
		"not packed":      {text, errDamaged},
		"cut off":         {whole[:len(whole)-9], errDamaged},
		"not there":       {nil, ErrNotFound},
	} {
		store, root := edition()
		if c.data == nil {
			delete(store.parts, nameOf(text))
		} else {
			store.parts[nameOf(text)] = heldPart{c.data, signedAt}
		}
		e, err := Open(t.Context(), store, "o", "e", root)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := io.ReadAll(e.Reader(t.Context(), "text")); !errors.Is(err, c.want) || len(got) > 0 {
			t.Errorf("%s: read %q, %v", name, got, err)
		}
	}
	store, _ := edition()
	w := NewWriter(store, "o", "e", 1, 1, signedAt)
	if err := w.Document(t.Context(), "text", "", func(d *DocumentWriter) error {
		_, err := d.Write(text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	store.parts[nameOf(text)] = heldPart{packed("another one"), signedAt}
	if root, err := w.Close(t.Context()); !errors.Is(err, errDamaged) || root != "" {
		t.Errorf("an edition that cannot be read back was closed: %q, %v", root, err)
	}
	for _, manifest := range []string{`{"format":"ecf-edition/2"}`, `{`} {
		store.parts[nameOf([]byte(manifest))] = heldPart{packed(manifest), signedAt}
		if _, err := Open(t.Context(), store, "o", "e", nameOf([]byte(manifest))); err == nil {
			t.Errorf("the manifest %s was opened", manifest)
		}
	}
}

// If any write fails, there is no edition.
func TestWritesOfAnEditionFail(t *testing.T) {
	t.Parallel()
	for failing := 1; ; failing++ {
		store := &memory{parts: map[string]heldPart{}, failAt: failing}
		root, err := store.write(t, bytes.Repeat([]byte("t"), maxPart+1), someItems(4))
		if store.writes < failing {
			if failing != 6 {
				t.Errorf("an edition is of %d writes", failing-1)
			}
			return
		}
		if !errors.Is(err, errFull) || root != "" {
			t.Errorf("write %d failed: %q, %v", failing, root, err)
		}
	}
}

// A sweep removes what no edition uses and what is older than a day, and nothing if it cannot tell.
func TestSweep(t *testing.T) {
	t.Parallel()
	store := &memory{parts: map[string]heldPart{}}
	root, err := store.write(t, []byte("used"), [][]byte{[]byte("1")})
	if err != nil {
		t.Fatal(err)
	}
	used := slices.Sorted(maps.Keys(store.parts))
	sweep := func(now time.Time, roots ...string) error {
		return Sweep(t.Context(), store, "o", "e", roots, now)
	}
	store.parts["unused"] = heldPart{nil, signedAt}
	store.reads = 0
	if err := sweep(signedAt.Add(sweepAge), root); err != nil || len(store.parts) != 4 || store.reads > 0 {
		t.Errorf("after exactly a day: %v, %d parts, %d of which were read", err, len(store.parts), store.reads)
	}
	later := signedAt.Add(sweepAge + 1)
	if err := sweep(later, root, strings.Repeat("0", 64)); !errors.Is(err, ErrNotFound) || len(store.parts) != 4 {
		t.Errorf("with an edition that cannot be read: %v, %d parts", err, len(store.parts))
	}
	store.failAt = store.writes + 1
	if err := sweep(later, root); !errors.Is(err, errFull) {
		t.Errorf("a part cannot be deleted: %v", err)
	}
	if err := sweep(later, root); err != nil {
		t.Fatal(err)
	}
	if left := slices.Sorted(maps.Keys(store.parts)); !slices.Equal(left, used) {
		t.Errorf("left are %v, want %v", left, used)
	}
}
