package sheet

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// besideModes are words around the mode of a journey in an answer that carry no information: by, my own, mit dem, en.
const besideModes wordlist.List = "besideModes"

// longestMode is how many words a mode has at most: one of two words, such as zu Fuß, or of three.
const longestMode = 3

// answeredMode returns the mode that an answer in words means: By bike, Met de trein, Bahn (Fernverkehr), I will travel by
// train. It is empty if the answer names several modes, or contains something that the record has no field for, such as
// who shares a car or how long the journey takes.
func answeredMode(typ, answer string, values map[string]string) string {
	if strings.ContainsAny(answer, "0123456789") {
		return ""
	}
	words := wordsOf(strings.Replace(strings.ToLower(answer), "driver only", "alone", 1))
	mode := ""
	for i := 0; i < len(words); {
		taken, named := 1, ""
		for n := min(longestMode, len(words)-i); n > 0 && named == ""; n-- {
			if value := values[key(strings.Join(words[i:i+n], ""))]; value != "" {
				taken, named = n, value
			}
		}
		switch {
		case neither.Has(words[i]), named != "" && mode != "" && named != mode:
			return ""
		case named != "":
			mode = named
		case typ != footprint.OriginRows && !besideModes.Has(words[i]):
			return ""
		}
		i += taken
	}
	return mode
}

// sharedModes are words of an answer of one who shares a vehicle.
const sharedModes wordlist.List = "sharedModes"

// sharedVehicle is the fault of such an answer: a vehicle counts as a whole, however many of its people have a row each.
func (r *travellers) sharedVehicle(at int, answer string) *apperr.Detail {
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"vehicles", "passengers"},
		Message: fmt.Sprintf("%s is %.60q: a car counts as a whole, and would for each of the people in it. Write one row for each car, with all who are in it in a column passengers.", r.heads[at], answer)}
}

// Who is in a car of which an answer says it: the others, as in Car (shared with 3), or all, as in Car (2 people) and Auto, zu viert.
var (
	othersInCar = regexp.MustCompile(`(?i)(?:shar\w+ with|with|mit|avec|con|met|med|com|z|ze)\s+(\d{1,2})\b|\+\s?(\d{1,2})\b`)
	allInCar    = regexp.MustCompile(`(?i)\b(\d{1,2})\s*(?:people|persons|pers\w*|pax|of us|leute|osob\w*|osób|personas|pessoas|persone|passagers|occupants|henkilöä)\b|zu (zweit|dritt|viert|fünft)`) //nolint:misspell // French words, too
	toGermans   = map[string]int{"zweit": 2, "dritt": 3, "viert": 4, "fünft": 5}
)

// inCar returns how many people an answer says are in the vehicle, and the answer without it; 0 if it does not say that.
func inCar(answer string) (people int, rest string) {
	m, others := allInCar.FindStringSubmatch(answer), 0
	if m == nil {
		m, others = othersInCar.FindStringSubmatch(answer), 1
	}
	if m == nil {
		return 0, answer
	}
	said := cmp.Or(m[1], m[2])
	n, err := strconv.Atoi(said)
	if err != nil {
		n = toGermans[strings.ToLower(said)]
	}
	rest = strings.Replace(answer, m[0], " ", 1)
	return n + others, strings.Join(slices.DeleteFunc(wordsOf(rest), func(word string) bool { return sharedModes.Has(word) || inCarWords.Has(word) }), " ")
}

// wholeVehicles are the modes whose vehicles count as a whole, however many are in them.
const wholeVehicles wordlist.List = "wholeVehicles"

// inCarWords are words beside the number of people in a vehicle.
const inCarWords wordlist.List = "inCarWords"

// sharedMode sets the mode of a row that says how many share the vehicle, if all of them are its passengers; false if they are
// not: then the vehicle would count for each of them.
func (r *travellers) sharedMode(b *body, answer string, values map[string]string) bool {
	people, rest := inCar(answer)
	mode := answeredMode(r.typ, rest, values)
	n := int(b.number("passengers"))
	if mode == "" || people < 2 || n == 0 || n%people != 0 {
		return false
	}
	b.put("mode", mode)
	if wholeVehicles.Has(mode) && !b.has("occupancy") && !b.has("vehicles") {
		b.put("occupancy", people)
	}
	return true
}

// shared takes the vehicle of a row of which the cell of its mode says how many share it, when all of its cells are known.
func (r *travellers) shared(row *row) *apperr.Detail {
	at := r.placeOf("mode")
	if row.sharedMode == "" || at < 0 {
		return nil
	}
	if r.sharedMode(&row.body, row.sharedMode, r.columns[at].values) {
		return nil
	}
	return r.sharedVehicle(at, row.sharedMode)
}
