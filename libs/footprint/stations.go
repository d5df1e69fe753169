package footprint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/places"
)

// stationWords follow a town in the name of one of its stations, by the countries of such stations: words for a station,
// and the names of stations that large towns have several of. They are normalized. Those of no country are used in several
// languages.
var stationWords = map[string][]string{
	"": {
		"railway station", "train station", "central station", "station", "central", "international", "intl", "airport station", "ost", "west", "sud", "nord", "est", "c", "parkway", "victoria", "europe", "gare", "midi",
	},
	"DE AT CH": {
		"hauptbahnhof", "hbf", "hb", "hbf tief", "sbb", "bad bf", "bahnhof", "bf", "fernbf", "fernbahnhof", "ostbahnhof", "westbahnhof", "sudbahnhof", "nordbahnhof", "messe deutz", "deutz", "sudkreuz", "gesundbrunnen", "pasing", "spandau", "meidling", "dammtor", "altona", "harburg",
		"wilhelmshohe", "bad cannstatt", "cornavin", "sud bahnhof", "hutteldorf", "praterstern", "oerlikon", "stadelhofen", "hardbrucke",
	},
	"GB": {
		"st pancras international", "st pancras intl", "st pancras", "saint pancras", "kings cross", "king s cross", "euston", "paddington", "waterloo", "liverpool street", "marylebone", "charing cross", "london bridge", "fenchurch street", "blackfriars",
		"piccadilly", "oxford road", "new street", "moor street", "snow hill", "waverley", "haymarket", "queen street", "lime street", "temple meads",
	},
	"FR": {
		"gare de lyon", "gare du nord", "gare de l est", "gare de lest", "gare montparnasse", "montparnasse", "gare saint lazare", "saint lazare", "st lazare", "gare d austerlitz", "austerlitz", "bercy", "gare de bercy",
		"part dieu", "perrache", "saint charles", "st charles", "flandres", "saint jean", "st jean", "matabiau", "gare tgv", "tgv", "saint exupery tgv", "ville", "chantiers", "saint roch", "sud de france",
	},
	"IT": {
		"centrale", "c le", "termini", "tiburtina", "ostiense", "porta nuova", "porta susa", "p nuova", "p susa", "santa lucia", "s lucia", "mestre", "porta garibaldi", "p garibaldi", "rogoredo", "cadorna", "santa maria novella", "s m novella", "smn", "s m n", "campo di marte", "rifredi",
		"piazza principe", "p principe", "brignole", "afragola", "av mediopadana", "mediopadana",
	},
	"ES": {
		"atocha", "puerta de atocha", "puerta de atocha almudena grandes", "atocha almudena grandes", "chamartin", "chamartin clara campoamor", "sants", "barcelona sants", "santa justa", "joaquin sorolla", "delicias", "maria zambrano", "abando", "campo grande",
	},
	"PT":    {"oriente", "santa apolonia", "campanha", "sao bento", "entrecampos"},
	"NL BE": {"centraal", "cs", "zuid", "noord", "hs", "guillemins", "midi", "zuid midi", "sint pieters", "st pieters", "amstel", "sloterdijk", "bijlmer arena", "luchtbal", "berchem"},
	"DK NO": {"h", "hovedbanegard", "banegard"},
	"SE":    {"centralstation", "centralen"},
	"PL":    {"centralna", "glowny", "glowna", "wschodnia", "zachodnia", "gdanska", "osobowy"},
	"CZ SK": {"hl n", "hlavni nadrazi", "hlavna stanica", "hl st", "holesovice", "smichov"},
	"HU":    {"keleti", "nyugati", "deli", "kelenfold", "keleti palyaudvar", "keleti pu"},
}

// stationCountries returns the countries of the stations that a text calls, separated by spaces, and whether it is a word
// for, or the name of, stations.
func stationCountries(text string) (countries string, ok bool) {
	key := stationKey(text)
	for of, words := range stationWords {
		if slices.Contains(words, key) {
			countries, ok = countries+" "+of, true
		}
	}
	return countries, ok
}

// findTown returns the town of a station with a name: in one of the countries that the station's name is of if only one has
// it, or its largest has ten times the people, else wherever places.Find has it. Roma Termini is in Italy, while Roma alone
// may be a town of Texas too.
func findTown(name, countries, home string) (places.Found, bool) {
	var found []places.Found
	for country := range strings.FieldsSeq(countries) {
		if town, err := places.Find(name+", "+country, country); err == nil {
			found = append(found, town)
		}
	}
	slices.SortFunc(found, func(a, b places.Found) int { return cmp.Compare(b.Population, a.Population) })
	const dominance = 10
	if len(found) == 1 || len(found) > 1 && found[0].Population >= dominance*found[1].Population {
		return found[0], true
	}
	town, err := places.Find(name, home)
	return town, err == nil
}

// stationTown returns the town of a station that a text names: Köln Hbf, London St Pancras, "Gare du Nord, Paris", with
// or without the country behind it. It is for texts that are not the name of a place. The name of a station alone, such as
// Gare de Lyon, which is in Paris, does not determine its town.
func stationTown(text, home string) (places.Found, bool) {
	name, rest, _ := strings.Cut(strings.ReplaceAll(text, "(Main)", " am Main "), ",")
	if rest = strings.TrimSpace(rest); rest != "" {
		if _, ok := stationCountries(name); ok {
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
		countries, ok := stationCountries(strings.Join(words[n:], " "))
		if !ok {
			continue
		}
		town := strings.Join(words[:n], " ")
		if rest != "" {
			town, countries = town+rest, ""
		}
		if found, ok := findTown(town, countries, home); ok {
			return found, true
		}
	}
	return places.Found{}, false
}

// stationKey normalizes a text, with one space between its words.
func stationKey(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("-", " ", "/", " ", "'", " ", "’", " ", ".", " ").Replace(places.Normalize(text))), " ")
}
