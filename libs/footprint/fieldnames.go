package footprint

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/fields"
)

// schemaObject is the part of a schema that names fields.
type schemaObject struct {
	Properties map[string]struct {
		schemaObject
		Headings []string      `json:"x-headings"`
		Items    *schemaObject `json:"items"`
	} `json:"properties"`
}

// fieldNames holds the fields that tables name with a word, by the object that has them: a type, followed by the
// path of an object inside of its records, such as attendee-travel.origins. The words are folded.
var fieldNames = sync.OnceValue(func() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	var add func(path string, o *schemaObject)
	add = func(path string, o *schemaObject) {
		words := map[string][]string{}
		for name, p := range o.Properties {
			for _, heading := range p.Headings {
				if word := fields.FoldName(heading); !slices.Contains(words[word], name) {
					words[word] = append(words[word], name)
				}
			}
			add(path+"."+name, &p.schemaObject)
			if p.Items != nil {
				add(path+"."+name, p.Items)
			}
		}
		for _, names := range words {
			slices.Sort(names)
		}
		out[path] = words
	}
	for _, t := range registry() {
		var o schemaObject
		_ = json.Unmarshal(Schema(t.name), &o) // a test asserts that it can be read
		add(t.name, &o)
	}
	return out
})

// fieldsNamed returns a function that returns the fields of an object of a record, given by its path, that tables
// name with a folded word: pax means the people of an origin.
func fieldsNamed(typ string) func(path, name string) []string {
	return func(path, name string) []string {
		var object strings.Builder
		object.WriteString(typ)
		for step := range strings.SplitSeq(path, ".") {
			if step, _, _ = strings.Cut(step, "["); step != "" {
				object.WriteString("." + step)
			}
		}
		return fieldNames()[object.String()][name]
	}
}
