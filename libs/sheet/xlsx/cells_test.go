package xlsx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
)

// TestKindsOfCells has what workbooks write a cell as, beside numbers and plain texts.
func TestKindsOfCells(t *testing.T) {
	t.Parallel()
	const start = `<row r="1"><c t="str"><v>treatment</v></c><c t="str"><v>weightKg</v></c><c t="str"><v>date</v></c></row>`
	shared := map[string]string{"xl/sharedStrings.xml": `<sst><si><t>plain</t></si><si><r><rPr><b/></rPr><t>rich </t></r><r><t>text</t></r><rPh sb="0" eb="1"><t>spoken</t></rPh></si>` +
		`<si><t>a_x000A_b_x005F_c_xD800_</t></si><si/></sst>`}
	for name, c := range map[string]struct{ row, want, fault string }{
		"shared":                    {`<c t="s"><v>0</v></c><c t="s"><v> 1 </v></c>`, "plain,rich text,", ""},
		"shared, escaped":           {`<c t="s"><v>2</v></c>`, "\"a\nb_c\",,", ""},
		"shared, empty":             {`<c t="s"><v>3</v></c><c><v>1</v></c>`, ",1,", ""},
		"inline, in runs":           {`<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r><rPh><t>x</t></rPh></is></c>`, "inline,,", ""},
		"inline, with other spaces": {`<c t="inlineStr"><is> <t>a b</t> </is></c>`, "a b,,", ""},
		"digits of a text":          {`<c t="inlineStr"><is><t>007</t></is></c><c t="str"><v>1e3</v></c>`, "007,1e3,", ""},
		"a truth and an error":      {`<c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>`, "TRUE,#N/A,", ""},
		"numbers":                   {`<c><v>1E3</v></c><c t="n"><v>0.30000000000000004</v></c><c t="d"><v>46154</v></c>`, "1000,0.3,2026-05-12", ""},
		"a day as text":             {`<c/><c/><c t="d"><v>2026-05-12</v></c>`, ",,2026-05-12", ""},
		"a moment as text":          {`<c/><c/><c t="d"><v>2026-05-12T00:00:00</v></c>`, ",,2026-05-12", ""},
		"a year":                    {`<c/><c/><c><v>2026</v></c>`, ",,2026", ""},
		"a kind that is none":       {`<c t="x"><v>1.50</v></c>`, "1.5,,", ""},
		"references, with a gap":    {`<c r="A2"><v>1</v></c><c r="$c$2"><v>2026</v></c>`, "1,,2026", ""},
		"with a prefix, commented":  {`<!-- 1 --><x:c xmlns:x="y"><x:v>1<!-- 2 -->2</x:v></x:c><extLst><c><v>5</v></c></extLst>`, "12,,", ""},
		"a formula with its result": {`<c><f>1+1</f><v>2</v></c>`, "2,,", ""},
		"a formula of no text":      {`<c t="str"><f>""</f><v></v></c><c><v>1</v></c>`, ",1,", ""},
		"a formula without result":  {`<c/><c><f>1+1</f></c>`, "", "row 2 REQUIRED"},
		"a shared formula without":  {`<c/><c><f t="shared" si="0"/></c>`, "", "row 2 REQUIRED"},
		"no formula":                {`<c><f/></c><c><v>1</v></c>`, ",1,", ""},
		"wider than the head":       {`<c r="E2"><v>1</v></c>`, ",,,,1", ""},
	} {
		got, err := xlsx.CSV(packed(t, start+`<row r="2">`+c.row+`</row>`, shared), "", false)
		if want := "treatment,weightKg,date\r\n" + c.want + "\r\n"; code(err) != c.fault || c.fault == "" && string(got) != want {
			t.Errorf("%s: %q, %v; want %q %s", name, got, err, want, c.fault)
		}
	}
	in1904 := map[string]string{"xl/workbook.xml": `<workbook xmlns:r="r"><workbookPr date1904="1"/><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>`}
	if got, err := xlsx.CSV(packed(t, start+`<row><c/><c/><c><v>44692</v></c></row>`, in1904), "", false); err != nil || !strings.HasSuffix(string(got), ",,2026-05-12\r\n") {
		t.Errorf("days since 1904: %q, %v", got, err)
	}
	latin := map[string]string{"xl/worksheets/sheet1.xml": `<?xml version="1.0" encoding="windows-1252"?><worksheet><sheetData><row><c t="str"><v>M` + "\xfc" + `ll</v></c></row></sheetData></worksheet>`}
	if got, err := xlsx.CSV(packed(t, "", latin), "", false); err != nil || string(got) != "Müll\r\n" {
		t.Errorf("another encoding: %q, %v", got, err)
	}
	above := map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="3"><c t="str"><v>place</v></c></row><row r="5"><c t="str"><v>Bonn</v></c></row></sheetData></worksheet>`}
	if got, err := xlsx.CSV(packed(t, "", above), "", false); err != nil || string(got) != "\r\n\r\nplace\r\n\"\"\r\nBonn\r\n" {
		t.Errorf("rows keep their numbers: %q, %v", got, err)
	}
	noRows := map[string]string{"xl/worksheets/sheet1.xml": `<chartsheet><sheetViews/></chartsheet>`}
	if got, err := xlsx.CSV(packed(t, "", noRows), "", false); err != nil || len(got) != 0 {
		t.Errorf("a chart: %q, %v", got, err)
	}
}

// TestMergedCells: of those of one row the first one has the value, also where it is the result
// of a formula. Of those of several rows below the head each row has the words and days, as who looks sees them; a number is that of
// all of them, and is refused.
func TestMergedCells(t *testing.T) {
	t.Parallel()
	merged := func(from, to string) []byte {
		return workbook(t, func(f *excelize.File) {
			rowsOf(t, f, "Sheet1", []any{"treatment", "weightKg", "description"}, []any{"landfill", 2}, []any{nil, 3, "x"})
			if err := f.MergeCell("Sheet1", from, to); err != nil {
				t.Fatal(err)
			}
		})
	}
	file := merged("B2", "C2")
	formula := rezip(t, file, func(_ string, content []byte) []byte {
		return []byte(strings.Replace(string(content), `<c r="B2"><v>2</v></c>`, `<c r="B2"><f>1+1</f><v>2</v></c>`, 1))
	})
	for name, file := range map[string][]byte{"values": file, "a formula": formula} {
		if got, err := xlsx.CSV(file, "", false); err != nil || string(got) != "treatment,weightKg,description\r\nlandfill,2,\r\n,3,x\r\n" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := xlsx.CSV(merged("A2", "A3"), "", false); err != nil || string(got) != "treatment,weightKg,description\r\nlandfill,2,\r\nlandfill,3,x\r\n" {
		t.Errorf("words over two rows: %q, %v", got, err)
	}
	if got, err := xlsx.CSV(merged("B2", "B3"), "", false); code(err) != "row 2 NOT_ALLOWED" {
		t.Errorf("a number over two rows: %q, %v", got, err)
	}
}

// TestFormatsOfNumbers: a number that is shown as a percentage, a day or a time is written as
// that, and not as what the workbook keeps for it.
func TestFormatsOfNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id    int
		code  string
		value float64
		want  string
	}{
		{0, "", 0.1, "0.1"}, {2, "", 1.5, "1.5"}, {4, "", 1234.5, "1234.5"}, {11, "", 1500, "1500"},
		{9, "", 0.1, "10%"}, {10, "", 0.125, "12.5%"}, {10, "", 0.07, "7%"}, {0, `0.0\ %`, 0.5, "50%"}, {0, `[Red]0%;-0%`, 0.5, "50%"},
		{14, "", 46143, "2026-05-01"}, {22, "", 46143.5, "2026-05-01T12:00:00"}, {20, "", 0.25, "06:00:00"},
		{0, "dd/mm/yyyy", 46143, "2026-05-01"}, {0, "[$-407]d. mmmm yyyy;@", 46143, "2026-05-01"}, {0, "[h]:mm", 0.25, "06:00:00"}, {0, "[h]:mm", 1.0625, "25:30:00"}, {46, "", 1.5, "36:00:00"}, {0, `#,##0.0,"kg"`, 1500, "1500"},
		{0, `0.00" kWh/day"`, 2.5, "2.5"}, {0, `#,##0\d`, 3, "3"}, {0, "[$£-809]#,##0.00", 12, "12"}, {0, "General", 4, "4"}, {0, `0;"dated"`, 5, "5"},
		{0, "[Magenta]0.0", 6, "6"}, {0, `0"%`, 7, "7"}, {0, "[y", 8, "8"},
	} {
		file := workbook(t, func(f *excelize.File) {
			rowsOf(t, f, "Sheet1", []any{"treatment", "weightKg"}, []any{"landfill", c.value})
			style := &excelize.Style{NumFmt: c.id}
			if c.code != "" {
				style.CustomNumFmt = &c.code
			}
			id, err := f.NewStyle(style)
			if err == nil {
				err = f.SetCellStyle("Sheet1", "B2", "B2", id)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		if got, err := xlsx.CSV(file, "", false); err != nil || string(got) != "treatment,weightKg\r\nlandfill,"+c.want+"\r\n" {
			t.Errorf("%d %q of %v: %q, %v; want %s", c.id, c.code, c.value, got, err, c.want)
		}
	}
}

// TestUnitsOfFormats: a number is written with the unit or the currency that its format shows,
// where the head of its column does not say that one.
func TestUnitsOfFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, head, code string
		value           float64
		want            string
	}{
		{"waste", "weightKg", `0.00" t"`, 1.25, "1.25 t"}, {"waste", "weightKg", `#,##0\ "kg"`, 350, "350"}, {"waste", "Weight (t)", `0.0 "t"`, 2, "2"}, {"waste", "Weight (t)", `0.0 "kg"`, 2, "2 kg"},
		{"waste", "Weight", `0 "lbs"`, 440, "440 lbs"}, {"waste", "Pounds", `"£"#,##0.00`, 300, "300 £"}, {"waste", "weightKg", `0" tons"`, 2, "2 tons"}, {"waste", "weightKg", `0" net"`, 2, "2"},
		{"waste", "weightKg", `0.0" t"`, -2, "-2"}, {"venue", "electricityKWh", `0.0" MWh"`, 4.2, "4.2 MWh"}, {"waste", "containers", `0" t"`, 3, "3"},
		{"purchases", "amount", "[$€-407] #,##0.00", 1200, "1200 €"}, {"purchases", "Amount", `_-"£"* #,##0.00_-;-"£"* #,##0.00_-`, 12, "12 £"}, {"purchases", "Amount", "#,##0.00 [$EUR]", 12, "12 EUR"},
		{"purchases", "Amount", `$#,##0`, 12, "12 $"}, {"purchases", "Amount", `#,##0.00 €`, 12, "12 €"}, {"purchases", "amount", "0.00", 12, "12"}, {"purchases", "amount", `0 "net"`, 12, "12"},
		{"purchases", "externalReference", "00000", 1067, "01067"}, {"attendee-travel/origins", "PLZ", `"D-"00000`, 1067, "01067"}, {"waste", "weightKg", "00000", 67, "67"}, {"waste", "Datum", "0", 46154, "2026-05-12"},
	} {
		file := workbook(t, func(f *excelize.File) {
			rowsOf(t, f, "Sheet1", []any{c.head}, []any{c.value})
			id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &c.code})
			if err == nil {
				err = f.SetCellStyle("Sheet1", "A2", "A2", id)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
		columns := func(head []string) []sheet.ShownColumn {
			return sheet.ShownColumns(head, c.typ, sheet.Options{Rules: sheet.Rules})
		}
		if got, _, err := xlsx.CSVWith(file, xlsx.Options{Columns: columns}); err != nil || string(got) != c.head+"\r\n"+c.want+"\r\n" {
			t.Errorf("%s %s %q of %v: %q, %v; want %s", c.typ, c.head, c.code, c.value, got, err, c.want)
		}
	}
}

// TestNumbersAndTexts: a cell that is a number has one reading, and says nothing of how
// texts beside it are written; those settle it among themselves.
func TestNumbersAndTexts(t *testing.T) {
	t.Parallel()
	second := func(head []string) []sheet.ShownColumn {
		return []sheet.ShownColumn{{}, {Number: true}, {Number: true}}[:len(head)]
	}
	for name, c := range map[string]struct {
		rows         [][]any
		comma        bool
		want, format string
	}{
		"a number":     {[][]any{{1.125, 1.125}}, false, "1.125,1.1250\r\n", ""},
		"a text":       {[][]any{{"1.125", "1.125"}}, false, "1.125,1.125\r\n", ""},
		"both":         {[][]any{{"x", "1.200"}, {"y", 0.25}}, false, "x,1.200\r\ny,0.25\r\n", ""},
		"points":       {[][]any{{"x", "1.200"}, {"y", "0.25"}, {"z", 1.125}}, false, "x,1.200\r\ny,0.25\r\nz,1.1250\r\n", "1234.5"},
		"commas":       {[][]any{{"x", "1.200 kg"}, {"y", "1.234,5 kg"}, {"z", 1.125}}, true, "x,1.200 kg\r\ny,\"1.234,5 kg\"\r\nz,\"1,1250\"\r\n", "1.234,5"},
		"other column": {[][]any{{"0.25", "1.200"}}, false, "0.25,1.200\r\n", ""},
	} {
		file := workbook(t, func(f *excelize.File) {
			rowsOf(t, f, "Sheet1", append([][]any{{"description", "weightKg"}}, c.rows...)...)
		})
		got, format, err := xlsx.CSVWith(file, xlsx.Options{DecimalComma: c.comma, Columns: second})
		if err != nil || string(got) != "description,weightKg\r\n"+c.want || format != c.format {
			t.Errorf("%s: %q in %q, %v", name, got, format, err)
		}
	}
}

// TestTitlesAboveTheHead: rows above the head are left empty, so that all others keep their
// numbers; what is wrong with them is nobody's fault, and formats are those below the head.
func TestTitlesAboveTheHead(t *testing.T) {
	t.Parallel()
	file := workbook(t, func(f *excelize.File) {
		rowsOf(t, f, "Sheet1", []any{"Expenses 2026"}, []any{}, []any{"date", 7}, []any{"treatment", "weightKg", "date"}, []any{"landfill", 1.5, 46154})
		if err := f.MergeCell("Sheet1", "A1", "B2"); err != nil {
			t.Fatal(err)
		}
	})
	head := func(rows [][]string) int {
		if len(rows) != 4 || rows[1][1] != "7" {
			t.Errorf("asked with %q", rows)
		}
		return 2
	}
	got, _, err := xlsx.CSVWith(file, xlsx.Options{Head: head})
	if want := "\r\n\r\n\r\ntreatment,weightKg,date\r\nlandfill,1.5,2026-05-12\r\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	var rows strings.Builder
	for n := range 300 {
		fmt.Fprintf(&rows, `<row r="%d"><c t="str"><f>""</f><v></v></c></row>`, n+1)
	}
	rows.WriteString(`<row r="301"><c t="str"><v>treatment</v></c></row><row r="302"><c t="str"><v>landfill</v></c></row>`)
	if got, err := xlsx.CSV(packed(t, rows.String(), nil), "", false); err != nil || string(got) != strings.Repeat("\r\n", 300)+"treatment\r\nlandfill\r\n" {
		t.Errorf("far below: %q, %v", got, err)
	}
}
