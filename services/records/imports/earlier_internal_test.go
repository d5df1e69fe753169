package imports

import (
	"errors"
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestAnEarlierImportEndsAsItBegan: a file accepted by an earlier release is read by that release's rules to the end,
// a new one by the current rules.
func TestAnEarlierImportEndsAsItBegan(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	ctx := t.Context()
	w.addImport(t, "org", "first", 1) // creates the event
	const file = "treatment,weightKg,date,Volume\n\nlandfill,1.250,2026-05-13,7\nlandfill,1,09.09.2026,7\n"
	want := map[int]string{
		0:           "completed 2 1 [3 date AMBIGUOUS_DATE] [Volume]",
		sheet.Rules: "failed 2 0 [3 Volume BAD_FORMAT 4 Volume BAD_FORMAT] []",
	}
	for rules, expected := range want {
		i := record.Import{ID: fmt.Sprint("rules", rules), Org: "org", Event: "event-org", Type: "waste", Status: record.Validating, Rev: 1, HasFile: true,
			Seed: fmt.Sprint(rules), Partial: true, Rules: rules}
		if err := errors.Join(w.InsertImport(ctx, i.Org, i), w.PutImportPart(ctx, i.Org, i.ID, 0, []byte(file))); err != nil {
			t.Fatal(err)
		}
		if err := w.importer().Sweep(ctx); err != nil {
			t.Fatal(err)
		}
		i, err := w.Import(ctx, i.Org, i.Event, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		var faults []string
		for _, e := range i.Errors {
			faults = append(faults, fmt.Sprint(e.Row, " ", e.Column, " ", e.Code))
		}
		if got := fmt.Sprint(i.Status, " ", i.Rows, " ", i.Imported, " ", faults, " ", i.Ignored); got != expected {
			t.Errorf("by the rules %d: %s, want %s", rules, got, expected)
		}
	}
}
