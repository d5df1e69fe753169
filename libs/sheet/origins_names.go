package sheet

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

const (
	// unknownNumbers are what people write who do not know a number.
	unknownNumbers wordlist.List = "unknownNumbers"
	// beforeNumbers stand before a number that is not exactly known: more than, mindestens.
	beforeNumbers wordlist.List = "beforeNumbers"
	// rangeWords stand between two such numbers.
	rangeWords wordlist.List = "rangeWords"
	// peopleBeginnings are what words for people begin with that stand behind a number of them.
	peopleBeginnings wordlist.List = "peopleBeginnings"
)

// isName reports whether a cell below a heading of how many people come, or of their names, is a name, and neither a number, also
// one that is not exactly known or has a remark, nor says that it is not known.
func isName(cell string) bool {
	text := strings.ToLower(exactly(Unguard(cell)))
	return strings.ContainsFunc(text, unicode.IsLetter) && !unknownNumbers.Has(text) && !saysNumber(text)
}

// numberParts are the numbers, words and signs of a text.
var numberParts = regexp.MustCompile(`\d[\d.,]*|[\p{L}'’.]+|[^\s\p{L}\d]`)

// saysNumber reports whether a text is a number of people, exactly or not, and perhaps a remark: 50-60, > 10, 20+, 1.2k,
// 12 Pers., 15 (tbc).
func saysNumber(text string) bool {
	parts := numberParts.FindAllString(text, -1)
	isNumber := func(part string) bool { return unicode.IsDigit(rune(part[0])) }
	first := slices.IndexFunc(parts, isNumber)
	if first < 0 {
		return false
	}
	if before := strings.Join(parts[:first], " "); strings.Trim(before, "<>≤≥=+* ") != "" && !beforeNumbers.Has(strings.TrimRight(before, ".")) {
		return false
	}
	parts = parts[first+1:]
	if len(parts) > 0 && (strings.Contains("-–—/+", parts[0]) || rangeWords.Has(parts[0])) {
		if parts = parts[1:]; len(parts) > 0 && isNumber(parts[0]) {
			parts = parts[1:]
		}
	}
	if len(parts) > 0 && (parts[0] == "k" || slices.ContainsFunc(peopleBeginnings.All(), func(beginning string) bool { return strings.HasPrefix(parts[0], beginning) })) {
		parts = parts[1:]
	}
	return len(parts) == 0 || strings.Contains("([?*", parts[0])
}
