package sheet

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// roughlyWords are what people write beside a number that they do not know exactly, in small letters.
const roughlyWords wordlist.List = "roughlyWords"

// leastBehind is how many bytes such a word has at least that stands behind the number: shorter ones may be units.
const leastBehind = 3

// exactly returns a number without a word such as "about", before it or behind it. The amounts of records are estimates unless
// declared as measured.
func exactly(cell string) string {
	isDigit := func(at int) bool { return at >= 0 && at < len(cell) && cell[at] >= '0' && cell[at] <= '9' }
	lower := strings.ToLower(cell)
	if isDigit(0) && isDigit(len(cell)-1) || len(lower) != len(cell) {
		return cell
	}
	for _, word := range roughlyWords.All() {
		if rest, ok := strings.CutPrefix(lower, word); ok {
			if rest = strings.TrimLeft(rest, ". "); rest != "" && isDigit(len(lower)-len(rest)) {
				return cell[len(lower)-len(rest):]
			}
		}
		if rest, ok := strings.CutSuffix(strings.TrimRight(lower, ".)] "), word); ok && isDigit(0) && len(word) >= leastBehind && strings.HasSuffix(strings.TrimRight(rest, "(["), " ") {
			return strings.TrimRight(cell[:len(rest)], "([ ")
		}
	}
	return cell
}

// countedBelow is what the fields count that are numbers of people and things.
var countedBelow = map[string]counting{
	"passengers": ofPerson, "people": ofPerson, "guests": ofPerson, "participants": ofPerson, "rooms": ofRoom, "nights": ofNight, "days": ofDay,
	"vehicles": ofVehicle, "trips": ofTrip, "containers": ofContainer, "items": ofPiece,
}

// countWithNoun is a whole number with the word for what it counts, or a sign of multiplication behind it.
var countWithNoun = regexp.MustCompile(`^(\d+)\s*(?:([x×])|(\p{L}+)\.?)$`)

// withoutNoun returns a number of what a column counts without the word for it: 3 of 3 rooms, 2x and 4 Erwachsene.
func (c Column) withoutNoun(cell string) string {
	of, ok := countedBelow[c.Name]
	if !ok || cell == "" || !unicode.IsDigit(rune(cell[0])) {
		return cell
	}
	m := countWithNoun.FindStringSubmatch(cell)
	if m == nil {
		return cell
	}
	word := strings.ToLower(m[3])
	if m[2] != "" || countNamed(word, true) == of || of == ofPerson && adultHeads.Has(word) || slices.Contains(c.headings, word) {
		return m[1]
	}
	return cell
}
