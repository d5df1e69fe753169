package recompute

import (
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// A result of an unavailable engine is neither confirmed nor refuted; one of an engine that its event is not pinned
// to is wrong.
func TestEngineOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, engine, pinned string
		unproven, fault      bool
	}{
		{name: "its own", engine: footprint.NewestEngine, pinned: footprint.NewestEngine},
		{name: "that of events that name none", engine: footprint.Engine1},
		{name: "an older one than any event could be pinned to", engine: "1.1.0", unproven: true},
		{name: "a newer program's", engine: "9.9.9", pinned: "9.9.9", unproven: true},
		{name: "one that there is not, in an event that is pinned", engine: "9.9.9", pinned: footprint.NewestEngine, fault: true},
		{name: "another one", engine: footprint.Engine1, pinned: footprint.NewestEngine, fault: true},
	} {
		err := engineOf(c.engine, footprint.EventContext{Engine: c.pinned})
		if unproven := errors.Is(err, errOtherEngine); unproven != c.unproven || (err != nil && !unproven) != c.fault {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
