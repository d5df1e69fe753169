package footprint

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/spelling"
	"github.com/eventcarbon/ecf/libs/units"
)

// Codes of faults of stated texts.
const (
	AmbiguousNumber = "AMBIGUOUS_NUMBER"
	AmbiguousUnit   = "AMBIGUOUS_UNIT"
	UnknownUnit     = "UNKNOWN_UNIT"
)

// DeclareNumbers explains how to declare the format of numbers.
const DeclareNumbers = "numberFormat declares it, such as 1,234.5 or 1.234,5."

// maxStated bounds the fields that a record states with units.
const maxStated = 40

// numbers are the numeric fields of each type: those that may be stated with a unit.
var numbers = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	set, _ := factors.ForStart("")
	for _, t := range registry() {
		r, shape := fields.Describe()
		t.decode(&decoder{Reader: r, engine: engines()[set.ID]})
		for i := range shape.Properties {
			if p := &shape.Properties[i]; p.Type == "number" || p.Type == "integer" {
				out[t.name] = append(out[t.name], p.Name)
			}
		}
	}
	return out
})

// restated returns a body with the numbers of its stated object in their fields, converted to the fields' units, and
// the faults of conversion. A body without the object is returned unchanged.
func restated(typ string, r *fields.Reader, body []byte) ([]byte, []apperr.Detail) {
	if !r.Has("stated") {
		return body, nil
	}
	stated := map[string]string{}
	raw, _ := r.Raw("stated")
	if json.Unmarshal(raw, &stated) != nil {
		return body, nil // the reader finds the fault
	}
	var format units.Format
	if text, ok := r.Raw("numberFormat"); ok {
		var name string
		if json.Unmarshal(text, &name) == nil {
			format, _ = units.ParseFormat(name)
		}
	}
	all := map[string]json.RawMessage{}
	if json.Unmarshal(body, &all) != nil {
		return body, nil
	}
	var faults []apperr.Detail
	for _, name := range slices.Sorted(maps.Keys(stated)) {
		number, fault := converted(typ, name, stated[name], format)
		if fault == nil && given(all[name]) && !same(all[name], number) {
			fault = &apperr.Detail{Field: name, Code: fields.NotAllowed,
				Message: fmt.Sprintf("%s is given twice, as %s and in stated as %q. Leave out one of the two.", name, shorten(string(all[name])), shorten(stated[name]))}
		}
		if fault != nil {
			faults = append(faults, *fault)
			if !given(all[name]) {
				all[name] = json.RawMessage("1") // so that it is not reported as missing as well; the body is rejected anyway
			}
			continue
		}
		all[name] = json.RawMessage(number.String())
	}
	out, err := json.Marshal(all)
	if err != nil {
		return body, faults
	}
	return out, faults
}

// inOtherUnits returns a sentence for each unknown field that names a numeric field of the type in another unit, such
// as distanceMiles: its number must be stated in the stated object instead.
func inOtherUnits(typ string, r *fields.Reader) map[string]string {
	out := map[string]string{}
	unknown := r.Unknown()
	for _, name := range unknown[:min(len(unknown), maxUnknown)] {
		field, unit, ok := units.FieldMeant(name, numbers()[typ])
		if !ok {
			continue
		}
		target, _ := units.OfField(field)
		example := "12"
		if raw := r.Peek(name); decimalText(raw) {
			example = string(raw)
		}
		out[name] = fmt.Sprintf(`%s is in %s; {"stated": {"%s": "%s %s"}} takes %s.`, field, target.Symbol, field, example, unit.Symbol, unit.Symbol)
	}
	return out
}

// decimalText reports whether the value is a short number.
func decimalText(raw json.RawMessage) bool {
	_, err := decimal.Parse([]byte(raw))
	return err == nil && len(raw) <= 20
}

// withUnits reads a body again with the numbers of its stated object in their fields. The faults are those of the
// object.
func withUnits(typ string, r *fields.Reader, body []byte) (*fields.Reader, []apperr.Detail, error) {
	if !r.Has("stated") || r.Faults() > 0 {
		return r, nil, nil
	}
	body, faults := restated(typ, r, body)
	again, err := fields.Parse(body)
	return again, faults, err
}

func given(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

func same(value json.RawMessage, number decimal.Decimal) bool {
	d, err := decimal.Parse([]byte(value))
	return err == nil && d == number
}

// converted returns a stated value in the field's unit.
func converted(typ, name, text string, format units.Format) (decimal.Decimal, *apperr.Detail) {
	path := "stated." + name
	known := numbers()[typ]
	if !slices.Contains(known, name) {
		return decimal.Decimal{}, &apperr.Detail{Field: path, Code: fields.NotAllowed, Suggestions: spelling.Nearest(name, known, 3),
			Message: fmt.Sprintf("stated may only name number fields of %s; %s is not one of them.", typ, shorten(name))}
	}
	target, measured := units.OfField(name)
	var number decimal.Decimal
	var err error
	if measured {
		var m units.Measure
		if m, err = units.Parse(text, target, format); err == nil {
			number, err = m.In(target)
		}
	} else {
		number, err = units.ParseNumber(text, format)
	}
	if err == nil {
		return number, nil
	}
	fault := &apperr.Detail{Field: path, Code: fields.BadFormat, Message: upperFirst(err.Error()) + "."}
	if a, ok := errors.AsType[*units.AmbiguousNumberError](err); ok {
		fault.Code, fault.Suggestions = AmbiguousNumber, a.Readings[:]
		fault.Message += " " + DeclareNumbers
	}
	if a, ok := errors.AsType[*units.AmbiguousUnitError](err); ok {
		fault.Code, fault.Suggestions = AmbiguousUnit, a.Meanings
	}
	if u, ok := errors.AsType[*units.UnknownUnitError](err); ok {
		fault.Code, fault.Suggestions = UnknownUnit, u.Offered
	}
	return decimal.Decimal{}, fault
}
