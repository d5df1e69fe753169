package records

import (
	"errors"
	"io"
	"mime"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/charsets"
	"github.com/eventcarbon/ecf/libs/sheet/filetypes"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/workbook"
	"github.com/eventcarbon/ecf/services/records/imports"
)

// largestFile returns the maximum size of CSV in bytes, sent as such or converted from a
// workbook.
var largestFile = sync.OnceValue(func() int {
	o, _ := api.Operations().Find("importRecords") // always found: this code exists only for it
	return o.MaxBody(0)
})

// declaredCharset returns the character set of the body's media type and removes it from the
// header: the file is decoded with it, and not rejected because of it.
func declaredCharset(c *fiber.Ctx) string {
	got, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	label := strings.ToLower(params["charset"])
	charset, known := charsets.Named(label)
	utf16 := strings.HasPrefix(label, "utf-16") // detected from the file itself
	if err != nil || !utf16 && !known {
		return ""
	}
	c.Request().Header.SetContentType(got)
	if utf16 {
		return ""
	}
	return charset
}

func isWorkbook(c *fiber.Ctx) bool {
	got, _, _ := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	return got == workbook.MediaType
}

// asCSV returns a file as CSV in UTF-8: the selected sheet of a workbook, with the same size
// limit as a file, or a text decoded from its declared character set.
func asCSV(c *fiber.Ctx, i *record.Import, file *web.File, charset string) (*web.File, error) {
	args := c.Context().QueryArgs()
	if isWorkbook(c) {
		return workbookAsCSV(c, i, file, string(args.Peek("sheet")))
	}
	if args.Has("sheet") {
		return nil, apperr.Invalid(apperr.Detail{Field: "sheet", Code: fields.NotAllowed, Message: "sheet is only for workbooks; a CSV file has no sheets."})
	}
	if encoding := string(args.Peek("encoding")); encoding != "" {
		charset = encoding
	}
	start, err := io.ReadAll(file.Section(0, min(file.Size(), max(charsets.Sample, filetypes.Sample))))
	if err != nil {
		return nil, err
	}
	if t := filetypes.Of(start); t != filetypes.Unknown {
		return nil, t.Refusal()
	}
	if charset, err = charsets.Of(start, charset); err != nil {
		return nil, err
	}
	if charset == "" || charset == "utf-8" {
		return file, nil
	}
	return derived(file, func(to io.Writer) error { return charsets.UTF8(to, file.Reader(), charset) })
}

// workbookAsCSV returns a sheet of a workbook as CSV. If the texts of the sheet determine a
// number format, its numeric cells are written in it.
func workbookAsCSV(c *fiber.Ctx, i *record.Import, file *web.File, name string) (*web.File, error) {
	book := make([]byte, file.Size())
	if _, err := io.ReadFull(file.Reader(), book); err != nil {
		return nil, err
	}
	o := xlsx.Options{Sheet: name, DecimalComma: i.DecimalComma || commaFormat(i.NumberFormat), Limit: largestFile(),
		Head: func(rows [][]string) int { return sheet.HeadOf(rows, imports.Options(*i), imports.RowTypes(*i)...) }}
	o.Headings = func(upper, lower []string) []string {
		return sheet.Headings(upper, lower, imports.Options(*i), imports.RowTypes(*i)...)
	}
	o.Declared = i.NumberFormat != "" || i.DecimalComma
	o.Columns = func(head []string) []sheet.ShownColumn {
		head = sheet.Chosen(head, imports.Choices(*i))
		return sheet.ShownColumns(head, imports.RowTypeBelow(head, *i), imports.Options(*i))
	}
	var hidden hiddenParts
	o.Hidden, o.HiddenColumn = hidden.row, hidden.column
	defer func() { i.Notices = append(i.Notices, hidden.notices()...) }()
	convert := func() (text *web.File, format string, err error) {
		hidden = hiddenParts{}
		text, err = derived(file, func(to io.Writer) (err error) {
			format, err = xlsx.WriteCSV(c.UserContext(), to, book, o)
			return err
		})
		return text, format, err
	}
	text, format, err := convert()
	if err != nil || format == "" {
		return text, err
	}
	if i.NumberFormat = format; !commaFormat(format) {
		return text, nil
	}
	if err := text.Close(); err != nil {
		return nil, err
	}
	o.DecimalComma = true
	text, _, err = convert()
	return text, err
}

// commaFormat reports whether a number format has a decimal comma.
func commaFormat(format string) bool { return strings.HasSuffix(format, ",5") }

// derived creates a file beside another one.
func derived(file *web.File, write func(to io.Writer) error) (*web.File, error) {
	to := file.Derived()
	if err := write(to); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}
