package main

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// duplicateKey is the code of a violated unique index.
const duplicateKey = 11000

// The engine reports that a unique index was violated, but not which; for an update it
// only passes on SQLite's message. This file converts both to the error of a MongoDB
// server: code 11000, the index's name in the message, keyPattern and keyValue.

// violation begins SQLite's message; the names of table and index follow.
const violation = "UNIQUE constraint failed: index '"

// violatedIndex returns which of the unique indexes the engine's error is about, if it
// is of that kind.
func violatedIndex(reply bson.Raw, indexes []uniqueIndex) (uniqueIndex, bool) {
	text, _ := reply.Lookup("errmsg").StringValueOK()
	_, name, found := strings.Cut(text, violation)
	if !found {
		return uniqueIndex{}, false
	}
	name, _, _ = strings.Cut(name, "'")
	var best uniqueIndex
	for _, x := range indexes {
		// The name of one index may be a suffix of another's.
		if strings.HasSuffix(name, "_"+x.Name) && len(x.Name) > len(best.Name) {
			best = x
		}
	}
	return best, best.Name != ""
}

// collidingIndex finds the unique index on which a refused document or statement
// collides with a stored document.
func (s *session) collidingIndex(c *command, refused bson.Raw) (uniqueIndex, bool, error) {
	indexes, err := s.uniqueIndexes(c)
	if err != nil {
		return uniqueIndex{}, false, err
	}
	for _, x := range indexes {
		values, ok := x.valuesOf(refused)
		if !ok {
			continue
		}
		reply, err := s.ask(bson.D{
			{Key: "find", Value: c.collection()},
			{Key: "filter", Value: values},
			{Key: "limit", Value: int32(1)},
			{Key: "singleBatch", Value: true},
			{Key: "$db", Value: c.database()},
		})
		if err != nil {
			return uniqueIndex{}, false, err
		}
		if batch, ok := reply.Lookup("cursor", "firstBatch").ArrayOK(); ok {
			if stored, err := batch.Values(); err == nil && len(stored) > 0 {
				x.value = values
				return x, true, nil
			}
		}
	}
	return uniqueIndex{}, false, nil
}

// candidate returns the unique fields of the document that an upsert would insert: the
// equality conditions of the filter, then the values that the update sets.
func candidate(filter, update bson.Raw) bson.Raw {
	var fields bson.D
	add := func(d bson.Raw) {
		elements, err := d.Elements()
		if err != nil {
			return
		}
		for _, e := range elements {
			if strings.HasPrefix(e.Key(), "$") {
				continue
			}
			if inner, ok := e.Value().DocumentOK(); ok && strings.HasPrefix(firstKey(inner), "$") {
				continue
			}
			fields = append(bson.D{{Key: e.Key(), Value: e.Value()}}, fields...)
		}
	}
	add(filter)
	add(update)
	for _, operator := range []string{"$setOnInsert", "$set", "$inc"} {
		if d, ok := update.Lookup(operator).DocumentOK(); ok {
			add(d)
		}
	}
	// Later assignments are placed first, because Lookup returns the first.
	raw, err := bson.Marshal(fields)
	if err != nil {
		return nil
	}
	return raw
}

func firstKey(d bson.Raw) string {
	elements, err := d.Elements()
	if err != nil || len(elements) == 0 {
		return ""
	}
	return elements[0].Key()
}

// runFindAndModify executes a findAndModify and completes its error.
func (s *session) runFindAndModify(c *command) (bson.Raw, error) {
	reply, err := s.call(c)
	if err != nil || reply.Lookup("ok").AsFloat64() == 1 {
		return reply, err
	}
	indexes, err := s.uniqueIndexes(c)
	if err != nil {
		return nil, err
	}
	index, found := violatedIndex(reply, indexes)
	if code, _ := reply.Lookup("code").AsInt64OK(); !found && code == duplicateKey {
		filter, _ := c.body.Lookup("query").DocumentOK()
		update, _ := c.body.Lookup("update").DocumentOK()
		if index, found, err = s.collidingIndex(c, candidate(filter, update)); err != nil {
			return nil, err
		}
	}
	if !found {
		return reply, nil
	}
	return index.commandError(c)
}

// commandError is the reply to a command that fails as a whole.
func (x *uniqueIndex) commandError(c *command) (bson.Raw, error) {
	return bson.Marshal(append(bson.D{{Key: "ok", Value: 0.0}, {Key: "codeName", Value: "DuplicateKey"}}, x.report(c)...))
}

// writeError is the entry of a violation in a write command's writeErrors.
func (x *uniqueIndex) writeError(c *command, statement int32) bson.D {
	return append(bson.D{{Key: "index", Value: statement}}, x.report(c)...)
}

func (x *uniqueIndex) report(c *command) bson.D {
	message := fmt.Sprintf("E11000 duplicate key error collection: %s.%s index: %s", c.database(), c.collection(), x.Name)
	d := bson.D{{Key: "code", Value: int32(duplicateKey)}, {Key: "keyPattern", Value: x.Key}}
	if x.value != nil {
		message += " dup key: " + x.value.String()
		d = append(d, bson.E{Key: "keyValue", Value: x.value})
	}
	return append(d, bson.E{Key: "errmsg", Value: message})
}
