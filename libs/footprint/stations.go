package footprint

import (
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/places"
)

// stationWords follow a town in the name of one of its stations: words for a station, and the names of stations that
// large towns have several of. They are normalized; words of several parts come before their parts.
var stationWords = []string{
	"hauptbahnhof", "hbf", "hb", "sbb", "bahnhof", "bf", "ostbahnhof", "westbahnhof", "sudbahnhof", "nordbahnhof", "ost", "west", "sud", "nord", "messe deutz", "deutz", "sudkreuz", "gesundbrunnen", "pasing", "meidling", "dammtor", "altona", "harburg",
	"railway station", "train station", "central station", "station", "central", "centraal", "centrale", "central station", "c", "termini", "tiburtina", "porta nuova", "porta susa", "santa lucia", "mestre", "porta garibaldi",
	"st pancras international", "st pancras intl", "st pancras", "saint pancras", "kings cross", "king s cross", "euston", "paddington", "victoria", "waterloo", "liverpool street", "marylebone", "charing cross", "london bridge",
	"piccadilly", "oxford road", "new street", "moor street", "waverley", "haymarket", "queen street", "lime street", "temple meads", "parkway",
	"gare de lyon", "gare du nord", "gare de l est", "gare de lest", "gare montparnasse", "montparnasse", "gare saint lazare", "saint lazare", "st lazare", "gare d austerlitz", "austerlitz", "bercy", "est",
	"part dieu", "perrache", "saint charles", "st charles", "europe", "flandres", "saint jean", "matabiau", "gare tgv", "gare", "midi", "zuid", "noord", "guillemins",
	"atocha", "puerta de atocha", "chamartin", "sants", "santa justa", "oriente", "santa apolonia", "cornavin",
}

// stationTown returns the town of a station that a text names: Köln Hbf, London St Pancras, "Gare du Nord, Paris", with
// or without the country behind it. It is for texts that no place is called. The name of a station alone, such as
// Gare de Lyon, says nothing: that one is in Paris.
func stationTown(text, home string) (places.Found, bool) {
	name, rest, _ := strings.Cut(strings.ReplaceAll(text, "(Main)", " am Main "), ",")
	if rest = strings.TrimSpace(rest); rest != "" {
		if slices.Contains(stationWords, stationKey(name)) {
			found, err := places.Find(rest, home)
			return found, err == nil
		}
		rest = ", " + rest
	}
	words := strings.Fields(strings.NewReplacer("-", " ", "/", " ").Replace(name))
	if len(words) < 2 {
		return places.Found{}, false
	}
	if first := stationKey(words[0]); first == "bahnhof" || first == "hauptbahnhof" {
		found, err := places.Find(strings.Join(words[1:], " ")+rest, home)
		return found, err == nil
	}
	for n := len(words) - 1; n > 0; n-- {
		if !slices.Contains(stationWords, stationKey(strings.Join(words[n:], " "))) {
			continue
		}
		if found, err := places.Find(strings.Join(words[:n], " ")+rest, home); err == nil {
			return found, true
		}
	}
	return places.Found{}, false
}

// stationKey normalizes a text, with one space between its words.
func stationKey(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("-", " ", "/", " ", "'", " ", "’", " ", ".", " ").Replace(places.Normalize(text))), " ")
}
