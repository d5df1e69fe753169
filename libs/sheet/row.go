package sheet

import "strings"

// AppendRow appends a row of a CSV file (RFC 4180: commas, quotes, CRLF) to b.
// What is inside of a cell is kept byte for byte, line breaks included. A cell
// with a semicolon or a tab is quoted too, as there are programs that take
// those for separators.
func AppendRow(b []byte, cells []string) []byte {
	for i, cell := range cells {
		if i > 0 {
			b = append(b, ',')
		}
		if !strings.ContainsAny(cell, "\",;\t\r\n") && strings.TrimSpace(cell) == cell {
			b = append(b, cell...)
			continue
		}
		b = append(b, '"')
		b = append(b, strings.ReplaceAll(cell, `"`, `""`)...)
		b = append(b, '"')
	}
	return append(b, "\r\n"...)
}
