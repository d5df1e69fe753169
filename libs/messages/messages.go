// Package messages has the texts of findings and notices by their codes, the words of formulas and the units of fields,
// in other languages than English, in which the services write them. The console and the
// report show the same texts: its files are the one place in which they are.
package messages

import (
	"embed"
	"encoding/json"
	"sync"
)

//go:embed *.json
var files embed.FS

// catalogue is what a file holds.
type catalogue struct {
	Finding map[string]string
	Notice  map[string]string
	Formula map[string]string
	Unit    map[string]string
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
