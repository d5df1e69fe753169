package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/numbering"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// numbered is a list whose items are numbered: the records of a sub-collection,
// or the events of an organization. Its statements take the same parameters:
// organization, event and type.
type numbered struct {
	org        record.OrgID
	event, typ string // empty for the list of events
	// head returns the highest number, the counts of deleted items (NULL if there is no row) and whether any is
	// deleted.
	head string
	// deleted returns the numbers of deleted items.
	deleted string
}

func recordsOf(org record.OrgID, sub record.Sub) numbered {
	return numbered{
		org: org, event: string(sub.Event), typ: sub.Type,
		head: `SELECT (SELECT COALESCE(MAX(seq), 0) FROM records WHERE org = ?1 AND event = ?2 AND type = ?3),
			(SELECT counts FROM list_counts WHERE org = ?1 AND event = ?2 AND type = ?3),
			EXISTS (SELECT 1 FROM records WHERE org = ?1 AND event = ?2 AND type = ?3 AND deleted = 1)`,
		deleted: `SELECT seq FROM records WHERE org = ?1 AND event = ?2 AND type = ?3 AND deleted = 1`,
	}
}

func eventsOf(org record.OrgID) numbered {
	return numbered{
		org: org,
		head: `SELECT (SELECT COALESCE(MAX(slot), 0) FROM events WHERE org = ?1),
			(SELECT counts FROM list_counts WHERE org = ?1 AND event = ?2 AND type = ?3),
			EXISTS (SELECT 1 FROM events WHERE org = ?1 AND deleted = 1)`,
		// Both are empty for events: the condition only uses the parameters.
		deleted: `SELECT slot FROM events WHERE org = ?1 AND deleted = 1 AND ?2 = ?3`,
	}
}

func (l numbered) args(more ...any) []any { return append([]any{l.org, l.event, l.typ}, more...) }

// compactRecord adds the number of a deleted record to the deleted numbers of its list, in the transaction that deleted
// it.
func compactRecord(ctx context.Context, tx sqlitex.Tx, org record.OrgID, id record.ID) error {
	var sub record.Sub
	var number int64
	if err := tx.QueryRowContext(ctx, `SELECT event, type, seq FROM records WHERE org = ? AND id = ?`, org, id).
		Scan(&sub.Event, &sub.Type, &number); err != nil {
		return err
	}
	return recordsOf(org, sub).compact(ctx, tx, number)
}

// compactEvent does the same for an event.
func compactEvent(ctx context.Context, tx sqlitex.Tx, org record.OrgID, id record.EventID) error {
	number, err := scanNumber(tx.QueryRowContext(ctx, `SELECT slot FROM events WHERE org = ? AND id = ?`, org, id))
	if err != nil {
		return err
	}
	return eventsOf(org).compact(ctx, tx, number)
}

// compact adds numbers, which are of two blocks at most, to the sets of their blocks and to
// the counts. Where the list has no counts yet, everything that is deleted is added.
func (l numbered) compact(ctx context.Context, tx sqlitex.Tx, numbers ...int64) error {
	var blob []byte
	err := tx.QueryRowContext(ctx, `SELECT counts FROM list_counts WHERE org = ? AND event = ? AND type = ?`, l.args()...).Scan(&blob)
	if errors.Is(err, sql.ErrNoRows) {
		return l.compactAll(ctx, tx)
	}
	if err != nil {
		return err
	}
	sets, err := l.sets(ctx, tx, numbering.BlockOf(slices.Min(numbers)), numbering.BlockOf(slices.Max(numbers)))
	if err != nil {
		return err
	}
	return l.put(ctx, tx, numbers, sets, countsOf(blob))
}

// compactAll builds the sets and the counts from the deleted items.
func (l numbered) compactAll(ctx context.Context, tx sqlitex.Tx) error {
	numbers, err := sqlitex.List(ctx, tx, scanNumber, l.deleted, l.args()...)
	if err != nil {
		return err
	}
	return l.put(ctx, tx, numbers, map[int64]*numbering.Set{}, numbering.Counts{})
}

// put stores sets and counts with the numbers added.
func (l numbered) put(ctx context.Context, tx sqlitex.Tx, numbers []int64, sets map[int64]*numbering.Set, counts numbering.Counts) error {
	for _, number := range numbers {
		block := numbering.BlockOf(number)
		if sets[block] == nil {
			sets[block] = &numbering.Set{}
		}
		sets[block].Add(number)
		counts.Set(block, sets[block].Len())
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(sets)), sqlitex.MostRows) {
		rows := sqlitex.NewRows(5, len(part))
		for _, block := range part {
			rows.Add(l.args(block, setBlob(sets[block]))...)
		}
		if _, err := rows.Exec(ctx, tx,
			`INSERT INTO list_sets (org, event, type, block, numbers)
			 SELECT * FROM (VALUES (?, ?, ?, ?, ?)) WHERE column1 IS NOT NULL
			 ON CONFLICT (org, event, type, block) DO UPDATE SET numbers = excluded.numbers`); err != nil {
			return err
		}
	}
	return l.putCounts(ctx, tx, counts)
}

func (l numbered) putCounts(ctx context.Context, tx sqlitex.Tx, counts numbering.Counts) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO list_counts (org, event, type, counts) VALUES (?, ?, ?, ?)
		 ON CONFLICT (org, event, type) DO UPDATE SET counts = excluded.counts`, l.args(countsBlob(counts))...)
	return err
}

// sets reads the sets of two blocks, which may be the same. A block without a set has no deletions.
func (l numbered) sets(ctx context.Context, db sqlitex.Querier, one, other int64) (map[int64]*numbering.Set, error) {
	type row struct {
		block int64
		blob  []byte
	}
	rows, err := sqlitex.List(ctx, db, func(r sqlitex.Scanner) (one row, err error) {
		return one, r.Scan(&one.block, &one.blob)
	}, `SELECT block, numbers FROM list_sets WHERE org = ? AND event = ? AND type = ? AND block IN (?, ?)`, l.args(one, other)...)
	if err != nil {
		return nil, err
	}
	sets := map[int64]*numbering.Set{one: {}, other: {}}
	for _, r := range rows {
		if sets[r.block], err = setOf(r.blob); err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// span finds a page of a list. The counts and the sets are two reads; if an item was deleted in between, they are
// inconsistent, and it starts again.
func (s *Store) span(ctx context.Context, l numbered, skip, limit int64) (record.Span, error) {
	for range spanAttempts {
		span, ok, err := s.trySpan(ctx, l, max(skip, 0), limit)
		if err != nil || ok {
			return span, err
		}
	}
	return record.Span{}, errors.New("the counts of deleted numbers do not fit their sets")
}

// spanAttempts is far above the possible number of deletions between two reads.
const spanAttempts = 1000

func (s *Store) trySpan(ctx context.Context, l numbered, skip, limit int64) (span record.Span, ok bool, err error) {
	var highest int64
	var blob []byte
	var deleted bool
	if err := s.db.QueryRowContext(ctx, l.head, l.args()...).Scan(&highest, &blob, &deleted); err != nil {
		return span, false, err
	}
	if deleted && blob == nil {
		// The file predates the counts.
		return span, false, s.db.Write(ctx, l.compactAll)
	}
	counts := countsOf(blob)
	page := counts.Page(highest, skip, limit)
	span = record.Span{Total: page.Total, Count: page.Count}
	if page.Count == 0 {
		return span, true, nil
	}
	sets := map[int64]*numbering.Set{page.Newest.Block: {}, page.Oldest.Block: {}}
	if counts.Of(page.Newest.Block)+counts.Of(page.Oldest.Block) > 0 {
		if sets, err = l.sets(ctx, s.db, page.Newest.Block, page.Oldest.Block); err != nil {
			return record.Span{}, false, err
		}
		for block, set := range sets {
			if set.Len() != counts.Of(block) {
				return record.Span{}, false, nil
			}
		}
	}
	high, highOK := page.Newest.Number(sets[page.Newest.Block])
	low, lowOK := page.Oldest.Number(sets[page.Oldest.Block])
	if !highOK || !lowOK {
		return record.Span{}, false, errors.New("more numbers are deleted than there are")
	}
	span.High, span.Low = high, low
	return span, true, nil
}

// A set is stored as its words, a list of counts as its counts, all big-endian.

func setBlob(set *numbering.Set) []byte {
	blob := make([]byte, 0, 8*numbering.Words)
	for _, word := range set {
		blob = binary.BigEndian.AppendUint64(blob, word)
	}
	return blob
}

func setOf(blob []byte) (*numbering.Set, error) {
	var set numbering.Set
	if len(blob) != 8*len(set) {
		return nil, fmt.Errorf("a set of deleted numbers has %d bytes", len(blob))
	}
	for w := range set {
		set[w] = binary.BigEndian.Uint64(blob[8*w:])
	}
	return &set, nil
}

func countsBlob(counts numbering.Counts) []byte {
	blob := make([]byte, 0, 2*len(counts))
	for _, n := range counts {
		blob = binary.BigEndian.AppendUint16(blob, n)
	}
	return blob
}

func countsOf(blob []byte) numbering.Counts {
	counts := make(numbering.Counts, len(blob)/2)
	for block := range counts {
		counts[block] = binary.BigEndian.Uint16(blob[2*block:])
	}
	return counts
}
