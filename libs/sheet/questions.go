package sheet

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Words of the questions of a survey of travel: of what is asked, and of what it is asked about.
var (
	askPostcode  = []string{"postcode", "zip", "plz", "postleitzahl"}
	askCountry   = []string{"country", "land"}
	askPlace     = []string{"city", "town", "place", "where", "stadt", "ort", "wohnort", "woher", "wo"}
	askMode      = []string{"transport", "transportation", "verkehrsmittel", "verkehrsmitteln", "transportmittel"}
	askPeople    = []string{"people", "persons", "guests", "attendees", "personen", "leute", "party", "group"}
	askHow       = []string{"how", "wie", "womit"}
	ofTravel     = []string{"travel", "travelling", "traveling", "get", "getting", "come", "coming", "arrive", "arriving", "journey", "reisen", "reist", "anreisen", "kommen", "kommst", "anreise", "ankommen"}
	ofHome       = []string{"live", "living", "home", "based", "wohnen", "wohnst", "residence"}
	otherAnswers = []string{"far", "long", "often", "much", "many", "soon", "early", "weit", "lange", "oft", "viel", "viele", "satisfied", "zufrieden", "distance", "km", "cost", "time"}
	// leastWords is how many words a heading has at least that is a question without its mark.
	leastWords = 4
)

// questionOf returns the field of a list of people that a question asks for, such as "What city do you travel from?" and
// "Wie reisen Sie an?"; empty if it is another question.
func questionOf(head string) string {
	words := wordsOf(head)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return slices.Contains(list, word) })
	}
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
