package records_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/workbook"
)

const asCSV = "text/csv"

// TestChosenColumns: columns are read as the query says, in a rehearsal and in the import, whose bad rows have the headings
// that were chosen, so that they can be mended and imported without them.
func TestChosenColumns(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	const file = "Was,Wie viel,weightKg,Farbe\nlandfill,1.5,x,a\nlandfil,2,y,b\n"
	path := event + "/waste/import?partial=true&column=a:treatment&column=B%3AWeight+(t)&column=C:"
	rehearsed := h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV, "X-Dry-Run", "true").want(http.StatusAccepted, "")
	for _, want := range []string{
		`"rows":2,"imported":1,"failed":1`, `"ignoredColumns":["Farbe"]`, `"chosenColumns":["A:treatment","B:Weight (t)","C:"]`,
		`"columns":[{"column":"A","heading":"Was","field":"treatment","ignored":false,"examples":["landfill","landfil"]},{"column":"B","heading":"Wie viel","field":"weightKg","ignored":false,"examples":["1.5","2"]},` +
			`{"column":"C","heading":"weightKg","may":"weightKg","ignored":true,"examples":["x","y"]},{"column":"D","heading":"Farbe","ignored":true,"examples":["a","b"]}]`,
	} {
		if !strings.Contains(rehearsed.body, want) {
			t.Errorf("rehearsed: %s, want %s", rehearsed.body, want)
		}
	}
	strict := h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV, "X-Dry-Run", "true", "Prefer", "handling=strict").want(http.StatusBadRequest, "VALIDATION_ERROR")
	if !strings.Contains(strict.body, `"field":"Farbe"`) || strings.Contains(strict.body, `"field":"column C"`) {
		t.Errorf("strict: %s", strict.body)
	}

	sent := h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV, "Idempotency-Key", "columns-1").want(http.StatusAccepted, "")
	at := event + "/imports/" + sent.text("_id")
	done := h.imported(at, "completed")
	if strings.Contains(sent.body, `"columns"`) || !strings.Contains(sent.body, `"chosenColumns":["A:treatment"`) {
		t.Errorf("sent: %s", sent.body)
	}
	if got := h.send(ada, http.MethodGet, at, "").body; !strings.Contains(got, `"chosenColumns":["A:treatment","B:Weight (t)","C:"]`) || !strings.Contains(got, `"ignoredColumns":["Farbe"]`) || strings.Contains(got, `"columns"`) {
		t.Errorf("kept: %s (%v)", got, done)
	}
	if got := h.send(ada, http.MethodGet, event+"/waste", "").body; !strings.Contains(got, `"weightKg":1500`) {
		t.Errorf("records: %s", got)
	}
	bad := h.send(ada, http.MethodGet, at+"/bad-rows", "", "Accept", asCSV).want(http.StatusOK, "").body
	if !strings.Contains(bad, "treatment,Weight (t),,Farbe") || !strings.Contains(bad, "landfil,2,y,b") {
		t.Errorf("bad rows: %s", bad)
	}
	h.send(ada, http.MethodPost, event+"/waste/import", strings.ReplaceAll(bad, "landfil,", "landfill,"), "Content-Type", asCSV, "X-Dry-Run", "true").want(http.StatusAccepted, "")

	// The same request is answered again, another one with the key is not, and the file with other columns is the same file.
	h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV, "Idempotency-Key", "columns-1").want(http.StatusAccepted, "")
	h.send(ada, http.MethodPost, path+"&column=D:", file, "Content-Type", asCSV, "Idempotency-Key", "columns-1").want(http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
	h.send(ada, http.MethodPost, path+"&column=D:", file, "Content-Type", asCSV).want(http.StatusConflict, "DUPLICATE_FILE")
	h.send(ada, http.MethodPost, path+"&column=D:&again=true", file, "Content-Type", asCSV).want(http.StatusAccepted, "")
}

// TestFilesWithoutKnownHeadings: a rehearsal that is refused for its headings says which columns there are, and with a choice of
// them the file is imported.
func TestFilesWithoutKnownHeadings(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	const file = "Reisen im Mai,\nWo,Nach dort,pox\nLHR,JFK,2\n"
	path := event + "/flights/import"
	refused := h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV, "X-Dry-Run", "true").want(http.StatusBadRequest, "VALIDATION_ERROR")
	if want := `"columns":[{"column":"A","heading":"Wo","ignored":true,"examples":["LHR"]},{"column":"B","heading":"Nach dort","may":"to","ignored":true,"examples":["JFK"]},{"column":"C","heading":"pox","ignored":true,"examples":["2"]}]`; !strings.Contains(refused.body, want) {
		t.Errorf("rehearsed: %s", refused.body)
	}
	if got := h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV, "Idempotency-Key", "unknown-1").want(http.StatusBadRequest, "VALIDATION_ERROR").body; strings.Contains(got, `"columns"`) {
		t.Errorf("not rehearsed: %s", got) // the answer is kept with its key
	}
	sent := h.send(ada, http.MethodPost, path+"?column=A:from&column=B:to&column=C:passengers", file, "Content-Type", asCSV).want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
	if got := h.send(ada, http.MethodGet, event+"/flights", "").body; !strings.Contains(got, `"from":"LHR","to":"JFK"`) {
		t.Errorf("records: %s", got)
	}
}

// TestFaultyChoices: each fault of the parameter is told.
func TestFaultyChoices(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	for query, want := range map[string]string{
		"column=C:from":                          `"field":"column","code":"NOT_ALLOWED","message":"The file has no column C; its columns are A to B."`,
		"column=A:Farbe":                         `"field":"column","code":"UNKNOWN_FIELD"`,
		"column=A:from&column=A:to":              `"code":"DUPLICATE_KEY","message":"Column A is chosen twice."`,
		"column=A:from&column=B:from":            `"code":"DUPLICATE_KEY","message":"The columns A and B are both chosen as from.`,
		"column=from":                            `"field":"column","code":"BAD_FORMAT"`,
		"column=A:" + strings.Repeat("x", 201):   `"field":"column","code":"BAD_FORMAT"`,
		strings.Repeat("column=A:&", 501):        `"field":"column","code":"TOO_MANY"`,
		"column=A:from&column=" + "%00:to":       `"field":"column","code":"BAD_FORMAT"`,
		"column=A:%0Afrom&column=B:to%20&x=y":    "",
		"columns=A:from&column=A:to&column=B%3A": "",
	} {
		got := h.send(ada, http.MethodPost, event+"/flights/import?"+query, "Wo,Nach dort\nLHR,JFK\n", "Content-Type", asCSV, "X-Dry-Run", "true")
		if want == "" {
			got.want(http.StatusAccepted, "")
		} else if got.status != http.StatusBadRequest || !strings.Contains(got.body, want) {
			t.Errorf("%.60s: %d %s, want %s", query, got.status, got.body, want)
		}
	}
	mixed := h.send(ada, http.MethodPost, event+"/import?column=A:type", "Art,treatment,weightKg\nwaste,landfill,3\n", "Content-Type", asCSV, "X-Dry-Run", "true").want(http.StatusAccepted, "")
	if !strings.Contains(mixed.body, `"imported":1`) {
		t.Errorf("mixed: %s", mixed.body)
	}
}

// TestChosenColumnsOfPeople: names are dropped before anything of a list of people is stored, whatever is chosen, and the
// place is the column that is.
func TestChosenColumnsOfPeople(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := "/events/" + h.send(planck, http.MethodPost, "/events", `{"title":"Meeting","country":"GB","place":"London, GB"}`).want(http.StatusCreated, "").text("_id")
	const file = "Who,Lives,Land\nAnn Secret,Bonn,DE\nBob Hidden,Nowhereville,DE\n"
	path := event + "/attendee-travel/import?partial=true&column=B:place&column=C:country"
	rehearsed := h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV, "X-Dry-Run", "true").want(http.StatusAccepted, "")
	if !strings.Contains(rehearsed.body, `{"column":"B","heading":"Lives","field":"place"`) || !strings.Contains(rehearsed.body, `"ignoredColumns":["Who"]`) {
		t.Errorf("rehearsed: %s", rehearsed.body)
	}
	sent := h.send(ada, http.MethodPost, path, file, "Content-Type", asCSV).want(http.StatusAccepted, "")
	at := event + "/imports/" + sent.text("_id")
	h.imported(at, "completed")
	for _, path := range []string{at, at + "/bad-rows", event + "/attendee-travel"} {
		if got := h.send(ada, http.MethodGet, path, "", "Accept", "*/*").body; strings.Contains(got, "Secret") || strings.Contains(got, "Hidden") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// TestChosenColumnsOfASheet: the columns of any sheet of a workbook are chosen, and its days are read as such.
func TestChosenColumnsOfASheet(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	book := twoSheets(t)
	path := event + "/waste/import?sheet=Second"
	refused := h.send(ada, http.MethodPost, path, book, "Content-Type", workbook.MediaType, "X-Dry-Run", "true").want(http.StatusBadRequest, "VALIDATION_ERROR")
	if want := `"columns":[{"column":"A","heading":"Was","ignored":true,"examples":["landfill"]},{"column":"B","heading":"Viel","ignored":true,"examples":["2.5"]},{"column":"C","heading":"Tag","ignored":true,"examples":["46266"]}]`; !strings.Contains(refused.body, want) || !strings.Contains(refused.body, "sheet= names another") {
		t.Errorf("rehearsed: %s", refused.body)
	}
	sent := h.send(ada, http.MethodPost, path+"&column=A:treatment&column=B:Weight+(t)&column=C:date", book, "Content-Type", workbook.MediaType).want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
	if got := h.send(ada, http.MethodGet, event+"/waste", "").body; !strings.Contains(got, `"date":"2026-09-01"`) || !strings.Contains(got, `"weightKg":2500`) {
		t.Errorf("records: %s", got)
	}
}

// twoSheets returns a workbook whose second sheet has headings that mean nothing.
func twoSheets(t *testing.T) string {
	t.Helper()
	const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for name, part := range map[string]string{
		"_rels/.rels":     `<Relationships><Relationship Id="a" Type="` + types + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns:r="` + types + `"><sheets><sheet name="First" r:id="a"/><sheet name="Second" r:id="b"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="a" Type="` + types + `/worksheet" Target="worksheets/sheet1.xml"/>` +
			`<Relationship Id="b" Type="` + types + `/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row><c t="str"><v>Read me</v></c></row></sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml": `<worksheet><sheetData><row><c t="str"><v>Was</v></c><c t="str"><v>Viel</v></c><c t="str"><v>Tag</v></c></row>` +
			`<row><c t="str"><v>landfill</v></c><c><v>2.5</v></c><c><v>46266</v></c></row></sheetData></worksheet>`,
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
