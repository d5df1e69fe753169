package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/schema"
)

func TestCheckRefusesOnlyWhatTheProgramCannotRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stored  schema.Stored
		newest  int
		refused bool
		pending bool
	}{
		"empty":                         {schema.Stored{}, 3, false, true},
		"older":                         {schema.Stored{Version: 2, MinReader: 1}, 3, false, true},
		"current":                       {schema.Stored{Version: 3, MinReader: 3}, 3, false, false},
		"newer, readable":               {schema.Stored{Version: 5, MinReader: 3}, 3, false, false},
		"newer, needs a newer program":  {schema.Stored{Version: 5, MinReader: 4}, 3, true, false},
		"much newer, even older reader": {schema.Stored{Version: 9, MinReader: 1}, 3, false, false},
	} {
		s := schema.Status{Component: "records", Stored: c.stored, Newest: c.newest}
		err := schema.Check([]schema.Status{s})
		if errors.Is(err, schema.ErrNewer) != c.refused {
			t.Errorf("%s: Check: %v, want refused %t", name, err, c.refused)
		}
		if c.refused && !strings.Contains(err.Error(), `"records" has schema version 5, which needs a release that knows version 4`) {
			t.Errorf("%s: the error does not name component and versions: %v", name, err)
		}
		if got := schema.Pending([]schema.Status{s}); got != c.pending {
			t.Errorf("%s: Pending %t, want %t", name, got, c.pending)
		}
	}
}
