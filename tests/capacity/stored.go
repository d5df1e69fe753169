package capacity

import (
	"fmt"
	"io"
	"strconv"
)

// Engines in the table of stored bytes.
const (
	SQLite  = "sqlite"
	MongoDB = "mongodb"
)

// Kinds of data that a record adds to the store.
const (
	Records   = "records"
	History   = "history"
	Revisions = "revisions"
	Changes   = "changes"
	Sums      = "sums"
)

// Which revisions and changes are kept.
const (
	allKept    = "all"
	allDropped = "dropped" // all but what retention always keeps (ADR 0050)
)

// Filled is the storage of one record, in bytes.
type Filled struct {
	Rows    float64 // number of rows or documents
	Data    float64 // of the rows
	Indexes float64 // of their index keys
	Pages   float64 // of all pages of both; 0 on MongoDB
}

// unfilled is the ratio of index pages to index keys on MongoDB: an estimate for pages
// that are two thirds full.
const unfilled = 1.5

// bytes returns the size that counts against the maximum size of a store: the pages of
// the embedded engine; the uncompressed documents and the indexes of MongoDB.
func (f Filled) bytes() float64 {
	if f.Pages > 0 {
		return f.Pages
	}
	return f.Data + unfilled*f.Indexes
}

// Stored is the table of TestStoredBytes.
type Stored map[kindStored]Filled

// kindStored identifies a line of the table.
type kindStored struct {
	engine    string
	burst     int
	revisions string
	kind      string
}

const columnsStored = 8

// ReadStored reads the table.
func ReadStored(r io.Reader) (Stored, error) {
	rows, err := lines(r)
	if err != nil {
		return nil, err
	}
	s := Stored{}
	for _, row := range rows {
		if len(row.cells) != columnsStored {
			return nil, fmt.Errorf("line %d has %d columns, want %d", row.number, len(row.cells), columnsStored)
		}
		burst, err := strconv.Atoi(row.cells[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", row.number, err)
		}
		n, err := numbers(row.cells[4:])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", row.number, err)
		}
		s[kindStored{row.cells[0], burst, row.cells[2], row.cells[3]}] = Filled{n[0], n[1], n[2], n[3]}
	}
	return s, nil
}

// of returns a line for stores in which nothing is dropped.
func (s Stored) of(engine string, burst int, kind string) (Filled, error) {
	return s.line(kindStored{engine, burst, allKept, kind})
}

func (s Stored) line(k kindStored) (Filled, error) {
	f, ok := s[k]
	if !ok {
		return f, fmt.Errorf("%s of %s in bursts of %d, revisions %q, were not measured", k.kind, k.engine, k.burst, k.revisions)
	}
	return f, nil
}

// Keeping is how records and their revisions are kept.
type Keeping struct {
	Engine string
	Burst  int     // number of approvals calculated together
	Months float64 // for which revisions of results and their changes are kept; 0: as long as records
}

// Storage is the storage needed for a Keeping.
type Storage struct {
	Keeping
	Bytes  float64 // of all organizations
	Uneven float64 // largest shard relative to the mean
	Shards int
}

// storage calculates what is stored when the oldest records reach the end of their
// retention.
func (s Stored) storage(k Keeping, w Workload, t Targets) (Storage, error) {
	out := Storage{Keeping: k}
	for _, kind := range []string{Records, History, Revisions, Changes, Sums} {
		f, err := s.of(k.Engine, k.Burst, kind)
		if err != nil {
			return out, err
		}
		each := f.bytes() * w.Kept
		if k.Months > 0 && (kind == Revisions || kind == Changes) {
			left, err := s.line(kindStored{k.Engine, k.Burst, allDropped, kind})
			if err != nil {
				return out, err
			}
			months := min(k.Months, w.Kept)
			each = f.bytes()*months + left.bytes()*(w.Kept-months)
		}
		out.Bytes += float64(w.Organizations) * w.Created * each
	}
	for out.Shards = 1; ; out.Shards++ {
		out.Uneven = uneven(w, out.Shards)
		if out.Bytes/float64(out.Shards)*out.Uneven <= t.ShardSize {
			return out, nil
		}
	}
}
