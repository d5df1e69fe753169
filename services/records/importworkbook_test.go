package records_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/workbook"
)

// workbook returns a workbook of one sheet with these rows, and one text that cells share.
func workbookOf(t *testing.T, rows, text string) string {
	t.Helper()
	const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for name, part := range map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="a" Type="` + types + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns:r="` + types + `"><sheets><sheet name="Sheet1" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="` + types + `/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/sharedStrings.xml":       `<sst><si><t>treatment</t></si><si><t>` + text + `</t></si></sst>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData><row><c t="s"><v>0</v></c><c t="str"><v>weightKg</v></c></row>` + rows + `</sheetData></worksheet>`,
	} {
		w, err := out.Create(name)
		if err == nil {
			_, err = io.WriteString(w, part)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestWorkbooksHaveTheLimitOfFiles: the CSV form of a workbook has the same size limit as a CSV file, with the same
// rejection; distant cells are rejected for their position.
func TestWorkbooksHaveTheLimitOfFiles(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	send := func(rows, text string) answer {
		return h.send(ada, http.MethodPost, event+"/waste/import", workbookOf(t, rows, text), "Content-Type", workbook.MediaType)
	}
	row := `<row><c t="s"><v>1</v></c><c><v>2</v></c></row>`
	send(strings.Repeat(row, 50_000), strings.Repeat("a", 300_000)).want(http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	send(`<row r="999999999"><c r="ZZZZZ999999999"><v>1</v></c></row>`, "landfill").want(http.StatusBadRequest, "VALIDATION_ERROR")
	sent := send(strings.Repeat(row, 3), "landfill").want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
}

// TestWorkbooksWithTitles: the headings of a sheet are found below titles, and the response reports their row.
func TestWorkbooksWithTitles(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	book := workbookOf(t, `<row r="4"><c t="str"><v>landfill</v></c><c><v>2</v></c></row><row r="5"><c t="str"><v>landfill</v></c><c t="str"><v>x</v></c></row>`, "")
	book = rezip(t, book, func(part string) string {
		return strings.Replace(part, `<sheetData><row>`, `<sheetData><row r="1"><c t="str"><v>Waste of 2026</v></c></row><row r="3">`, 1)
	})
	got := h.send(ada, http.MethodPost, event+"/waste/import?partial=true", book, "Content-Type", workbook.MediaType, "X-Dry-Run", "true").want(http.StatusAccepted, "")
	if !strings.Contains(got.body, `"headRow":3,`) || !strings.Contains(got.body, `"errors":[{"row":5,"column":"weightKg"`) || !strings.Contains(got.body, `"imported":1,`) {
		t.Error(got.body)
	}
}

// TestHiddenRowsAndOtherSheets: rows that a filter hides are imported, and named; a sheet that has
// no fields is answered with the names of the others.
func TestHiddenRowsAndOtherSheets(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	row := func(n int, attr string) string {
		return fmt.Sprintf(`<row r="%d"%s><c t="str"><v>landfill</v></c><c><v>2</v></c></row>`, n, attr)
	}
	book := workbookOf(t, row(2, "")+row(3, ` hidden="1"`)+`<row r="4" hidden="true"/>`+row(5, ` hidden="0"`), "")
	post := func(book string, headers ...string) answer {
		return h.send(ada, http.MethodPost, event+"/waste/import", book, append([]string{"Content-Type", workbook.MediaType}, headers...)...)
	}
	const notice = `"code":"HIDDEN_ROWS"`
	if got := post(book, "X-Dry-Run", "true").want(http.StatusAccepted, ""); !strings.Contains(got.body, notice) || !strings.Contains(got.body, `"suggestions":["3"]`) {
		t.Error(got.body)
	}
	sent := post(book).want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
	if got := h.send(ada, http.MethodGet, event+"/imports/"+sent.text("_id"), "").want(http.StatusOK, ""); strings.Count(got.body, "HIDDEN_ROWS") == 0 || !strings.Contains(got.body, `"imported":3`) {
		t.Error(got.body)
	}
	columns := rezip(t, workbookOf(t, row(2, ""), ""), func(part string) string {
		return strings.Replace(part, "<sheetData>", `<cols><col min="1" max="1" width="9"/><col min="2" max="9" hidden="1"/></cols><sheetData>`, 1)
	})
	if got := post(columns, "X-Dry-Run", "true").want(http.StatusAccepted, ""); !strings.Contains(got.body, `"code":"HIDDEN_COLUMNS"`) || !strings.Contains(got.body, `"suggestions":["weightKg"]`) {
		t.Error(got.body)
	}
	unused := rezip(t, columns, func(part string) string { return strings.Replace(part, "weightKg", "Remarks of us", 1) })
	if got := post(unused, "X-Dry-Run", "true"); strings.Contains(got.body, "HIDDEN_COLUMNS") {
		t.Error(got.body)
	}
	if got := post(workbookOf(t, row(2, ""), ""), "X-Dry-Run", "true").want(http.StatusAccepted, ""); strings.Contains(got.body, "HIDDEN_ROWS") {
		t.Error(got.body)
	}
	cover := rezip(t, workbookOf(t, "", ""), func(part string) string {
		part = strings.Replace(part, "<sheets>", `<sheets><sheet name="Cover" r:id="b"/>`, 1)
		part = strings.Replace(part, "</Relationships>", `<Relationship Id="b" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`, 1)
		return part
	})
	cover = rezip(t, cover, func(part string) string {
		return strings.NewReplacer("weightKg", "nothing", "treatment", "nor here").Replace(part)
	})
	if got := post(cover, "X-Dry-Run", "true").want(http.StatusBadRequest, "VALIDATION_ERROR"); !strings.Contains(got.body, "Cover, Sheet1") {
		t.Error(got.body)
	}
}

// TestWorkbooksWithGroups: headings that are merged over several columns are read with those below them.
func TestWorkbooksWithGroups(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	book := rezip(t, workbookOf(t, "", ""), func(part string) string {
		from, to := strings.Index(part, "<sheetData>"), strings.Index(part, "</sheetData>")
		if from < 0 {
			return part
		}
		text := func(at, value string) string { return `<c r="` + at + `" t="str"><v>` + value + `</v></c>` }
		return part[:from] + `<sheetData><row r="1">` + text("A1", "Energy of the halls") + `</row><row r="3">` + text("A3", "Site") + text("B3", "Electricity") + text("D3", "Gas") +
			`</row><row r="4">` + text("B4", "kWh") + text("C4", "Cost") + text("D4", "kWh") + `</row><row r="5">` + text("A5", "Hall A") + `<c r="B5"><v>1200</v></c><c r="C5"><v>300</v></c><c r="D5"><v>500</v></c></row></sheetData>` +
			`<mergeCells count="2"><mergeCell ref="B3:C3"/><mergeCell ref="A3:A4"/></mergeCells>` + part[to+len("</sheetData>"):]
	})
	sent := h.send(ada, http.MethodPost, event+"/venue/import", book, "Content-Type", workbook.MediaType).want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
	if got := h.send(ada, http.MethodGet, event+"/venue", "").want(http.StatusOK, ""); !strings.Contains(got.body, `"electricityKWh":1200`) || !strings.Contains(got.body, `"gasKWh":500`) || !strings.Contains(got.body, `"site":"Hall A"`) {
		t.Error(got.body)
	}
}

// rezip returns a workbook with changed parts.
func rezip(t *testing.T, book string, change func(part string) string) string {
	t.Helper()
	in, err := zip.NewReader(strings.NewReader(book), int64(len(book)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, part := range in.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		w, err := out.Create(part.Name)
		if err == nil {
			_, err = io.WriteString(w, change(string(text)))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestSheetsOfAWorkbook: a rehearsal tells the sheets with their rows, also of a wrong sheet; a hidden one that is imported is
// named, and the first one is the same file whether it is named or not.
func TestSheetsOfAWorkbook(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	row := `<row><c t="str"><v>landfill</v></c><c><v>2</v></c></row>`
	book := rezip(t, workbookOf(t, row+`<row><c s="1"/></row>`+row, ""), func(part string) string {
		part = strings.Replace(part, "</sheets>", `<sheet name="Prices &amp; tax" state="veryHidden" r:id="a"/></sheets>`, 1)
		return part
	})
	post := func(sheet string, headers ...string) answer {
		return h.send(ada, http.MethodPost, event+"/waste/import"+sheet, book, append([]string{"Content-Type", workbook.MediaType}, headers...)...)
	}
	const sheets = `"sheets":[{"name":"Sheet1","rows":3,"hidden":false},{"name":"Prices & tax","rows":3,"hidden":true}]`
	told := func(a answer) string { return strings.ReplaceAll(a.body, `\u0026`, "&") }
	if got := told(post("", "X-Dry-Run", "true").want(http.StatusAccepted, "")); !strings.Contains(got, sheets) || strings.Contains(got, "HIDDEN_SHEET") {
		t.Error(got)
	}
	if got := told(post("?sheet=Prices%20%26%20tax", "X-Dry-Run", "true").want(http.StatusAccepted, "")); !strings.Contains(got, `"code":"HIDDEN_SHEET"`) || !strings.Contains(got, `"suggestions":["Sheet1"]`) {
		t.Error(got)
	}
	if got := told(post("?sheet=January", "X-Dry-Run", "true").want(http.StatusBadRequest, "VALIDATION_ERROR")); !strings.Contains(got, sheets) || !strings.Contains(got, `its sheets are Sheet1, Prices & tax`) {
		t.Error(got)
	}
	sent := post("?sheet=Sheet1").want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
	if got := h.send(ada, http.MethodGet, event+"/imports/"+sent.text("_id"), ""); strings.Contains(got.body, `"sheets"`) {
		t.Error(got.body)
	}
	if got := told(post("").want(http.StatusConflict, "DUPLICATE_FILE")); !strings.Contains(got, sheets) {
		t.Errorf("a workbook whose first sheet was imported is answered without its sheets: %s", got)
	}
	post("?sheet=Prices%20%26%20tax").want(http.StatusAccepted, "")
}
