package standalone_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/ids"
	"github.com/eventcarbon/ecf/libs/mongox"
	recordmongo "github.com/eventcarbon/ecf/libs/record/mongostore"
	accountmongo "github.com/eventcarbon/ecf/services/auth/account/mongostore"
	resultmongo "github.com/eventcarbon/ecf/services/calculation/mongostore"
)

// crowd is the number of similar documents when index keys are measured: those of five events of the runbook's year.
const (
	crowd        = 2000
	crowdOfEvent = 400
)

// another returns the nth of many documents similar to a real one: the fields in index keys differ.
func another(collection string, one bson.M, n int) bson.M {
	d := maps.Clone(one)
	// Derived from an idempotency key or made by many processes: those of one process share prefixes and take less
	// space.
	id, event := ids.New(), fmt.Sprintf("%026d", n/crowdOfEvent)
	at, count := n%crowdOfEvent, int64(n%crowdOfEvent+1)
	switch collection {
	case "records": // at rest: also counted
		d["untallied"] = int64(0)
		d["_id"], d["refKey"], d["event"], d["seq"] = id, id, event, count
	case "history": // the entries of a record
		d["_id"], d["record"], d["rev"] = bson.NewObjectIDFromTimestamp(time.Unix(int64(n), 0)), fmt.Sprintf("%026d", n/2*7919), int64(n%2+1)
	case "events":
		d["_id"], d["refKey"], d["slot"] = id, id, int64(n)
	case "result_revisions":
		d["_id"], d["event"], d["revision"] = fmt.Sprintf("%v/%s/%d", d["org"], event, count), event, count
	case "result_changes": // those of a segment and of the node above it
		d["_id"], d["event"], d["level"], d["version"] = fmt.Sprintf("%v/%s/%d/%v/0/%d", d["org"], event, at%2*2, d["type"], at/2), event, int64(at%2*2), int64(at/2)
	case "audit":
		d["_id"], d["seq"] = id, int64(n)
	}
	return d
}

// indexesOf are the indexes of a collection.
func indexesOf(collection string) []mongox.Index {
	all := slices.Concat(recordmongo.Indexes(), resultmongo.Indexes(), accountmongo.Indexes())
	all = slices.DeleteFunc(all, func(i mongox.Index) bool { return i.Collection != collection })
	return append(all, mongox.Index{Collection: collection, Keys: mongox.Ascending("_id")})
}

// indexBytes returns the size and number of the keys of a document in all indexes of its collection: encoded as in
// the server, sorted, prefix-compressed, and with cell headers.
func indexBytes(t *testing.T, collection string, one bson.M) (size, keys int) {
	t.Helper()
	const headers = 5
	for _, i := range indexesOf(collection) {
		var all [][]byte
		for n := range crowd {
			all = append(all, indexKeys(t, i, another(collection, one, n))...)
		}
		slices.SortFunc(all, bytes.Compare)
		var before []byte
		for _, key := range all {
			shared := 0
			for shared < min(len(before), len(key)) && before[shared] == key[shared] {
				shared++
			}
			if shared < 4 {
				shared = 0 // fewer are not worth a prefix
			}
			size += len(key) - shared + headers
			before = key
		}
		keys += len(all)
	}
	return size / crowd, keys / crowd
}

// indexKeys returns the keys of a document in an index: none if a partial index excludes it, one per element of an
// array.
func indexKeys(t *testing.T, i mongox.Index, d bson.M) [][]byte {
	t.Helper()
	for _, condition := range i.Only {
		if !holds(t, d[condition.Key], condition.Value) {
			return nil
		}
	}
	keys := [][]byte{nil}
	for _, k := range i.Keys {
		values, ok := d[k.Key].(bson.A)
		if !ok {
			values = bson.A{d[k.Key]}
		}
		var longer [][]byte
		for _, key := range keys {
			for _, v := range values {
				longer = append(longer, appendValue(t, slices.Clone(key), v))
			}
		}
		keys = longer
	}
	for n, key := range keys {
		// The end of the key, and the number of the document: four bytes up to 67 million.
		keys[n] = append(key, 4, 0, 0, 0, 0)
	}
	return keys
}

// holds reports whether a value meets a condition of a partial index.
func holds(t *testing.T, value, condition any) bool {
	t.Helper()
	operators, ok := condition.(bson.D)
	if !ok {
		return fmt.Sprint(value) == fmt.Sprint(condition)
	}
	for _, o := range operators {
		switch o.Key {
		case "$gt": // marked or not counted yet
			if n, isNumber := value.(int64); value == "" || value == nil || isNumber && n <= 0 {
				return false
			}
		case "$in":
			if !slices.ContainsFunc(o.Value.(bson.A), func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(value) }) {
				return false
			}
		default:
			t.Fatalf("condition %s", o.Key)
		}
	}
	return true
}

// appendValue appends a value in the server's sort order: a byte for its type, and its encoding.
func appendValue(t *testing.T, key []byte, value any) []byte {
	t.Helper()
	switch v := value.(type) {
	case nil, bool:
		return append(key, fmt.Sprint(v)[0])
	case string:
		return append(append(append(key, 's'), v...), 0)
	case bson.ObjectID:
		return append(append(key, 'o'), v[:]...)
	case bson.DateTime:
		return binary.BigEndian.AppendUint64(append(key, 'd'), uint64(v)) //nolint:gosec // only its size matters
	case int32:
		return appendValue(t, key, int64(v))
	case int64:
		// As many bytes as twice the number has.
		digits := bytes.TrimLeft(binary.BigEndian.AppendUint64(nil, 2*uint64(v)), "\x00") //nolint:gosec // none is negative
		return append(append(key, 'n'+byte(len(digits))), digits...)
	}
	t.Fatalf("a key of an index is a %T", value)
	return nil
}
