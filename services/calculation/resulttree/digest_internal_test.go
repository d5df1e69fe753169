package resulttree

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestDigestCoversWhatARevisionSays changes each field of a result. For a new field it must be decided here whether a
// revision could be forged in it without breaking the chain of revisions.
func TestDigestCoversWhatARevisionSays(t *testing.T) {
	t.Parallel()
	base := Result{
		Org: "o", Event: "e", Version: 3, Revision: 2, ContextRev: 1, Contribution: json.RawMessage(`{"a":1}`), Failed: []record.ID{"r"}, FailedCount: 1,
		EngineVersion: "2", InputsHash: "h", CalculatedAt: time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC), Previous: "p",
	}
	for field, c := range map[string]struct {
		change func(r *Result)
		left   bool // out of the digest
	}{
		"Org": {func(r *Result) { r.Org = "p" }, false}, "Event": {func(r *Result) { r.Event = "f" }, false},
		"Version": {func(r *Result) { r.Version = 4 }, true}, "Revision": {func(r *Result) { r.Revision = 3 }, false},
		"ContextRev":    {func(r *Result) { r.ContextRev = 2 }, false},
		"Context":       {func(r *Result) { r.Context = footprint.EventContext{Country: "GB"} }, false},
		"Contribution":  {func(r *Result) { r.Contribution = json.RawMessage(`{"a":2}`) }, false},
		"Failed":        {func(r *Result) { r.Failed = []record.ID{"s"} }, false},
		"FailedCount":   {func(r *Result) { r.FailedCount = 2 }, false},
		"EngineVersion": {func(r *Result) { r.EngineVersion = "3" }, false},
		"InputsHash":    {func(r *Result) { r.InputsHash = "i" }, false},
		"CalculatedAt":  {func(r *Result) { r.CalculatedAt = r.CalculatedAt.Add(time.Millisecond) }, false},
		"Children":      {func(r *Result) { r.Children = []Child{{}} }, true}, // InputsHash covers what they are made from
		"Causes":        {func(r *Result) { r.Causes = []Cause{{}} }, true}, "Previous": {func(r *Result) { r.Previous = "q" }, false},
		"Since": {func(r *Result) { r.Since = 1 }, true},
	} {
		other := base
		c.change(&other)
		if reflect.DeepEqual(base, other) {
			t.Errorf("%s was not changed", field)
		}
		if same := base.Digest() == other.Digest(); same != c.left {
			t.Errorf("another %s: the same digest: %t, want %t", field, same, c.left)
		}
	}
	if n := reflect.TypeFor[Result]().NumField(); n != 16 {
		t.Errorf("a result has %d fields, and 16 are decided about", n)
	}
	elsewhere := base
	elsewhere.CalculatedAt = base.CalculatedAt.In(time.FixedZone("", 3600))
	if base.Digest() != elsewhere.Digest() {
		t.Error("the digest depends on the time zone")
	}
	// Stored revisions name the one before them by this.
	const want = "51ef9827433162dd400e103626b6d6221e94ed9ceb2bc8f017e02a50bb17b0a4"
	if got := base.Digest(); got != want {
		t.Errorf("the digest is %s, want %s: the revisions of earlier releases no longer follow each other", got, want)
	}
}
