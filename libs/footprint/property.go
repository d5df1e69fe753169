package footprint

import (
	"encoding/json"
	"slices"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// Property is one field of a type's input, for generators.
type Property struct {
	Name string
	// Schema is its JSON Schema, members in a fixed order.
	Schema json.RawMessage
	// Required reports whether every record of the type has the field.
	Required bool
	// Shared reports whether every type has the field.
	Shared bool
	// Loose reports whether more spellings are accepted than by the schema's pattern or list.
	Loose bool
}

// Properties returns the fields of a type's input, its own first; nil for an
// unknown type.
func Properties(typ string) []Property {
	t, ok := find(typ)
	if !ok {
		return nil
	}
	set, _ := factors.ForStart("")
	r, shape := fields.Describe()
	t.decode(&decoder{Reader: r, engine: engines()[set.ID]})
	docs := t.docs()
	out := make([]Property, 0, len(shape.Properties))
	for i := range shape.Properties {
		p := &shape.Properties[i]
		text, err := json.Marshal(propertySchema(p, p.Name, docs, slices.Contains(shape.Content, p.Name)))
		if err != nil {
			return nil // a test asserts that there is a schema for every type
		}
		out = append(out, Property{Name: p.Name, Schema: text, Required: slices.Contains(shape.Required, p.Name), Loose: p.Loose || p.Items != nil && p.Items.Loose,
			Shared: slices.ContainsFunc(sharedDocs(), func(d fieldDoc) bool { return d.name == p.Name })})
	}
	return out
}

// Stored returns the fields of a type's record in responses: those of its input, more of which are always present,
// and those that the server owns; nil for an unknown type.
func Stored(typ string) []Property {
	t, ok := find(typ)
	if !ok {
		return nil
	}
	out := slices.DeleteFunc(Properties(typ), func(p Property) bool { return slices.Contains(t.doc.apart, p.Name) })
	for i := range out {
		out[i].Required = out[i].Required || slices.Contains(t.doc.answered, out[i].Name)
	}
	for _, p := range serverProperties {
		if slices.Contains(p.types, typ) {
			out = append(out, Property{Name: p.name, Schema: json.RawMessage(p.schema)})
		}
	}
	return out
}

// ServerOwned returns the fields of any type's record that the server adds.
func ServerOwned() (names []string) {
	for _, p := range serverProperties {
		names = append(names, p.name)
	}
	return names
}

// serverProperties are the fields that the server adds to those of the input, and the types that have them. They are
// accepted in a body.
var serverProperties = [...]struct {
	name   string
	types  []string
	schema string
}{
	{"journey", []string{"flights", "ground-transport", "freight"}, `{"type":"object","description":"The locations that the places were matched to. Set by the server; sending it back has no effect.","properties":{` +
		`"stops":{"type":"array","maxItems":12,"description":"The places in their order.","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"Name of the place."},` +
		`"region":{"type":"string","description":"State, province or county."},` +
		`"country":{"type":"string","description":"ISO 3166-1 alpha-2."},` +
		`"geonameId":{"type":"integer","minimum":1,"description":"GeoNames id, for a town."},` +
		`"code":{"type":"string","description":"Code of the airport, or of the airport that is used for the town."},` +
		`"latitude":{"type":"number","minimum":-90,"maximum":90,"x-unit":"°","description":"Degrees north."},` +
		`"longitude":{"type":"number","minimum":-180,"maximum":180,"x-unit":"°","description":"Degrees east."},` +
		`"radiusKm":{"type":"integer","minimum":0,"x-unit":"km","description":"For a postcode area: nine out of ten of its addresses are within this distance."},` +
		`"airportKm":{"type":"number","minimum":0,"x-unit":"km","description":"From the town to the airport that is used for it."}}}},` +
		`"greatCircleKm":{"type":"number","minimum":0,"x-unit":"km","description":"Sum of the great circles of the legs."},` +
		`"distanceKm":{"type":"number","minimum":0,"x-unit":"km","description":"The same multiplied by the detour factor of the mode."},` +
		`"detours":{"type":"array","maxItems":12,"description":"The detour factors used, by the ids of their rows.","items":{"type":"string"}},` +
		`"lowKm":{"type":"number","minimum":0,"x-unit":"km","description":"Lower bound of the distance."},` +
		`"highKm":{"type":"number","minimum":0,"x-unit":"km","description":"Upper bound of the distance."}}}`},
	{"venue", []string{AttendeeTravel}, `{"type":"object","description":"The location that to was matched to. Set by the server; sending it back has no effect.","properties":{` +
		`"name":{"type":"string","description":"Name of the place."},` +
		`"region":{"type":"string","description":"State, province or county."},` +
		`"country":{"type":"string","description":"ISO 3166-1 alpha-2."},` +
		`"geonameId":{"type":"integer","minimum":1,"description":"GeoNames id, for a town."},` +
		`"code":{"type":"string","description":"Code of the airport, or of the airport that is used for the town."},` +
		`"latitude":{"type":"number","minimum":-90,"maximum":90,"x-unit":"°","description":"Degrees north."},` +
		`"longitude":{"type":"number","minimum":-180,"maximum":180,"x-unit":"°","description":"Degrees east."},` +
		`"radiusKm":{"type":"integer","minimum":0,"x-unit":"km","description":"For a postcode area: nine out of ten of its addresses are within this distance."},` +
		`"area":{"type":"boolean","description":"True for a town or a postcode area."}}}`},
	{"originSet", []string{AttendeeTravel}, `{"type":"object","description":"A summary of the rows of origins, in responses in place of them; GET …/{recordId}/origins returns them. Set by the server; sending it back has no effect.","properties":{` +
		`"rows":{"type":"integer","minimum":1,"description":"Number of rows, after adding up those of the same origin."},` +
		`"people":{"type":"integer","minimum":1,"description":"People in all rows."},` +
		`"withoutOrigin":{"type":"integer","minimum":0,"description":"Of these, people without an origin."},` +
		`"withoutMode":{"type":"integer","minimum":0,"description":"Of these, people whose mode is not known."},` +
		`"hash":{"type":"string","description":"SHA-256 of the rows."}}}`},
	{"supplier", []string{"venue", "purchases", "custom"}, `{"type":"object","description":"The version of the supplier's factor that the record keeps, a copy of what was approved. Set by the server; sending it back has no effect.","properties":{` +
		`"id":{"type":"string","description":"Id of the version in the library."},` +
		`"name":{"type":"string","description":"Name of the factor."},` +
		`"version":{"type":"integer","minimum":1,"description":"Its version."},` +
		`"kgCO2ePerUnit":{"type":"number","minimum":0,"x-unit":"kg CO2e/unit","description":"The figure for one unit."},` +
		`"unit":{"type":"string","description":"Unit of the figure: kWh, a currency, or any other."},` +
		`"stage":{"type":"string","description":"direct, upstream or combined."},` +
		`"scope3Category":{"type":"string","description":"Scope 3 category that it belongs to."},` +
		`"validFrom":{"type":"string","format":"date","description":"First day on which it is valid."},` +
		`"validTo":{"type":"string","format":"date","description":"Last day on which it is valid."},` +
		`"source":{"type":"string","description":"Where the figure was published."},` +
		`"evidence":{"type":"array","maxItems":10,"description":"Documents that support it.","items":{"type":"object","properties":{` +
		`"name":{"type":"string","description":"Name of the document."},"url":{"type":"string","description":"Where it is."},` +
		`"sha256":{"type":"string","description":"Hash of its bytes."}}}},` +
		`"uncertaintyFactor":{"type":"number","minimum":1,"x-unit":"factor of the 95% interval","description":"Factor of the 95 % interval: the figure ÷ this to the figure × this."}}}`},
	{"derived", []string{"ground-transport", "catering", "purchases", "custom"}, `{"type":"object","maxProperties":5,"additionalProperties":true,"description":"Fields that the input did not have and the server calculated, with their values: the distance that the fuel is enough for, the kg CO2e per unit of currency of the spend model. Sending it back has no effect."}`},
}

// docs returns the documentation of the fields of a type, by path.
func (t *recordType) docs() map[string]fieldDoc {
	docs := make(map[string]fieldDoc)
	for _, d := range append(sharedDocs(), t.doc.fields...) {
		docs[d.name] = d
	}
	return docs
}
