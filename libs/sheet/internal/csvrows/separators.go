package csvrows

import (
	"bytes"
	"fmt"
	"strings"
)

// declaredSeparator returns the separator declared in the first line of a file as spreadsheet programs do, sep=; and
// the length of that line in bytes; 0 if there is none. The line is not a row.
func declaredSeparator(start []byte) (comma rune, length int, err error) {
	end := bytes.IndexAny(start, "\r\n")
	if end < 0 {
		end = len(start)
	}
	line := strings.Trim(string(start[:end]), "\" ")
	if len(line) < 4 || !strings.EqualFold(line[:4], "sep=") {
		return 0, 0, nil
	}
	declared := line[4:]
	if declared == "" || !strings.Contains(separatorsOfCells, declared[:1]) || strings.Trim(declared, declared[:1]) != "" {
		return 0, 0, badFormat(fmt.Sprintf("The first line declares %q as the separator of the cells; it is a comma, a semicolon, a tab or a bar. Save the file as CSV in UTF-8, or as XLSX.", declared))
	}
	if bytes.HasPrefix(start[end:], []byte("\r\n")) {
		end++
	}
	return rune(declared[0]), min(end+1, len(start)), nil
}

// separatorsOfCells are those that a file can declare.
const separatorsOfCells = ",;\t|"

// separatorOf returns the separator the first row has most of, outside of quotes.
func separatorOf(start []byte) rune {
	count := map[byte]int{}
	quoted := false
	for _, b := range start {
		if b == '"' {
			quoted = !quoted
		}
		if !quoted && (b == '\n' || b == '\r') && len(count) > 0 {
			break
		}
		if !quoted && (b == ',' || b == ';' || b == '\t') {
			count[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte{';', '\t'} {
		if count[b] > count[best] {
			best = b
		}
	}
	return rune(best)
}
