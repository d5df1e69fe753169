package footprint

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// kindFields are the fields that say what a record counts. What is written there and
// is not among the values of the field may be counted by another type.
var kindFields = []string{"category", "material", "source", "mode", "kind", "venueType", "diet"}

// kindValue is a value of such a field.
type kindValue struct{ typ, field, value string }

// kindValues holds all of them, in the order of the types.
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

// elsewhere says where a text belongs that the field it was written in does not take:
// which records take what it means as a whole, or that custom records take anything.
// It is empty for fields that do not say what is counted.
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
				out = append(out, fmt.Sprintf("Records of %s take it, as %s %s.", v.typ, v.field, v.value))
			}
		}
	}
	if len(out) == 0 {
		return "If none of these fits, a custom record takes a figure of your own, with its source."
	}
	return strings.Join(out, " ")
}
