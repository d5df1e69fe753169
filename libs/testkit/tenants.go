package testkit

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
)

// TenantMonitor observes every command of its clients. It fails the test for a filter
// that does not name the organization ("org", at the top or in the _id), or does not
// name the event although it is part of the shard key. Exceptions are listed in common
// as command, collection and sorted keys, "find events mark".
func TenantMonitor(t testing.TB, common ...string) *event.CommandMonitor {
	t.Helper()
	var mu sync.Mutex
	found := map[string]bool{}
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		for fault := range found {
			t.Errorf("a filter without the %s", fault)
		}
	})
	return &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		collection, _ := e.Command.Lookup(e.CommandName).StringValueOK()
		if collection == "schema_versions" || collection == "factor_packs" {
			return // the schema and the factor sets are shared by all organizations
		}
		if comment, _ := e.Command.Lookup("comment").StringValueOK(); comment == "schema" {
			return // likewise
		}
		for _, filter := range conditions(e.CommandName, e.Command) {
			what := e.CommandName + " " + collection + " " + strings.Join(keysOf(filter), ",")
			lacks := ""
			if !namesOrganization(filter) {
				lacks = "organization"
			} else if shardedByEvent[collection] && filter.Lookup("event").IsZero() {
				lacks = "event"
			}
			if lacks != "" && !slices.Contains(common, what) && !slices.Contains(acrossEvents, what) {
				mu.Lock()
				found[lacks+": "+what] = true
				mu.Unlock()
			}
		}
	}}
}

// shardedByEvent are the collections whose shard key is organization and event (ADR
// 0029): a filter that names both reaches one shard.
var shardedByEvent = map[string]bool{
	"records": true, "record_counts": true, "event_history": true,
	"results": true, "result_nodes": true, "result_changes": true, "result_revisions": true, "result_parts": true,
}

// acrossEvents are the filters on them that reach all shards of the organization; ADR
// 0029 says what bounds their cost.
var acrossEvents = []string{
	"find records _id,org",                  // the owner of an id, after a refused insertion; audit
	"update records _id,contextRev,org,rev", // contributions after a change of the event
	"aggregate records deleted,org,status",  // the review queue of the organization
	"find records deleted,org,status",       // likewise
	"aggregate records org",                 // the number of an organization's records, if its plan limits them
}

// conditions returns the filters of a command; a command without one matches
// everything.
func conditions(name string, command bson.Raw) []bson.Raw {
	each := func(list, field string) (filters []bson.Raw) {
		array, _ := command.Lookup(list).ArrayOK()
		values, _ := array.Values()
		for _, v := range values {
			d, _ := v.DocumentOK()
			filter, _ := d.Lookup(field).DocumentOK()
			filters = append(filters, filter)
		}
		return filters
	}
	one := func(field string) []bson.Raw {
		filter, _ := command.Lookup(field).DocumentOK()
		return []bson.Raw{filter}
	}
	switch name {
	case "find":
		return one("filter")
	case "findAndModify", "count", "distinct":
		return one("query")
	case "update":
		return each("updates", "q")
	case "delete":
		return each("deletes", "q")
	case "aggregate":
		// The stage that narrows the selection comes first.
		if stages := each("pipeline", "$match"); len(stages) > 0 {
			return stages[:1]
		}
		return []bson.Raw{nil}
	}
	return nil
}

// namesOrganization reports whether a filter selects a single organization.
func namesOrganization(filter bson.Raw) bool {
	if _, ok := filter.Lookup("org").StringValueOK(); ok {
		return true
	}
	_, ok := filter.Lookup("_id", "org").StringValueOK()
	return ok
}

func keysOf(filter bson.Raw) []string {
	elements, _ := filter.Elements()
	var keys []string
	for _, e := range elements {
		keys = append(keys, e.Key())
	}
	slices.Sort(keys)
	return keys
}
