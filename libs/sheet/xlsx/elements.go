package xlsx

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eventcarbon/ecf/libs/fields"
)

// What is read into memory is a hundred times as large as the shortest elements it is
// written with, so bytes alone bound nothing.
const (
	// maxElements is how many elements the parts of a workbook may have together, rows
	// and cells aside: two for each text that several cells share.
	maxElements = 400_000
	// maxRowElements is how many one row may have: a cell has few.
	maxRowElements = 40 * maxColumns
)

// errElements says that a workbook has more elements than may be read.
var errElements = errors.New("too many elements")

// checkElements returns a fault for a file that is no workbook, or one whose content
// would take more memory than there is for it. It unpacks each part, and keeps none.
func checkElements(file []byte) error {
	// A file that begins otherwise may hold another one, which the reader decrypts.
	if !bytes.HasPrefix(file, []byte("PK")) {
		return unreadable(zip.ErrFormat)
	}
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		return unreadable(zip.ErrFormat)
	}
	var size uint64
	for _, part := range archive.File {
		if size += part.UncompressedSize64; part.UncompressedSize64 > maxUnpacked || size > maxUnpacked {
			return tooLarge()
		}
	}
	left := maxElements
	for _, part := range archive.File {
		switch err := countElements(part, &left); {
		case errors.Is(err, errElements):
			return fault("file", fields.TooMany, fmt.Sprintf("The workbook has more than %d rows, or more than %d texts, formats or other parts. Save the one sheet that is meant as CSV.", maxRows, maxElements/2))
		case err != nil:
			return unreadable(zip.ErrFormat)
		}
	}
	return nil
}

// countElements takes the elements of a part from those that are left; of the rows of a
// sheet, which are read one by one, it bounds each.
func countElements(part *zip.File, left *int) error {
	text, err := part.Open()
	if err != nil {
		return err
	}
	defer text.Close() //nolint:errcheck // it only reads
	r := bufio.NewReaderSize(text, 64<<10)
	sheet := strings.HasPrefix(strings.ToLower(part.Name), "xl/worksheets/")
	within, inRow, rows := false, 0, 0
	for {
		name, err := nextTag(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case strings.HasPrefix(name, "!"):
			sheet, within = false, false // what follows may be a comment, and no row
		case sheet && name == "sheetData":
			within, inRow = true, 0
		case name == "/sheetData":
			within = false
		case strings.HasPrefix(name, "/"):
		case within && name == "row":
			if inRow, rows = 0, rows+1; rows > maxRows {
				return errElements
			}
		case within:
			if inRow++; inRow > maxRowElements {
				return errElements
			}
		default:
			if *left--; *left < 0 {
				return errElements
			}
		}
	}
}

// nextTag reads to the next tag and returns its name without a prefix, as far as it
// matters: "/" before that of an end.
func nextTag(r *bufio.Reader) (string, error) {
	for {
		_, err := r.ReadSlice('<')
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
	head, err := r.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	if i := bytes.IndexAny(head, " \t\r\n>"); i >= 0 {
		head = head[:i]
	}
	end := ""
	if bytes.HasPrefix(head, []byte("/")) {
		end, head = "/", head[1:]
	}
	head, _, _ = bytes.Cut(head, []byte("/"))
	if i := bytes.IndexByte(head, ':'); i >= 0 {
		head = head[i+1:]
	}
	return end + string(head), nil
}
