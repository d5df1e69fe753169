package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// timeWords are words and units of times, beside numbers.
const timeWords wordlist.List = "timeWords"

// countsStops reports whether a cell says how many stops there are, how long they take or when they are, and not where:
// 1 stop, 2h 30m, 10:45.
func countsStops(cell string) bool {
	words := headWords(cell)
	return strings.ContainsAny(cell, "0123456789") && !slices.ContainsFunc(words, func(word string) bool {
		return strings.Trim(word, "0123456789") != "" && !stopHeads.Has(word) && !timeWords.Has(word)
	})
}

// stopsOf returns the places of a cell of stops: LHR, LHR/DUB, Frankfurt am Main | Paris; none of Direct or -.
func stopsOf(cell string) []string {
	text := strings.TrimSpace(cell)
	if strings.Trim(text, "-–—./ ") == "" || withoutStops.Has(strings.NewReplacer("-", "", " ", "").Replace(strings.ToLower(text))) {
		return []string{}
	}
	codes := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" ,;|/>→-–\n", c) })
	if !slices.ContainsFunc(codes, func(code string) bool { _, known := locations.Resolve(strings.ToUpper(code)); return !known }) {
		return codes
	}
	var places []string
	for place := range strings.FieldsFuncSeq(text, func(c rune) bool { return c == '|' || c == ';' || c == '\n' }) {
		if place = strings.TrimSpace(place); place != "" {
			places = append(places, place)
		}
	}
	return places
}
