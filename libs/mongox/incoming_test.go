package mongox_test

import (
	"errors"
	"testing"

	"github.com/eventcarbon/ecf/libs/mongox"
)

// TestAServiceWaitsForACopy: a service does not use a database before the copy of other data into it is finished, and is
// not ended by it.
func TestAServiceWaitsForACopy(t *testing.T) {
	t.Parallel()
	db := database(t)
	for _, c := range []struct {
		begun mongox.Incoming
		waits bool
	}{
		{mongox.Incoming{}, false},
		{mongox.Incoming{Source: "a backup"}, true},
		{mongox.Incoming{Source: "a backup", Done: true}, false},
	} {
		if c.begun.Source != "" {
			if err := mongox.WriteIncoming(t.Context(), db, c.begun); err != nil {
				t.Fatal(err)
			}
		}
		if read, err := mongox.ReadIncoming(t.Context(), db); err != nil || read != c.begun {
			t.Errorf("%+v: %+v, %v", c.begun, read, err)
		}
		_, err := mongox.Serve(t.Context(), db, []mongox.Component{itemsOf(3)}, nil)
		if errors.Is(err, mongox.ErrIncoming) != c.waits || err != nil && (!c.waits || mongox.IsPermanent(err)) {
			t.Errorf("%+v: %v", c.begun, err)
		}
	}
}
