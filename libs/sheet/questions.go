package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Words of the questions of a survey of travel: of what is asked, and of what it is asked about.
var (
	askPostcode  = wordList("askPostcode")
	askCountry   = wordList("askCountry")
	askPlace     = wordList("askPlace")
	askMode      = wordList("askMode")
	askPeople    = wordList("askPeople")
	askHow       = wordList("askHow")
	ofTravel     = wordList("ofTravel")
	ofHome       = wordList("ofHome")
	otherAnswers = wordList("otherAnswers")
	// leastWords is how many words a heading has at least that is a question without its mark.
	leastWords = 4
)

// questionOf returns the field of a list of people that a question asks for, such as "What city do you travel from?" and
// "Wie reisen Sie an?"; empty if it is another question.
func questionOf(head string) string {
	words := wordsOf(head)
	has := func(list wordList) bool { return list.hasAny(words) }
	if !strings.Contains(head, "?") && len(words) < leastWords || !has(ofTravel) && !has(ofHome) && !has(askPeople) {
		return ""
	}
	many := slices.Contains(words, "many") || slices.Contains(words, "viele") || slices.Contains(words, "vielen")
	switch {
	case has(askHow) && many && has(askPeople):
		return "people"
	case has(otherAnswers) || !has(ofTravel) && !has(ofHome):
		return ""
	case has(askPostcode):
		return "postcode"
	case has(askMode), has(askHow):
		return "mode"
	case has(askPlace):
		return "place"
	case has(askCountry):
		return "country"
	}
	return ""
}

// asked returns the index of the field that a heading asks people for; -1 if it does not, or another column has the field.
func (r *Reader) asked(at int, known []Column) int {
	if r.typ != footprint.OriginRows {
		return -1
	}
	field := questionOf(r.heads[at])
	return slices.IndexFunc(known, func(c Column) bool { return field != "" && c.Name == field && !r.heading(field) })
}
