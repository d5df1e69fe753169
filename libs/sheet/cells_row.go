package sheet

import "strings"

// AppendRow appends a row of a CSV file (RFC 4180: commas, quotes, CRLF) to b. The content of a cell is preserved
// byte for byte, including line breaks. A cell with a semicolon or a tab is quoted too, since some programs treat
// those as separators.
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
