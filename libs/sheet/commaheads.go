package sheet

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/eventcarbon/ecf/libs/footprint"
)

//go:embed commawords.txt
var commaWordList string

// commaWords are words of heads in languages that write 2,5 for two and a half, and none
// of English.
var commaWords = strings.Fields(commaWordList)

// germanTitles are the titles of fields in German that are the name of none.
var germanTitles = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, typ := range footprint.Types() {
		var s struct {
			Properties map[string]list `json:"properties"`
		}
		// What cannot be read gives no titles; a test reads them.
		_ = json.Unmarshal(footprint.SchemaIn(typ, "de"), &s)
		for _, property := range s.Properties {
			out[plain(property.Title)] = true
		}
	}
	for _, typ := range footprint.Types() {
		for _, c := range Columns(typ) {
			delete(out, plain(c.Name))
		}
	}
	delete(out, "")
	return out
})

// writesCommas reports whether a head is in German or French, whose writers put a comma
// before decimals.
func writesCommas(head string) bool {
	named, _, _ := strings.Cut(head, "(")
	if germanTitles()[plain(named)] {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(head), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(commaWords, word) })
}
