package sheet

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// counting is what a column counts, in the singular: an amount beside it may be that of each.
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
	ofSession    counting = "session"
	ofHall       counting = "hall"
	ofRoom       counting = "room"
	ofPerson     counting = "person"
	ofNight      counting = "night"
	ofDay        counting = "day"
	ofHour       counting = "hour"
)

// pieceLike are kinds of pieces: "Weight each" is that of each of them.
var pieceLike = []counting{ofPiece, ofPallet, ofBottle, ofContainer, ofGenerator, ofVehicle, ofHall}

// countWordsOf are the words for what is counted. Those in the singular name a count behind "Number of" only: a column
// Trip has the numbers by which trips are known.
var countWordsOf = map[counting]struct{ singular, plural []string }{
	ofPiece:      {[]string{"piece", "item", "unit", "pc", "stück", "stk", "st", "article", "artikel", "pièce", "unité", "board", "panel", "platte", "roll", "rolle", "set"}, []string{"pieces", "items", "units", "pcs", "qty", "quantity", "stück", "stk", "stückzahl", "anzahl", "menge", "count", "pièces", "quantité", "cantidad"}},
	ofPallet:     {[]string{"pallet", "palette", "europalette", "package", "parcel", "paket", "colli", "kolli", "collo", "carton", "karton", "box", "case", "kiste", "flightcase", "crate", "palettenplatz"}, []string{"pallets", "paletten", "europaletten", "packages", "parcels", "pakete", "colli", "kolli", "cartons", "kartons", "boxes", "cases", "kisten", "flightcases", "crates"}},
	ofBottle:     {[]string{"bottle", "cylinder", "canister", "jerrycan", "drum", "tank", "tanker", "bowser", "keg", "flasche", "gasflasche", "zylinder", "kanister", "fass", "bouteille"}, []string{"bottles", "cylinders", "canisters", "jerrycans", "drums", "tanks", "tankers", "bowsers", "flaschen", "gasflaschen", "kanister", "fässer", "bouteilles"}},
	ofContainer:  {[]string{"bin", "container", "skip", "behälter", "mulde", "sack", "bag", "wheelie"}, []string{"bins", "containers", "skips", "behälter", "mulden", "sacks", "säcke", "bags", "wheeliebins", "containeranzahl", "behälteranzahl"}},
	ofCollection: {[]string{"collection", "lift", "emptying", "pickup", "leerung", "abholung", "abfuhr", "entleerung"}, []string{"collections", "lifts", "emptyings", "pickups", "leerungen", "abholungen", "abfuhren", "entleerungen"}},
	ofGenerator:  {[]string{"generator", "genset", "aggregat", "stromerzeuger", "stromaggregat"}, []string{"generators", "gensets", "sets", "generatoren", "aggregate", "stromerzeuger", "stromaggregate"}},
	ofVehicle:    {[]string{"vehicle", "truck", "lorry", "lkw", "fahrzeug", "van", "transporter", "car", "pkw", "auto", "coach", "bus", "trailer", "sattelzug"}, []string{"vehicles", "trucks", "lorries", "lkws", "fahrzeuge", "vans", "cars", "pkws", "autos", "coaches", "buses", "busse", "trailers", "sattelzüge"}},
	ofTrip:       {[]string{"trip", "journey", "run", "ride", "load", "delivery", "tour", "fahrt", "fuhre", "lieferung", "flight", "flug", "movement"}, []string{"trips", "journeys", "runs", "rides", "loads", "deliveries", "tours", "fahrten", "touren", "fuhren", "lieferungen", "flights", "flüge", "movements", "umläufe", "returntrips", "returnjourneys", "returnflights", "roundtrips", "onewaytrips", "einzelfahrten", "hinundrückfahrten"}},
	ofSession:    {[]string{"session", "meeting", "webinar", "call", "broadcast", "stream", "sitzung", "termin"}, []string{"sessions", "meetings", "webinars", "calls", "broadcasts", "sitzungen", "termine"}},
	ofHall:       {[]string{"hall", "stand", "booth", "halle", "messestand", "raum"}, []string{"halls", "stands", "booths", "hallen", "stände", "messestände", "räume"}},
	ofRoom:       {[]string{"room", "zimmer", "chambre"}, []string{"rooms", "zimmer", "chambres"}}, //nolint:misspell // French
	ofPerson:     {[]string{"person", "guest", "head", "pax", "participant", "attendee", "delegate", "passenger", "traveller", "gast", "kopf", "teilnehmer", "personne"}, []string{"persons", "people", "guests", "pax", "participants", "attendees", "delegates", "personen", "gäste", "teilnehmer", "teilnehmende", "personnes"}},
	ofNight:      {[]string{"night", "nacht", "übernachtung", "nuit"}, []string{"nights", "nächte", "übernachtungen", "nuits"}},
	ofDay:        {[]string{"day", "tag", "jour", "día"}, []string{"days", "tage", "jours", "días", "eventdays", "showdays", "veranstaltungstage", "einsatztage", "betriebstage", "daysonsite", "daysofuse", "daysinuse", "daysofoperation", "operatingdays", "runningdays", "tageimeinsatz"}},
	ofHour:       {[]string{"hour", "hr", "h", "std", "stunde", "betriebsstunde", "heure"}, []string{"hours", "hrs", "stunden", "std", "betriebsstunden", "laufzeit", "runhours", "runninghours", "operatinghours", "heures"}},
}

// numberWords are words of headings that only say that something is counted.
var numberWords = []string{"number", "no", "nr", "num", "of", "the", "der", "count", "anzahl", "qty", "quantity", "nombre", "de", "nb", "menge", "in"}

// countOf returns what a heading counts: days of Days, Number of days and Anzahl Tage; empty if it is none of a count.
func countOf(head string) counting {
	words := wordsOf(head)
	if slices.ContainsFunc(words, func(word string) bool { return perWords[word] }) {
		return ""
	}
	if of := countNamed(plain(head), false); of != "" {
		return of
	}
	rest := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(numberWords, word) })
	if len(rest) == len(words) || len(rest) == 0 {
		return ""
	}
	return countNamed(strings.Join(rest, ""), true)
}

// countNamed returns what a word counts, also in the singular.
func countNamed(word string, singular bool) counting {
	for of, words := range countWordsOf {
		if slices.Contains(words.plural, word) || singular && slices.Contains(words.singular, word) {
			return of
		}
	}
	return ""
}

// perWords stand between an amount and what it is of each of.
var perWords = map[string]bool{"per": true, "pro": true, "je": true, "par": true, "each": true}

// perHead is such a word with what follows it: per day, /h, pro Fahrt.
var perHead = regexp.MustCompile(`(?i)(?:[\s_(]+(?:per|pro|je|par)[\s_]+|\s*/\s*)(\p{L}+)\.?`)

// Words of the amount of one piece: Unit weight, Einzelgewicht, Stückpreis, weight each; and of what one container takes,
// such as Bin size and Behältervolumen.
var (
	unitPrefixes = []string{"unit ", "einzel", "stück"}
	eachSuffixes = []string{" each", " ea", " einzeln"}
	sizeHead     = regexp.MustCompile(`(?i)^(\p{L}+?)(?:s?[\s_-]+(?:size|volume|capacity|content|contents)|(?:n|s)?(?:größe|volumen|inhalt|kapazität|füllmenge|füllgewicht))\b`)
)

// eachOf returns the heading of an amount without what it is of each of: Weight (kg) and pallet of Weight per pallet (kg);
// false if it is another heading.
func eachOf(head string) (stem string, of counting, ok bool) {
	head = oneLine(head)
	if m := perHead.FindStringSubmatchIndex(head); m != nil {
		if of = countNamed(strings.ToLower(head[m[2]:m[3]]), true); of == "" {
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
	for _, prefix := range unitPrefixes {
		if rest, cut := strings.CutPrefix(lower, prefix); cut && strings.TrimFunc(rest, func(c rune) bool { return !unicode.IsLetter(c) }) != "" && len(rest) > 3 {
			return strings.TrimSpace(rest), ofPiece, true
		}
	}
	for _, suffix := range eachSuffixes {
		if rest, cut := strings.CutSuffix(strings.ToLower(strings.TrimRight(name, ") ")), suffix); cut || strings.Contains(lower, "("+suffix[1:]+")") {
			if !cut {
				return strings.TrimSpace(strings.Replace(lower, "("+suffix[1:]+")", "", 1)), ofPiece, true
			}
			return strings.TrimSpace(strings.TrimRight(rest, "( ") + head[len(name):]), ofPiece, true
		}
	}
	if m := sizeHead.FindStringSubmatchIndex(head); m != nil && measured && isUnit(unit) {
		if of = countNamed(strings.ToLower(head[m[2]:m[3]]), true); of == ofContainer || of == ofBottle {
			return amountWords[0] + " (" + unit + ")", of, true
		}
	}
	return "", "", false
}
