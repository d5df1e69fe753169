package record_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestIfMatchDecides: a move is made of the record that the caller saw, of no other, and of any where the caller names none.
func TestIfMatchDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		match func(record.Record) bool
		want  apperr.Code
	}{
		"none named": {nil, ""},
		"the same":   {func(r record.Record) bool { return r.Rev == 1 }, ""},
		"another":    {func(r record.Record) bool { return r.Rev == 2 }, apperr.PreconditionFailed},
	} {
		store, w := newFlow(t, record.Unsubmitted)
		req := request(record.Submit, creator)
		req.IfMatch = c.match
		_, err := w.Apply(t.Context(), req)
		if got := apperr.CodeOf(err); got != c.want || store.r.Status.IsSubmitted() != (c.want == "") {
			t.Errorf("%s: %v, and the record is %s", name, err, store.r.Status)
		}
	}
}
