package resulttree

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// Which differences between two results make a revision: for a new field this must be decided here.
func TestWhatMakesAnotherRevision(t *testing.T) {
	t.Parallel()
	base := Result{
		Org: "o", Event: "e", Version: 3, Revision: 2, ContextRev: 1, Contribution: json.RawMessage(`{"a":1}`), Failed: []record.ID{"r"}, FailedCount: 1,
		EngineVersion: "2", InputsHash: "h",
	}
	for field, c := range map[string]struct {
		change func(r *Result)
		same   bool
	}{
		"Org": {func(r *Result) { r.Org = "p" }, true}, "Event": {func(r *Result) { r.Event = "f" }, true}, // which are those of the place
		"Version": {func(r *Result) { r.Version = 4 }, true}, "Revision": {func(r *Result) { r.Revision = 3 }, true},
		"ContextRev":    {func(r *Result) { r.ContextRev = 2 }, false},
		"Context":       {func(r *Result) { r.Context = footprint.EventContext{Country: "GB"} }, true}, // changes with ContextRev
		"Contribution":  {func(r *Result) { r.Contribution = json.RawMessage(`{"a":2}`) }, false},
		"Failed":        {func(r *Result) { r.Failed = []record.ID{"s"} }, false},
		"FailedCount":   {func(r *Result) { r.FailedCount = 2 }, false},
		"EngineVersion": {func(r *Result) { r.EngineVersion = "3" }, false},
		"InputsHash":    {func(r *Result) { r.InputsHash = "i" }, false},
		"CalculatedAt":  {func(r *Result) { r.CalculatedAt = time.Unix(1, 0) }, true},
		"Children":      {func(r *Result) { r.Children = []Child{{}} }, true},
		"Causes":        {func(r *Result) { r.Causes = []Cause{{}} }, true}, "Previous": {func(r *Result) { r.Previous = "p" }, true},
		"Since": {func(r *Result) { r.Since = 1 }, true},
	} {
		other := base
		c.change(&other)
		if reflect.DeepEqual(base, other) {
			t.Errorf("%s was not changed", field)
		}
		if got := sameContent(base, other); got != c.same || sameContent(other, base) != c.same {
			t.Errorf("another %s: the same content: %t, want %t", field, got, c.same)
		}
	}
	if n := reflect.TypeFor[Result]().NumField(); n != 16 {
		t.Errorf("a result has %d fields, and 16 are decided about", n)
	}
}
