package sheet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/units"
)

// AmbiguousDate is the code of a date whose order was not declared.
const AmbiguousDate = "AMBIGUOUS_DATE"

// meant returns the number field that a head means by another unit, such as
// distanceMiles or "Weight (t)", and the unit's symbol.
func meant(head string, known []Column) (Column, string) {
	var names []string
	for _, c := range known {
		if c.number() {
			names = append(names, c.Name)
		}
	}
	for _, text := range [...]string{head, plain(head)} {
		if name, unit, ok := units.FieldMeant(text, names); ok {
			i := slices.IndexFunc(known, func(c Column) bool { return c.Name == name })
			return known[i], unit.Symbol
		}
	}
	return Column{}, ""
}

func (c Column) number() bool { return c.Type == "number" || c.Type == "integer" }

// object builds the JSON object of a row of a type. Of a row with faults it has what else is there.
func (in *interpreter) object(typ string, cells []string) (json.RawMessage, error) {
	if in.reading == interpreted {
		if fault := in.marks.charge(typ, cells); fault != nil {
			return nil, apperr.Invalid(*fault)
		}
	}
	var faults []apperr.Detail
	row := in.next(typ, cells)
	for i, cell := range cells {
		if i >= len(in.columns) {
			if strings.TrimSpace(cell) != "" {
				faults = append(faults, apperr.Detail{Field: strconv.Itoa(i + 1), Code: fields.TooMany,
					Message: fmt.Sprintf("The row has more cells than the head, which has %d. Is a separator inside of an unquoted cell, or has a column no head?", len(in.columns))})
				break
			}
			continue
		}
		if unit := in.unitsBeside.unitOf(i, cells); unit != "" && bareNumber(cell) {
			cell += " " + unit
		}
		if in.isSecond(i) {
			continue
		}
		if fault := in.cell(&row.body, typ, i, cell); fault != nil {
			faults = append(faults, *fault)
		}
	}
	faults = append(faults, in.interpretRow(row)...)
	if len(faults) > 0 {
		return in.finish(&row.body), apperr.Invalid(faults...)
	}
	return in.finish(&row.body), nil
}

// lacksUnit returns the fault of an amount without a unit in a row that has no other number.
func (r *perItem) lacksUnit(row *row) *apperr.Detail {
	if row.unknownAmount == nil || row.measures(row.typ, row.unknownAmount.Code != footprint.AmbiguousUnit) {
		return nil
	}
	row.unread = slices.DeleteFunc(row.unread, func(at int) bool { return at == row.amountAt })
	if r.countsPieces(&row.body, row.typ) {
		return nil
	}
	return row.unknownAmount
}

// countsPieces sets the items of a row whose amount is a number of pieces, of a material that is counted by them: a quantity
// of shirts.
func (r *perItem) countsPieces(b *body, typ string) bool {
	n, ok := r.asNumber(b.amountCell)
	if typ != "materials" || !ok || r.counts[b.amountAt] != ofPiece || n != math.Trunc(n) || !footprint.CountedByPieces(b.text("material")) {
		return false
	}
	b.put("items", int64(n))
	return true
}

// generatorFields are numbers of a generator by which its fuel is estimated; a stated amount of fuel takes precedence.
var generatorFields = []string{"hours", "generatorKVA", "loadPercent"}

// measures reports whether the row has a number, so that one more without a unit may be
// anything, such as a price; estimates: also one by which its fuel would be estimated.
func (b *body) measures(typ string, estimates bool) bool {
	return len(b.stated) > 0 || slices.ContainsFunc(Columns(typ), func(c Column) bool {
		return c.number() && b.values[c.Name] != nil && (estimates || typ != "energy" || !slices.Contains(generatorFields, c.Name))
	})
}

// cell puts one cell into the object.
func (in *interpreter) cell(b *body, typ string, i int, cell string) *apperr.Detail {
	column, trimmed := in.columns[i], strings.TrimSpace(cell)
	if word, ok := in.unclear[i]; ok && trimmed != "" {
		in.unclearCell(b, i, word)
		return nil
	}
	if i == in.origins.people.index() && isName(trimmed) {
		if trimmed != "" {
			b.unread = append(b.unread, i) // a name
		}
		return nil
	}
	if trimmed != "" && slices.Contains(in.quantity, i) && (i != in.routes.at.index() || strings.ContainsAny(trimmed, "0123456789")) {
		return in.quantityCell(b, typ, i, exactly(Unguard(trimmed)))
	}
	if share, ok := strings.CutSuffix(trimmed, "%"); ok && strings.HasSuffix(column.Name, "Percent") {
		trimmed = strings.TrimSpace(share)
		cell = trimmed
	}
	has := true
	if in.typ == Mixed && trimmed != "" && column.Name != "type" {
		var c Column
		if c, has = own(typ, column); has {
			column = c
		}
	}
	switch {
	case column.Name == "" || trimmed == "":
		return nil
	case !utf8.ValidString(cell):
		d := otherEncoding(in.heads[i], cell)
		return &d
	case column.Name == "type":
		if named := types()[key(trimmed)]; named == "" && in.reading == interpreted {
			if !in.typeOfField(b, typ, trimmed) {
				b.unread = append(b.unread, i) // of something else, such as rooms or invoices
			}
		} else if named != typ {
			return &apperr.Detail{Field: in.heads[i], Code: fields.NotAllowed, Message: "This file is imported as " + typ + ".", Suggestions: []string{typ}}
		}
		return nil
	case !has && len(quantities(typ, in.heads[i])) > 0:
		return in.quantityCell(b, typ, i, Unguard(trimmed)) // Quantity is a field of other types
	case !has:
		return &apperr.Detail{Field: in.heads[i], Code: fields.NotAllowed, Message: column.Name + " is no field of " + typ + "; leave the cell empty."}
	case column.Name == "passengers" && in.reading == interpreted && strings.Contains(trimmed, " ") && oneName(Unguard(trimmed)):
		b.set(column.Name, json.RawMessage("1")) // Reisende, Passengers: how many, or who
		return nil
	case column.number():
		number := Unguard(trimmed)
		if exact := column.withoutNoun(exactly(number)); in.reading == interpreted && exact != number {
			number, cell = exact, exact
		}
		if column.Name == "gramsPerM2" {
			number = grams(number)
			cell = number
		}
		if column.Name == moneyField && typ == "purchases" {
			amount, taken, fault := in.prices.amountOfMoney(b, i, number)
			if taken {
				return fault
			}
			if number = amount; number != trimmed {
				cell = number
			}
		}
		if fault := in.residue(i, number); fault != nil {
			return fault
		}
		if fault := in.twoReadings(i, number); fault != nil {
			return fault
		}
		if in.thousands[i] {
			return in.countCell(b, i, number)
		}
		if in.numberWithUnit(b, i, number) {
			return nil
		}
	case column.Name == "mode" && in.reading == interpreted && typ == "freight" && column.values[key(trimmed)] == "" && roadVehicle(columnOf(typ, "vehicle").values[key(trimmed)]):
		if !in.heading("vehicle") {
			b.put("vehicle", columnOf(typ, "vehicle").values[key(trimmed)])
		}
		b.put("mode", "road") // Van, Furgone
		return nil
	case column.Name == "mode" && in.reading == interpreted && column.values[key(trimmed)] == "":
		if mode := answeredMode(typ, trimmed, column.values); mode != "" {
			cell = mode
		} else if people, _ := inCar(trimmed); typ == "ground-transport" && (people > 1 || sharedModes.HasAny(wordsOf(trimmed))) {
			b.sharedMode = trimmed
			return nil
		} else if kind := carOf(trimmed); typ == "ground-transport" && kind.mode != "" {
			b.vehicle = kind
			return nil
		}
	case column.Name == "mealType" && in.reading == interpreted && mealTypeOf(trimmed) != "":
		b.put(column.Name, mealTypeOf(trimmed))
		return nil
	case column.Name == "vehicle" && in.reading == interpreted && typ == "freight" && column.values[key(trimmed)] == "" && !in.heading("mode"):
		if mode := columnOf(typ, "mode").values[key(trimmed)]; mode != "" { // a ship, a train
			b.put("mode", mode)
			return nil
		}
	case column.Name == "container" && in.reading == interpreted && typ == "waste" && !in.heading("containers") && bareNumber(trimmed):
		column, cell = columnOf(typ, "containers"), trimmed // Behälter: which, or how many
	case column.Name == "diet" && severalDiets(trimmed):
		return in.refuseDiets(i, trimmed)
	case column.Name == "date":
		day, err := in.day(trimmed)
		if e, ok := errors.AsType[*units.AmbiguousDateError](err); ok {
			return in.ambiguousDate(i, e)
		}
		if err == nil {
			cell = day
		}
	}
	value := column.value(cell, in.o)
	if column.Name == "via" && string(value) == "[]" {
		return nil // Direct
	}
	b.set(column.Name, value)
	return nil
}

// typedFields are the fields that a column headed Type has where its values are theirs.
var typedFields = map[string]string{"accommodation": "kind", "waste": "material", "energy": "source", "digital": "activity"}

// typeOfField sets the field that has a text below the heading Type as a value, such as Hostel; false if there is none, or
// another column has the field. In a column with such values, any other text is an unknown value, which the decoder of the
// record rejects.
func (in *interpreter) typeOfField(b *body, typ, text string) bool {
	field := typedFields[typ]
	value := columnOf(typ, field).values[key(text)]
	if field == "" || value == "" && !in.typesField || in.heading(field) {
		return false
	}
	in.typesField = true
	b.put(field, cmp.Or(value, text))
	return true
}

// grams returns the number of a weight of paper: 150 of 150 gsm, 150 g/m² or 150g.
func grams(cell string) string {
	text := strings.ToLower(strings.ReplaceAll(cell, " ", ""))
	for _, unit := range [...]string{"gsm", "g/m2", "g/m²", "g/qm", "g"} {
		if number, ok := strings.CutSuffix(text, unit); ok && number != "" && strings.Trim(number, "0123456789.,") == "" {
			return number
		}
	}
	return cell
}

// own returns the column of a type for a column of a file of several types; false if the type has none.
func own(typ string, column Column) (Column, bool) {
	same := func(c Column) bool { return c.Name == column.Name && c.Type == column.Type }
	if i := slices.IndexFunc(Columns(typ), same); i >= 0 {
		return Columns(typ)[i], true
	}
	return column, slices.ContainsFunc(ServerColumns(), same)
}

// numberWithUnit moves a cell with a unit or separators to the stated object; false if the cell is a plain number in
// the field's unit, or not a number.
func (in *interpreter) numberWithUnit(b *body, i int, cell string) bool {
	name, unit := in.columns[i].Name, in.inUnit[i]
	if cell == "" || cell[0] < '0' || cell[0] > '9' {
		return false
	}
	number := json.Valid([]byte(cell))
	if unit != "" {
		if strings.ContainsFunc(cell, func(c rune) bool { return c >= 'A' && c <= 'z' }) || strings.ContainsAny(cell, "£€$¥") {
			unit = "" // the cell has its own unit
		} else if number && in.declared() == "" && ambiguous(cell) != nil {
			cell += "0" // the file writes 1.5, so that it has one reading
		}
		b.stated[name] = strings.TrimSpace(cell + " " + unit)
		return true
	}
	if f, ok := units.ParseFormat(in.o.NumberFormat); ok && strings.ContainsAny(cell, "., '\u00a0") {
		if n, err := units.ParseNumber(cell, f); err == nil {
			b.set(name, json.RawMessage(n.String()))
			return true
		}
		b.stated[name] = cell
		return true
	}
	digits := strings.Trim(cell, "0123456789") == ""
	if number || digits || in.o.DecimalComma && json.Valid([]byte(strings.Replace(cell, ",", ".", 1))) && !strings.Contains(cell, ".") {
		return false
	}
	if in.typ == footprint.OriginRows { // origins have no stated object
		n, err := units.ParseNumber(cell, units.Format{})
		if err == nil {
			b.set(name, json.RawMessage(n.String()))
		}
		return err == nil
	}
	b.stated[name] = cell
	return true
}

// declared returns the format of numbers that the file was declared to have.
func (t *table) declared() string {
	if t.o.NumberFormat == "" && t.o.DecimalComma {
		return "1234,5"
	}
	return t.o.NumberFormat
}

// value returns a cell as JSON. An invalid cell becomes a string, which the decoder of the record rejects with a
// reason.
func (c Column) value(cell string, o Options) json.RawMessage {
	cell = Unguard(cell)
	trimmed := strings.TrimSpace(cell)
	switch c.Type {
	case "string":
		if value := c.values[key(trimmed)]; value != "" {
			cell = value
		} else if country, ok := locations.CountryWritten(trimmed); ok && c.Name == "country" {
			cell = country.Code
		}
	case "integer", "number":
		number := trimmed
		if o.DecimalComma && !strings.Contains(number, ".") {
			number = strings.Replace(number, ",", ".", 1)
		} else if o.DecimalComma {
			break // 1.5 contradicts the declared format
		}
		if json.Valid([]byte(number)) && strings.ContainsAny(number[:1], "-0123456789") {
			return json.RawMessage(number)
		}
	case "boolean":
		value, known := fields.Truth(trimmed)
		if !known && c.Name == "roundTrip" {
			value, known = way(trimmed)
			if !known && units.IsDate(trimmed) { // the date of the return journey
				value, known = true, true
			}
			known = known || noWayBack(strings.ToLower(trimmed))
		}
		if known {
			return json.RawMessage(strconv.FormatBool(value))
		}
	case "array", "object":
		if trimmed == "" {
			break
		}
		if (trimmed[0] == '[' || trimmed[0] == '{') && json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
		if c.Name == "via" {
			list, _ := json.Marshal(stopsOf(trimmed)) //nolint:errchkjson // texts always marshal
			return list
		}
		if c.Name == "evidence" && trimmed[0] != '[' && trimmed[0] != '{' {
			list, _ := json.Marshal(documentsOf(trimmed)) //nolint:errchkjson // texts always marshal
			return list
		}
		if c.Type == "array" {
			list, _ := json.Marshal(strings.FieldsFunc(trimmed, func(r rune) bool { return r == '|' || r == ' ' })) //nolint:errchkjson // texts always marshal
			return list
		}
	}
	text, _ := json.Marshal(cell) //nolint:errchkjson // a string always marshals
	return text
}
