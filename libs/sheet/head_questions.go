package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Words of the questions of a travel survey: the interrogatives, and their subjects.
var (
	askPostcode  = wordList("askPostcode")
	askCountry   = wordList("askCountry")
	askPlace     = wordList("askPlace")
	askMode      = wordList("askMode")
	askPeople    = wordList("askPeople")
	askHow       = wordList("askHow")
	askMany      = wordList("askMany")
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
	if len(words) == 0 {
		return ""
	}
	has := func(list wordList) bool { return list.hasAny(words) }
	const shortQuestion = 3 // De quel pays ?
	if has(askCountry) && strings.Contains(head, "?") && len(words) <= shortQuestion {
		return "country"
	}
	if !strings.Contains(head, "?") && len(words) < leastWords || !has(ofTravel) && !has(ofHome) && !has(askPeople) {
		return ""
	}
	how := has(askHow) || words[0] == "come" // Italian; in English it is asked with how
	switch {
	case has(askMany) && has(askPeople):
		return "people"
	case has(otherAnswers) || !has(ofTravel) && !has(ofHome):
		return ""
	case has(askPostcode):
		return "postcode"
	case has(askMode), how:
		return "mode"
	case has(askPlace):
		return "place"
	case has(askCountry):
		return "country"
	}
	return ""
}

// asked returns the index of the field that the question in a heading is about; -1 if there is none, or another column has
// the field. The origin of people is where their journeys begin.
func (t *table) asked(at int) int {
	field := questionOf(t.heads[at])
	switch t.typ {
	case footprint.OriginRows:
	case "flights", "ground-transport":
		switch field {
		case "place":
			field = "from"
		case "mode":
		default:
			return -1
		}
	default:
		return -1
	}
	return slices.IndexFunc(t.known, func(c Column) bool { return field != "" && c.Name == field && !t.heading(field) })
}
