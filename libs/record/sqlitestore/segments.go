package sqlitestore

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/eventcarbon/ecf/libs/lru"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

const (
	// keptSegments bounds the bytes of records that are remembered of segments.
	keptSegments = 8 << 20
	// longestSegment is the longest range of numbers that is cached.
	longestSegment = 1024
	// mostReread is how many records that have changed are read by themselves; with more
	// all of the range is read.
	mostReread = 16
)

// segments caches the approved records of ranges that were read repeatedly. After an approval a worker adds up 512
// records, of which one has changed: the index tells which, and only that one is read. Entries are validated against
// the index and need no other invalidation.
type segments struct {
	kept *lru.Cache[segmentKey, *segment]
	// stored counts changes of contributions that leave the states of their records unchanged, as a new engine does.
	// A new context changes the states.
	stored atomic.Int64
}

type segmentKey struct {
	org record.OrgID
	record.Sub
	from, to int64
}

// segment is the cached content of a range. It is immutable.
type segment struct {
	// states are those of all records of the range, newest first, and approved the approved ones, oldest first.
	// Without states, the range has been read once.
	states   []record.Revision
	approved []record.Counted
	stored   int64 // value before they were read
}

func newSegments() *segments {
	return &segments{kept: lru.NewCosting[segmentKey](keptSegments, (*segment).size)}
}

func (s *segment) size() int {
	n := 256 + 48*len(s.states)
	for _, c := range s.approved {
		n += 160 + len(c.ID) + len(c.Fields) + len(c.Contribution)
	}
	return n
}

// Approved implements record.Counting.
func (s *Store) Approved(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error) {
	key := segmentKey{org, sub, from, to}
	if to-from >= longestSegment {
		return s.readApproved(ctx, key, from, to)
	}
	known, again := s.segments.kept.Get(key)
	if !again {
		// A range that is read once, as all ranges of a large event after a change of context, is not cached.
		s.segments.kept.Put(key, &segment{stored: s.segments.stored.Load()})
		return s.readApproved(ctx, key, from, to)
	}
	if stored := s.segments.stored.Load(); known.stored != stored {
		known = &segment{stored: stored}
	}
	// The states are read before the records: a record that changes in between has another state than the cached one.
	states, err := s.RecordRevisions(ctx, org, sub, from, to)
	if err != nil {
		return nil, err
	}
	next, err := s.reread(ctx, key, known, states)
	if err != nil {
		return nil, err
	}
	s.segments.kept.Put(key, next)
	return slices.Clone(next.approved), nil
}

// reread returns the segment whose records have the given states.
func (s *Store) reread(ctx context.Context, key segmentKey, known *segment, states []record.Revision) (*segment, error) {
	changed := changedStates(known.states, states)
	if len(changed) == 0 && len(known.states) > 0 {
		return known, nil
	}
	next := &segment{states: states, stored: known.stored}
	var err error
	if len(known.states) == 0 || len(changed) > mostReread {
		next.approved, err = s.readApproved(ctx, key, key.from, key.to)
		return next, err
	}
	next.approved = slices.DeleteFunc(slices.Clone(known.approved), func(c record.Counted) bool { return slices.Contains(changed, c.Seq) })
	for _, seq := range changed {
		one, err := s.readApproved(ctx, key, seq, seq)
		if err != nil {
			return nil, err
		}
		next.approved = append(next.approved, one...)
	}
	slices.SortFunc(next.approved, func(a, b record.Counted) int { return int(a.Seq - b.Seq) })
	return next, nil
}

// changedStates returns the numbers of records whose state differs between the lists, or that are in only one of
// them. Both lists are in descending order.
func changedStates(before, after []record.Revision) (changed []int64) {
	for len(before) > 0 || len(after) > 0 {
		switch {
		case len(after) == 0 || len(before) > 0 && before[0].Number > after[0].Number:
			changed, before = append(changed, before[0].Number), before[1:]
		case len(before) == 0 || after[0].Number > before[0].Number:
			changed, after = append(changed, after[0].Number), after[1:]
		default:
			if before[0] != after[0] {
				changed = append(changed, after[0].Number)
			}
			before, after = before[1:], after[1:]
		}
	}
	return changed
}

// readApproved reads the approved records of a range.
func (s *Store) readApproved(ctx context.Context, key segmentKey, from, to int64) ([]record.Counted, error) {
	counted, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (c record.Counted, err error) {
		return c, row.Scan((*string)(&c.ID), (*number)(&c.Seq), (*number)(&c.Rev), &c.Type, (*[]byte)(&c.Fields), (*[]byte)(&c.Contribution),
			(*number)(&c.ContextRev), (*number)(&c.CreatedAt))
	}, `SELECT id, seq, rev, type, fields, contribution, context_rev, created_at FROM records
		WHERE org = ? AND event = ? AND type = ? AND seq BETWEEN ? AND ? AND status = 'approved' AND deleted = 0
		ORDER BY seq`, key.org, key.Event, key.Type, from, to)
	return counted, wrap("read approved records", err)
}

// number scans an integer directly. database/sql would format and parse it, which is an allocation for each record of
// a segment.
type number int64

// Scan implements sql.Scanner.
func (n *number) Scan(value any) error {
	v, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%T is no integer", value)
	}
	*n = number(v)
	return nil
}

// Inputs implements record.Counting.
func (s *Store) Inputs(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Input, error) {
	var in record.Input
	into := []any{(*string)(&in.ID), (*number)(&in.Seq), (*number)(&in.Rev), &in.Fields} // for all rows, as in scanRevisions
	inputs, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (record.Input, error) {
		err := row.Scan(into...)
		return in, err
	}, `SELECT id, seq, rev, COALESCE(fields, '') FROM records
		WHERE org = ? AND event = ? AND type = ? AND seq BETWEEN ? AND ? AND status = 'approved' AND deleted = 0
		ORDER BY seq`, org, sub.Event, sub.Type, from, to)
	return inputs, wrap("read inputs", err)
}
