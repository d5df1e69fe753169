package xlsx_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
)

// workbook returns a workbook whose sheets fill makes.
func workbook(t *testing.T, fill func(f *excelize.File)) []byte {
	t.Helper()
	f := excelize.NewFile()
	fill(f)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func rowsOf(t *testing.T, f *excelize.File, sheet string, rows ...[]any) {
	t.Helper()
	for i, row := range rows {
		at, err := excelize.CoordinatesToCellName(1, i+1)
		if err == nil {
			err = f.SetSheetRow(sheet, at, &row)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func code(err error) string {
	var e *apperr.Error
	if !errors.As(err, &e) || len(e.Details) == 0 {
		return ""
	}
	return e.Details[0].Field + " " + e.Details[0].Code
}

func TestCSV(t *testing.T) {
	t.Parallel()
	file := workbook(t, func(f *excelize.File) {
		rowsOf(t, f, "Sheet1", []any{"treatment", "weightKg", "date", "description"}, []any{"landfill", 0.1 + 0.2, 46154, "007"}, []any{}, []any{"landfill", 1200, "12/05/2026", "2026"})
		if _, err := f.NewSheet("Second one"); err != nil {
			t.Fatal(err)
		}
		rowsOf(t, f, "Second one", []any{"treatment", "weightKg"}, []any{"recycling", "8 yd3"})
	})
	for name, c := range map[string]struct {
		sheet string
		comma bool
		want  string
	}{
		"the first":      {"", false, "treatment,weightKg,date,description\r\nlandfill,0.3,2026-05-12,007\r\n\"\"\r\nlandfill,1200,12/05/2026,2026\r\n"},
		"by name":        {"Second one", false, "treatment,weightKg\r\nrecycling,8 yd3\r\n"},
		"decimal commas": {"", true, "treatment,weightKg,date,description\r\nlandfill,\"0,3\",2026-05-12,007\r\n\"\"\r\nlandfill,1200,12/05/2026,2026\r\n"},
	} {
		got, err := xlsx.CSV(file, c.sheet, c.comma)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := xlsx.CSV(file, "Third", false); code(err) != "sheet NOT_ALLOWED" {
		t.Errorf("a sheet that is not there: %v", err)
	}
}

// TestFormulas: the stored result counts; a formula without one is rejected, not treated as an empty cell.
func TestFormulas(t *testing.T) {
	t.Parallel()
	cell := `<c r="B2"><v>2</v></c>`
	file := workbook(t, func(f *excelize.File) {
		rowsOf(t, f, "Sheet1", []any{"treatment", "weightKg"}, []any{"landfill", 2})
	})
	for replacement, want := range map[string]string{
		`<c r="B2"><f>1+1</f><v>2</v></c>`: "",
		`<c r="B2"><f>1+1</f></c>`:         "row 2 REQUIRED",
	} {
		changed := rezip(t, file, func(name string, content []byte) []byte {
			if name != "xl/worksheets/sheet1.xml" {
				return content
			}
			if !bytes.Contains(content, []byte(cell)) {
				t.Fatalf("no cell to replace in %s", content)
			}
			return bytes.Replace(content, []byte(cell), []byte(replacement), 1)
		})
		got, err := xlsx.CSV(changed, "", false)
		if code(err) != want || want == "" && !strings.Contains(string(got), "landfill,2\r\n") {
			t.Errorf("%s: %q, %v", replacement, got, err)
		}
	}
}

// rezip writes a workbook again with changed parts.
func rezip(t *testing.T, file []byte, change func(name string, content []byte) []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
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
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		w, err := out.Create(part.Name)
		if err == nil {
			_, err = w.Write(change(part.Name, content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostile: files that are not workbooks, and those that unpack to far more than their size.
func TestHostile(t *testing.T) {
	t.Parallel()
	good := workbook(t, func(f *excelize.File) { rowsOf(t, f, "Sheet1", []any{"treatment"}, []any{"landfill"}) })
	bomb := rezip(t, good, func(name string, content []byte) []byte {
		if name != "xl/worksheets/sheet1.xml" {
			return content
		}
		return append(content, bytes.Repeat([]byte(" "), 49<<20)...)
	})
	if len(bomb) > 1<<20 {
		t.Fatalf("the bomb has %d bytes", len(bomb))
	}
	wide := workbook(t, func(f *excelize.File) {
		if err := f.SetCellValue("Sheet1", "XFD1", 1); err != nil {
			t.Fatal(err)
		}
	})
	deep := rezip(t, good, func(name string, content []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(content, []byte(`r="A2"`), []byte(`r="A1048576"`)), []byte(`r="2"`), []byte(`r="1048576"`))
	})
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"a bomb": {bomb, "file TOO_MANY"}, "text": {[]byte("treatment,weightKg\n"), "file BAD_FORMAT"}, "nothing": {nil, "file BAD_FORMAT"}, "half": {good[:len(good)/2], "file BAD_FORMAT"},
		"too wide": {wide, "row 1 TOO_MANY"}, "too deep": {deep, "row 100001 TOO_MANY"},
	} {
		if _, err := xlsx.CSV(c.file, "", false); code(err) != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestFewBytesDoNotFillTheMemory: what a small file would take a hundred times its
// unpacked size to read is refused while it is unpacked, and ordinary workbooks are not.
func TestFewBytesDoNotFillTheMemory(t *testing.T) {
	t.Parallel()
	good := workbook(t, func(f *excelize.File) { rowsOf(t, f, "Sheet1", []any{"treatment", "weightKg"}, []any{"landfill", 2}) })
	for name, c := range map[string]struct {
		part, before, unit string
		times              int
		want               string
	}{
		"texts":               {"xl/sharedStrings.xml", "</sst>", "<si><t>a</t></si>", 200_001, "file TOO_MANY"},
		"a few texts":         {"xl/sharedStrings.xml", "</sst>", "<si><t>a</t></si>", 1000, ""},
		"texts with a prefix": {"xl/sharedStrings.xml", "</sst>", "<x:si/>", 400_001, "file TOO_MANY"},
		"formats":             {"xl/styles.xml", "</cellXfs>", "<xf/>", 400_001, "file TOO_MANY"},
		"rows":                {"xl/worksheets/sheet1.xml", "</sheetData>", "<row/>", 100_001, "file TOO_MANY"},
		"cells of a row":      {"xl/worksheets/sheet1.xml", "</row></sheetData>", "<c/>", 20_001, "file TOO_MANY"},
		"rows in a comment":   {"xl/worksheets/sheet1.xml", "</row></sheetData>", "<!--<row>--><c/>", 400_001, "file TOO_MANY"},
		"beside the rows":     {"xl/worksheets/sheet1.xml", "</worksheet>", "<hyperlink/>", 400_001, "file TOO_MANY"},
	} {
		found := false
		file := rezip(t, good, func(part string, content []byte) []byte {
			if part != c.part || !bytes.Contains(content, []byte(c.before)) {
				return content
			}
			found = true
			return bytes.Replace(content, []byte(c.before), []byte(strings.Repeat(c.unit, c.times)+c.before), 1)
		})
		if _, err := xlsx.CSV(file, "", false); !found || code(err) != c.want {
			t.Errorf("%s (%d bytes, put in: %t): %v, want %s", name, len(file), found, err, c.want)
		}
	}
	// A file that begins as another one is not looked for in it.
	if _, err := xlsx.CSV(append([]byte("x"), good...), "", false); code(err) != "file BAD_FORMAT" {
		t.Errorf("something before the workbook: %v", err)
	}
}
