package testkit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"

	"github.com/eventcarbon/ecf/libs/mongox"
)

// IndexMonitor observes every command of its clients. It fails the test for a condition or
// an order that no index serves on a MongoDB server: one that reads documents or keys
// which do not match, or sorts. The test engine does not plan queries, so
// what a server does is derived from its documentation. Exceptions are listed as
// command, collection, sorted fields of the condition and the order: "find records org,status by seq".
// A list of values is marked as in status[], excluded values as in !status.
func IndexMonitor(t testing.TB, indexes []mongox.Index, exceptions ...string) *event.CommandMonitor {
	t.Helper()
	var mu sync.Mutex
	found := map[string]string{}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for _, shape := range slices.Sorted(maps.Keys(found)) {
			t.Errorf("no index serves %s: %s", shape, found[shape])
		}
	})
	return &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		collection, _ := e.Command.Lookup(e.CommandName).StringValueOK()
		if comment, _ := e.Command.Lookup("comment").StringValueOK(); comment == mongox.SchemaComment {
			return
		}
		var order bson.D
		if raw, ok := e.Command.Lookup("sort").DocumentOK(); ok {
			_ = bson.Unmarshal(raw, &order) // the driver encoded it
		}
		for _, raw := range conditions(e.CommandName, e.Command) {
			var condition bson.D
			_ = bson.Unmarshal(raw, &condition) // likewise; nil is no condition
			q := mongoQuery{fields: map[string]bson.D{}, order: order}
			q.add(condition)
			shape := q.shape(e.CommandName, collection)
			if fault := q.fault(collection, indexes); fault != "" && !slices.Contains(exceptions, shape) {
				mu.Lock()
				found[shape] = fault
				mu.Unlock()
			}
		}
	}}
}

// mongoQuery is a condition, by field, and an order.
type mongoQuery struct {
	fields map[string]bson.D // its operators
	order  bson.D
	others []string // operators that combine conditions
}

func (q *mongoQuery) add(condition bson.D) {
	for _, e := range condition {
		switch operators, ok := e.Value.(bson.D); {
		case e.Key == "$and":
			for _, each := range e.Value.(bson.A) {
				q.add(each.(bson.D))
			}
		case strings.HasPrefix(e.Key, "$"):
			q.others = append(q.others, e.Key)
		case ok && len(operators) > 0 && strings.HasPrefix(operators[0].Key, "$"):
			q.fields[e.Key] = append(q.fields[e.Key], operators...)
		default:
			q.fields[e.Key] = append(q.fields[e.Key], bson.E{Key: "$eq", Value: e.Value})
		}
	}
}

func (q *mongoQuery) shape(command, collection string) string {
	var fields []string
	for _, field := range slices.Sorted(maps.Keys(q.fields)) {
		switch operators := q.fields[field]; operators[0].Key {
		case "$in":
			field += "[]"
		case "$ne", "$nin":
			field = "!" + field
		}
		fields = append(fields, field)
	}
	shape := fmt.Sprint(command, " ", collection, " ", strings.Join(fields, ","))
	var by []string
	for _, e := range q.order {
		by = append(by, e.Key)
	}
	if len(by) > 0 {
		shape += " by " + strings.Join(by, ",")
	}
	return shape
}

// bound is how the condition on a field bounds the keys of an index.
type bound int

const (
	unbound bound = iota
	within        // intervals
	points        // some values
)

func (q *mongoQuery) bound(field string) (b bound) {
	for _, o := range q.fields[field] {
		switch o.Key {
		case "$eq", "$in":
			return points
		case "$gt", "$gte", "$lt", "$lte", "$ne", "$nin":
			b = within
		case "$exists":
			if o.Value == false {
				b = within // null and absent
			}
		}
	}
	return b
}

// fault returns what is wrong with the best index; empty if nothing.
func (q *mongoQuery) fault(collection string, indexes []mongox.Index) string {
	if q.bound("_id") == points {
		return "" // some documents
	}
	best, worst := "it reads the collection", 1<<10
	for _, i := range append([]mongox.Index{{Collection: collection, Keys: mongox.Ascending("_id")}}, indexes...) {
		if i.Collection != collection || !q.implies(i.Only) {
			continue
		}
		narrowing := q.narrowing(i)
		if narrowing == 0 && len(q.fields) > 0 {
			continue
		}
		left := q.left(i, narrowing)
		if len(left) == 0 {
			return ""
		}
		if len(left) < worst {
			best, worst = nameOf(i)+" leaves "+strings.Join(left, ", "), len(left)
		}
	}
	return best
}

func nameOf(i mongox.Index) string {
	var keys []string
	for _, k := range i.Keys {
		keys = append(keys, k.Key)
	}
	return cmp.Or(i.Name, strings.Join(keys, ","))
}

// narrowing returns the number of keys of which a part is read.
func (q *mongoQuery) narrowing(i mongox.Index) (n int) {
	for _, k := range i.Keys {
		b := q.bound(k.Key)
		if b != unbound {
			n++
		}
		if b != points {
			break
		}
	}
	return n
}

// left returns what an index leaves to be done: sorting, and reading documents or keys that do not match.
func (q *mongoQuery) left(i mongox.Index, narrowing int) (left []string) {
	if i.Unique && !slices.ContainsFunc(i.Keys, func(k bson.E) bool { return q.bound(k.Key) != points }) {
		return nil // some documents
	}
	order := q.order
	for _, k := range i.Keys {
		if len(order) > 0 && order[0].Key == k.Key {
			order = order[1:]
		} else if q.bound(k.Key) != points {
			break
		}
	}
	if len(order) > 0 {
		left = append(left, "the order")
	}
	for _, field := range slices.Sorted(maps.Keys(q.fields)) {
		at := slices.IndexFunc(i.Keys, func(k bson.E) bool { return k.Key == field })
		if (at < 0 || at >= narrowing) && !slices.ContainsFunc(i.Only, func(e bson.E) bool { return e.Key == field }) {
			left = append(left, field)
		}
	}
	return left
}

// implies reports whether the server sees that what the condition matches is in a partial index.
// It compares operator by operator: of a list of values it only recognizes an equal one.
func (q *mongoQuery) implies(only bson.D) bool {
	for _, e := range only {
		operators, ok := e.Value.(bson.D)
		if !ok {
			operators = bson.D{{Key: "$eq", Value: e.Value}}
		}
		for _, wanted := range operators {
			if !slices.ContainsFunc(q.fields[e.Key], func(o bson.E) bool { return impliesOne(o, wanted) }) {
				return false
			}
		}
	}
	return true
}

func impliesOne(has, wanted bson.E) bool {
	if has.Key == wanted.Key && fmt.Sprint(has.Value) == fmt.Sprint(wanted.Value) {
		return true
	}
	switch {
	case has.Key == "$eq" && wanted.Key == "$in":
		return slices.ContainsFunc(wanted.Value.(bson.A), func(v any) bool { return fmt.Sprint(v) == fmt.Sprint(has.Value) })
	case has.Key == "$eq" && wanted.Key == "$gt":
		s, ok := has.Value.(string)
		return ok && s > wanted.Value.(string)
	}
	return false
}
