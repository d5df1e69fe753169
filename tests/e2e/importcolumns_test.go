package e2e

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// TestImportOfChosenColumns: what the request says of its columns is what another process imports, from CSV and from any
// sheet of a workbook.
func TestImportOfChosenColumns(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		choices := "column=" + url.QueryEscape("A:treatment") + "&column=" + url.QueryEscape("C:Weight (t)") + "&column=B:"
		const file = "Wohin,weightKg,Menge netto,date,of last year\nlandfill,7,1.5,2026-05-12,\n"
		books := excelize.NewFile()
		if _, err := books.NewSheet("Bins"); err != nil {
			t.Fatal(err)
		}
		for at, value := range map[string]any{"A1": "Bins of 2026", "A3": "Wohin", "B3": "weightKg", "C3": "Menge netto", "D3": "date", "E3": "of last year", "A4": "landfill", "B4": 7, "C4": 2.5, "D4": 46154} {
			if err := books.SetCellValue("Bins", at, value); err != nil {
				t.Fatal(err)
			}
		}
		book, err := books.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct{ query, body, media, weight string }{
			"CSV":            {"?" + choices, file, "text/csv", "1500"},
			"a second sheet": {"?sheet=Bins&" + choices, book.String(), workbook.MediaType, "2500"},
		} {
			path := "/events/" + s.event + "/waste/import" + c.query
			rehearsed := s.ask(s.user, http.MethodPost, path, c.body, "Content-Type", c.media, "X-Dry-Run", "true").want(http.StatusAccepted)
			if rehearsed.str("columns", 2, "heading") != "Menge netto" || rehearsed.str("columns", 2, "field") != "weightKg" || rehearsed.number("imported") != "1" {
				t.Errorf("%s, rehearsed: %s", name, rehearsed.body)
			}
			if empty, ok := rehearsed.data("columns", 4, "examples").([]any); !ok || len(empty) != 0 {
				t.Errorf("%s, a column of empty cells: %s", name, rehearsed.body)
			}
			sent := s.ask(s.user, http.MethodPost, path, c.body, "Content-Type", c.media).want(http.StatusAccepted)
			if err := s.sweep(open()); err != nil {
				t.Fatal(err)
			}
			done := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/imports/"+sent.str("_id"), "").want(http.StatusOK)
			if done.str("status") != "completed" || done.str("chosenColumns", 1) != "C:Weight (t)" {
				t.Errorf("%s: %s", name, done.body)
			}
			list := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste", "").want(http.StatusOK)
			if list.number("items", 0, "weightKg") != c.weight || list.str("items", 0, "date") != "2026-05-12" {
				t.Errorf("%s: %s", name, list.body)
			}
		}
	})
}
