package filetypes_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet/filetypes"
)

// archive returns a zip file of empty files; the first, if it is named mimetype, contains the text after its name.
func archive(t *testing.T, names ...string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		name, text, _ := strings.Cut(name, "=")
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		start string
		want  filetypes.Type
	}{
		{"", filetypes.Unknown},
		{"From,To\nLHR,JFK\n", filetypes.Unknown},
		{"\xef\xbb\xbfFrom;To\r\n", filetypes.Unknown},
		{"F\x00r\x00o\x00m\x00", filetypes.Unknown},
		{"<5 km,5-10 km\n1,2\n", filetypes.Unknown},
		{"{guests},nights\n", filetypes.Unknown},
		{"[1],[2]\n", filetypes.Unknown},
		{"\"{\"\"a\"\":1}\"\n", filetypes.Unknown},
		{"%PDF-1.7\n", filetypes.PDF},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 rest", filetypes.Old},
		{"\x89PNG\r\n\x1a\n", filetypes.Picture},
		{"\xff\xd8\xff\xe0", filetypes.Picture},
		{"\x1f\x8b\x08", filetypes.Archive},
		{"<html><body><table>", filetypes.HTML},
		{"\xef\xbb\xbf\r\n <TABLE border=1>", filetypes.HTML},
		{"<!DOCTYPE html>\n<html lang=\"de\">", filetypes.HTML},
		{"<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\">", filetypes.HTML},
		{"<?xml version=\"1.0\"?>\n<?mso-application progid=\"Excel.Sheet\"?>\n<Workbook xmlns=\"urn:schemas-microsoft-com:office:spreadsheet\">", filetypes.XML2003},
		{"<?xml version=\"1.0\"?><invoice/>", filetypes.XML},
		{"{\n  \"from\": \"LHR\"}", filetypes.JSON},
		{"[ {\"from\":\"LHR\"}]", filetypes.JSON},
		{`{\rtf1\ansi`, filetypes.Document},
		{archive(t, "[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"), filetypes.XLSX},
		{archive(t, "[Content_Types].xml", "xl/workbook.bin"), filetypes.XLSB},
		{archive(t, "[Content_Types].xml", "word/document.xml"), filetypes.Document},
		{archive(t, "mimetype=application/vnd.oasis.opendocument.spreadsheet", "content.xml"), filetypes.ODS},
		{archive(t, "mimetype=application/vnd.oasis.opendocument.text", "content.xml"), filetypes.Document},
		{archive(t, "Index/Document.iwa"), filetypes.Numbers},
		{archive(t, "flights.csv"), filetypes.Archive},
	} {
		if got := filetypes.Of([]byte(c.start)); got != c.want {
			t.Errorf("%.60q: %q, want %q", c.start, got, c.want)
		}
	}
}
