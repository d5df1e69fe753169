package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/teams"
	"github.com/eventcarbon/ecf/libs/writes"
)

// createBatch creates up to 100 records, each independently: an error of one does not affect
// the others.
func (s *server) createBatch(c *fiber.Ctx) error {
	sent, err := writes.ReadBatch(c)
	if err != nil {
		return err
	}
	w, err := s.beginMany(c, "createRecords")
	if err != nil {
		return err
	}
	event, lookup := s.writableEvent(c)
	if lookup != nil && !w.Request.Resumed {
		return firstFault(c, sent.Items, event, lookup, s.decoding(c))
	}
	b := batch{server: s, c: c, w: w, decoding: s.decoding(c),
		items: make([]writes.Outcome, len(sent.Items)), event: event, lookup: lookup, onDuplicate: sent.OnDuplicate}
	for i, body := range sent.Items {
		if err := w.Continue(c.UserContext()); err != nil {
			return err
		}
		if err := b.prepare(i, body); err != nil {
			return err
		}
	}
	if lookup != nil && !slices.ContainsFunc(b.items, func(o writes.Outcome) bool { return o.Record != nil }) {
		return lookup
	}
	if err := w.Continue(c.UserContext()); err != nil {
		return err
	}
	if err := b.insert(); err != nil {
		return err
	}
	b.noteOverwritten()
	return writes.Answer(c, b.items)
}

// beginMany returns the write of a request of an operation on many records: it ends with the caller's right to it,
// because under load it takes longer than a revocation may take.
func (s *server) beginMany(c *fiber.Ctx, operation string) (writes.Write, error) {
	w, err := s.writes.Begin(c)
	if err != nil {
		return w, err
	}
	w.Still, err = teams.Revalidate(c, s.Verifier, s.Store, s.now, operation)
	return w, err
}

// overwrittenByLater is the code of a notice.
const overwrittenByLater = "OVERWRITTEN_BY_LATER"

// noteOverwritten notes, for a record of the batch, that a later one with its reference has changed what it said.
func (b *batch) noteOverwritten() {
	last := map[record.ID]int{}
	for i, o := range slices.Backward(b.items) {
		if o.Record == nil {
			continue
		}
		if later, ok := last[o.Record.ID]; ok {
			b.items[i].Notices = []fields.Notice{{Code: overwrittenByLater, Field: fmt.Sprintf("items[%d].externalReference", i), Suggestions: []string{fmt.Sprintf("items[%d]", later)},
				Message: fmt.Sprintf("items[%d] has the same reference and came later; the record is as that one says.", later)}}
		} else if o.Outcome == updated {
			last[o.Record.ID] = i
		}
	}
}

// firstFault reports errors of the bodies that do not depend on the event before a missing
// event.
func firstFault(c *fiber.Ctx, bodies []json.RawMessage, event record.Event, lookup error, decoding footprint.Options) error {
	for i, body := range bodies {
		_, err := decodeFor(c.Params("type"), body, event, lookup, decoding)
		if apperr.CodeOf(err) == apperr.ValidationError {
			return writes.Under(fmt.Sprintf("items[%d]", i), err)
		}
	}
	return lookup
}

// batch is a batch being created.
type batch struct {
	*server
	c *fiber.Ctx
	w writes.Write
	// decoding is of all bodies: they share its hints.
	decoding footprint.Options
	items    []writes.Outcome
	// fresh are the records to insert, places their positions in items.
	fresh  []record.Record
	places []int
	// decoded are the bodies of fresh, for those that turn out to exist already.
	decoded []footprint.Decoded
	// event is that of the records, unless lookup is the error of reading it.
	event       record.Event
	lookup      error
	onDuplicate writes.Duplicates
}

func (b *batch) sub() record.Sub { return subOf(b.c) }

// prepare decides on one record: it exists from an earlier attempt, is rejected, or is to be
// inserted.
func (b *batch) prepare(i int, body []byte) error {
	key := record.Key{Event: b.sub().Event, Type: b.sub().Type, ID: record.ID(b.w.Request.NewID(i))}
	if b.w.Request.Resumed {
		made, err := b.Store.Record(b.c.UserContext(), b.w.Org, key)
		if err == nil {
			b.items[i].Record, b.items[i].Outcome = &made, created
			return nil
		}
		if !errors.Is(err, record.ErrNotFound) {
			return err
		}
	}
	decoded, err := decodeFor(key.Type, body, b.event, b.lookup, b.decoding)
	if err != nil {
		return b.refuse(i, err)
	}
	if done, err := b.existing(i, decoded); done || err != nil {
		return err
	}
	r, err := recordOf(key, decoded, b.event)
	if err != nil {
		return b.refuse(i, err)
	}
	b.fresh, b.places, b.decoded = append(b.fresh, r), append(b.places, i), append(b.decoded, decoded)
	return nil
}

// existing handles the i-th record if its reference is taken and the request says what to do
// then.
func (b *batch) existing(i int, decoded footprint.Decoded) (done bool, err error) {
	if b.onDuplicate == writes.Refuse || decoded.ExternalReference == "" {
		return false, nil
	}
	r, err := b.w.Store.RecordByReference(b.c.UserContext(), b.w.Org, b.sub(), decoded.ExternalReference)
	if errors.Is(err, record.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	outcome := skipped
	if b.onDuplicate == writes.Update {
		u := upsert{Write: b.w, sub: b.sub(), event: b.event, decoded: decoded}
		r, outcome, err = u.update(b.c.UserContext(), r)
		if errors.Is(err, errMoved) {
			return false, nil
		}
		if err != nil {
			return true, b.refuse(i, err)
		}
	}
	r = r.Under(b.event)
	b.items[i].Record, b.items[i].Outcome = &r, outcome
	return true, nil
}

func (b *batch) refuse(i int, err error) (failed error) {
	b.items[i], failed = writes.Refused(b.c, writes.Under(fmt.Sprintf("items[%d]", i), err))
	return failed
}

// insert stores the new records, under consecutive numbers.
func (b *batch) insert() error {
	if len(b.fresh) == 0 {
		return nil
	}
	stored, refused, err := b.w.Workflow.InsertAll(b.c.UserContext(), b.w.Store, b.w.Org, b.sub(), b.fresh, b.w.By)
	if err != nil {
		return err
	}
	for n, i := range b.places {
		err := refused[n]
		if b.w.Request.Keyed() && errors.Is(err, record.ErrDuplicate) {
			// An attempt whose lease had expired has been faster.
			stored[n], err = b.record(b.c, b.fresh[n].Key())
		}
		if apperr.CodeOf(err) == apperr.DuplicateReference {
			// The reference was taken by an earlier record of the batch or a concurrent
			// request.
			done, failure := b.existing(i, b.decoded[n])
			if failure != nil {
				return failure
			}
			if done {
				continue
			}
		}
		if err != nil {
			if err := b.refuse(i, err); err != nil {
				return err
			}
			continue
		}
		b.items[i].Record, b.items[i].Outcome = &stored[n], created
	}
	return nil
}

// moveMany returns the handler of an operation that moves up to 100 records, each independently.
func (s *server) moveMany(operation string, m record.Move) fiber.Handler {
	return func(c *fiber.Ctx) error {
		sent, err := writes.ReadIDs(c)
		if err != nil {
			return err
		}
		w, err := s.beginMany(c, operation)
		if err != nil {
			return err
		}
		if _, err := s.writableEvent(c); err != nil {
			return err
		}
		sub := subOf(c)
		items, err := w.Each(c, sent.IDs, func(_ context.Context, id record.ID) (record.Request, error) {
			return record.Request{Key: record.Key{Event: sub.Event, Type: sub.Type, ID: id}, Move: m, Comment: sent.Comment, IfMatch: sent.IfMatch(id)}, nil
		})
		if m == record.Delete {
			// Even after a failure midway: those are deleted, and no repetition finds them.
			err = errors.Join(err, auditDeletion(c, sub, succeeded(items)...))
		}
		if err != nil {
			return err
		}
		return writes.Answer(c, items)
	}
}
