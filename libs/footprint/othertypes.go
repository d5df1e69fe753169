package footprint

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// kindFields are the fields that state what a record counts. Text in them that is not a valid value may be covered by
// another type.
var kindFields = []string{"category", "material", "source", "mode", "kind", "venueType", "diet"}

// kindValue is a value of such a field.
type kindValue struct{ typ, field, value string }

// kindValues returns all their values, in the order of the types.
var kindValues = sync.OnceValue(func() []kindValue {
	var out []kindValue
	set, _ := factors.ForStart("")
	for _, t := range registry() {
		r, shape := fields.Describe()
		t.decode(&decoder{Reader: r, engine: engines()[set.ID]})
		for i := range shape.Properties {
			if p := &shape.Properties[i]; slices.Contains(kindFields, p.Name) {
				for _, v := range p.Enum {
					out = append(out, kindValue{t.name, p.Name, v})
				}
			}
		}
	}
	return out
})

// elsewhere returns where a text that the field does not accept belongs: the record types that cover its meaning, or
// custom records. It returns an empty text for fields that do not state what is counted.
func elsewhere(field, text string) string {
	if !slices.Contains(kindFields, field[strings.LastIndexByte(field, '.')+1:]) {
		return ""
	}
	const most = 2
	var types, out []string
	for _, value := range meanings(plainWords(text)) {
		for _, v := range kindValues() {
			if v.value == value && !slices.Contains(types, v.typ) && len(out) < most {
				types = append(types, v.typ)
				if v.typ == "freight" && value == "air" && field == "mode" { // of people, who are more often meant
					out = append(out, "Records of flights take journeys by plane.")
				}
				out = append(out, fmt.Sprintf("Records of %s take it, as %s %s.", v.typ, v.field, v.value))
			}
		}
	}
	if len(out) == 0 && field == "mode" && synonyms()[OriginRows+".mode"][strings.ToLower(strings.TrimSpace(text))] == "plane" {
		return "Records of flights take journeys by plane."
	}
	if len(out) == 0 {
		return "If none of these fits, a custom record takes a figure of your own, with its source."
	}
	return strings.Join(out, " ")
}
