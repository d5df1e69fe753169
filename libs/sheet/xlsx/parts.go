package xlsx

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/sheet/filetypes"
)

const (
	// maxParts bounds the files in a workbook, and the entries of its index.
	maxParts = 10_000
	// maxSheets bounds the sheets, and maxSheetName the letters of their names; spreadsheet
	// programs allow 31.
	maxSheets    = 1000
	maxSheetName = 128
)

// archive is the parts of a workbook by their names in lower case: they are meant without
// regard to case.
type archive struct {
	ctx   context.Context //nolint:containedctx // it lives as long as one conversion
	parts map[string]*zip.File
}

// open returns the parts of a workbook, or the fault of another file or one above the limits.
func open(ctx context.Context, file []byte) (*archive, error) {
	switch t := filetypes.Of(file); t {
	case filetypes.XLSX, filetypes.Archive: // of some workbooks the first parts have other names
	case filetypes.Unknown:
		return nil, unreadable(errNoWorkbook)
	default:
		return nil, t.Refusal()
	}
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return nil, unreadable(errNoWorkbook)
	}
	if len(z.File) > maxParts {
		return nil, unreadable(errElements)
	}
	if err := checkElements(ctx, z); err != nil {
		return nil, err
	}
	a := &archive{ctx: ctx, parts: map[string]*zip.File{}}
	for _, part := range z.File {
		a.parts[nameOf(part.Name)] = part
	}
	return a, nil
}

// nameOf returns a name as the parts of an archive are found by it.
func nameOf(part string) string {
	return strings.ToLower(strings.ReplaceAll(part, "\\", "/"))
}

// sheetPart is a sheet, the name of its part, and whether it is not shown.
type sheetPart struct {
	name, part string
	hidden     bool
}

// workbook is the index of a workbook.
type workbook struct {
	sheets []sheetPart
	// textsPart is the part with the shared strings, if there is one.
	textsPart string
	// stylesPart is the part with the cell styles, if there is one.
	stylesPart string
	from1904   bool
}

// relation is a part that another one refers to. Its kind is the end of its type, which is
// the same in both editions of the standard.
type relation struct{ id, kind, part string }

// relations returns the references of a part, or of the workbook itself if it is empty.
func (a *archive) relations(of string) (found []relation, err error) {
	from := path.Dir(of)
	err = a.each(path.Join(from, "_rels", strings.TrimPrefix(path.Base("/"+of), "/")+".rels"), func(e xml.StartElement) error {
		if e.Name.Local != "Relationship" {
			return nil
		}
		if len(found) == maxParts {
			return errElements
		}
		target := strings.ReplaceAll(attr(e, "Target"), "\\", "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(from, target)
		}
		found = append(found, relation{id: attr(e, "Id"), kind: path.Base(attr(e, "Type")), part: strings.TrimPrefix(path.Clean(target), "/")})
		return nil
	})
	return found, err
}

// workbook reads the index of sheets.
func (a *archive) workbook() (workbook, error) {
	book := workbook{textsPart: "xl/sharedStrings.xml", stylesPart: "xl/styles.xml"}
	root, err := a.relations("")
	if err != nil {
		return book, err
	}
	i := slices.IndexFunc(root, func(r relation) bool { return r.kind == "officeDocument" })
	if i < 0 {
		return book, errDamaged
	}
	relations, err := a.relations(root[i].part)
	if err != nil {
		return book, err
	}
	parts := map[string]string{}
	for _, r := range relations {
		parts[r.id] = r.part
		switch r.kind {
		case "sharedStrings":
			book.textsPart = r.part
		case "styles":
			book.stylesPart = r.part
		}
	}
	err = a.each(root[i].part, func(e xml.StartElement) error {
		switch e.Name.Local {
		case "workbookPr":
			book.from1904, _ = strconv.ParseBool(attr(e, "date1904")) // false where it is absent
		case "sheet":
			name := attr(e, "name")
			if len(book.sheets) == maxSheets {
				return errElements
			}
			if utf8.RuneCountInString(name) > maxSheetName {
				return errDamaged
			}
			book.sheets = append(book.sheets, sheetPart{name: name, part: parts[relationID(e)], hidden: strings.HasSuffix(strings.ToLower(attr(e, "state")), "hidden")})
		}
		return nil
	})
	return book, err
}

// attr returns an attribute of an element that has no prefix; empty where it is absent.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// relationID returns the relation that an element names, in an attribute of another
// namespace.
func relationID(e xml.StartElement) string {
	for _, a := range e.Attr {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}
