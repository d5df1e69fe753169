package footprint

import (
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

//go:embed words/headings.json
var headingWords []byte

//go:embed words/synonyms.json
var synonymWords []byte

//go:embed words/tables.json
var tableWords []byte

// TableWords returns the words by which package sheet reads the tables of suppliers: what headings beside those of fields
// mean, and what the cells of a row say of it. It is a JSON object of lists by name; an entry @name stands for that list.
func TableWords() json.RawMessage { return tableWords }

// headings holds the column headings of tables for fields, in addition to the fields' names, by field or by
// type.field. A physical quantity has only headings with its unit: a column "Distance" may be in miles, and package
// sheet reads it if each cell has its unit.
var headings = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	_ = json.Unmarshal(headingWords, &out) // a test asserts that it can be read
	return out
})

// synonyms holds the texts used in tables for the values of a field, by field or by type.field. They must be
// unambiguous, since figures depend on them. Ambiguous ones are in words/everyday.json and only suggested.
var synonyms = sync.OnceValue(func() map[string]map[string]string {
	out := map[string]map[string]string{}
	_ = json.Unmarshal(synonymWords, &out) // a test asserts that it can be read
	return out
})

// addSynonyms adds the synonyms of its values to a property: those of words/synonyms.json and the German names of the values, and
// of a truth value the words for true and false.
func addSynonyms(property *object, typ, name string) {
	words := map[string]string{}
	for _, field := range [...]string{typ + "." + name, name} {
		if own := synonyms()[field]; len(own) > 0 {
			maps.Copy(words, own)
			break
		}
	}
	for _, m := range *property {
		switch value := m.value.(type) {
		case []string:
			if m.name == "enum" && name != "numberFormat" {
				addGerman(words, name, value)
			}
		case string:
			if m.name == "type" && value == "boolean" {
				words = truthWords(name)
			}
		}
	}
	if len(words) > 0 {
		property.set("x-synonyms", words)
	}
}

// addGerman adds the German names of values that mean one of them only.
func addGerman(words map[string]string, field string, values []string) {
	names, german := map[string]string{}, german()
	for _, v := range values {
		word := strings.ToLower(german.value(field, v))
		if _, twice := names[word]; twice {
			v = ""
		}
		names[word] = v
	}
	for word, v := range names {
		if _, known := words[word]; !known && v != "" && word != "" && !slices.Contains(values, word) {
			words[word] = v
		}
	}
}

// truthWords returns the words for true and false, and of a return journey those for both ways and for one.
func truthWords(field string) map[string]string {
	words := map[string]string{}
	for word, truth := range fields.Truths() {
		words[word] = strconv.FormatBool(truth)
	}
	if field != "roundTrip" {
		return words
	}
	var lists map[string][]string
	_ = json.Unmarshal(tableWords, &lists) // a test asserts that it can be read
	var add func(list, value string)
	add = func(list, value string) {
		for _, word := range lists[list] {
			if other, all := strings.CutPrefix(word, "@"); all {
				add(other, value)
				continue
			}
			words[word] = value
		}
	}
	add("returnWays", "true")
	add("oneWays", "false")
	return words
}

// symbolBehind returns a unit as it stands behind a title, empty for one in words: a share without % may be one of 1, and
// a density one in tonnes. Of a factor it is that of its emissions, for what is in the title.
func symbolBehind(unit string) string {
	if unit, _, _ = strings.Cut(unit, "/room-night"); unit == "kg CO2e/unit of currency" {
		unit = "kg CO2e"
	}
	switch unit {
	case "%", "kVA", "kg/m3", "g/m2", "kg CO2e":
		return " (" + unit + ")"
	}
	return ""
}

// addHeadings adds to the properties of a type's schema their column headings: the words of words/headings.json and,
// unless tables may have the field in other units, its title in each language; and the synonyms of values.
func addHeadings(s object, typ string) {
	at := slices.IndexFunc(s, func(m member) bool { return m.name == "properties" })
	properties, _ := s[at].value.(object)
	for i := range properties {
		name := properties[i].name
		property, ok := properties[i].value.(object)
		if !ok {
			continue
		}
		var words []string
		if _, converted := units.OfField(name); !converted {
			title := german().Fields[typ+"."+name].Title
			if title == "" {
				title = german().Fields[name].Title
			}
			for _, word := range [...]string{labelOf(name), title} {
				if word != "" {
					words = append(words, word+symbolBehind(unitOf(name)))
				}
			}
		}
		words = slices.Concat(words, headings()[typ+"."+name], headings()[name])
		var out []string
		for _, word := range words {
			if word = strings.ToLower(word); word != "" && word != strings.ToLower(name) && !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
		if len(out) > 0 {
			property.set("x-headings", out)
		}
		addSynonyms(&property, typ, name)
		properties[i].value = property
		if rows := typ + "/" + name; rows == OriginRows {
			items := slices.IndexFunc(property, func(m member) bool { return m.name == "items" })
			row, _ := property[items].value.(object)
			addHeadings(row, rows)
		}
	}
}
