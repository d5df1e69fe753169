// Package filetypes recognizes files in which a table was expected and that are something else, so that an error can
// say what.
package filetypes

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// NotATable is the code of a file that is no table, or none that is read.
const NotATable = "NOT_A_TABLE"

// Sample is how many bytes of a file determine its type.
const Sample = 4 << 10

// Type is what a file is, as part of a sentence.
type Type string

// Types of files that a table is often sent in by mistake.
const (
	Unknown Type = "" // text, or what is not recognized
	XLSX    Type = "an XLSX workbook"
	XLSB    Type = "a binary workbook (XLSB)"
	ODS     Type = "an OpenDocument spreadsheet (ODS)"
	Numbers Type = "a spreadsheet of Numbers"
	// Old is a compound file. Only its directory, which may be anywhere, tells a workbook in the old format
	// from an encrypted one.
	Old      Type = "an XLS workbook of an old version of Excel, or an XLSX workbook that is protected by a password"
	XML2003  Type = "a table in XML (XML Spreadsheet 2003)"
	HTML     Type = "a web page (HTML), even if its name ends in .xls"
	XML      Type = "XML"
	JSON     Type = "JSON"
	PDF      Type = "a PDF document"
	Document Type = "a text document"
	Picture  Type = "a picture"
	Archive  Type = "an archive of files"
)

// Refusal returns the fault of a file of this type.
func (t Type) Refusal() error {
	message := fmt.Sprintf("The file is %s. Save the table as XLSX without a password, or as CSV in UTF-8.", t)
	switch t {
	case XLSX:
		message = fmt.Sprintf("The file is %s. Send it with its own Content-Type, or save the sheet as CSV.", t)
	case JSON:
		message = fmt.Sprintf("The file is %s. Records in JSON are created in a batch, without an import; a table is imported as XLSX or CSV.", t)
	}
	return apperr.Invalid(apperr.Detail{Field: "file", Code: NotATable, Message: message})
}

// oldOffice begins a compound file: [MS-CFB], section 2.2.
var oldOffice = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// Of returns the type of a file that begins with start, the first Sample bytes or all of them.
func Of(start []byte) Type {
	start = start[:min(len(start), Sample)]
	if bytes.HasPrefix(start, oldOffice) {
		return Old
	}
	switch t := http.DetectContentType(start); t {
	case "application/zip":
		return zipped(start)
	case "application/pdf":
		return PDF
	case "application/x-gzip", "application/x-rar-compressed":
		return Archive
	case "image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp":
		return Picture
	}
	return ofText(bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\xef\xbb\xbf")), " \t\r\n"))
}

// zipped returns the type of an archive by the names of the files in it, which stand before each of them. The first
// ones are in the sample.
func zipped(start []byte) Type {
	for _, k := range []struct {
		name string
		Type
	}{
		{"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", ODS},
		{"mimetypeapplication/vnd.oasis.opendocument.", Document},
		{"xl/workbook.bin", XLSB},
		{"xl/worksheets/sheet1.bin", XLSB},
		{"xl/", XLSX},
		{"word/", Document},
		{"ppt/", Document},
		{".iwa", Numbers},
	} {
		if bytes.Contains(start, []byte(k.name)) {
			return k.Type
		}
	}
	return Archive
}

// ofText returns the type of a text by how it begins.
func ofText(text []byte) Type {
	lower := bytes.ToLower(text)
	for _, k := range []struct {
		prefix string
		Type
	}{
		{"<!doctype html", HTML}, {"<html", HTML}, {"<head", HTML}, {"<meta", HTML}, {"<style", HTML}, {"<body", HTML}, {"<table", HTML}, {"<div", HTML},
		{`{\rtf`, Document},
	} {
		if bytes.HasPrefix(lower, []byte(k.prefix)) {
			return k.Type
		}
	}
	switch {
	case bytes.HasPrefix(lower, []byte("<?xml")) && bytes.Contains(lower, []byte("<html")):
		return HTML
	case bytes.HasPrefix(lower, []byte("<?xml")) && bytes.Contains(lower, []byte("urn:schemas-microsoft-com:office:spreadsheet")):
		return XML2003
	case bytes.HasPrefix(lower, []byte("<?xml")):
		return XML
	case opens(text, '{', '"'), opens(text, '[', '{'):
		return JSON
	}
	return Unknown
}

// opens reports whether a text begins with two characters that only blanks separate.
func opens(text []byte, first, second byte) bool {
	if len(text) == 0 || text[0] != first {
		return false
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	return len(rest) > 0 && rest[0] == second
}
