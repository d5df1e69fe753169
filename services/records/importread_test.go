package records_test

import (
	"encoding/binary"
	"net/http"
	"strings"
	"testing"
	encoding "unicode/utf16"

	"github.com/eventcarbon/ecf/libs/workbook"
)

// utf16 returns a text in UTF-16, the lower byte of each unit first.
func utf16(text string) string {
	var out []byte
	for _, unit := range encoding.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// TestFilesAsTheyCome verifies the dry run of typical tables.
func TestFilesAsTheyCome(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	for name, c := range map[string]struct{ path, file, want string }{
		"a head without unit": {"/waste/import", "treatment,Weight\nlandfill,2 t\n", `"status":"completed"`},
		"no head":             {"/waste/import", "treatment,weightKg,,nr\nlandfill,1,5,1\n", `"ignoredColumns":["nr","column C"]`},
		"no head, of origins": {"/attendee-travel/import?to=Bonn", "place,people,\nBonn,1,Ann\n", `"ignoredColumns":["column C"]`},
		"a separator":         {"/waste/import", "sep=;\ntreatment;weightKg\nlandfill;x\n", `"errors":[{"row":2,"column":"weightKg"`},
		"UTF-16":              {"/waste/import", utf16("\ufefftreatment\tweightKg\nlandfill\t1\n"), `"status":"completed"`},
		"UTF-16 and no mark":  {"/waste/import?encoding=windows-1252", utf16("Behälter,treatment,weightKg\n,landfill,1\n"), `"ignoredColumns":["Behälter"],`},
		"returns":             {"/waste/import", "treatment,weightKg\rlandfill,1\r\rlandfill,x\r", `"errors":[{"row":4,"column":"weightKg"`},
		"a title":             {"/waste/import", "Waste, 2026\n\ntreatment;weightKg\nlandfill;1\nlandfill;x\n", `"headRow":3,`},
		"below a title":       {"/waste/import", "Waste, 2026\n\ntreatment;weightKg\nlandfill;1\nlandfill;x\n", `"errors":[{"row":5,`},
		"origins, by address": {"/attendee-travel/import?to=Bonn", "Name,Email,Work City,Work Country\nAnn,a@b.example,Ulm,DE\nBob,b@b.example,Köln,DE\n", `"code":"ORIGIN_BY_ADDRESS"`},
		"origins":             {"/attendee-travel/import?to=Bonn", "Attendees\n\nTown,Name,People\nUlm,Ann,2\nUlm,Bob,x\n", `"errors":[{"row":5,"column":"People"`},
		"no title":            {"/waste/import", "treatment,weightKg\nlandfill,1\n", `"headRow":1,`},
		"dates settled":       {"/waste/import", "treatment,weightKg,date\nlandfill,1,03/04/2026\nlandfill,1,13/04/2026\n", `"dateOrder":"dmy","onDuplicate"`},
		"dates of one day":    {"/waste/import", "treatment,weightKg,date\nlandfill,1,09/09/2026\nlandfill,1,03.04.2026\n", `"status":"completed"`},
		"a date in doubt":     {"/waste/import", "treatment,weightKg,date\nlandfill,1,09/09/2026\nlandfill,1,03/04/2026\n", `"errors":[{"row":3,"column":"date","code":"AMBIGUOUS_DATE"`},
		"numbers settled":     {"/waste/import", "treatment,weightKg\nlandfill,\"12,5\"\nlandfill,1.250\n", `"numberFormat":"1.234,5","onDuplicate"`},
		"numbers declared":    {"/waste/import?decimal=comma", "treatment;weightKg\nlandfill;12,5\n", `"numberFormat":"1234,5","onDuplicate"`},
		"blank lines":         {"/waste/import", "\ntreatment,weightKg\n\nlandfill,1\n\nlandfill,x\n", `"errors":[{"row":6,`},
	} {
		got := h.send(ada, http.MethodPost, event+c.path, c.file, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "")
		if !strings.Contains(got.body, c.want) {
			t.Errorf("%s: %s, want %s", name, got.body, c.want)
		}
	}
	for _, file := range map[string]string{
		"zero bytes":      "treatment,weightKg\nland\x00fill,1\n",
		"half of UTF-16":  utf16("treatment,weightKg\nlandfill,1\n") + "x",
		"no such letters": "sep=x\ntreatmentxweightKg\nlandfillx1\n",
	} {
		h.send(ada, http.MethodPost, event+"/waste/import", file, "Content-Type", "text/csv").want(http.StatusBadRequest, "VALIDATION_ERROR")
		h.send(ada, http.MethodPost, event+"/waste/import", file, "Content-Type", "text/csv; charset=utf-16").want(http.StatusBadRequest, "VALIDATION_ERROR")
	}
}

// TestOtherFiles: a file that is no table is answered with what it is, whatever type it is sent as.
func TestOtherFiles(t *testing.T) {
	t.Parallel()
	h := start(t)
	path := h.event() + "/waste/import"
	for _, c := range []struct{ as, file, want string }{
		{"text/csv", "%PDF-1.7\n1 0 obj\n", "a PDF document"},
		{"text/csv", "<html><body><table><tr><td>treatment</td></tr></table>", "a web page"},
		{"text/csv", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "protected by a password"},
		{"text/csv", "[{\"treatment\":\"landfill\",\"weightKg\":1}]", "created in a batch"},
		{"text/csv", workbookOf(t, "", ""), "Send it with its own Content-Type"},
		{workbook.MediaType, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "protected by a password"},
		{workbook.MediaType, "\x89PNG\r\n\x1a\n", "a picture"},
	} {
		got := h.send(ada, http.MethodPost, path, c.file, "Content-Type", c.as).want(http.StatusBadRequest, "VALIDATION_ERROR")
		if !strings.Contains(got.body, `"field":"file","code":"NOT_A_TABLE","message":"The file is `) || !strings.Contains(got.body, c.want) {
			t.Errorf("%.20q as %s: %s, want %q", c.file, c.as, got.body, c.want)
		}
	}
	got := h.send(ada, http.MethodPost, path, "treatment,weightKg\nlandfill,1\n", "Content-Type", workbook.MediaType).want(http.StatusBadRequest, "VALIDATION_ERROR")
	if !strings.Contains(got.body, "send it as text/csv") {
		t.Error(got.body)
	}
}

// TestEncodings: a text in another encoding is answered with those that it may be in, and read when one is declared, by the
// parameter or by any name that the header may have.
func TestEncodings(t *testing.T) {
	t.Parallel()
	h := start(t)
	path := h.event() + "/waste/import"
	const polish = "treatment,weightKg,description\nlandfill,1,\xa3\xf3d\x9f i Pozna\xf1\n"
	send := func(query, as string) answer {
		return h.send(ada, http.MethodPost, path+"?records=true&partial=true"+query, polish, "Content-Type", as, "X-Dry-Run", "true").want(http.StatusAccepted, "")
	}
	if got := send("", "text/csv").body; !strings.Contains(got, `"code":"OTHER_ENCODING","message":"The file is not in UTF-8. Save it as CSV in UTF-8, or choose its encoding.","suggestions":["windows-1250",`) {
		t.Error(got)
	}
	for _, got := range []answer{send("&encoding=windows-1250", "text/csv"), send("", "text/csv; charset=cp1250")} {
		if !strings.Contains(got.body, `"description":"Łódź i Poznań"`) {
			t.Error(got.body)
		}
	}
	h.send(ada, http.MethodPost, path+"?encoding=gb18030", polish, "Content-Type", "text/csv").want(http.StatusBadRequest, "VALIDATION_ERROR")
}

// TestSplitRows: a row with the meals of several diets becomes a record for each, and what is wrong with one of them leaves out
// that one alone.
func TestSplitRows(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	const file = "Meal,Vegan,Vegetarian,Meat\nLunch day 1,20,30,\nDinner,,10,5\n"
	got := h.send(ada, http.MethodPost, event+"/catering/import?partial=true&records=true", file, "Content-Type", "text/csv", "X-Dry-Run", "true").want(http.StatusAccepted, "")
	for _, part := range []string{
		`"rows":4,"imported":3,"failed":1,`, `{"code":"SPLIT_ROWS","message":"2 rows of the file have amounts of several records and are read as 4 rows, one for each of the columns Vegan, Vegetarian, Meat.","field":"file","suggestions":["Vegan","Vegetarian","Meat"]}`,
		`{"row":2,"type":"catering","fields":{"mealType":"lunch","meals":20,"diet":"vegan"},"errors":[],"read":true},{"row":2,"type":"catering","fields":{"mealType":"lunch","meals":30,"diet":"vegetarian"}`,
		`{"row":3,"column":"Meat","code":"NOT_ALLOWED"`,
	} {
		if !strings.Contains(got.body, part) {
			t.Errorf("no %s in %s", part, got.body)
		}
	}
	sent := h.send(ada, http.MethodPost, event+"/catering/import?partial=true", file, "Content-Type", "text/csv").want(http.StatusAccepted, "")
	h.imported(event+"/imports/"+sent.text("_id"), "completed")
	list := h.send(ada, http.MethodGet, event+"/catering", "").want(http.StatusOK, "").body
	for _, part := range []string{`"total":3`, `"meals":20,"diet":"vegan"`, `"meals":30,"diet":"vegetarian"`, `"meals":10,"diet":"vegetarian"`} {
		if !strings.Contains(list, part) {
			t.Errorf("no %s in %s", part, list)
		}
	}
	bad := h.send(ada, http.MethodGet, event+"/imports/"+sent.text("_id")+"/bad-rows", "", "Accept", "text/csv").want(http.StatusOK, "").body
	if !strings.Contains(bad, "\nDinner,,,5,\"row 3:") {
		t.Error(bad)
	}
}

// TestOriginsByAddress: the import of a list of people says which address they are taken to come from; its other columns
// are removed when it is received.
func TestOriginsByAddress(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	sent := h.send(ada, http.MethodPost, event+"/attendee-travel/import?to=Bonn", "Name,Work City,Billing City,Work Country\nAnn,Ulm,Rome,DE\nBob,Köln,Rome,DE\n", "Content-Type", "text/csv").want(http.StatusAccepted, "")
	got := h.imported(event+"/imports/"+sent.text("_id"), "completed")
	if !strings.Contains(got.body, `"code":"ORIGIN_BY_ADDRESS","message":"People are taken to come from the towns of the column \"Work City\"`) || strings.Count(got.body, "ORIGIN_BY_ADDRESS") != 1 {
		t.Error(got.body)
	}
}

// TestRowsAsTheyAreRead: a rehearsal tells the rows as a record with them would be created, of faulty ones what could be read.
func TestRowsAsTheyAreRead(t *testing.T) {
	t.Parallel()
	h := start(t)
	event := h.event()
	file := "Treatment\tWeight (t)\tTotal (IVA)\nlandfill\tca. 1.5\t2\nincineration\tsome\t\nTotal\t1.5\t\n"
	post := func(query string, headers ...string) answer {
		return h.send(ada, http.MethodPost, event+"/waste/import"+query, file, append([]string{"Content-Type", "text/csv"}, headers...)...)
	}
	got := post("?records=true&partial=true", "X-Dry-Run", "true").want(http.StatusAccepted, "").body
	for _, part := range []string{
		`"records":[{"row":2,"type":"waste","fields":{"treatment":"landfill","stated":{"weightKg":"1.5 t"}},"errors":[],"read":true},`,
		`{"row":3,"type":"waste","fields":{"treatment":"incineration","weightKg":"some"},"errors":[{"row":3,"column":"Weight (t)",`,
		`{"row":4,"type":"waste","fields":{},"errors":[{"row":4,`, `"code":"TOTALS_ROW"`,
		`"heading":"Weight (t)","field":"weightKg","unit":"t","ignored":false`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in %s", part, got)
		}
	}
	if got := post("?partial=true", "X-Dry-Run", "true").want(http.StatusAccepted, ""); strings.Contains(got.body, `"records"`) {
		t.Error(got.body)
	}
	if got := post("?records=true").want(http.StatusBadRequest, "VALIDATION_ERROR"); !strings.Contains(got.body, "X-Dry-Run") {
		t.Error(got.body)
	}
}
