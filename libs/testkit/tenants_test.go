package testkit

import (
	"fmt"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
)

// silent is a test that records its failures instead of reporting them.
type silent struct {
	testing.TB
	faults  []string
	cleanup []func()
}

func (r *silent) Helper()          {}
func (r *silent) Cleanup(f func()) { r.cleanup = append(r.cleanup, f) }
func (r *silent) Errorf(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// TestTenantMonitorSeesWhatIsMissing verifies that the monitor fails a test.
func TestTenantMonitorSeesWhatIsMissing(t *testing.T) {
	t.Parallel()
	own, open := bson.D{{Key: "org", Value: "o"}, {Key: "event", Value: "e"}}, bson.D{{Key: "event", Value: "e"}}
	list := func(field string, filters ...bson.D) bson.A {
		var a bson.A
		for _, f := range filters {
			a = append(a, bson.D{{Key: field, Value: f}})
		}
		return a
	}
	for what, c := range map[string]struct {
		command bson.D
		fault   string
	}{
		"find":          {bson.D{{Key: "find", Value: "events"}, {Key: "filter", Value: own}}, ""},
		"find without":  {bson.D{{Key: "find", Value: "events"}, {Key: "filter", Value: open}}, "find events event"},
		"find all":      {bson.D{{Key: "find", Value: "events"}}, "find events "},
		"find by id":    {bson.D{{Key: "find", Value: "sets"}, {Key: "filter", Value: bson.D{{Key: "_id", Value: own}}}}, ""},
		"operator":      {bson.D{{Key: "find", Value: "events"}, {Key: "filter", Value: bson.D{{Key: "org", Value: bson.D{{Key: "$ne", Value: ""}}}}}}, "find events org"},
		"a sweep":       {bson.D{{Key: "find", Value: "events"}, {Key: "filter", Value: bson.D{{Key: "mark", Value: "m"}}}}, ""},
		"another sweep": {bson.D{{Key: "find", Value: "sets"}, {Key: "filter", Value: bson.D{{Key: "mark", Value: "m"}}}}, "find sets mark"},
		"second update": {bson.D{{Key: "update", Value: "events"}, {Key: "updates", Value: list("q", own, open)}}, "update events event"},
		"delete":        {bson.D{{Key: "delete", Value: "events"}, {Key: "deletes", Value: list("q", open)}}, "delete events event"},
		"modify":        {bson.D{{Key: "findAndModify", Value: "events"}, {Key: "query", Value: open}}, "findAndModify events event"},
		"aggregate":     {bson.D{{Key: "aggregate", Value: "events"}, {Key: "pipeline", Value: list("$match", own)}}, ""},
		"late match":    {bson.D{{Key: "aggregate", Value: "events"}, {Key: "pipeline", Value: append(bson.A{bson.D{{Key: "$limit", Value: 1}}}, list("$match", own)...)}}, "aggregate events "},
		"no pipeline":   {bson.D{{Key: "aggregate", Value: "events"}, {Key: "pipeline", Value: bson.A{}}}, "aggregate events "},
		"insert":        {bson.D{{Key: "insert", Value: "events"}}, ""},
	} {
		r := &silent{TB: t}
		monitor := TenantMonitor(r, "find events mark")
		raw, err := bson.Marshal(c.command)
		if err != nil {
			t.Fatal(err)
		}
		monitor.Started(t.Context(), &event.CommandStartedEvent{Command: raw, CommandName: c.command[0].Key})
		for _, f := range r.cleanup {
			f()
		}
		got := strings.Join(r.faults, "; ")
		if c.fault == "" && got != "" || c.fault != "" && got != "a filter without the organization: "+c.fault {
			t.Errorf("%s: %q, want %q", what, got, c.fault)
		}
	}
}
