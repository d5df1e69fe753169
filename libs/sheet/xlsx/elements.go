package xlsx

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
)

// In memory, the shortest elements take a hundred times their size, so a limit in bytes is not enough.
const (
	// maxElements is how many elements the parts of a workbook may have together, rows
	// and cells aside: two for each text that several cells share.
	maxElements = 400_000
	// maxRowElements is how many one row may have: a cell has few.
	maxRowElements = 40 * maxColumns
)

// checkElements returns a fault for a workbook whose content would take too much memory. It unpacks each part without
// storing it.
func checkElements(ctx context.Context, z *zip.Reader) error {
	var size uint64
	for _, part := range z.File {
		if size += part.UncompressedSize64; part.UncompressedSize64 > maxUnpacked || size > maxUnpacked {
			return tooLarge()
		}
	}
	left := maxElements
	for _, part := range z.File {
		err := countElements(ctx, part, &left)
		switch {
		case err == nil:
		case errors.Is(err, errElements), ctx.Err() != nil:
			return unreadable(err)
		default:
			return unreadable(errNoWorkbook)
		}
	}
	return nil
}

// countElements subtracts the elements of a part from left; of the rows of a sheet, which are read one by one, it
// bounds each.
func countElements(ctx context.Context, part *zip.File, left *int) error {
	text, err := part.Open()
	if err != nil {
		return err
	}
	defer text.Close() //nolint:errcheck // it only reads
	r := bufio.NewReaderSize(&while{ctx: ctx, r: text}, 64<<10)
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
			sheet, within = false, false // the rest may be a comment instead of rows
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

// countRows returns how many rows of a sheet have something in them. It reads only the tags, as countElements does.
func (a *archive) countRows(part string) (rows int, err error) {
	file := a.parts[nameOf(part)]
	if file == nil {
		return 0, nil // what is wrong with it is told where it is read
	}
	text, err := file.Open()
	if err != nil {
		return 0, errDamaged
	}
	defer text.Close() //nolint:errcheck // it only reads
	r := bufio.NewReaderSize(&while{ctx: a.ctx, r: text}, 64<<10)
	empty := true
	for {
		switch name, err := nextTag(r); {
		case errors.Is(err, io.EOF), err == nil && name == "/sheetData":
			return rows, nil
		case err != nil:
			return 0, err
		case name == "row":
			empty = true
		case empty && (name == "v" || name == "is"):
			empty, rows = false, rows+1
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
