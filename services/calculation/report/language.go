package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/messages"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

// language is what a page is written in. English is in the code. Another
// language has a catalogue of the same texts: words/<tag>.json. Names of types, of their values, and
// what findings and notices say are those of [footprint] and [messages]; names of countries are
// those of [locations].
type language struct {
	tag string
	catalogue
	// lookedUp is called with each text that is looked up, and whether it was found; it may be nil.
	lookedUp func(text string, found bool)
}

// catalogue is a language beside English.
type catalogue struct {
	// Decimal and Group are the marks in numbers.
	Decimal, Group string
	// Texts are sentences and words by the English ones. What fmt puts into the one, it puts
	// into the other.
	Texts map[string]string
	// Regions are the names of regions of factors that are no countries, by their codes.
	Regions map[string]string
}

//go:embed words/*.json
var files embed.FS

// languages are the languages other than English by their tags. A test reads all of them.
var languages = sync.OnceValues(func() (map[string]*language, error) {
	all := map[string]*language{}
	for _, tag := range footprint.Languages()[1:] {
		l := &language{tag: tag}
		name := "words/" + tag + ".json"
		text, err := files.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, &l.catalogue)
		}
		if err != nil {
			return nil, fmt.Errorf("report: %s: %w", name, err)
		}
		all[tag] = l
	}
	return all, nil
})

// englishRegions are the names of regions of factors that are no countries.
var englishRegions = map[string]string{
	"AFRICA": "Africa", "ASIA": "Asia", "EU": "European Union", "EU-REST": "rest of Europe", "EUROPE": "Europe", "GLOBAL": "worldwide",
	"LATAM": "Latin America", "MIDDLE-EAST": "Middle East", "NORTH-AMERICA": "North America", "OCEANIA": "Oceania",
	"UK": "United Kingdom", "WORLD": "worldwide",
}

// languageOf returns the language with a tag.
func languageOf(tag string) (*language, error) {
	if tag == footprint.English {
		return &language{tag: tag, catalogue: catalogue{Regions: englishRegions}}, nil
	}
	all, err := languages()
	if err != nil {
		return nil, err
	}
	if l, ok := all[tag]; ok {
		return l, nil
	}
	return nil, fmt.Errorf("report: there are no texts in the language %q", tag)
}

func (l *language) english() bool { return l.tag == footprint.English }

// text returns an English text in the language, with arguments as fmt.Sprintf has them. One
// that the catalogue does not have stays English.
func (l *language) text(english string, args ...any) string {
	format := english
	if !l.english() {
		own, found := l.Texts[english]
		if found {
			format = own
		}
		l.tell(english, found)
	}
	if len(args) == 0 {
		return format
	}
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = fields.Legible(s)
		}
	}
	return fmt.Sprintf(format, args...)
}

// tell calls lookedUp.
func (l *language) tell(text string, found bool) {
	if l.lookedUp != nil {
		l.lookedUp(text, found)
	}
}

// quote returns a text that is in English on each page.
func (l *language) quote(text string) phrase { return phrase{text, !l.english()} }

// formula returns the formula of a line with the words and the marks of the language: beside tables, 1,400 kg would be
// read as another figure where a comma is the decimal mark.
func (l *language) formula(english string) string {
	if l.english() {
		return english
	}
	return numberOfFormula.ReplaceAllStringFunc(messages.FormulaIn(l.tag, english), l.number)
}

// numberOfFormula is a number in a formula, with every digit.
var numberOfFormula = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)

// number writes a number with the marks of the language. It is in plain digits, or grouped as
// [explain.Grouped] does.
func (l *language) number(s string) string {
	if l.english() {
		return s
	}
	return strings.NewReplacer(",", l.Group, ".", l.Decimal).Replace(s)
}

// count writes how many there are of something.
func (l *language) count(n int64) string { return l.number(explain.Grouped(fmt.Sprint(n))) }

// listed writes names as a part of a sentence.
func (l *language) listed(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + l.text(" and ") + names[n-1]
	}
	return strings.Join(names, "")
}

// date writes a day.
func (l *language) date(day time.Time) string {
	return l.text("%[1]d %[2]s %[3]d", day.Day(), l.text(day.Month().String()), day.Year())
}

// isoDate writes a day of a record or a factor. English pages have it as it was stated.
func (l *language) isoDate(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil || l.english() {
		return day
	}
	return l.date(at)
}

// dates writes the days of an event.
func (l *language) dates(ev footprint.EventContext) string {
	start, err := time.Parse(time.DateOnly, ev.StartDate)
	if err != nil {
		return ""
	}
	end, err := time.Parse(time.DateOnly, ev.EndDate)
	switch {
	case err != nil || end.Equal(start):
		return l.date(start)
	case end.Year() == start.Year() && end.Month() == start.Month():
		return l.text("%d to %s", start.Day(), l.date(end))
	}
	return l.text("%s to %s", l.date(start), l.date(end))
}

// minute writes a moment to the minute.
func (l *language) minute(moment string) string {
	at, err := time.Parse(time.RFC3339, moment)
	if err != nil {
		return moment
	}
	return l.moment(at)
}

func (l *language) moment(at time.Time) string {
	at = at.UTC()
	return l.text("%s, %s UTC", l.date(at), at.Format("15:04"))
}

// typeName returns what people call a type of records. An event may state types that there
// are not, in its own words.
func (l *language) typeName(typ string) string {
	if own := footprint.NameIn(strings.ReplaceAll(typ, "_", "-"), l.tag); own != "" {
		return own
	}
	return capital(words(typ))
}

// groupName returns what people call a group of people.
func (l *language) groupName(group string) string {
	if group == footprint.GroupUnspecified {
		return l.text("Not stated")
	}
	return capital(l.value("group", group))
}

// value returns what people call a value of a field of records.
func (l *language) value(field, value string) string {
	if own := footprint.ValueIn(field, value, l.tag); own != "" {
		return own
	}
	return words(value)
}

// category returns what people call a category of scope 3.
func (l *language) category(category string) string {
	if category == footprint.CategoryOptional {
		return l.text("Optional: visitors, and what is exhibitors' own")
	}
	if own := footprint.ValueIn("scope3Category", category, l.tag); own != "" {
		return "Scope 3." + own
	}
	return category
}

// country returns what people call a country, the state of one, or a part of the world; the code
// where there is no name.
func (l *language) country(code string) string {
	if name, ok := l.Regions[code]; ok {
		return name
	}
	land, state, divided := strings.Cut(code, "-")
	switch name, ok := locations.CountryName(land, l.tag); {
	case ok && divided:
		return name + " (" + state + ")"
	case ok:
		return name
	}
	return code
}

// region returns what people call the region of a factor; what a publication says in other
// words is quoted.
func (l *language) region(region string) phrase {
	if name := l.country(region); name != region {
		return phrase{text: name}
	}
	return l.quote(region)
}

// unit returns what people call a unit of factors.
func (l *language) unit(unit string) string {
	word := explain.Unit(unit)
	if own := messages.Word(l.tag, word); own != "" {
		return own
	}
	return word
}

// words writes an id as words.
func words(id string) string { return strings.NewReplacer("-", " ", "_", " ").Replace(id) }

// capital begins a text with a capital letter.
func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[size:]
}
