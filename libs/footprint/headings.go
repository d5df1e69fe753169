package footprint

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

//go:embed words/headings.json
var headingWords []byte

//go:embed words/synonyms.json
var synonymWords []byte

// headings holds what tables call the columns of fields, beside their names, by
// field or by type.field. A physical quantity is there only by words that say its
// unit: below "Distance" there may be miles, which package sheet reads where each cell
// has its unit.
var headings = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	_ = json.Unmarshal(headingWords, &out) // a test asserts that it can be read
	return out
})

// synonyms holds what tables have in place of the values of a field, by field or by
// type.field: words that mean that value and nothing else, since a figure follows from
// them. What is less certain is in words/everyday.json, and is asked back.
var synonyms = sync.OnceValue(func() map[string]map[string]string {
	out := map[string]map[string]string{}
	_ = json.Unmarshal(synonymWords, &out) // a test asserts that it can be read
	return out
})

// addSynonyms names in a property what tables have in place of its values.
func addSynonyms(property *object, typ, name string) {
	for _, field := range [...]string{typ + "." + name, name} {
		if words := synonyms()[field]; len(words) > 0 {
			property.set("x-synonyms", words)
			return
		}
	}
}

// addHeadings names in the properties of a type's schema what tables call them: the
// words of words/headings.json and, of a field without unit, its title in each
// language; and what they have in place of values.
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
		if unitOf(name) == "" {
			title := german().Fields[typ+"."+name].Title
			if title == "" {
				title = german().Fields[name].Title
			}
			words = append(words, labelOf(name), title)
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
