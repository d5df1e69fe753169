package records_test

import (
	"bytes"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// TestTemplatesAsWorkbooks: the examples of each template, moved to its empty sheet, are imported as
// the same records as those of the CSV template, in each language.
func TestTemplatesAsWorkbooks(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		h := start(t) // an organization has few events
		table := h.send(ada, http.MethodGet, "/record-types/"+typ+"/template", "")
		want := h.filledIn(typ, table.body, "text/csv")
		if len(want) == 0 {
			t.Fatalf("%s has no example", typ)
		}
		for _, language := range footprint.Languages() {
			t.Run(typ+" "+language, func(t *testing.T) {
				a := h.send(ada, http.MethodGet, "/record-types/"+typ+"/template", "", "Accept", workbook.MediaType, "Accept-Language", language)
				if a.status != http.StatusOK || a.header.Get("Content-Type") != workbook.MediaType || a.header.Get("Content-Language") != language ||
					!strings.Contains(a.header.Get("Content-Disposition"), typ+".xlsx") || a.header.Get("Vary") != "Accept, Accept-Language" {
					t.Fatalf("%d %v", a.status, a.header)
				}
				if same := h.send(ada, http.MethodGet, "/record-types/"+typ+"/template", "", "Accept", workbook.MediaType, "Accept-Language", language, "If-None-Match", a.header.Get("ETag")); same.status != http.StatusNotModified {
					t.Errorf("unchanged: %d", same.status)
				}
				got := h.filledIn(typ, withExamples(t, a.body), workbook.MediaType)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("the records\n%v\nwant\n%v", got, want)
				}
			})
		}
	}
}

// filledIn imports a template into a new event, and returns its records.
func (h *harness) filledIn(typ, file, mediaType string) []map[string]any {
	h.t.Helper()
	event := "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Meeting","country":"GB","place":"Manchester"}`).want(http.StatusCreated, "").text("_id")
	sent := h.send(ada, http.MethodPost, event+"/"+typ+"/import", file, "Content-Type", mediaType).want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
	return h.items(event + "/" + typ)
}

// withExamples returns a template whose first sheet has the examples of the third one.
func withExamples(t *testing.T, file string) string {
	t.Helper()
	book, err := excelize.OpenReader(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = book.Close() }()
	sheets := book.GetSheetList()
	rows, err := book.GetRows(sheets[0])
	if err != nil || len(rows) != 1 {
		t.Fatalf("the sheet to fill in has %d rows, %v; want the headings alone", len(rows), err)
	}
	examples, err := book.GetRows(sheets[2])
	if err != nil || len(examples) < 2 {
		t.Fatalf("%d rows of examples, %v", len(examples), err)
	}
	if !reflect.DeepEqual(examples[0], rows[0]) {
		t.Errorf("the examples have the headings %v, want %v", examples[0], rows[0])
	}
	for y := 1; y < len(examples); y++ {
		for x := range examples[y] {
			at, err := excelize.CoordinatesToCellName(x+1, y+1)
			if err != nil {
				t.Fatal(err)
			}
			kind, err := book.GetCellType(sheets[2], at)
			if err != nil {
				t.Fatal(err)
			}
			value, err := book.GetCellValue(sheets[2], at, excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			style, err := book.GetCellStyle(sheets[2], at)
			if err != nil {
				t.Fatal(err)
			}
			if value == "" {
				continue
			}
			if kind == excelize.CellTypeInlineString {
				err = book.SetCellStr(sheets[0], at, value)
			} else if err = book.SetCellDefault(sheets[0], at, value); err == nil {
				err = book.SetCellStyle(sheets[0], at, at, style)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	var out bytes.Buffer
	if err := book.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestUnitsOfTemplates: units are symbols, or in the language of the template.
func TestUnitsOfTemplates(t *testing.T) {
	t.Parallel()
	h := start(t)
	symbols := []string{"", "kWh", "kg", "km", "h", "%", "g/m²", "kg/m³", "kVA", "kg CO₂e", "m²", "m³", "Liter", "Nächte", "Tage"}
	for _, typ := range footprint.Types() {
		book, err := excelize.OpenReader(strings.NewReader(h.send(ada, http.MethodGet, "/record-types/"+typ+"/template", "", "Accept", workbook.MediaType, "Accept-Language", "de").body))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := book.GetRows("Felder")
		if err != nil || len(rows) < 5 || strings.Join(rows[2], "|") != "Spalte|Feld|Bedeutung|Einheit|Pflicht|Werte" {
			t.Fatalf("the sheet of fields: %v, %v", rows, err)
		}
		for _, row := range rows[3:] {
			if len(row) < 4 {
				continue
			}
			if unit := row[3]; !slices.Contains(symbols, unit) && !slices.ContainsFunc([]string{"inheit", "Währung", "Zimmernacht", "Personen", "Anteil"}, func(word string) bool { return strings.Contains(unit, word) }) {
				t.Errorf("%s: the unit of %s is %q", typ, row[1], unit)
			}
		}
		if err := book.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHeadingsOfTemplates: the columns of templates have titles that people read, in the language of the template.
func TestHeadingsOfTemplates(t *testing.T) {
	t.Parallel()
	h := start(t)
	for _, language := range footprint.Languages() {
		for _, typ := range footprint.Types() {
			book, err := excelize.OpenReader(strings.NewReader(h.send(ada, http.MethodGet, "/record-types/"+typ+"/template", "", "Accept", workbook.MediaType, "Accept-Language", language).body))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := book.GetRows(book.GetSheetList()[1])
			if err != nil || len(rows) < 5 {
				t.Fatalf("%v, %v", rows, err)
			}
			for _, row := range rows[3:] {
				if row[0] == row[1] {
					t.Errorf("%s in %s: the column of %s has no title", typ, language, row[1])
				}
			}
			heads, err := book.GetRows(book.GetSheetList()[0])
			if err != nil || len(heads) != 1 {
				t.Fatalf("%v, %v", heads, err)
			}
			if want := "Ort|Postleitzahl|Land|Code|Verkehrsmittel|Personen|Hin und zurück"; typ == footprint.AttendeeTravel && language == "de" && strings.Join(heads[0], "|") != want {
				t.Errorf("the columns of attendees are %v, want %s", heads[0], want)
			}
			if err := book.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
