package xlsx_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// limit is how much is written in these tests, as of an import.
const limit = 16 << 20

const head = `<row r="1"><c r="A1" t="inlineStr"><is><t>from</t></is></c><c r="B1" t="inlineStr"><is><t>to</t></is></c>` +
	`<c r="C1" t="inlineStr"><is><t>passengers</t></is></c><c r="D1" t="inlineStr"><is><t>description</t></is></c></row>`

// packed writes a workbook with one sheet of these rows. Parts are added, or replace others.
func packed(t testing.TB, rows string, parts map[string]string) []byte {
	t.Helper()
	all := map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	}
	maps.Copy(all, parts)
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for name, text := range all {
		w, err := out.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
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

// counted counts what is written, and keeps the beginning.
type counted struct {
	start []byte
	size  int
}

func (c *counted) Write(p []byte) (int, error) {
	c.start = append(c.start, p[:min(len(p), 4096-len(c.start))]...)
	c.size += len(p)
	return len(p), nil
}

// outcome tells what becomes of a workbook: the code of the fault, or of the error. It must
// not panic, write more than may be, or allocate more than most bytes in all.
func outcome(t *testing.T, file []byte, most uint64) (string, string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out := &counted{}
	_, err := xlsx.WriteCSV(t.Context(), out, file, xlsx.Options{Limit: limit})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("%d bytes of a workbook allocate %d, more than %d", len(file), took, most)
	}
	if out.size > limit {
		t.Errorf("%d bytes were written", out.size)
	}
	var e *apperr.Error
	switch {
	case err == nil:
		return "", string(out.start)
	case !errors.As(err, &e):
		return err.Error(), ""
	case len(e.Details) == 0:
		return string(e.Code), ""
	}
	return code(err), ""
}

const (
	shortText = `<c r="A2" t="inlineStr"><is><t>x</t></is></c>`
	few       = 4 << 20  // allocated for what is refused where it begins
	some      = 64 << 20 // and where a megabyte or so of it is read before
)

// TestSmallWorkbooksTakeLittle has workbooks of a few kilobytes that name, share or repeat
// far more. It measures what all of the process allocates, so it is not parallel.
func TestSmallWorkbooksTakeLittle(t *testing.T) { //nolint:paralleltest // it measures memory
	texts := func(s string) map[string]string { return map[string]string{"xl/sharedStrings.xml": s} }
	letters := strings.Repeat("a", 300_000)
	for name, c := range map[string]struct {
		rows  string
		parts map[string]string
		most  uint64
		want  string
	}{
		// The first three took the process down.
		"a row far away":                {`<row r="999999999"><c r="ZZZZZ999999999" t="inlineStr"><is><t>1</t></is></c></row>`, nil, few, "row 100001 TOO_MANY"},
		"a shared text in many rows":    {strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 50_000), texts("<sst><si><t>" + letters + "</t></si></sst>"), some, "PAYLOAD_TOO_LARGE"},
		"empty cells in many rows":      {`<row r="2"><c r="A2"/><c r="B2" t="str"><v>x</v></c></row>` + strings.Repeat(`<row>`+strings.Repeat("<c/>", 19_000)+`</row>`, 97), nil, 64 << 20, "row 3 TOO_MANY"},
		"a column far away":             {`<row r="2"><c r="ZZZZZZZZZZZZZZZZZZZZZZ2"><v>1</v></c></row>`, nil, few, "row 2 TOO_MANY"},
		"the last column":               {`<row r="2"><c r="XFD2"><v>1</v></c></row>`, nil, few, "row 2 TOO_MANY"},
		"the last column, empty":        {`<row r="2">` + shortText + `<c r="XFD2" s="1"/></row>`, nil, few, ""},
		"a cell in a row far away":      {`<row r="2"><c r="A999999999999999999999"><v>1</v></c></row>`, nil, few, "row 100001 TOO_MANY"},
		"a row after the last":          {`<row r="100001"><c><v>1</v></c></row>`, nil, few, "row 100001 TOO_MANY"},
		"elements that end":             {`<row>` + strings.Repeat(`<c>`, 100) + strings.Repeat(`</c>`, 100) + `</row>`, nil, few, "file BAD_FORMAT"},
		"a long text in Latin":          {"", map[string]string{"xl/worksheets/sheet1.xml": `<?xml version="1.0" encoding="windows-1252"?><worksheet><sheetData><row><c t="str"><v>` + strings.Repeat("a", 2<<20) + `</v></c></row></sheetData></worksheet>`}, some, "file BAD_FORMAT"},
		"the last rows, empty":          {`<row r="2">` + shortText + `</row><row r="1048575" s="1"/><row r="1048576"><c r="A1048576" s="1"/></row>`, nil, few, ""},
		"the last row":                  {`<row r="1048576"><c r="A1048576"><v>1</v></c></row>`, nil, few, "row 100001 TOO_MANY"},
		"the last row, of a formula":    {`<row r="1048576"><c r="A1048576"><f>1</f></c></row>`, nil, few, "row 100001 TOO_MANY"},
		"a row beyond the last one":     {`<row r="1048577"/>`, nil, few, "row 100001 TOO_MANY"},
		"an empty row twice":            {`<row r="1048576"/><row r="1048576"/>`, nil, few, "file BAD_FORMAT"},
		"a row beyond numbers":          {`<row r="99999999999999999999999"><c><v>1</v></c></row>`, nil, few, "row 100001 TOO_MANY"},
		"a row below numbers":           {`<row r="-99999999999999999999999"><c><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a negative row":                {`<row r="-1"><c><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"row 0":                         {`<row r="0"><c><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a row that is no number":       {`<row r="x"><c><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a row twice":                   {`<row r="2"><c><v>1</v></c></row><row r="2"><c><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a cell twice":                  {`<row r="2"><c r="B2"><v>1</v></c><c r="B2"><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"cells backwards":               {`<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a cell without a row":          {`<row r="2"><c r="A"><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a cell without a column":       {`<row r="2"><c r="2"><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a cell in row 0":               {`<row r="2"><c r="A0"><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a cell elsewhere":              {`<row r="2"><c r="é2"><v>1</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"no references":                 {`<row><c><v>1</v></c></row>`, nil, few, ""},
		"a dimension that lies":         {"", map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><dimension ref="A1:ZZZZZ999999999"/><cols><col min="1" max="999999999"/></cols><sheetData>` + head + `</sheetData></worksheet>`}, few, ""},
		"no text of that number":        {`<row><c t="s"><v>0</v></c></row>`, nil, few, "file BAD_FORMAT"},
		"a text beyond the last":        {`<row><c t="s"><v>1</v></c></row>`, texts("<sst><si><t>a</t></si></sst>"), few, "file BAD_FORMAT"},
		"a text before the first":       {`<row><c t="s"><v>-1</v></c></row>`, texts("<sst><si><t>a</t></si></sst>"), few, "file BAD_FORMAT"},
		"a count of texts that lies":    {`<row><c t="s"><v>0</v></c></row>`, texts(`<sst count="999999999999" uniqueCount="999999999999"><si><t>a</t></si></sst>`), few, ""},
		"a long inline text":            {`<row><c t="inlineStr"><is><t>` + strings.Repeat("a", 2<<20) + `</t></is></c></row>`, nil, some, "file BAD_FORMAT"},
		"escapes in a text":             {`<row><c t="s"><v>0</v></c></row>`, texts("<sst><si>" + strings.Repeat("<r><t>"+strings.Repeat("_x0041_", 10_000)+"</t></r>", 20) + "</si></sst>"), 256 << 20, ""},
		"a text in many columns":        {`<row>` + strings.Repeat(`<c t="s"><v>0</v></c>`, 500) + `</row>`, texts("<sst><si><t>" + letters + "</t></si></sst>"), some, "PAYLOAD_TOO_LARGE"},
		"an attribute of a megabyte":    {`<row x="` + strings.Repeat("a", 2<<20) + `"/>`, nil, some, "file BAD_FORMAT"},
		"many attributes":               {`<row` + strings.Repeat(` a=""`, 100_000) + `/>`, nil, some, "file BAD_FORMAT"},
		"elements in each other":        {`<row>` + strings.Repeat(`<c>`, 10_000), nil, few, "file BAD_FORMAT"},
		"rows in each other":            {strings.Repeat(`<row>`, 10_000), nil, few, "file BAD_FORMAT"},
		"a table that does not end":     {`<row><c><v>1</v></c></row><row><c>`, map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData>` + head + `<row r="2"><c r="A2"><v>1</v></c></row>`}, few, "file BAD_FORMAT"},
		"formats that lie":              {`<row><c s="999999999"><v>1</v></c></row>`, map[string]string{"xl/styles.xml": `<styleSheet><numFmts count="999999999"><numFmt numFmtId="999999999" formatCode="0"/></numFmts><cellXfs count="999999999"/></styleSheet>`}, few, ""},
		"a merged range that lies":      {"", map[string]string{"xl/worksheets/sheet1.xml": `<worksheet><sheetData>` + head + `</sheetData><mergeCells count="9"><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>`}, few, ""},
		"a sheet that is not there":     {"", map[string]string{"xl/_rels/workbook.xml.rels": `<Relationships/>`}, few, "file BAD_FORMAT"},
		"a workbook that is not there":  {"", map[string]string{"_rels/.rels": `<Relationships/>`}, few, "file BAD_FORMAT"},
		"many sheets":                   {"", map[string]string{"xl/workbook.xml": `<workbook><sheets>` + strings.Repeat(`<sheet name="a"/>`, 100_000) + `</sheets></workbook>`}, some, "file TOO_MANY"},
		"many relations":                {"", map[string]string{"xl/_rels/workbook.xml.rels": `<Relationships>` + strings.Repeat(`<Relationship Id="a"/>`, 100_000) + `</Relationships>`}, some, "file TOO_MANY"},
		"a sheet with a very long name": {"", map[string]string{"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet r:id="rId1" name="` + strings.Repeat("a", 129) + `"/></sheets></workbook>`}, few, "file BAD_FORMAT"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.rows != "" {
				c.rows = head + c.rows
			}
			got, out := outcome(t, packed(t, c.rows, c.parts), c.most)
			if got != c.want || got == "" && !strings.HasPrefix(out, "from,to,passengers,description\r\n") {
				t.Errorf("%q, want %q; %.100q", got, c.want, out)
			}
		})
	}
	parts := map[string]string{}
	for n := range 10_001 {
		parts[fmt.Sprint("x", n)] = ""
	}
	if got, _ := outcome(t, packed(t, head, parts), some); got != "file TOO_MANY" {
		t.Errorf("many parts: %q", got)
	}
}

// TestMillionsOfEmptyCells: they are counted, though nothing is written of them.
func TestMillionsOfEmptyCells(t *testing.T) { //nolint:paralleltest // it measures memory
	testkit.OnlyLong(t)
	row := `<row>` + strings.Repeat("<c/>", 16_000) + `</row>`
	if got, _ := outcome(t, packed(t, head+strings.Repeat(row, 160), nil), 1<<30); got != "file TOO_MANY" {
		t.Error(got)
	}
}

// TestARequestThatIsOverEndsTheWork, before it begins and while rows are read.
func TestARequestThatIsOverEndsTheWork(t *testing.T) {
	t.Parallel()
	file := packed(t, head+strings.Repeat(`<row><c t="str"><v>`+strings.Repeat("a", 1000)+`</v></c></row>`, 10_000), nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &cancelling{cancel: cancel}
	if _, err := xlsx.WriteCSV(ctx, out, file, xlsx.Options{Limit: limit}); !errors.Is(err, context.Canceled) || out.size > 1<<20 {
		t.Errorf("while rows are read: %v after %d bytes", err, out.size)
	}
	if _, err := xlsx.WriteCSV(ctx, out, file, xlsx.Options{Limit: limit}); !errors.Is(err, context.Canceled) {
		t.Errorf("before it begins: %v", err)
	}
	// A few rows, all of which are read at once.
	small, stop := context.WithCancel(t.Context())
	defer stop()
	reads := &endsAfter{Context: small, calls: 20}
	if _, err := xlsx.WriteCSV(reads, io.Discard, packed(t, head+strings.Repeat(`<row/>`, 100), nil), xlsx.Options{Limit: limit}); !errors.Is(err, context.Canceled) {
		t.Errorf("between rows: %v", err)
	}
	quotes := packed(t, `<row><c t="str"><v>`+strings.Repeat("&quot;", 30)+`</v></c></row>`, nil)
	for most, want := range map[int]string{64: "", 63: string(apperr.PayloadTooLarge)} {
		_, err := xlsx.WriteCSV(t.Context(), io.Discard, quotes, xlsx.Options{Limit: most})
		if e, _ := errors.AsType[*apperr.Error](err); want == "" && err != nil || want != "" && (e == nil || string(e.Code) != want) {
			t.Errorf("64 bytes where %d may be written: %v", most, err)
		}
	}
	full := errors.New("full")
	if _, err := xlsx.WriteCSV(t.Context(), failing{full}, file, xlsx.Options{Limit: limit}); !errors.Is(err, full) {
		t.Errorf("where nothing can be written: %v", err)
	}
}

// cancelling cancels a context with the first write.
type cancelling struct {
	cancel context.CancelFunc
	size   int
}

func (c *cancelling) Write(p []byte) (int, error) {
	c.cancel()
	c.size += len(p)
	return len(p), nil
}

// endsAfter is a context that ends after its error was checked a number of times.
type endsAfter struct {
	context.Context //nolint:containedctx // it is one
	calls           int
}

func (e *endsAfter) Err() error {
	if e.calls--; e.calls < 0 {
		return context.Canceled
	}
	return nil
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestRandomReferences: whatever cells and rows call themselves, the outcome is a fault, or
// lines for rows that are there, of cells that are within the limits.
func TestRandomReferences(t *testing.T) { //nolint:paralleltest // it measures memory
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a test
	number := func() string {
		switch random.IntN(8) {
		case 0:
			return ""
		case 1:
			return fmt.Sprint(random.Int64() - math.MaxInt64/2)
		case 2:
			return fmt.Sprint(random.Uint64(), random.Uint64())
		}
		return fmt.Sprint(random.IntN(12))
	}
	letters := func() string {
		b := make([]byte, random.IntN(3))
		for i := range b {
			b[i] = "ABCDXZaz$1é-"[random.IntN(12)]
		}
		return string(b) + strings.Repeat("Z", random.IntN(20)/19*random.IntN(30))
	}
	for range 500 {
		var rows strings.Builder
		for range random.IntN(4) {
			fmt.Fprintf(&rows, `<row r="%s">`, number())
			for range random.IntN(4) {
				fmt.Fprintf(&rows, `<c r="%s%s" t="%s"><v>%s</v></c>`, letters(), number(), []string{"", "s", "str", "n"}[random.IntN(4)], number())
			}
			rows.WriteString("</row>")
		}
		got, out := outcome(t, packed(t, rows.String(), nil), few)
		switch got {
		case "", "file BAD_FORMAT":
		default:
			if !strings.HasPrefix(got, "row ") || !strings.HasSuffix(got, " TOO_MANY") {
				t.Fatalf("%s: %s", rows.String(), got)
			}
		}
		if n := strings.Count(out, "\r\n"); n > 20 {
			t.Fatalf("%s: %d lines", rows.String(), n)
		}
	}
}
