package imports

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/originlist"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// comparedRecords is how many records of a type the rows of a file are compared with, and
	// comparedLists with how many records of attendee travel a list of origins: the newest.
	comparedRecords = 2000
	comparedLists   = 50
	// comparedAtOnce is how many of them are read at a time.
	comparedAtOnce = 100
	// namedRepeats is how many records a notice names.
	namedRepeats = 20
	// possibleDuplicates is the code of a notice.
	possibleDuplicates = "POSSIBLE_DUPLICATES"
)

// repeats finds what a file says that records say already: a list that was imported before and
// has grown since has another hash, and no references by which its rows would be known.
// The records of the event are read as the file has rows of their type.
type repeats struct {
	store record.Store
	event record.Event
	// records are those that no row has been found to repeat, by type and what they say.
	records map[string]map[[sha256.Size]byte][]record.ID
	rows    int64
	found   []record.ID
}

// recordsOf calls f for the newest records of a type that may count, at most limit, newest first.
func (r *repeats) recordsOf(ctx context.Context, typ string, limit int64, f func(record.Record)) error {
	sub := record.Sub{Event: r.event.ID, Type: typ}
	for skip := int64(0); skip < limit; skip += comparedAtOnce {
		span, err := r.store.RecordSpan(ctx, r.event.Org, sub, skip, min(comparedAtOnce, limit-skip))
		if err != nil {
			return err
		}
		if span.Count == 0 {
			return nil
		}
		some, err := r.store.RecordRange(ctx, r.event.Org, sub, span.Low, span.High)
		if err != nil {
			return err
		}
		for _, x := range some {
			if x.Status != record.Rejected {
				f(x)
			}
		}
	}
	return nil
}

// row takes a row that is to become a record.
func (r *repeats) row(ctx context.Context, typ string, decoded footprint.Decoded) error {
	if r == nil {
		return nil
	}
	if r.records[typ] == nil {
		said := map[[sha256.Size]byte][]record.ID{}
		if err := r.recordsOf(ctx, typ, comparedRecords, func(x record.Record) {
			digest := sha256.Sum256(x.Fields)
			said[digest] = append(said[digest], x.ID)
		}); err != nil {
			return err
		}
		if r.records == nil {
			r.records = map[string]map[[sha256.Size]byte][]record.ID{}
		}
		r.records[typ] = said
	}
	digest := sha256.Sum256(decoded.Fields)
	if same := r.records[typ][digest]; len(same) > 0 {
		r.records[typ][digest] = same[1:] // each record is repeated by one row
		r.rows++
		if len(r.found) < namedRepeats {
			r.found = append(r.found, same[0])
		}
	}
	return nil
}

// list takes the rows of a file of origins, which are to become one record.
func (r *repeats) list(ctx context.Context, to string, rows []json.RawMessage) (notices []fields.Notice, err error) {
	type known struct {
		id     record.ID
		list   *originlist.List
		people int64
	}
	var all []known
	if err := r.recordsOf(ctx, footprint.AttendeeTravel, comparedLists, func(x record.Record) {
		group := struct{ Group string }{}
		if json.Unmarshal(x.Fields, &group) != nil || cmp.Or(group.Group, "attendees") != "attendees" {
			return
		}
		if list := originlist.Of(x.Fields); list != nil && list.Places > 0 {
			people, _ := footprint.PeopleByDirection(x.Fields)
			all = append(all, known{x.ID, list, people})
		}
	}); err != nil || len(all) == 0 {
		return nil, err
	}
	body, err := footprint.OriginsBody(to, rows)
	if err != nil {
		return nil, err
	}
	decoded, err := footprint.Decode(footprint.AttendeeTravel, body, r.event.Context())
	if err != nil {
		_, err = refusedOr(err)
		return nil, err // what is wrong with it is told where it is imported
	}
	own := originlist.Of(decoded.Fields)
	for _, k := range all {
		switch {
		case own == nil || own.To != k.list.To || len(notices) == namedRepeats:
		case k.list.Within(own):
			notices = append(notices, repeatNotice([]record.ID{k.id}, "This file contains all %d people of an existing attendee travel record: every place of that record, with at least as many people. "+
				"If it is the same list, which has grown, these people count twice; delete the record or undo its import.", k.people))
		case own.Within(k.list):
			notices = append(notices, repeatNotice([]record.ID{k.id}, "All people in this file are also among the %d people of an existing attendee travel record: every place is there, with at least as many people. "+
				"If the file is a part of the same list, these people count twice.", k.people))
		}
	}
	return notices, nil
}

// notices returns what was found among rows that become records.
func (r *repeats) notices(of int64) []fields.Notice {
	if r == nil || r.rows == 0 {
		return nil
	}
	return []fields.Notice{repeatNotice(r.found, "%d of the %d rows match existing records. If they describe the same things, they count twice. "+
		"Give rows an externalReference to tell them apart; onDuplicate=skip then leaves out those that exist.", r.rows, of)}
}

func repeatNotice(ids []record.ID, format string, args ...any) fields.Notice {
	n := fields.Notice{Code: possibleDuplicates, Message: fmt.Sprintf(format, args...)}
	for _, id := range slices.Compact(slices.Clone(ids)) {
		n.Suggestions = append(n.Suggestions, string(id))
	}
	return n
}
