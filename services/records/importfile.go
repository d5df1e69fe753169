package records

import (
	"errors"
	"io"
	"mime"
	"slices"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/web"
)

// largestFile returns how many bytes of CSV an import takes, sent as such or made of a
// workbook.
var largestFile = sync.OnceValue(func() int {
	o, _ := api.Operations().Find("importRecords") // it is there, or nothing of this is
	return o.MaxBody(0)
})

// declaredCharset returns the character set of the body's media type, which is
// taken out of the header: the file is read by it, and not refused for it.
func declaredCharset(c *fiber.Ctx) string {
	got, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	charset := strings.ToLower(params["charset"])
	if err != nil || !slices.Contains(sheet.Encodings(), charset) {
		return ""
	}
	c.Request().Header.SetContentType(got)
	return charset
}

// asCSV returns a file as CSV in UTF-8: the sheet of a workbook that is meant, which may
// have as many bytes so as a file that comes as one, or a text from the encoding it was declared to be in.
func asCSV(c *fiber.Ctx, i record.Import, file *web.File, charset string) (*web.File, error) {
	args := c.Context().QueryArgs()
	if got, _, _ := mime.ParseMediaType(c.Get(fiber.HeaderContentType)); got == xlsx.MediaType {
		book := make([]byte, file.Size())
		if _, err := io.ReadFull(file.Reader(), book); err != nil {
			return nil, err
		}
		o := xlsx.Options{Sheet: string(args.Peek("sheet")), DecimalComma: i.DecimalComma || strings.HasSuffix(i.NumberFormat, ",5"), Limit: largestFile()}
		return derived(file, func(to io.Writer) error { return xlsx.WriteCSV(c.UserContext(), to, book, o) })
	}
	if args.Has("sheet") {
		return nil, apperr.Invalid(apperr.Detail{Field: "sheet", Code: fields.NotAllowed, Message: "sheet names a sheet of a workbook; a CSV file has none."})
	}
	if encoding := string(args.Peek("encoding")); encoding != "" {
		charset = encoding
	}
	if charset == "" || charset == "utf-8" {
		return file, nil
	}
	return derived(file, func(to io.Writer) error { return sheet.UTF8(to, file.Reader(), charset) })
}

// derived makes a file beside another.
func derived(file *web.File, write func(to io.Writer) error) (*web.File, error) {
	to := file.Derived()
	if err := write(to); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	return to, nil
}
