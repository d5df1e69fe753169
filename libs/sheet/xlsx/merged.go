package xlsx

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/fields"
)

// maxMerged bounds the areas of merged cells that are filled.
const maxMerged = 10_000

// area is cells of several rows that are merged: only the first one stores the value, but readers see it in all of them.
type area struct {
	ref string
	// column is the place of the first column, and first and last are the numbers of the rows.
	column, first, last int
	// value is what the first cell has.
	value cell
}

// areaOf returns the area that a reference names; false where it is within one row.
func areaOf(ref string) (area, bool) {
	from, to, _ := strings.Cut(ref, ":")
	column, first, ok := position(from)
	_, last, also := position(to)
	return area{ref: ref, column: column - 1, first: first, last: last}, ok && also && last > first
}

// refOf is the reference of merged cells.
var refOf = regexp.MustCompile(`\bref="([A-Z0-9:]+)"`)

// merged returns the areas of a sheet that are merged over several rows. A workbook has them behind its rows.
func (a *archive) merged(part string) (areas []area, err error) {
	file := a.parts[nameOf(part)]
	if file == nil {
		return nil, nil // it is told where its rows are read
	}
	text, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer text.Close() //nolint:errcheck // it only reads
	r := bufio.NewReaderSize(&while{ctx: a.ctx, r: text}, 64<<10)
	for len(areas) < maxMerged {
		name, err := nextTag(r)
		if errors.Is(err, io.EOF) {
			return areas, nil
		}
		if err != nil {
			return nil, err
		}
		if name != "mergeCell" {
			continue
		}
		tag, err := r.ReadSlice('>')
		if err != nil {
			return nil, err
		}
		if m := refOf.FindSubmatch(tag); m != nil {
			if found, ok := areaOf(string(m[1])); ok {
				areas = append(areas, found)
			}
		}
	}
	return areas, nil
}

// fill gives the cells of a row the words and days that are merged over several rows. A number that is merged is that of all
// rows together, which a row cannot have: where the column matters, that is a fault.
func (c *converter) fill(n int, from []cell) ([]cell, error) {
	if n <= c.head || len(c.merged) == 0 || !filled(from) {
		return from, nil
	}
	copied := false
	for i := range c.merged {
		a := &c.merged[i]
		if n < a.first || n > a.last || a.first <= c.head {
			continue
		}
		if n == a.first {
			if a.column < len(from) {
				a.value = from[a.column]
			}
			if column := c.column(a.column); a.value.value != "" && (column.Number || c.isAmount(a) && (column.Used || c.columnsOf == nil)) {
				return nil, mergedFault(*a)
			}
			continue
		}
		if a.value.value == "" || c.isAmount(a) || a.column < len(from) && from[a.column].value != "" {
			continue
		}
		if !copied {
			from, copied = append([]cell(nil), from...), true
		}
		for len(from) <= a.column {
			from = append(from, cell{})
		}
		from[a.column] = a.value
	}
	return from, nil
}

// isAmount reports whether the value of merged cells is a number that is no day.
func (c *converter) isAmount(a *area) bool {
	_, err := strconv.ParseFloat(a.value.value, 64)
	return err == nil && !c.column(a.column).Day && c.formatOf(a.value).kind != moment
}

// mergedFault is the fault of merged cells whose value no row can have.
func mergedFault(a area) error {
	return fault("row "+strconv.Itoa(a.first), fields.NotAllowed,
		fmt.Sprintf("The cells %s are merged, so that rows %d to %d have one value between them. Split them, and write the value into each row that has it.", a.ref, a.first, a.last))
}

// checkMerged returns the fault of cells below the headings that are merged over several rows and were not filled. It reads on
// after the end of the rows.
func (r *rowReader) checkMerged(head int, known []area) error {
	for n := 0; ; {
		token, err := r.tokens.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "mergeCell" {
			continue
		}
		a, several := areaOf(attr(e, "ref"))
		if !several {
			continue
		}
		if n < len(known) && known[n].ref == a.ref {
			n++
		} else if a.first > head {
			return mergedFault(a)
		}
	}
}
