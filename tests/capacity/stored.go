package capacity

import (
	"fmt"
	"io"
	"strconv"
)

// Engines of the table of what is stored.
const (
	SQLite  = "sqlite"
	MongoDB = "mongodb"
)

// Kinds of what a record leaves in the store.
const (
	Records   = "records"
	History   = "history"
	Revisions = "revisions"
	Changes   = "changes"
	Sums      = "sums"
)

// What of revisions and changes is kept.
const (
	allKept    = "all"
	allDropped = "dropped" // but what retention keeps in any case (ADR 0050)
)

// Filled are bytes for each record.
type Filled struct {
	Rows    float64 // how many rows or documents
	Data    float64 // of them
	Indexes float64 // of their keys in indexes
	Pages   float64 // of all pages of both; 0 on MongoDB
}

// unfilled is how much more the pages of an index of MongoDB take than their keys: an
// estimate, of pages that are two thirds full.
const unfilled = 1.5

// bytes are those that count where a store is as large as it may be: the pages of the
// embedded engine; the documents of MongoDB before compression, and their indexes.
func (f Filled) bytes() float64 {
	if f.Pages > 0 {
		return f.Pages
	}
	return f.Data + unfilled*f.Indexes
}

// Stored is the table of TestStoredBytes.
type Stored map[kindStored]Filled

// kindStored names a line.
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

// of returns a line of those of which nothing is dropped.
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

// Keeping is a way of keeping records and what they leave.
type Keeping struct {
	Engine string
	Burst  int     // how many approvals are counted together
	Months float64 // for which revisions of results and their changes are kept; 0: as long as records
}

// Storage is what a way of keeping comes to.
type Storage struct {
	Keeping
	Bytes  float64 // of all organizations
	Uneven float64 // the largest shard by the mean one
	Shards int
}

// storage works out what is stored when records have been kept for as long as they are.
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
