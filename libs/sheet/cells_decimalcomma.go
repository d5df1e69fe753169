package sheet

import (
	"encoding/json"
	"strings"
	"sync"
	"unicode"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// commaWords are words in headings in languages with a decimal comma that are not English words.
const commaWords wordlist.List = "commaWords"

// germanTitles are German titles of fields that are not also field names.
var germanTitles = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, typ := range footprint.Types() {
		var s struct {
			Properties map[string]list `json:"properties"`
		}
		// A catalogue that cannot be parsed has no titles; a test parses them.
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

// writesCommas reports whether a heading is in German or French, which have a decimal comma.
func writesCommas(head string) bool {
	named, _, _ := strings.Cut(head, "(")
	if germanTitles()[plain(named)] {
		return true
	}
	words := strings.FieldsFunc(strings.ToLower(head), func(r rune) bool { return !unicode.IsLetter(r) })
	return commaWords.HasAny(words)
}
