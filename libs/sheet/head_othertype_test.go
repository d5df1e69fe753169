package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestTableOfAnotherType: a table of which no heading is a field of the chosen type is refused with the type that it is of, if there is
// one.
func TestTableOfAnotherType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, head, other string }{
		{"flights", "Hotel,Nights,Rooms", "accommodation"},
		{"flights", "treatment,weightKg", "waste"},
		{"catering", "From,To,Cabin class", "flights"},
		{"accommodation", "a,b,c", ""},
		{"catering", "From,To", ""}, // of flights, journeys and freight
	} {
		_, err := sheet.NewReader(strings.NewReader(c.head+"\n1,2,3\n"), c.typ, sheet.Options{Rules: sheet.Rules})
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || len(e.Details) != 1 {
			t.Fatalf("%s as %s: %v", c.head, c.typ, err)
		}
		names := strings.Contains(e.Details[0].Message, "but fields of "+c.other+".")
		if named := strings.Contains(e.Details[0].Message, "but fields of "); named != (c.other != "") || named && !names {
			t.Errorf("%s as %s: %s", c.head, c.typ, e.Details[0].Message)
		}
	}
}
