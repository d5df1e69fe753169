package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// Words of the questions of a travel survey: the interrogatives, and their subjects.
var (
	askPostcode  = wordlist.List("askPostcode")
	askCountry   = wordlist.List("askCountry")
	askPlace     = wordlist.List("askPlace")
	askMode      = wordlist.List("askMode")
	askPeople    = wordlist.List("askPeople")
	askHow       = wordlist.List("askHow")
	askMany      = wordlist.List("askMany")
	ofTravel     = wordlist.List("ofTravel")
	ofHome       = wordlist.List("ofHome")
	otherAnswers = wordlist.List("otherAnswers")
	// inVehicleWords are those of vehicles that people share.
	inVehicleWords = wordlist.List("inVehicleWords")
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
	has := func(list wordlist.List) bool { return list.HasAny(words) }
	const shortQuestion = 3 // De quel pays ?
	if has(askCountry) && strings.Contains(head, "?") && len(words) <= shortQuestion {
		return "country"
	}
	if !strings.Contains(head, "?") && len(words) < leastWords || !has(ofTravel) && !has(ofHome) && !has(askPeople) {
		return ""
	}
	how := has(askHow) || words[0] == "come" // Italian; in English it is asked with how
	switch {
	case has(askMany) && has(askPeople) && has(inVehicleWords):
		return "" // who shares a car may have a row each
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
func (in *interpreter) asked(at int) int {
	field := questionOf(in.heads[at])
	switch in.typ {
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
	return slices.IndexFunc(in.known, func(c Column) bool { return field != "" && c.Name == field && !in.heading(field) })
}
