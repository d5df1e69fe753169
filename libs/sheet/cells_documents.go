package sheet

import (
	"regexp"
	"strings"
)

// documentsOf returns the documents that a cell of evidence names, one per line, or between semicolons or bars: an
// address, a hash, or else a name, such as "Invoice 4711".
func documentsOf(cell string) []map[string]string {
	var documents []map[string]string
	for text := range strings.FieldsFuncSeq(cell, func(r rune) bool { return r == '\n' || r == '\r' || r == ';' || r == '|' }) {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
		case strings.HasPrefix(strings.ToLower(text), "https://") && !strings.Contains(text, " "):
			documents = append(documents, map[string]string{"url": text})
		case hash.MatchString(text):
			documents = append(documents, map[string]string{"sha256": text})
		default:
			documents = append(documents, map[string]string{"name": text})
		}
	}
	return documents
}

// hash is a SHA-256 in hexadecimal digits.
var hash = regexp.MustCompile(`^[0-9A-Fa-f]{64}$`)
