package sheet

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// besideModes are words around the mode of a journey in an answer, which say nothing else: by, my own, mit dem, en.
const besideModes wordList = "besideModes"

// longestMode is how many words a mode has at most: one of two words, such as zu Fuß, or of three.
const longestMode = 3

// answeredMode returns the mode that an answer in words means: By bike, Met de trein, Bahn (Fernverkehr), I will travel by
// train. It is empty where the answer names several, or says something else that the record would lose: who shares a car,
// how long it takes. Of the origin of people nothing else is recorded.
func answeredMode(typ, answer string, values map[string]string) string {
	if strings.ContainsAny(answer, "0123456789") {
		return ""
	}
	words := wordsOf(answer)
	mode := ""
	for i := 0; i < len(words); {
		taken, named := 1, ""
		for n := min(longestMode, len(words)-i); n > 0 && named == ""; n-- {
			if value := values[key(strings.Join(words[i:i+n], ""))]; value != "" {
				taken, named = n, value
			}
		}
		switch {
		case neither.has(words[i]), named != "" && mode != "" && named != mode:
			return ""
		case named != "":
			mode = named
		case typ != footprint.OriginRows && !besideModes.has(words[i]):
			return ""
		}
		i += taken
	}
	return mode
}

// approximately is what people write before a number that they do not know exactly.
var approximately = regexp.MustCompile(`(?i)^(?:approx(?:imately|\.)?|about|around|roughly|circa|ca\.?|c\.|etwa|ungefähr|rund|env(?:iron|\.)?|unos|unas|aprox(?:imadamente|\.)?|cerca de|cerca di|ongeveer|ong\.|około|ok\.|cirka|omkring|~|≈|±)\s*(\d.*)$`)

// exactly returns a number without what says that it is approximate. Amounts of records are estimates unless they are said to be
// measured.
func exactly(cell string) string {
	if m := approximately.FindStringSubmatch(cell); m != nil {
		return m[1]
	}
	return cell
}

// guestByName makes one guest of a row of a list of guests that has the name of one, and no number of guests or rooms.
func (r *Reader) guestByName(b *body, cells []string) {
	if r.typ != "accommodation" || r.guestNameAt < 0 || b.has("rooms") || b.has("guests") {
		return
	}
	if oneCell(cells, r.guestNameAt) == "" {
		return
	}
	// Any part of the name may say that the guest does not come.
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if head = plain(head); !guestHeads.has(head) && !personNames.has(head) {
			continue
		}
		if name := Unguard(oneCell(cells, at)); name != "" && (!oneName(name) || stopped(name)) {
			return
		}
	}
	b.set("guests", json.RawMessage("1"))
}

// personNames are headings of names that are those of guests in a list with the days of their stays, normalized by plain.
const personNames wordList = "personNames"

// findGuestName finds the names of guests in a list that counts neither rooms nor guests.
func (r *Reader) findGuestName() {
	if r.typ != "accommodation" || r.heading("rooms", "guests") || r.roomAt >= 0 || len(r.roomKindsAt) > 0 || r.roomNightsAt >= 0 {
		return
	}
	if r.guestNameAt = r.beside(guestHeads); r.guestNameAt < 0 && len(r.stay) > 0 {
		r.guestNameAt = r.beside(personNames)
	}
}
