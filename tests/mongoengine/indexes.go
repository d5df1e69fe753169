package main

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// createIndexes executes a createIndexes command, one index at a time: the engine
// panics on two that exist already. It reports an internal error if a unique index
// finds duplicates; a server replies 11000.
func (s *session) createIndexes(c *command) (bson.Raw, error) {
	indexes := c.list("indexes")
	if len(indexes) == 0 {
		return s.call(c)
	}
	var first, last bson.Raw
	for _, index := range indexes {
		index = plainIndex(index)
		reply, err := s.call(c.withList("indexes", []bson.Raw{index}))
		if err != nil {
			return nil, err
		}
		if reply.Lookup("ok").AsFloat64() != 1 {
			var asked uniqueIndex
			if err := bson.Unmarshal(index, &asked); err != nil {
				return nil, err
			}
			if x, ok := violatedIndex(reply, []uniqueIndex{asked}); ok {
				return x.commandError(c)
			}
			return reply, nil
		}
		if first == nil {
			first = reply
		}
		last = reply
	}
	return bson.Marshal(bson.D{
		{Key: "numIndexesBefore", Value: first.Lookup("numIndexesBefore")},
		{Key: "numIndexesAfter", Value: last.Lookup("numIndexesAfter")},
		{Key: "ok", Value: 1.0},
	})
}

// plainIndex returns an index without the options that the engine refuses and no client
// may rely on: expireAfterSeconds (documents then remain, as they may for a while on a
// real server), and partialFilterExpression of an index that is not unique (it then
// contains more than it needs). A unique partial index keeps its option and is refused:
// without it, its meaning would differ.
func plainIndex(index bson.Raw) bson.Raw {
	index = without(index, "expireAfterSeconds")
	if unique, _ := index.Lookup("unique").BooleanOK(); !unique {
		index = without(index, "partialFilterExpression")
	}
	return index
}

// uniqueIndex is a unique index of a collection and, after a violation, the values that
// violated it.
type uniqueIndex struct {
	Name   string   `bson:"name"`
	Key    bson.Raw `bson:"key"`
	Unique bool     `bson:"unique"`

	value bson.Raw
}

// uniqueIndexes lists the collection's unique indexes, that of _id first.
func (s *session) uniqueIndexes(c *command) ([]uniqueIndex, error) {
	reply, err := s.ask(bson.D{{Key: "listIndexes", Value: c.collection()}, {Key: "$db", Value: c.database()}})
	if err != nil {
		return nil, err
	}
	var list struct {
		Cursor struct {
			FirstBatch []uniqueIndex `bson:"firstBatch"`
		} `bson:"cursor"`
	}
	if err := bson.Unmarshal(reply, &list); err != nil {
		return nil, err
	}
	var unique []uniqueIndex
	for _, index := range list.Cursor.FirstBatch {
		if index.Unique || index.Name == "_id_" {
			unique = append(unique, index)
		}
	}
	return unique, nil
}

// fields returns the paths of the index.
func (x *uniqueIndex) fields() []string {
	elements, err := x.Key.Elements()
	if err != nil {
		return nil
	}
	paths := make([]string, len(elements))
	for i, e := range elements {
		paths[i] = e.Key()
	}
	return paths
}

// valuesOf returns the values of the index's fields in a document, and false if one of
// them is missing: then the engine accepts the document.
func (x *uniqueIndex) valuesOf(document bson.Raw) (bson.Raw, bool) {
	var values bson.D
	for _, path := range x.fields() {
		v := valueAt(document, path)
		if v.IsZero() {
			return nil, false
		}
		values = append(values, bson.E{Key: path, Value: v})
	}
	raw, err := bson.Marshal(values)
	return raw, err == nil && len(values) > 0
}

// valueAt reads a path of a document or of a list of assignments, in which the path
// itself may be the key.
func valueAt(document bson.Raw, path string) bson.RawValue {
	if v := document.Lookup(path); !v.IsZero() {
		return v
	}
	return document.Lookup(strings.Split(path, ".")...)
}
