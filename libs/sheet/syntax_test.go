package sheet_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestQuotationMarksAreExplained: a file whose quotation marks are not those of CSV is refused with its line and with what to write.
func TestQuotationMarksAreExplained(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		`landfill,200,3" pipe`:        `from line 3 on: a cell has a quotation mark within it.`,
		`landfill,200,"a 3" pipe"`:    `from line 3 on: a cell that begins with a quotation mark goes on behind the next one`,
		"landfill,200,\"a pipe\nx,1,": `from line 3 on: a cell that begins with a quotation mark goes on behind the next one, or the file ends in it`,
	} {
		r, err := sheet.NewReader(strings.NewReader("treatment,weightKg,description\nlandfill,1,x\n"+row+"\n"), "waste", sheet.Options{Rules: sheet.Rules})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = r.Next()
		}
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || !strings.Contains(e.Details[0].Message, want) || !strings.Contains(e.Details[0].Message, `3"" pipe"`) {
			t.Errorf("%s: %v", row, err)
		}
	}
}
