package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/writes"
)

// createBatch creates up to 100 records. Each is judged by itself: what is
// wrong with one keeps out none of the others.
func (s *server) createBatch(c *fiber.Ctx) error {
	bodies, err := writes.Bodies(c)
	if err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	event, lookup := s.writableEvent(c)
	if lookup != nil && !w.Request.Resumed {
		return firstFault(c, bodies, event, lookup)
	}
	b := batch{server: s, c: c, w: w, items: make([]writes.Outcome, len(bodies))}
	for i, body := range bodies {
		if err := b.prepare(i, body, event, lookup); err != nil {
			return err
		}
	}
	if lookup != nil && !slices.ContainsFunc(b.items, func(o writes.Outcome) bool { return o.Record != nil }) {
		return lookup
	}
	if err := b.insert(); err != nil {
		return err
	}
	return writes.Answer(c, b.items)
}

// firstFault tells of the faults that the bodies have under any event, before
// that there is no such event.
func firstFault(c *fiber.Ctx, bodies []json.RawMessage, event record.Event, lookup error) error {
	for i, body := range bodies {
		_, _, err := newRecord(record.Key{Type: c.Params("type")}, body, event, lookup, decoderFor(c))
		if apperr.CodeOf(err) == apperr.ValidationError {
			return writes.Under(fmt.Sprintf("items[%d]", i), err)
		}
	}
	return lookup
}

// batch is a batch on its way in.
type batch struct {
	*server
	c     *fiber.Ctx
	w     writes.Write
	items []writes.Outcome
	// fresh are the records to insert, places where each stands in items.
	fresh  []record.Record
	places []int
}

func (b *batch) sub() record.Sub { return subOf(b.c) }

// prepare decides about one record: it is there from an earlier attempt, it is
// refused, or it is to be inserted.
func (b *batch) prepare(i int, body []byte, event record.Event, lookup error) error {
	key := record.Key{Event: b.sub().Event, Type: b.sub().Type, ID: record.ID(b.w.Request.NewID(i))}
	if b.w.Request.Resumed {
		made, err := b.Store.Record(b.c.UserContext(), b.w.Org, key)
		if err == nil {
			b.items[i].Record = &made
			return nil
		}
		if !errors.Is(err, record.ErrNotFound) {
			return err
		}
	}
	r, _, err := newRecord(key, body, event, lookup, decoderFor(b.c))
	if err != nil {
		return b.refuse(i, writes.Under(fmt.Sprintf("items[%d]", i), err))
	}
	b.fresh, b.places = append(b.fresh, r), append(b.places, i)
	return nil
}

func (b *batch) refuse(i int, err error) (failed error) {
	b.items[i], failed = writes.Refused(b.c, err)
	return failed
}

// insert stores what is to be stored, under consecutive numbers.
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
			// An attempt that was given up for dead has been faster.
			stored[n], err = b.record(b.c, b.fresh[n].Key())
		}
		if err != nil {
			if err := b.refuse(i, err); err != nil {
				return err
			}
			continue
		}
		b.items[i].Record = &stored[n]
	}
	return nil
}

// submitMany submits up to 100 records, each by itself.
func (s *server) submitMany(c *fiber.Ctx) error {
	ids, err := writes.IDs(c)
	if err != nil {
		return err
	}
	w, err := s.writes.Begin(c)
	if err != nil {
		return err
	}
	if _, err := s.writableEvent(c); err != nil {
		return err
	}
	sub := subOf(c)
	items, err := w.Each(c, ids, func(_ context.Context, id record.ID) (record.Request, error) {
		return record.Request{Key: record.Key{Event: sub.Event, Type: sub.Type, ID: id}, Move: record.Submit}, nil
	})
	if err != nil {
		return err
	}
	return writes.Answer(c, items)
}
