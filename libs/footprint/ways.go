package footprint

import (
	"encoding/json"
	"strings"
)

// way is one of the ways to state a record of a type: by distance, by places, by fuel. Together they cover everything
// that the type's decoder accepts.
type way struct {
	title, help string
	// needs are the required fields, oneOf those of which at least one is required, and more the optional ones that
	// belong to this way.
	needs, oneOf, more []string
	// example is a valid input of this way.
	example string
}

// alternatives returns the ways of a type as branches of anyOf. x-fields are the fields of a form for the way, in
// order; x-optional are the optional ones. Fields that no way names are part of all.
func alternatives(ways []way) []object {
	out := make([]object, 0, len(ways))
	for _, w := range ways {
		branch := object{{"title", w.title}, {"description", w.help}}
		if len(w.needs) > 0 {
			branch.set("required", w.needs)
		}
		if len(w.oneOf) > 0 {
			branch.set("anyOf", eachRequired(w.oneOf))
		}
		all := append(append(append([]string{}, w.needs...), w.oneOf...), w.more...)
		branch.set("x-fields", all)
		if len(w.more) > 0 {
			branch.set("x-optional", w.more)
		}
		branch.set("examples", []json.RawMessage{json.RawMessage(w.example)})
		out = append(out, branch)
	}
	return out
}

// eachRequired returns a schema for each name that requires it.
func eachRequired(names []string) []object {
	out := make([]object, 0, len(names))
	for _, name := range names {
		out = append(out, object{{"required", []string{name}}})
	}
	return out
}

// labels are those that cannot be derived from the field's name.
var labels = map[string]string{
	"externalReference": "Your reference", "sampleCV": "Coefficient of variation", "numberFormat": "How numbers are written", "evidence.url": "Address",
	"evidence.sha256": "SHA-256 hash", "stated": "As the paper has it", "gasKWh": "Natural gas", "heatKWh": "District heat", "areaM2": "Area", "gramsPerM2": "Weight per area",
	"generatorKVA": "Rated power", "supplyM3": "Water supplied", "kgCO2e": "Footprint", "kgCO2ePerUnit": "Factor per unit of currency",
	"kgCO2ePerRoomNight": "Factor per room and night", "vatIncluded": "VAT included", "vatRate": "VAT rate", "scope3Category": "Scope 3 category",
	"densityKgPerM3": "Density", "roundTrip": "Round trip", "usesOverLife": "Uses over its life", "site": "Name of the site",
	"annualGasKWh": "Natural gas in a year", "annualElectricityKWh": "Electricity in a year", "spaceSharePercent": "Share of the space", "floorAreaM2": "Floor area",
	"fillPercent": "How full", "loadPercent": "Mean load", "renewablePercent": "Renewable share", "wastedPercent": "Share thrown away",
}

// labelOf returns the label of a field for forms: the words of its name, without the unit, which is shown separately.
func labelOf(path string) string {
	if text, ok := labels[path]; ok {
		return text
	}
	name := path[strings.LastIndex(path, ".")+1:]
	for _, unit := range [...]string{"KWh", "Km", "Kg", "M2", "M3", "Litres", "Percent"} {
		if bare := strings.TrimSuffix(name, unit); bare != "" {
			name = bare
		}
	}
	var b strings.Builder
	for i, r := range strings.TrimSuffix(name, "[]") {
		switch {
		case r == '_':
			b.WriteByte(' ')
		case r >= 'A' && r <= 'Z' && i > 0:
			b.WriteString(" " + strings.ToLower(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return upperFirst(b.String())
}
