package calculation

import (
	"context"
	"fmt"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

const (
	// historiesAtOnce is how many records' histories are read together: those of a segment.
	historiesAtOnce = resulttree.Fanout
	// entriesAtOnce bounds the entries of one read.
	entriesAtOnce = 2000
)

// historiesOf reads the whole histories of counted records, each oldest first, in a number of reads that does not
// depend on the number of records.
func (s *server) historiesOf(ctx context.Context, ev record.Event, counted []record.Counted) (map[record.ID][]record.Entry, error) {
	ids := make([]record.ID, len(counted))
	for i, c := range counted {
		ids[i] = c.ID
	}
	// The records first: a newest entry is among the stored ones as soon as it has
	// been replaced.
	records, err := s.Records.RecordsByID(ctx, ev.Org, ids)
	if err != nil {
		return nil, err
	}
	newest := make(map[record.ID]record.Entry, len(records))
	for _, r := range records {
		if r.Event == ev.ID && !r.Deleted {
			newest[r.ID] = r.Last
		}
	}
	histories := make(map[record.ID][]record.Entry, len(ids))
	for after := (record.EntryPlace{}); ; {
		entries, err := s.Records.EntriesAfter(ctx, ev.Org, ids, after, entriesAtOnce)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			after = e.Place()
			if last := newest[e.Record].Rev; last > 0 && e.Entry.Rev >= last {
				continue
			}
			if e.Damage != nil {
				return nil, fmt.Errorf("history of record %s, revision %d: %w", e.Record, e.Entry.Rev, e.Damage)
			}
			histories[e.Record] = append(histories[e.Record], e.Entry)
		}
		if len(entries) < entriesAtOnce {
			break
		}
	}
	for id, last := range newest {
		if last.Rev > 0 {
			histories[id] = append(histories[id], last)
		}
	}
	return histories, nil
}
