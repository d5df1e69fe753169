// Package messages has the texts of findings and notices by their codes, the words of formulas and the units of fields,
// in other languages than English, in which the services write them. The console and the
// report show the same texts: its files are the one place in which they are.
package messages

import (
	"cmp"
	"embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed *.json
var files embed.FS

// catalogue is what a file holds.
type catalogue struct {
	Finding map[string]string
	Notice  map[string]string
	Formula map[string]string
	Unit    map[string]string
	// phrases are the keys of Formula, those of several words before the words that they begin with.
	phrases []string
}

// catalogues are those of all languages. A test reads them; one that cannot be read is empty.
var catalogues = sync.OnceValue(func() map[string]catalogue {
	all := map[string]catalogue{}
	entries, err := files.ReadDir(".")
	if err != nil {
		return all
	}
	for _, e := range entries {
		var c catalogue
		if text, err := files.ReadFile(e.Name()); err == nil && json.Unmarshal(text, &c) == nil {
			c.phrases = slices.SortedFunc(maps.Keys(c.Formula), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
			all[e.Name()[:len(e.Name())-len(".json")]] = c
		}
	}
	return all
})

// Finding returns the text of a finding with a code in a language; empty if there is none.
func Finding(language, code string) string { return catalogues()[language].Finding[code] }

// Notice returns the text of a notice with a code in a language; empty if there is none.
func Notice(language, code string) string { return catalogues()[language].Notice[code] }

// Unit returns the unit of a field, as schemas have it (x-unit), in a language; empty where it is the same.
func Unit(language, unit string) string { return catalogues()[language].Unit[unit] }

// Word returns a word of a formula, such as a unit, in a language; empty where that is not known.
func Word(language, word string) string { return catalogues()[language].Formula[word] }

// FormulaIn returns the formula of a line, such as "1,234.5 km × 2 passengers × 0.117 kg per passenger-km", with its
// words in a language. Its numbers are as they were.
func FormulaIn(language, formula string) string {
	c := catalogues()[language]
	var out strings.Builder
	before := ' '
	for rest := formula; rest != ""; {
		if !joins(before) {
			if phrase := c.phraseAt(rest); phrase != "" {
				out.WriteString(c.Formula[phrase])
				before, _ = utf8.DecodeLastRuneInString(phrase)
				rest = rest[len(phrase):]
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(rest)
		out.WriteString(rest[:size])
		before, rest = r, rest[size:]
	}
	return out.String()
}

// phraseAt returns the longest phrase that a text begins with; empty for none.
func (c catalogue) phraseAt(text string) string {
	for _, phrase := range c.phrases {
		if rest, ok := strings.CutPrefix(text, phrase); ok {
			if next, _ := utf8.DecodeRuneInString(rest); rest == "" || !joins(next) {
				return phrase
			}
		}
	}
	return ""
}

// joins reports whether a character makes one word with those beside it.
func joins(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' }
