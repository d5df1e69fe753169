package main

import (
	"go.mongodb.org/mongo-driver/v2/bson"
)

// insertBatch is the number of documents FerretDB inserts at a time. Beyond it, an
// ordered insert continues after a duplicate, so no more are sent at once.
const insertBatch = 100

// outcome is the reply to a write command.
type outcome struct {
	N           int32      `bson:"n"`
	NModified   *int32     `bson:"nModified,omitempty"`
	Upserted    []upserted `bson:"upserted,omitempty"`
	WriteErrors []bson.D   `bson:"writeErrors,omitempty"`
	OK          float64    `bson:"ok"`
}

type upserted struct {
	Index int32         `bson:"index"`
	ID    bson.RawValue `bson:"_id"`
}

// runBatch executes an insert or update in batches of at most size statements and joins
// the outcomes. The engine reports the failure of one statement of an update as that of
// the whole command, and numbers upserts wrongly; in batches both are as on a real
// server.
func (s *session) runBatch(c *command, list string, size int) (bson.Raw, error) {
	statements := c.list(list)
	ordered, isSet := c.body.Lookup("ordered").BooleanOK()
	ordered = ordered || !isSet
	if len(statements) == 0 {
		return s.call(c)
	}
	total := outcome{OK: 1}
	for start := 0; start < len(statements); start += size {
		piece := statements[start:min(start+size, len(statements))]
		reply, err := s.call(c.withList(list, piece))
		if err != nil {
			return nil, err
		}
		if len(piece) == len(statements) && reply.Lookup("ok").AsFloat64() == 1 && reply.Lookup("writeErrors").IsZero() {
			return reply, nil
		}
		part, final, err := s.outcomeOf(c, reply, piece)
		if err != nil || final != nil {
			return final, err
		}
		total.add(part, int32(start))
		if ordered && len(total.WriteErrors) > 0 {
			break
		}
	}
	return bson.Marshal(total)
}

// outcomeOf reads the reply to a batch and completes its duplicate key errors. An error
// of the whole command is returned as final.
func (s *session) outcomeOf(c *command, reply bson.Raw, piece []bson.Raw) (part outcome, final bson.Raw, err error) {
	if reply.Lookup("ok").AsFloat64() != 1 {
		indexes, err := s.uniqueIndexes(c)
		if err != nil {
			return outcome{}, nil, err
		}
		index, ok := violatedIndex(reply, indexes)
		if !ok || len(piece) != 1 {
			return outcome{}, reply, nil
		}
		return outcome{WriteErrors: []bson.D{index.writeError(c, 0)}}, nil, nil
	}
	if err := bson.Unmarshal(reply, &part); err != nil {
		return outcome{}, nil, err
	}
	for i, e := range part.WriteErrors {
		code, at := numberIn(e, "code"), numberIn(e, "index")
		if code != duplicateKey || at < 0 || int(at) >= len(piece) {
			continue
		}
		refused := piece[at]
		if c.name() == "update" {
			filter, _ := refused.Lookup("q").DocumentOK()
			update, _ := refused.Lookup("u").DocumentOK()
			refused = candidate(filter, update)
		}
		if index, ok, err := s.collidingIndex(c, refused); err != nil {
			return outcome{}, nil, err
		} else if ok {
			part.WriteErrors[i] = index.writeError(c, at)
		}
	}
	return part, nil, nil
}

// add appends the outcome of a batch whose first statement has the given number.
func (o *outcome) add(part outcome, offset int32) {
	o.N += part.N
	if part.NModified != nil {
		if o.NModified == nil {
			o.NModified = new(int32)
		}
		*o.NModified += *part.NModified
	}
	for _, u := range part.Upserted {
		u.Index += offset
		o.Upserted = append(o.Upserted, u)
	}
	for _, e := range part.WriteErrors {
		for i := range e {
			if e[i].Key == "index" {
				e[i].Value = numberIn(e, "index") + offset
			}
		}
		o.WriteErrors = append(o.WriteErrors, e)
	}
}

func numberIn(d bson.D, key string) int32 {
	for _, e := range d {
		if e.Key != key {
			continue
		}
		switch n := e.Value.(type) {
		case int32:
			return n
		case int64:
			return int32(n)
		}
	}
	return -1
}
