package sheet

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// counting is what a column counts, in the singular: an adjacent amount may be the amount per item.
type counting string

const (
	ofPiece      counting = "piece"
	ofPallet     counting = "pallet"
	ofBottle     counting = "bottle" // cylinders, canisters and drums too
	ofContainer  counting = "container"
	ofCollection counting = "collection"
	ofGenerator  counting = "generator"
	ofVehicle    counting = "vehicle"
	ofTrip       counting = "trip"
	ofShipment   counting = "shipment"
	ofSession    counting = "session"
	ofHall       counting = "hall"
	ofRoom       counting = "room"
	ofPerson     counting = "person"
	ofNight      counting = "night"
	ofDay        counting = "day"
	ofWeek       counting = "week"
	ofMonth      counting = "month"
	ofHour       counting = "hour"
)

// ofSchedule is what collections per week count: their total is not stated, but there may be several.
const ofSchedule counting = "schedule"

// pieceLike are kinds of pieces: "Weight each" is that of each of them.
var pieceLike = []counting{ofPiece, ofPallet, ofBottle, ofContainer, ofGenerator, ofVehicle, ofHall}

// countedBy maps words to what they count: words in the plural, and words in the singular, which name a count only after
// "Number of", since a column Trip has identifiers of trips. A word is in the lists of one counting only.
var countedBy = sync.OnceValue(func() (words struct{ one, several map[string]counting }) {
	words.one, words.several = map[string]counting{}, map[string]counting{}
	for _, of := range countings {
		for _, word := range wordlist.OfType("one", string(of)).All() {
			words.one[word] = of
		}
		for _, word := range wordlist.OfType("several", string(of)).All() {
			words.several[word] = of
		}
	}
	return words
})

// countings are all things that columns count.
var countings = [...]counting{ofPiece, ofPallet, ofBottle, ofContainer, ofCollection, ofGenerator, ofVehicle, ofTrip, ofShipment, ofSession, ofHall, ofRoom, ofPerson, ofNight, ofDay, ofWeek, ofMonth, ofHour}

// numberWords are words of headings that only say that something is counted.
const numberWords wordlist.List = "numberWords"

// countIn returns the number in a cell; said is false for an empty cell and for a dash.
func countIn(cells []string, at int) (n int64, said bool, err error) {
	cell := Unguard(oneCell(cells, at))
	if strings.Trim(cell, "-–—") == "" {
		return 0, false, nil
	}
	count, err := strconv.ParseUint(cell, 10, 31)
	return int64(count), true, err
}

// countOf returns what a heading counts: days for Days, Number of days and Anzahl Tage; empty if it counts nothing.
func countOf(head string) counting {
	words := wordsOf(head)
	if perWords.HasAny(words) {
		if m := perHead.FindStringIndex(head); m != nil && countNamed(plain(head[:m[0]]), false) == ofCollection {
			return ofSchedule
		}
		return ""
	}
	if of := countNamed(plain(head), false); of != "" {
		return of
	}
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return numberWords.Has(word) })
	if len(rest) == len(words) || len(rest) == 0 {
		return ""
	}
	return countNamed(strings.Join(rest, ""), !bringNumbers.Has(words[len(words)-1])) // Trip no.
}

// countNamed returns what a word counts, also in the singular.
func countNamed(word string, singular bool) counting {
	words := countedBy()
	if of := words.several[word]; of != "" || !singular {
		return of
	}
	return words.one[word]
}

// perWords stand between an amount and the thing it is stated per.
const perWords wordlist.List = "perWords"

// perHead is such a word with what follows it: per day, /h, pro Fahrt.
var perHead = regexp.MustCompile(`(?i)(?:[\s_(]+(?:per|pro|je|par|por|pr\.?|na|za|al|a la|alla|ao)[\s_]+(?:cada\s+)?|\s*/\s*)(\p{L}+)\.?|\sa\s(settimana|semana|mese|giorno|testa|persona)\b`)

// Words of the amount of one piece: Unit weight, Einzelgewicht, Stückpreis, weight each; and of what one container takes,
// such as Bin size and Behältervolumen.
var (
	unitPrefixes = wordlist.List("unitPrefixes")
	eachSuffixes = wordlist.List("eachSuffixes")
	sizeHead     = regexp.MustCompile(`(?i)^(\p{L}+?)(?:s?[\s_-]+(?:size|volume|capacity|content|contents)|(?:n|s)?(?:größe|volumen|inhalt|kapazität|füllmenge|füllgewicht))\b`)
)

// Headings of the price of an hour and of a day in one word or two, normalized by plain.
const (
	hourRateHeads wordlist.List = "hourRateHeads"
	dayRateHeads  wordlist.List = "dayRateHeads"
)

// rateOf splits the heading of the price of an hour or a day of somebody or something that was hired: Hourly rate, Tagessatz (€). That
// of an amount of energy is a tariff.
func rateOf(head string) (stem string, of counting, ok bool) {
	name, unit, measured := unitOfHead(head)
	if rated := plain(name); !measured || !hourRateHeads.Has(rated) && !dayRateHeads.Has(rated) {
		name, unit = head, ""
	} else if _, currency := currencyWritten(unit); !currency {
		return "", "", false // of an amount
	}
	switch {
	case hourRateHeads.Has(plain(name)):
		of = ofHour
	case dayRateHeads.Has(plain(name)):
		of = ofDay
	default:
		return "", "", false
	}
	if unit != "" {
		return "price (" + unit + ")", of, true
	}
	return "price", of, true
}

// eachOf splits the heading of an amount per something: Weight (kg) and pallet for Weight per pallet (kg); false for any
// other heading.
func eachOf(head string) (stem string, of counting, ok bool) {
	head = oneLine(head)
	if stem, of, ok = rateOf(head); ok {
		return stem, of, true
	}
	if m := perHead.FindStringSubmatchIndex(head); m != nil {
		what := head[max(m[2], m[4]):max(m[3], m[5])]
		if of = countNamed(strings.ToLower(what), true); of == "" {
			return "", "", false
		}
		stem = head[:m[0]] + head[m[1]:]
		if strings.Count(stem, "(") < strings.Count(stem, ")") {
			stem = strings.Replace(stem, ")", "", 1) // Weight (per pallet)
		}
		return strings.TrimSpace(stem), of, !perHead.MatchString(stem)
	}
	lower := strings.ToLower(head)
	name, unit, measured := unitOfHead(head)
	if !measured || !isUnit(unit) {
		name = head
	}
	for _, prefix := range unitPrefixes.All() {
		if rest, cut := strings.CutPrefix(lower, prefix); cut && strings.TrimFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) }) != "" && len(rest) > 3 {
			if len(lower) == len(head) {
				rest = head[len(prefix):] // with the capitals of units and currencies
			}
			return strings.TrimSpace(rest), ofPiece, true
		}
	}
	for _, suffix := range eachSuffixes.All() {
		if rest, cut := strings.CutSuffix(strings.ToLower(strings.TrimRight(name, ") ")), suffix); cut || strings.Contains(lower, "("+suffix[1:]+")") {
			if !cut {
				return strings.TrimSpace(strings.Replace(lower, "("+suffix[1:]+")", "", 1)), ofPiece, true
			}
			return strings.TrimSpace(strings.TrimRight(rest, "( ") + head[len(name):]), ofPiece, true
		}
	}
	if m := sizeHead.FindStringSubmatchIndex(head); m != nil && measured && isUnit(unit) {
		if of = countNamed(strings.ToLower(head[m[2]:m[3]]), true); of == ofContainer || of == ofBottle {
			return amountWord + " (" + unit + ")", of, true
		}
	}
	return "", "", false
}
